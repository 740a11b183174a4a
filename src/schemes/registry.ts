import { bucketCuckoo } from './bucketCuckoo/index.ts';
import { chaining } from './chaining/index.ts';
import type { Scheme } from './contract/index.ts';
import { cuckoo } from './cuckoo/index.ts';
import { eytzinger } from './eytzinger/index.ts';
import { doubleHashing, linearProbing, quadraticProbing } from './openAddressing/index.ts';
import { perfect } from './perfect/index.ts';
import { type PerfectSpatialOptions, perfectSpatial } from './perfectSpatial/index.ts';
import { robinHood } from './robinHood/index.ts';
import { sortedArray } from './sortedArray/index.ts';
import { twoLevelCuckoo } from './twoLevelCuckoo/index.ts';

/** Every scheme that comes with the library, by name. */
export const schemes = {
  linearProbing,
  quadraticProbing,
  doubleHashing,
  sortedArray,
  eytzinger,
  chaining,
  twoLevelCuckoo,
  cuckoo,
  bucketCuckoo,
  perfect,
  robinHood,
  // Whoever takes schemes by their name learns from the plan what they can carry.
  perfectSpatial: perfectSpatial as (options?: PerfectSpatialOptions) => Scheme,
} as const;

/** A scheme's name. */
export type SchemeName = keyof typeof schemes;
