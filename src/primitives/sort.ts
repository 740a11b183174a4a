import {
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
} from '../gpu/index.ts';
import { kept, WORD_BYTES } from '../wgsl/index.ts';
import { requireApart, requireCall, requireCount, requireStorage, wordsOf } from './checks.ts';
import { recordCopy } from './copy.wgsl.ts';
import { recordCounted } from './counted.ts';
import { hostCall, requireArray, requireAsMany } from './hostCall.ts';
import { countDigits, digitBits, digitCounts, keysIn, STRETCH, scanDigits } from './radixKernels.wgsl.ts';
import { DIGIT_BITS, rankByBarriers, rankByVotes } from './radixRanks.wgsl.ts';
import { digitStarts, keysOut, scatter, valuesIn, valuesOut } from './radixScatter.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';

/** The most lanes of a subgroup: a word has a bit for each. */
const MOST_LANES = 32;
/** Rows of a tile that is ranked by votes. */
const ROWS = 8;
/** Threads that rank by barriers. */
const THREADS = 128;

const scattersOn = kept(({ subgroupSize = Number.POSITIVE_INFINITY }: Gpu) => {
  const ranking =
    subgroupSize <= MOST_LANES
      ? rankByVotes(subgroupSize, ROWS, STRETCH / (MOST_LANES * ROWS))
      : rankByBarriers(THREADS, STRETCH / THREADS);
  return { keys: scatter(ranking, false), pairs: scatter(ranking, true) };
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

const columnsOf = (maxItems: number): number => Math.ceil(maxItems / STRETCH);

/** The scratch buffers of a sort. */
export function sortScratch(
  maxItems: number,
  { withValues = false, bits = 32 }: { readonly withValues?: boolean; readonly bits?: number } = {},
): readonly ScratchBuffer[] {
  const digits = 2 ** Math.max(0, ...digitWidths(bits));
  return [
    { name: 'sort/keys', bytes: WORD_BYTES * maxItems },
    ...(withValues ? [{ name: 'sort/values', bytes: WORD_BYTES * maxItems }] : []),
    { name: 'sort/digits', bytes: WORD_BYTES * digits * (columnsOf(maxItems) + 1) },
  ];
}

/** Records a stable sort: smallest key first, equal keys in the order they came in. */
export function recordSort(recorder: Recorder, call: SortCall): void {
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
    sortScratch(extent.max, { withValues: values !== undefined, bits }).map(({ name, bytes }) => [
      name,
      workspace.scratch(name, bytes),
    ]),
  );
  const digits = buffers.get('sort/digits') as GPUBuffer;
  const ends = { keys, values };
  const scratch: typeof ends = { keys: buffers.get('sort/keys') as GPUBuffer, values: buffers.get('sort/values') };
  let from: typeof ends = { keys: keysFrom, values: valuesFrom };

  const scatters = scattersOn(gpu);
  let shift = firstBit;
  for (const width of digitWidths(bits)) {
    const parameters = [
      [extentCount, extent.count],
      [digitBits, gpu.constants(shift, 2 ** width - 1)],
      [keysIn, from.keys],
    ] as const;
    const to = from === scratch ? ends : scratch;
    recorder.run(countDigits, [...parameters, [digitCounts, digits]], extent);
    recorder.run(scanDigits(columnsOf(extent.max)), [...parameters, [digitCounts, digits]], 2 ** width);
    recorder.run(
      values ? scatters.pairs : scatters.keys,
      [
        ...parameters,
        [digitStarts, digits],
        [keysOut, to.keys],
        ...(from.values && to.values
          ? ([
              [valuesIn, from.values],
              [valuesOut, to.values],
            ] as const)
          : []),
      ],
      extent,
    );
    shift += width;
    from = to;
  }
  if (from === ends) return;
  // An odd number of passes ends in the scratch buffers; a copy costs less than one more pass.
  recordCopy(recorder, { from: from.keys, to: keys, items: extent });
  if (values && from.values) recordCopy(recorder, { from: from.values, to: values, items: extent });
}

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
  recordCounted(gpu, target, 'sort', count, max, (recorder, items) =>
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
