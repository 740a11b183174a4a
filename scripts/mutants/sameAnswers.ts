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
  readonly change?: string;
  readonly because: string;
}

const LARGER = 'memory is larger than need be';
const SLOWER = 'another way to the same answer, slower at most';

/** What is listed. */
export const LISTED: readonly SameAnswers[] = [
  {
    path: 'collections/aggregate/reduceGroups.wgsl.ts',
    line: 'i < 32u && low < high',
    change: '32 -> 33',
    because: SLOWER,
  },
  { path: 'gpu/arguments.ts', line: '.length > 0) return;', change: '0 -> (1)', because: SLOWER },
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
  { path: 'primitives/fill.wgsl.ts', line: 'const THREADS', because: 'workgroups overlap, and fill in the same word' },
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
    path: 'schemes/kit/quick/slots.wgsl.ts',
    line: 'mostHomeless(shape) / 2',
    change: '/ -> *',
    because: LARGER,
  },
  { path: 'schemes/kit/quick/slots.wgsl.ts', line: '>> 16u', because: 'other slots by chance' },
  { path: 'schemes/openAddressing/find.wgsl.ts', line: 'probes.wrapsOften', because: SLOWER },
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
  { path: 'dynamic/state.ts', line: 'this.#batches + 1', change: '1 -> (2)', because: 'batches are numbered by twos' },
];

/** Whether a mutant is known to change no answer. */
export const hasSameAnswers = (text: string, mutant: Mutant): boolean =>
  LISTED.some((same) => isListed(same, text, mutant));

/** Whether a mutant, of a file with this text, is the one that is listed. */
export function isListed(same: SameAnswers, text: string, { path, line, original, replacement }: Mutant): boolean {
  if (path !== `src/${same.path}`) return false;
  const isLine = text.split('\n')[line - 1]?.includes(same.line) === true;
  return isLine && (same.change ?? `${original} -> ${replacement}`) === `${original} -> ${replacement}`;
}
