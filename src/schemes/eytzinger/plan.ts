import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { planSortedItems } from '../kit/sortedItems.wgsl.ts';
import { nodeOf } from './build.wgsl.ts';
import { eytzingerReader } from './find.wgsl.ts';

export const planEytzinger = (request: PlanRequest): TablePlan =>
  planSortedItems({
    scheme: 'eytzinger',
    request,
    // Nodes are numbered from 1 on, and slot 0 stays unused.
    slotCount: request.items + 1,
    slotOf: nodeOf,
    reader: (view) => eytzingerReader(request, view),
  });
