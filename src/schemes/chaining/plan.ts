import { InvalidInputError } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import { scanScratch, sortScratch } from '../../primitives/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { BufferSpec, PlanRequest, TablePlan } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { slotsBuffer, slotValueStore } from '../kit/slot.wgsl.ts';
import { chainingBuild } from './build.wgsl.ts';
import { areSoundStarts, chainingReader } from './find.wgsl.ts';
import type { ChainingOptions } from './index.ts';
import { SCRATCH, sortingOf } from './sorting.ts';

/** Numbers of buckets plus a workgroup's share must stay below 2³². */
const MAX_BUCKETS = 2 ** 31;

export function planChaining(options: ChainingOptions, request: PlanRequest): TablePlan {
  const { hash: family = mix } = options;
  const { items, duplicates } = request;
  const capacitySlots = Math.max(1, items);
  const buckets = chooseBuckets(options, capacitySlots);
  const sorting = sortingOf(family, request, buckets);
  const { by, bucketBits, withOrder } = sorting;
  const perItem = (name: string): BufferSpec => ({ name, bytes: items * WORD_BYTES });
  const fields = { buckets };
  return {
    request,
    family,
    format: 'chaining/1',
    capacitySlots,
    slotCount: capacitySlots,
    buffers: [
      slotsBuffer('contents', request, capacitySlots),
      { name: 'starts', bytes: buckets * WORD_BYTES, type: 'array<u32>' },
    ],
    scratch: [
      perItem(SCRATCH.sortKeys),
      ...(withOrder ? [perItem(SCRATCH.order)] : []),
      ...sortScratch(items, { withValues: withOrder, bits: by === 'bucket' ? bucketBits : 32 }),
      ...(forbidsCopies(duplicates) ? [] : [perItem(SCRATCH.dropped), ...scanScratch(items)]),
    ],
    fields,
    build: chainingBuild({ request, family, fields, sorting }),
    reader: (view) => chainingReader(family, request, view),
    soundness: { numbers: { count: buckets, isSound: areSoundStarts } },
    valueStore: () => slotValueStore('contents', request),
  };
}

function chooseBuckets({ buckets, bucketsPerItem }: ChainingOptions, capacitySlots: number): number {
  if (buckets !== undefined && bucketsPerItem !== undefined) {
    throw new InvalidInputError('chaining: give either buckets or bucketsPerItem, not both');
  }
  if (buckets !== undefined) {
    if (!Number.isInteger(buckets) || buckets < 1 || buckets > MAX_BUCKETS) {
      throw new InvalidInputError(`chaining: buckets must be an integer from 1 to ${MAX_BUCKETS}, not ${buckets}`);
    }
    return buckets;
  }
  const ratio = bucketsPerItem ?? 0.5;
  if (!(ratio > 0 && Number.isFinite(ratio))) {
    throw new InvalidInputError(`chaining: bucketsPerItem must be a number above 0, not ${ratio}`);
  }
  const chosen = Math.max(1, Math.round(capacitySlots * ratio));
  if (chosen > MAX_BUCKETS) {
    throw new InvalidInputError(`chaining: ${chosen} buckets are more than the ${MAX_BUCKETS} it can address`);
  }
  return chosen;
}
