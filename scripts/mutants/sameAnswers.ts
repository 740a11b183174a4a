/**
 * Mutants that somebody has gone through and found to change no answer: they make something slower, larger, or only look
 * different. They are not tried. Each is found again by its line, so a changed line is tried again.
 */
import type { Mutant } from './collect.ts';

interface SameAnswers {
  readonly path: string;
  /** Some of the line that tells it from others. */
  readonly line: string;
  /** What becomes what; all mutants of the line if left out. */
  readonly change?: string | readonly string[];
  readonly because: string;
}

const LARGER = 'memory is larger than need be';
const SLOWER = 'another way to the same answer, slower at most';
const AT_ONCE = 'more or less is done at once';
const KEPT = 'more or fewer are kept for later';
const PER_THREAD = 'a thread has more or less to do';
const GROUPS = 'workgroups go on until all is done';
const WAY = 'batches of that size go another way, to the same answer';
const NEVER = 'a bound for what never happens';
const MOVED = 'who finds no room here is made room for later';
const GIVEN_UP = 'it is given up sooner or later, and a larger table is tried';
const OUTSIDE = 'what is written outside of a typed array is nowhere';
const THERE_ALREADY = 'the array is there, and is as large as it has to be';

/** What is listed. */
export const LISTED: readonly SameAnswers[] = [
  {
    path: 'collections/aggregate/reduceGroups.wgsl.ts',
    line: 'i < 32u && low < high',
    change: '32 -> 33',
    because: SLOWER,
  },
  { path: 'gpu/arguments.ts', line: '.length > 0) return;', change: '0 -> (1)', because: SLOWER },
  {
    path: 'bridges/arrow/column.ts',
    line: 'w < key.words',
    change: '< -> <=',
    because: 'the next row writes over it, and what stands in a row without a value does not matter',
  },
  { path: 'bridges/arrow/column.ts', line: 'pieces.length === 1', because: 'the only array is copied' },
  { path: 'apps/sparsePaint.ts', line: 'most = 0 }', change: '0 -> (1)', because: LARGER },
  {
    path: 'bridges/arrow/combine.ts',
    line: 'low ? (low[step * i]',
    because: 'the low word of what has none is not used',
  },
  {
    path: 'collections/aggregate/record.ts',
    line: 'const isDirect =',
    change: '&& -> ||',
    because: 'grids for all keys that there may be, not for those that there are',
  },
  { path: 'primitives/mergeSortTile.wgsl.ts', line: 'next = first + 1u', change: '1 -> 0', because: SLOWER },
  {
    path: 'schemes/regionCuckoo/copies.wgsl.ts',
    line: 'const MEMORY_WORDS',
    because: 'windows are a slot longer, and some words are left',
  },
  {
    path: 'schemes/regionCuckoo/moves.wgsl.ts',
    line: '2 * perBucket}u; i++',
    change: '2 -> (3)',
    because: 'the other bucket is gone through twice',
  },
  {
    path: 'spatial/cells.wgsl.ts',
    line: 'export const blockEnd',
    change: '1 -> (2)',
    because: 'blocks end earlier, and are more',
  },
  { path: 'primitives/fill.wgsl.ts', line: 'const whole =', because: 'words are filled one by one' },
  { path: 'primitives/histogram.wgsl.ts', line: 'const WORKGROUP_BINS', because: SLOWER },
  { path: 'primitives/histogram.wgsl.ts', line: 'const MOST_GROUPS', because: SLOWER },
  {
    path: 'primitives/scanKernels.wgsl.ts',
    line: 'max(end, 1u) - 1u',
    change: '1 -> 2',
    because: 'what is read beyond the end is not used, and stays within the buffer',
  },
  { path: 'schemes/bucketCuckoo/oneOfEachKey.wgsl.ts', line: '100000u', because: 'a bound for what never happens' },
  {
    path: 'schemes/kit/quick/memory.wgsl.ts',
    line: 'mostHomeless(shape) / 2',
    change: '/ -> *',
    because: LARGER,
  },
  { path: 'schemes/kit/quick/homeless.wgsl.ts', line: '>> 16u', because: 'other slots by chance' },
  { path: 'schemes/openAddressing/find.wgsl.ts', line: 'probes.wrapsOften', because: SLOWER },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'const TRIES_PER_POINT', because: GIVEN_UP },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'const LEAST_TRIES', because: GIVEN_UP },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'triesLeft -= tries', because: GIVEN_UP },
  {
    path: 'schemes/perfectSpatial/construct.ts',
    line: 'tries: 0 }',
    change: ['0 -> (1)', '0 -> (-1)'],
    because: GIVEN_UP,
  },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'let previous = 0', because: 'another cell is looked at first' },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'previous = cell;', because: 'another cell is looked at first' },
  { path: 'schemes/perfectSpatial/construct.ts', line: 'isDone[cell] = 1', change: '1 -> (2)', because: 'it is not 0' },
  {
    path: 'schemes/perfectSpatial/offsetCells.ts',
    line: 'new Uint32Array(most + 1)',
    change: '1 -> (2)',
    because: LARGER,
  },
  {
    path: 'schemes/regionCuckoo/copies.wgsl.ts',
    line: 'i < min(',
    change: '< -> <=',
    because: 'the first slot of the next window has no flag yet',
  },
  { path: 'schemes/regionCuckoo/moves.wgsl.ts', line: 'random = random *', because: 'other slots by chance' },
  { path: 'schemes/twoLevelCuckoo/hashes.wgsl.ts', line: 'const PAPER_TRIES', because: 'other seeds by chance' },
  {
    path: 'apps/sparseGrid.ts',
    line: 'const PIXELS_AT_ONCE',
    change: ['1 -> (2)', '22 -> (23)', '22 -> (21)'],
    because: AT_ONCE,
  },
  {
    path: 'apps/stroke.wgsl.ts',
    line: 'output: last, value: 0',
    change: '0 -> (1)',
    because: 'a dab that has a slot has left a greater number there',
  },
  {
    path: 'collections/aggregate/aggregate.ts',
    line: 'const QUERIES_AT_ONCE',
    change: ['1 -> (2)', '22 -> (23)', '22 -> (21)'],
    because: AT_ONCE,
  },
  { path: 'collections/aggregate/aggregate.ts', line: 'ResultColumn, keys = 0)', because: THERE_ALREADY },
  {
    path: 'collections/aggregate/reduceGroups.wgsl.ts',
    line: 'keyCount}) { return; }',
    change: '>= -> >',
    because: 'one key more, which nobody reads',
  },
  {
    path: 'collections/dynamic/dynamicCollection.ts',
    line: 'seed, reserve = 0 }',
    change: '0 -> (1)',
    because: 'the smallest table has room for one',
  },
  { path: 'collections/multiMap/multiMap.ts', line: 'name: SavedArray, bytes = 0)', because: THERE_ALREADY },
  {
    path: 'collections/multiMap/ragged.ts',
    line: 'const QUERIES_AT_ONCE',
    change: ['1 -> (2)', '22 -> (23)', '22 -> (21)'],
    because: AT_ONCE,
  },
  {
    path: 'collections/searched.ts',
    line: 'const QUERIES_AT_ONCE',
    change: ['1 -> (2)', '24 -> (25)', '24 -> (23)'],
    because: AT_ONCE,
  },
  {
    path: 'collections/searched.ts',
    line: 'const WORDS_AT_ONCE',
    change: ['1 -> (2)', '25 -> (26)', '25 -> (24)'],
    because: AT_ONCE,
  },
  {
    path: 'dynamic/savedEntries.later.ts',
    line: 'const AT_ONCE',
    change: ['1 -> (2)', '22 -> (23)', '22 -> (21)'],
    because: AT_ONCE,
  },
  { path: 'gpu/bindGroups.ts', line: 'const RANGES_KEPT', because: KEPT },
  {
    path: 'gpu/bindGroups.ts',
    line: 'offset = 0, size',
    because: 'it only tells ranges apart; a binding that moves has an offset',
  },
  { path: 'gpu/device/privateFolder.ts', line: 'const SURELY_ABANDONED_MS', because: 'a millisecond of an hour' },
  { path: 'gpu/gates.ts', line: 'const GATES_KEPT', because: KEPT },
  { path: 'gpu/gpu.ts', line: 'const CONSTANTS_KEPT', because: KEPT },
  { path: 'hashing/random.ts', line: 'const DRAWN_AT_ONCE', because: AT_ONCE },
  { path: 'primitives/copy.wgsl.ts', line: 'const WORDS_PER_THREAD', because: PER_THREAD },
  { path: 'primitives/histogram.wgsl.ts', line: 'const VALUES_PER_THREAD', because: PER_THREAD },
  {
    path: 'primitives/scanKernels.wgsl.ts',
    line: 'at = start; at < end;',
    change: '< -> <=',
    because: 'a tile more, of nothing',
  },
  {
    path: 'schemes/chaining/plan.ts',
    line: 'bucketBits : 32',
    change: '32 -> (31)',
    because: 'as many passes, and so as much scratch',
  },
  { path: 'schemes/dyCuckoo/claim.wgsl.ts', line: '!isSecondEmptier', change: '1 -> 0', because: MOVED },
  { path: 'schemes/dyCuckoo/claim.wgsl.ts', line: 'const TRIES', because: MOVED },
  {
    path: 'schemes/dyCuckoo/match.wgsl.ts',
    line: 'i < 2u',
    change: '< -> <=',
    because: 'the second bucket is looked at twice',
  },
  {
    path: 'schemes/dyCuckoo/resize.wgsl.ts',
    line: 'if (most === 0) return',
    change: ['0 -> (1)', '0 -> (-1)'],
    because: 'one key always fits, and none need no room',
  },
  {
    path: 'schemes/kit/batch/speakers.wgsl.ts',
    line: 'onExisting.identity >>> 0 : 0',
    change: ['0 -> (1)', '0 -> (-1)'],
    because: 'where nothing is folded, nobody asks for it',
  },
  { path: 'schemes/kit/batch/speakers.wgsl.ts', line: '+ 1000u', because: NEVER },
  {
    path: 'schemes/perfectSpatial/freeSlots.ts',
    line: 'Math.ceil(this.#count / 32)',
    change: ['/ -> *', '32 -> (31)'],
    because: LARGER,
  },
  {
    path: 'schemes/perfectSpatial/freeSlots.ts',
    line: 'const NO_OFFSET',
    change: '1 -> (2)',
    because: 'no offset is negative',
  },
  {
    path: 'schemes/perfectSpatial/freeSlots.ts',
    line: 'let slot = 0; slot < this.#count',
    change: ['0 -> (-1)', '< -> <='],
    because: OUTSIDE,
  },
  { path: 'schemes/perfectSpatial/offsetCells.ts', line: 'dimensions) + 1)', change: '1 -> (2)', because: LARGER },
  { path: 'schemes/regionCuckoo/batches.wgsl.ts', line: 'const FEW_IN_REGION', because: WAY },
  { path: 'schemes/regionCuckoo/batches.wgsl.ts', line: 'const FEW =', because: WAY },
  { path: 'schemes/regionCuckoo/copies.wgsl.ts', line: '1000000u', because: NEVER },
  { path: 'schemes/regionCuckoo/copies.wgsl.ts', line: 'const DECIDING_GROUPS', because: GROUPS },
  {
    path: 'schemes/regionCuckoo/copies.wgsl.ts',
    line: 'thread == 0u && $',
    change: '0 -> 1',
    because: 'another thread does it',
  },
  {
    path: 'schemes/regionCuckoo/copies.wgsl.ts',
    line: 'low < slotCount',
    change: '< -> <=',
    because: 'a window more, of nothing',
  },
  {
    path: 'schemes/regionCuckoo/insert.wgsl.ts',
    line: 'const COUNTING',
    change: 'false -> true',
    because: 'where keys are only counted, nothing is listed',
  },
  {
    path: 'schemes/regionCuckoo/moves.wgsl.ts',
    line: 'const LONGEST_PATH',
    because: 'room is looked for a step more or less; without it the table grows',
  },
  { path: 'schemes/regionCuckoo/regionBatches.wgsl.ts', line: 'const AGAIN_GROUPS', because: GROUPS },
  { path: 'schemes/regionCuckoo/regionBatches.wgsl.ts', line: 'const ROOMY_FROM', because: WAY },
  { path: 'schemes/regionCuckoo/smallBatches.wgsl.ts', line: 'const MANY', because: WAY },
  {
    path: 'schemes/regionCuckoo/stuck.wgsl.ts',
    line: 'var round = 1u; round <=',
    change: ['1 -> 0', '1 -> 2', '<= -> <'],
    because: 'those that need one move make it later',
  },
  {
    path: 'spatial/cells.wgsl.ts',
    line: 'const REACH',
    change: ['1 -> (2)', '20 -> (19)'],
    because: 'a search reaches further, where no point is near enough',
  },
  {
    path: 'spatial/cells.wgsl.ts',
    line: 'const SIDE',
    change: ['1 -> (2)', '10 -> (9)', '10 -> (11)', '2 -> (3)'],
    because: 'cells of another size',
  },
  { path: 'table/buildScratch.ts', line: 'const MOST_KEPT_BYTES', because: KEPT },
  { path: 'table/plan.ts', line: 'const PLANS_KEPT', because: KEPT },
  { path: 'dynamic/body.ts', line: 'this.#batches + 1', change: '1 -> (2)', because: 'batches are numbered by twos' },
  {
    path: 'relational/rows.wgsl.ts',
    line: 'marksAt ?? 0',
    change: '0 -> (-1)',
    because: 'without marks nobody reads where they are',
  },
  { path: 'apps/sparsePaint.ts', line: 'this.#workspace.trim();', because: LARGER },
  {
    path: 'bridges/arrow/keys.ts',
    line: 'variadicBuffers[buffer]?.length ?? 0',
    change: '0 -> (1)',
    because: 'what is not in its view has more than twelve bytes',
  },
  {
    path: 'schemes/perfectSpatial/points.wgsl.ts',
    line: '+ LEAST',
    change: '+ -> -',
    because: 'half of all words is the same, added or taken away',
  },
  { path: 'schemes/regionCuckoo/moves.wgsl.ts', line: '(i & 1u) == 1u', because: MOVED },
  { path: 'relational/denseGroups.wgsl.ts', line: '[Number.POSITIVE_INFINITY, 0]', change: '0 -> (1)', because: WAY },
  {
    path: 'dynamic/hostBatch.ts',
    line: 'makeLarger(attempt > 0)',
    because: 'another hash function comes sooner or later',
  },
  { path: 'schemes/dyCuckoo/resize.wgsl.ts', line: 'unique: true', because: SLOWER },
  { path: 'table/saved/checksum.wgsl.ts', line: 'const WORDS_PER_THREAD', because: PER_THREAD },
  {
    path: 'schemes/regionCuckoo/waitInPlace.wgsl.ts',
    line: 'if (rest == open && number',
    because: 'one thread makes room for those whom rounds have not settled, unless they are more than 65,536',
  },
  {
    path: 'schemes/twoLevelCuckoo/crowd.wgsl.ts',
    line: '{keptInAll} = atomicLoad',
    because: 'all threads would store the same number',
  },
];

/** Whether a mutant is known to change no answer. */
export const hasSameAnswers = (text: string, mutant: Mutant): boolean =>
  LISTED.some((same) => isListed(same, text, mutant));

/** Whether a mutant, of a file with this text, is the one that is listed. */
export function isListed(same: SameAnswers, text: string, { path, line, original, replacement }: Mutant): boolean {
  if (path !== `src/${same.path}`) return false;
  const isLine = text.split('\n')[line - 1]?.includes(same.line) === true;
  return isLine && (same.change === undefined || [same.change].flat().includes(`${original} -> ${replacement}`));
}
