import type { PlanRequest, TablePlan } from '../contract/scheme.ts';
import { planSortedItems } from '../kit/sortedItems.wgsl.ts';

/** Nodes are numbered from 1 on, and slot 0 stays unused. */
export const slotsOf = ({ items }: PlanRequest): number => items + 1;

export const planEytzinger = (request: PlanRequest): TablePlan =>
  planSortedItems('eytzinger', request, slotsOf(request));
