/** How much memory moves take: for how many items keys are moved at a time, and how many locks there are. */

/** Slots on a path at most: keys that are moved for one item, and the empty slot. */
export const LONGEST_PATH = 12;
/** Words of a path: how many slots it has; each of them, and the tag that it gets. */
export const PATH_WORDS = 1 + 2 * LONGEST_PATH;

const FEWEST_LANES = 2 ** 16;
const MOST_LANES = 2 ** 19;
/** Few items find both buckets full, so not all are moved for at a time. */
const ITEMS_PER_LANE = 4;
const LOCKS_PER_LANE = 8;

/** Two thirds of them were enough for every table at 0.9 that was tried (docs); where lanes have several items, more. */
const FEWEST_ROUNDS = 22;
const ROUNDS_PER_ITEM = 1.5;

export function moveRoom(items: number) {
  const lanes = Math.min(items, Math.max(FEWEST_LANES, Math.min(MOST_LANES, Math.ceil(items / ITEMS_PER_LANE))));
  const lockBits = Math.ceil(Math.log2(Math.max(64, lanes * LOCKS_PER_LANE)));
  return {
    lanes,
    lockBits,
    rounds: FEWEST_ROUNDS + Math.ceil((ROUNDS_PER_ITEM * items) / Math.max(1, lanes)),
    /** Words of locks, and of a counter for every lane. */
    lockWords: 2 ** lockBits + lanes,
    pathWords: lanes * PATH_WORDS,
  };
}
