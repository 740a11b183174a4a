import type { HashFamily } from '../../hashing/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { requireAddressable } from '../kit/capacity.ts';
import { slotsBuffer, slotValueStore, slotWords } from '../kit/slot.wgsl.ts';
import { perfectBuild } from './build.wgsl.ts';
import { areSoundSubarrays, perfectReader } from './find.wgsl.ts';
import { MOST_GROWTH, scratchOf, slotBound } from './sizes.ts';

export function planPerfect(family: HashFamily, request: PlanRequest): TablePlan {
  const { items, growth } = request;
  const subarrays = Math.max(1, items);
  // The sum of squares must stay below 2³², also while one more workgroup adds to it.
  const capacitySlots = requireAddressable('perfect', slotBound(subarrays, growth));
  const canGrow = growth < MOST_GROWTH && capacitySlots < subarrays ** 2;
  const fields = { subarrays };
  return {
    request,
    family,
    format: 'perfect/1',
    capacitySlots,
    slotCount: capacitySlots,
    buffers: [
      { name: 'subarrays', bytes: subarrays * 8, type: 'array<vec2u>' },
      slotsBuffer('slots', request, capacitySlots),
    ],
    scratch: scratchOf(items, subarrays, capacitySlots),
    fields,
    larger: canGrow ? () => planPerfect(family, { ...request, growth: growth + 1 }) : undefined,
    build: perfectBuild({ request, family, capacitySlots, fields }),
    reader: (view) => perfectReader(family, request, view),
    soundness: {
      hashed: { buffer: 'slots', slotWords: slotWords(request) },
      numbers: { count: subarrays, isSound: areSoundSubarrays },
    },
    valueStore: () => slotValueStore('slots', request),
  };
}
