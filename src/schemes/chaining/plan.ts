import { InvalidInputError } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import { scanScratch, sortScratch } from '../../primitives/index.ts';
import type { BufferSpec, PlanRequest, TablePlan } from '../contract/scheme.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import type { ChainingOptions } from './index.ts';
import { dropsCopies, sortingOf } from './sorting.ts';

/** Scratch of the build, a word an item each. */
export const SORT_KEYS = 'chaining/sortKeys';
export const ORDER = 'chaining/order';
export const DROPPED = 'chaining/dropped';

/** Numbers of buckets plus a workgroup's share must stay below 2³². */
const MAX_BUCKETS = 2 ** 31;

export const bucketsOf = (plan: TablePlan): number => plan.own[0] as number;

export function planChaining(options: ChainingOptions, request: PlanRequest): TablePlan {
  const { items, duplicates } = request;
  const capacitySlots = Math.max(1, items);
  const buckets = chooseBuckets(options, capacitySlots);
  const { by, bucketBits, withOrder } = sortingOf(options.hash ?? mix, request, buckets);
  const perItem = (name: string): BufferSpec => ({ name, bytes: items * 4 });
  return {
    ...request,
    capacitySlots,
    canGrow: false,
    table: [
      { name: 'contents', bytes: capacitySlots * slotWords(request) * 4 },
      { name: 'starts', bytes: buckets * 4 },
    ],
    scratch: [
      perItem(SORT_KEYS),
      ...(withOrder ? [perItem(ORDER)] : []),
      ...sortScratch(items, { withValues: withOrder, bits: by === 'bucket' ? bucketBits : 32 }),
      ...(dropsCopies(duplicates) ? [perItem(DROPPED), ...scanScratch(items)] : []),
    ],
    own: [buckets],
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
