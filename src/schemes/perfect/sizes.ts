/** How large the parts of a table are, and how many rounds its build takes. */

import { scanScratch } from '../../primitives/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { BufferSpec, TablePlan } from '../contract/index.ts';
import { ALSO_FREE_AFTER_DISTINCT, distinctScratch, FREE_AFTER_DISTINCT } from '../kit/distinct.wgsl.ts';

/** What the build has to know. */
export interface PerfectPlan extends Pick<TablePlan, 'request' | 'family' | 'capacitySlots'> {
  readonly fields: { readonly subarrays: number };
}

/** Scratch: every item's 64-bit hash, who holds each slot, and a few counters. */
export const HASHES = 'perfect/hashes';
export const TOKENS = 'perfect/tokens';
export const COUNTERS = 'perfect/counters';
/** The items of each subarray until the prefix sum is made; then the second of two lists of items by turns. */
export const COUNTS_THEN_LIST = ALSO_FREE_AFTER_DISTINCT;
export const LIST = FREE_AFTER_DISTINCT;

/**
 * Functions that a subarray may try. Each fails with a chance of at most one half (in fact a quarter to two fifths), so
 * that even among 10⁷ subarrays it happens less than once in 400 builds that one of them needs more.
 */
export const MOST_ROUNDS = 32;

/** `counters[0]` is the sum of squares; behind it the lengths of the lists, by round. */
export const COUNTER_WORDS = MOST_ROUNDS + 1;

/**
 * The share of the items whose subarray has a collision in the first round, and of those that have one again in the
 * next: 17.6% and about 28% of random keys. They only decide how many threads are started.
 */
const FIRST_COLLISIONS = 0.18;
const NEXT_COLLISIONS = 0.3;

/** Rounds are kernels of their own until one workgroup is expected to have a thread for each item that is left. */
const LEFT_FOR_ONE_GROUP = 256;

const GROWTH = 1.25;
export const MOST_GROWTH = 4;

/** The planned bound of the sum of squares for each item. */
const SLOTS_PER_ITEM = 2.5;

/**
 * The bound for the sum of squares Σ cᵢ². It is n plus twice the number of pairs that meet; n(n − 1)/2 pairs meet with chance 1/n
 * each: 2n − 1 on average over all functions of the family. Single functions may be well above: at 10⁸ one-word keys a
 * third of those that were tried were above 2n, most by a hundredth. The last terms are for few items, where chance is
 * large: eight standard deviations of random sums and a constant. More than n² cannot be. The room above 2n also lets about
 * a quarter of the items be copies, which meet for certain.
 */
export function slotBound(subarrays: number, growth: number): number {
  const wanted = (SLOTS_PER_ITEM * subarrays + 8 * Math.sqrt(2 * subarrays) + 16) * GROWTH ** growth;
  return Math.min(subarrays ** 2, Math.ceil(wanted));
}

/** How many items are expected to take part in a round, of so many in all. */
export const expectedInRound = (items: number, round: number): number =>
  round === 0 ? items : Math.max(1, Math.ceil(items * FIRST_COLLISIONS * NEXT_COLLISIONS ** (round - 1)));

/** The first round that is left to one workgroup. */
export function lastRoundsFrom(items: number): number {
  let round = 1;
  while (expectedInRound(items, round) > LEFT_FOR_ONE_GROUP) round++;
  return round;
}

/** The scratch buffers of a build. */
export const scratchOf = (items: number, subarrays: number, slots: number): readonly BufferSpec[] => [
  { name: HASHES, bytes: items * 8 },
  { name: TOKENS, bytes: slots * WORD_BYTES },
  { name: COUNTERS, bytes: COUNTER_WORDS * WORD_BYTES },
  ...scanScratch(subarrays),
  ...distinctScratch(items),
];
