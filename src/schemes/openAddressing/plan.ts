import type { HashFamily, ProbeSequence } from '../../hashing/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { chooseCapacity } from '../kit/capacity.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import { slotsBuffer, slotValueStore } from '../kit/slot.wgsl.ts';
import { tokenOf } from '../kit/token.wgsl.ts';
import { openAddressingBuild } from './build.wgsl.ts';
import { openAddressingReader } from './find.wgsl.ts';
import type { OpenAddressingOptions } from './index.ts';

/** The dissertation's probe limit is min(N, 10,000), section 3.1.1. */
const PROBE_LIMIT = 10_000;

/**
 * Steps of the sequences never reach some slots of some capacities, so an insertion that runs out of probes walks on
 * slot by slot, this far at most. Tables up to this size can be filled to the last slot.
 */
const SWEEP_LIMIT = 10_000;

/** What distinguishes the three schemes. */
export interface Probing {
  readonly name: string;
  readonly probes: ProbeSequence;
  readonly family: HashFamily;
}

/** Whether claimed slots have to be filled by a kernel of their own. */
const needsFill = ({ key, valueWords, duplicates }: PlanRequest): boolean =>
  tokenOf(key) === 'rank' || (valueWords > 0 && copiesCompete(duplicates));

export function planOpenAddressing(probing: Probing, options: OpenAddressingOptions, request: PlanRequest): TablePlan {
  const { name, family } = probing;
  const rules = { scheme: name, defaultLoad: 0.8, growthFactor: 1.1, mostGrowths: 8 };
  const { capacitySlots, canGrow } = chooseCapacity(rules, options, request);
  const probeLimit = Math.min(Math.max(request.items, 1), PROBE_LIMIT);
  // Probes of an insertion, the final sweep included.
  const fields = { probeLimit, insertLimit: probeLimit + Math.min(capacitySlots, SWEEP_LIMIT) };
  // One more than the capacity: the extra slot.
  const slotCount = capacitySlots + 1;
  return {
    request,
    family,
    format: `${name}/1`,
    capacitySlots,
    slotCount,
    buffers: [slotsBuffer('slots', request, slotCount)],
    scratch: [],
    fields,
    larger: canGrow
      ? () => planOpenAddressing(probing, options, { ...request, growth: request.growth + 1 })
      : undefined,
    build: openAddressingBuild({ probing, request, fields, slotCount, needsFill: needsFill(request) }),
    reader: (view) => openAddressingReader(probing, request, view),
    soundness: { longest: fields.insertLimit },
    valueStore: () => slotValueStore('slots', request),
  };
}
