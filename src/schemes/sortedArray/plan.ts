import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { planSortedItems } from '../kit/sortedItems.wgsl.ts';
import { slotOf } from './build.wgsl.ts';
import { sortedArrayReader } from './find.wgsl.ts';

export const planSortedArray = (request: PlanRequest): TablePlan =>
  planSortedItems({
    scheme: 'sortedArray',
    request,
    slotCount: request.items,
    slotOf,
    reader: (view) => sortedArrayReader(request, view),
  });
