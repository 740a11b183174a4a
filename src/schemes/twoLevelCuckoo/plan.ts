import { InvalidInputError } from '../../gpu/index.ts';
import { scanScratch } from '../../primitives/index.ts';
import type { PlanRequest, TablePlan } from '../contract/scheme.ts';
import { distinctScratch, FREE_AFTER_DISTINCT } from '../kit/distinct.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { recordWords } from './record.wgsl.ts';

/** Scratch of phase 1: where each bucket starts, the items bucket by bucket, and every item's place in its bucket. */
export const STARTS = 'twoLevelCuckoo/starts';
export const RECORDS = 'twoLevelCuckoo/records';
export const OFFSETS = FREE_AFTER_DISTINCT;

/** Items that a bucket may have. */
export type BucketCapacity = 512 | 1024 | 2048;

/** What follows from the capacity of a bucket. */
export interface BucketShape {
  /** C of the papers. */
  readonly capacity: BucketCapacity;
  /** C · T, rounded down as in the papers: how many items a bucket has on average. */
  readonly averageItems: number;
  /** C/4 + C/8: slots of each of the three subtables. */
  readonly subtableSlots: number;
  /** Rounds after which the hash functions of a bucket are given up. */
  readonly roundLimit: number;
  /** Invocations that build a bucket together, and items that each of them has: constants, so that any device will do. */
  readonly threads: number;
  readonly itemsPerThread: number;
}

const shape = (
  capacity: BucketCapacity,
  occupancy: number,
  roundLimit: number,
  threads: number,
): readonly [BucketCapacity, BucketShape] => [
  capacity,
  {
    capacity,
    averageItems: Math.floor(capacity * occupancy),
    subtableSlots: capacity / 4 + capacity / 8,
    roundLimit,
    threads,
    itemsPerThread: capacity / threads,
  },
];

/**
 * Target occupancies of section 5.1.1. The 25 rounds are the papers' for 512 items. They give none for larger buckets;
 * these are enough for 99% of the buckets that lie three standard deviations above the average, as 25 are for 512.
 */
const SHAPES: ReadonlyMap<number, BucketShape> = new Map([
  shape(512, 0.8, 25, 128),
  shape(1024, 0.85, 30, 256),
  shape(2048, 0.9, 45, 256),
]);

/** Indices of slots must stay below 2³². */
const MAX_SLOTS = 2 ** 31;

/** Each growth step adds a tenth: the average bucket is then seven standard deviations below its capacity. */
const GROWTH = 1.1;
const MOST_GROWTH = 4;

/** The shape of buckets of that capacity. */
export function bucketShape(bucketCapacity: number): BucketShape {
  const found = SHAPES.get(bucketCapacity);
  if (!found) {
    throw new InvalidInputError(
      `twoLevelCuckoo: bucketCapacity must be ${[...SHAPES.keys()].join(', ')}, not ${bucketCapacity}`,
    );
  }
  return found;
}

export const bucketsOf = (plan: TablePlan): number => plan.own[0] as number;

export function planTwoLevelCuckoo(bucketCapacity: number, request: PlanRequest): TablePlan {
  const { items, key, growth } = request;
  const shape = bucketShape(bucketCapacity);
  const buckets = Math.max(1, Math.ceil((items / shape.averageItems) * GROWTH ** growth));
  const capacitySlots = 3 * buckets * shape.subtableSlots;
  if (capacitySlots > MAX_SLOTS) {
    throw new InvalidInputError(
      `twoLevelCuckoo: ${items} items need ${capacitySlots} slots, more than the ${MAX_SLOTS} it can address`,
    );
  }
  return {
    ...request,
    capacitySlots,
    canGrow: growth < MOST_GROWTH,
    table: [
      // One slot more than the capacity: the home of the key that looks like an empty slot.
      { name: 'slots', bytes: (capacitySlots + 1) * slotWords(request) * 4 },
      { name: 'seeds', bytes: buckets * 4 },
    ],
    scratch: [
      { name: STARTS, bytes: (buckets + 1) * 4 },
      { name: RECORDS, bytes: items * recordWords(key) * 4 },
      ...scanScratch(buckets),
      ...distinctScratch(items),
    ],
    own: [buckets],
  };
}
