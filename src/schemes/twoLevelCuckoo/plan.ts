import { InvalidInputError } from '../../gpu/index.ts';
import type { HashFamily } from '../../hashing/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { requireAddressable } from '../kit/capacity.ts';
import { slotsBuffer, slotValueStore } from '../kit/slot.wgsl.ts';
import { twoLevelBuild, twoLevelScratch } from './build.wgsl.ts';
import { twoLevelReader } from './find.wgsl.ts';

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

/** Each growth step adds a tenth: the average bucket is then seven standard deviations below its capacity. */
const GROWTH = 1.1;
const MOST_GROWTHS = 4;

/** The shape of buckets of that capacity. */
function bucketShape(bucketCapacity: number): BucketShape {
  const found = SHAPES.get(bucketCapacity);
  if (!found) {
    throw new InvalidInputError(
      `twoLevelCuckoo: bucketCapacity must be ${[...SHAPES.keys()].join(', ')}, not ${bucketCapacity}`,
    );
  }
  return found;
}

/** What kernels have to know of the scheme. */
export interface TwoLevels {
  readonly family: HashFamily;
  readonly shape: BucketShape;
}

/** What a scheme was made with; nothing is checked yet. */
export interface TwoLevelSettings {
  readonly bucketCapacity: number;
  readonly family: HashFamily;
}

export function planTwoLevelCuckoo(settings: TwoLevelSettings, request: PlanRequest): TablePlan {
  const { bucketCapacity, family } = settings;
  const { items, growth } = request;
  const shape = bucketShape(bucketCapacity);
  const buckets = Math.max(1, Math.ceil((items / shape.averageItems) * GROWTH ** growth));
  const capacitySlots = requireAddressable('twoLevelCuckoo', 3 * buckets * shape.subtableSlots);
  // One more than the capacity: the extra slot.
  const slotCount = capacitySlots + 1;
  const fields = { buckets };
  return {
    request,
    family,
    format: 'twoLevelCuckoo/1',
    capacitySlots,
    slotCount,
    buffers: [
      slotsBuffer('slots', request, slotCount),
      { name: 'seeds', bytes: buckets * WORD_BYTES, type: 'array<u32>' },
    ],
    scratch: twoLevelScratch(request, buckets),
    fields,
    larger: growth < MOST_GROWTHS ? () => planTwoLevelCuckoo(settings, { ...request, growth: growth + 1 }) : undefined,
    build: twoLevelBuild({ family, shape, request, fields, capacitySlots }),
    reader: (view) => twoLevelReader({ family, shape }, request, view),
    valueStore: () => slotValueStore('slots', request),
  };
}
