import type { PlanRequest, TablePlan } from '../contract/scheme.ts';
import { planSortedItems } from '../kit/sortedItems.wgsl.ts';

export const planSortedArray = (request: PlanRequest): TablePlan =>
  planSortedItems('sortedArray', request, request.items);
