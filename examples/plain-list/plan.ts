import type { PlanRequest, TablePlan } from '../../src/schemes/contract/scheme.ts';
import { slotWords } from '../../src/schemes/kit/slot.wgsl.ts';

/** Decides every size before anything is allocated. The same request must always give the same plan. */
export function planPlainList(request: PlanRequest): TablePlan {
  const capacitySlots = Math.max(1, request.items);
  return {
    ...request,
    capacitySlots,
    canGrow: false,
    table: [{ name: 'slots', bytes: capacitySlots * slotWords(request) * 4 }],
    scratch: [],
    own: [],
  };
}
