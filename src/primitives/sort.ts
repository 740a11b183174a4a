import {
  type Bound,
  type BufferView,
  type Extent,
  extentCount,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  type Recorder,
  requireGpu,
  requireOptions,
  requireTarget,
  requireWhole,
  type Target,
  Workspace,
  within,
  workgroupBytes,
} from '../gpu/index.ts';
import { type Binding, kept, WORD_BYTES } from '../wgsl/index.ts';
import { requireApart, requireCall, requireCount, requireStorage, wordsOf } from './checks.ts';
import { recordCopy } from './copy.wgsl.ts';
import { recordCounted } from './counted.ts';
import { hostCall, requireArray, requireAsMany } from './hostCall.ts';
import {
  chunkOf,
  countDigits,
  countWords,
  digitBits,
  digitCounts,
  keysIn,
  SMALL_TILE,
  scanDigits,
  tiling,
} from './radixKernels.wgsl.ts';
import { boundPairs, lowerOf, type PairHalves, recordTakeApart } from './radixPairs.wgsl.ts';
import { DIGIT_BITS, type Ranking, rankByBarriers, rankByVotes } from './radixRanks.wgsl.ts';
import { digitStarts, keysOut, scatter, scatterBytes, valuesIn, valuesOut } from './radixScatter.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';
import { FEW_ITEMS, sortFew } from './sortFew.wgsl.ts';

/** The most lanes of a subgroup: a word has a bit for each. */
const MOST_LANES = 32;
/** Rows of a tile that is ranked by votes. */
const ROWS = 8;
/** Threads that rank a small tile by barriers. */
const THREADS = 128;
/** From so many items on tiles may be large: runs are longer then, and fewer counts have to be scanned. */
const MANY_ITEMS = 2 ** 22;
/** Threads and items of each where there are many and the device has the memory. */
const [LARGE_THREADS, LARGE_ROUNDS] = [256, 22];

/** The kernels for few items, whose tiles had better be ranked quickly, or for many, which had better leave together. */
const kernelsOn = kept(({ limits, subgroupSize = Number.POSITIVE_INFINITY }: Gpu, areMany: boolean) => {
  const ranked = (ranking: Ranking, tile: number) => ({
    tile,
    count: countDigits(tile),
    scatter: {
      keys: scatter(ranking, tile, 'keys'),
      toPairs: scatter(ranking, tile, 'toPairs'),
      fromPairs: scatter(ranking, tile, 'fromPairs'),
    },
  });
  const large = rankByBarriers(LARGE_THREADS, LARGE_ROUNDS);
  if (areMany && scatterBytes(large) <= workgroupBytes(limits)) {
    return ranked(large, LARGE_THREADS * LARGE_ROUNDS);
  }
  const isVoted = !areMany && subgroupSize <= MOST_LANES;
  const small = isVoted
    ? rankByVotes(subgroupSize, ROWS, SMALL_TILE / (MOST_LANES * ROWS))
    : rankByBarriers(THREADS, SMALL_TILE / THREADS);
  return ranked(small, SMALL_TILE);
});

/** Which bits of a key decide its position: `bits` of them from `firstBit` on. */
export interface BitRange {
  /** The lowest bit that counts. Default 0. */
  readonly firstBit?: number;
  /** How many bits count. Default: all from `firstBit` on. */
  readonly bits?: number;
}

/** What `recordSort` sorts, in place. */
export interface SortCall extends BitRange {
  readonly keys: BufferView;
  /** Where the keys lie before, if that is another buffer. */
  readonly keysFrom?: BufferView | undefined;
  /** Moved along with the keys. */
  readonly values?: BufferView | undefined;
  /** Where the values lie before, if that is another buffer. */
  readonly valuesFrom?: BufferView | undefined;
  readonly items: number | Extent;
  readonly workspace: Workspace;
}

/** The scratch buffers of a sort. */
export function sortScratch(
  maxItems: number,
  { withValues = false, bits = 32 }: { readonly withValues?: boolean; readonly bits?: number } = {},
): readonly ScratchBuffer[] {
  return maxItems <= FEW_ITEMS ? [] : radixScratch(maxItems, withValues, bits);
}

function radixScratch(maxItems: number, withValues: boolean, bits: number): readonly ScratchBuffer[] {
  const digits = 2 ** Math.max(0, ...digitWidths(bits));
  const half = 2 * WORD_BYTES * lowerOf(maxItems);
  return [
    ...(withValues
      ? [
          { name: 'sort/lowerPairs', bytes: half },
          { name: 'sort/upperPairs', bytes: half },
        ]
      : [{ name: 'sort/keys', bytes: WORD_BYTES * maxItems }]),
    { name: 'sort/digits', bytes: WORD_BYTES * countWords(maxItems, digits) },
  ];
}

/** Records a stable sort: smallest key first, equal keys in the order they came in. */
export function recordSort(recorder: Recorder, call: SortCall): void {
  const extent = recorder.extent(call.items);
  const { max } = extent;
  if (max <= FEW_ITEMS) {
    recordSortFew(recorder, call, extent);
    return;
  }
  const areMany = max >= MANY_ITEMS;
  recordSortBy(recorder, call, areMany, chunkOf(Math.ceil(max / kernelsOn(recorder.gpu, areMany).tile)));
}

/** The same by one workgroup. */
function recordSortFew(recorder: Recorder, call: SortCall, extent: Extent): void {
  const { keys, keysFrom = keys, values, valuesFrom = values, firstBit = 0, bits = 32 - firstBit } = call;
  const fromKeys = keysFrom === keys ? keysOut : keysIn;
  const fromValues = values && (valuesFrom === values ? valuesOut : valuesIn);
  recorder.run(
    sortFew(fromKeys, fromValues),
    [
      [extentCount, extent.count],
      [digitBits, recorder.gpu.constants(firstBit, 2 ** bits - 1)],
      [fromKeys, keysFrom],
      [keysOut, keys],
      ...(fromValues ? given(fromValues, valuesFrom) : []),
      ...given(valuesOut, values),
    ],
    extent,
  );
}

/** The same by the kernels for few items or for many, which count so many tiles together. */
export function recordSortBy(recorder: Recorder, call: SortCall, areMany: boolean, chunk: number): void {
  const {
    keys,
    keysFrom = keys,
    values,
    valuesFrom = values,
    items,
    workspace,
    firstBit = 0,
    bits = 32 - firstBit,
  } = call;
  const { gpu } = recorder;
  const extent = recorder.extent(items);
  if (extent.max < 2 || bits === 0) {
    if (keysFrom !== keys) recordCopy(recorder, { from: keysFrom, to: keys, items: extent });
    if (values && valuesFrom && values !== valuesFrom) {
      recordCopy(recorder, { from: valuesFrom, to: values, items: extent });
    }
    return;
  }
  const buffers = new Map(
    radixScratch(extent.max, values !== undefined, bits).map(({ name, bytes }) => [
      name,
      workspace.scratch(name, bytes),
    ]),
  );
  const buffer = (name: string) => buffers.get(name) as GPUBuffer;
  const pairs: PairHalves = { lower: buffer('sort/lowerPairs'), upper: buffer('sort/upperPairs') };
  const paired = values ? boundPairs(recorder, pairs, extent.max) : [];
  const scratch = { keys: buffers.get('sort/keys'), values: undefined };
  const digits = buffer('sort/digits');
  const kernels = kernelsOn(gpu, areMany);
  const { tile } = kernels;
  const widths = digitWidths(bits);

  let shift = firstBit;
  for (const [pass, width] of widths.entries()) {
    // From the caller's buffers to the scratch, and back again.
    const isBack = pass % 2 === 1;
    const from = isBack ? scratch : pass === 0 ? { keys: keysFrom, values: valuesFrom } : { keys, values };
    const to = isBack ? { keys, values } : scratch;
    const bound: Bound = [
      [extentCount, extent.count],
      [digitBits, gpu.constants(shift, 2 ** width - 1)],
      [tiling, gpu.constants(tile, chunk)],
      [digitCounts, digits],
      [digitStarts, digits],
      ...paired,
      ...given(keysIn, from.keys),
      ...given(valuesIn, from.values),
      ...given(keysOut, to.keys),
      ...given(valuesOut, to.values),
    ];
    const moved = values ? (isBack ? 'fromPairs' : 'toPairs') : 'keys';
    recorder.run(kernels.count(moved === 'fromPairs', chunk), bound, extent);
    recorder.run(scanDigits(Math.ceil(extent.max / tile / chunk)), bound, 2 ** width);
    recorder.run(kernels.scatter[moved], bound, extent);
    shift += width;
  }
  if (widths.length % 2 === 0) return;
  // An odd number of passes ends in the scratch; a copy costs less than one more pass.
  if (values) recordTakeApart(recorder, { pairs, keys, values, items: extent });
  else recordCopy(recorder, { from: buffer('sort/keys'), to: keys, items: extent });
}

const given = (binding: Binding, view: BufferView | undefined): Bound => (view ? [[binding, view]] : []);

/** As few digits as possible, as narrow as possible: narrow ones leave longer runs. */
function digitWidths(bits: number): number[] {
  const passes = Math.ceil(bits / DIGIT_BITS);
  return Array.from({ length: passes }, (_, pass) => Math.floor((bits + pass) / passes));
}

/** What `encodeSort` sorts, in place. */
export interface SortOptions extends BitRange {
  readonly keys: GPUBuffer;
  /** Moved along with the keys. */
  readonly values?: GPUBuffer;
  /** How many keys; a count on the GPU is clamped to the room there is. What lies behind them is not touched. */
  readonly count: number | GpuCount;
  /** Scratch memory. Without one the call makes its own, which lives until it is garbage-collected. */
  readonly workspace?: Workspace;
}

/**
 * Encodes a stable sort in place: smallest key first, equal keys in the order they came in.
 * @example
 * encodeSort(gpu, encoder, { keys, values, count: 1000, workspace });
 * device.queue.submit([encoder.finish()]);
 */
export function encodeSort(gpu: Gpu, target: Target, options: SortOptions): void {
  const max = within('encodeSort', () => {
    requireCall(gpu, options, ['keys', 'values', 'count', 'firstBit', 'bits', 'workspace']);
    requireBitRange(options);
    const { keys, values, count } = options;
    requireStorage(keys, 'keys');
    if (values !== undefined) requireStorage(values, 'values');
    requireApart({ keys, values });
    const most = requireCount(count, { keys: wordsOf(keys), ...(values && { values: wordsOf(values) }) });
    requireTarget(target);
    return most;
  });
  const { keys, values, count, workspace = new Workspace(gpu), ...range } = options;
  recordCounted(gpu, target, { label: 'sort', count, max }, (recorder, items) =>
    recordSort(recorder, { ...range, keys, values, items, workspace }),
  );
}

/** Sorted arrays. */
export interface Sorted {
  readonly keys: Uint32Array<ArrayBuffer>;
  /** Only where there were values. */
  readonly values?: Uint32Array<ArrayBuffer>;
}

/**
 * Sorts keys, and values along with them: smallest key first, equal keys in the order they came in.
 * @example
 * const { keys, values } = await sort(gpu, new Uint32Array([3, 1, 2]), { values: new Uint32Array([30, 10, 20]) });
 * console.log(keys, values); // Uint32Array [1, 2, 3] Uint32Array [10, 20, 30]
 */
export async function sort(
  gpu: Gpu,
  keys: Uint32Array,
  options: BitRange & { readonly values?: Uint32Array } = {},
): Promise<Sorted> {
  within('sort', () => {
    requireGpu(gpu);
    requireArray(gpu, keys, 'keys');
    requireOptions(options, ['values', 'firstBit', 'bits']);
    requireBitRange(options);
    if (options.values !== undefined) requireAsMany({ keys, values: options.values });
  });
  const { values, ...range } = options;
  const count = keys.length;
  return hostCall(gpu, {
    label: 'sort',
    buffers: { keys, ...(values && { values }) },
    record: (encoder, io, workspace) => encodeSort(gpu, encoder, { ...range, ...io, count, workspace: workspace() }),
    read: values ? ['keys', 'values'] : ['keys'],
  });
}

function requireBitRange(range: BitRange): void {
  const { firstBit = 0 } = range;
  requireWhole(firstBit, 'firstBit');
  const { bits = 32 - firstBit } = range;
  requireWhole(bits, 'bits');
  if (firstBit + bits > 32) {
    throw new InvalidInputError(`firstBit ${firstBit} and bits ${bits} do not name a range within 0 to 32`);
  }
}
