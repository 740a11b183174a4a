import type { PlanRequest, TablePlan } from '../scheme.ts';
import { planSortedItems } from '../sortedItems.ts';

export const planSortedArray = (request: PlanRequest): TablePlan =>
  planSortedItems('sortedArray', request, request.items);
