import {
  type BufferView,
  type Extent,
  extentCount,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  knownExtent,
  type Recorder,
  type Target,
} from '../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import { requireApart, requireCount, requireStorage, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { recordFill } from './fill.ts';
import { withItemsPerGroup, workPerGroup } from './grid.ts';
import { hostCall, requireItems } from './hostCall.ts';
import { countedIn, countOne, histogramCopies, WORKGROUP_BINS } from './workgroupHistogram.ts';

const THREADS = 256;
const ITEMS_PER_GROUP = THREADS * 16;
/** Enough to fill a large GPU several times; more would only add more partial histograms together. */
const MOST_GROUPS = 2048;

/** Bins, copies of them in workgroup memory, items a workgroup. */
const parameters = uniform('parameters', 'vec3u');
const values = storage('values', 'array<u32>');
const counts = storage('counts', 'array<atomic<u32>>', 'read_write');

const countInWorkgroups = kernel({
  label: 'histogram/workgroups',
  threads: THREADS,
  body: wgsl`
  let bins = ${parameters}.x;
  let copies = ${parameters}.y;
  let start = group * ${parameters}.z;
  let end = min(start + ${parameters}.z, ${extentCount});
  for (var i = start + thread; i < end; i += ${THREADS}u) {
    let bin = ${values}[i];
    if (bin < bins) { ${countOne}(bin, copies, thread); }
  }
  workgroupBarrier();
  for (var bin = thread; bin < bins; bin += ${THREADS}u) {
    let found = ${countedIn}(bin, copies);
    if (found > 0u) { atomicAdd(&${counts}[bin], found); }
  }`,
});

const countInPlace = kernel({
  label: 'histogram/global',
  threads: THREADS,
  itemsPerGroup: ITEMS_PER_GROUP,
  body: wgsl`
  let start = group * ${ITEMS_PER_GROUP}u;
  let end = min(start + ${ITEMS_PER_GROUP}u, ${extentCount});
  for (var i = start + thread; i < end; i += ${THREADS}u) {
    let bin = ${values}[i];
    if (bin < ${parameters}.x) { atomicAdd(&${counts}[bin], 1u); }
  }`,
});

/** What `recordHistogram` counts. */
export interface HistogramCall {
  readonly values: BufferView;
  /** Another buffer, of at least `bins` words; what it held does not matter. */
  readonly output: BufferView;
  readonly bins: number;
  readonly items: number | Extent;
}

/** Records the counting of every value below `bins`; greater ones are not counted. */
export function recordHistogram(recorder: Recorder, { values: input, output, bins, items }: HistogramCall): void {
  const { gpu } = recorder;
  const extent = typeof items === 'number' ? knownExtent(gpu, items) : items;
  recordFill(recorder, { output, value: 0, items: bins });
  const perGroup = workPerGroup(extent.max, ITEMS_PER_GROUP, MOST_GROUPS);
  recorder.run(
    bins <= WORKGROUP_BINS ? withItemsPerGroup(countInWorkgroups, perGroup) : countInPlace,
    [
      [values, input],
      [counts, output],
      [parameters, gpu.constants(bins, histogramCopies(bins), perGroup)],
      [extentCount, extent.count],
    ],
    extent,
  );
}

/** What `encodeHistogram` counts. */
export interface HistogramOptions {
  readonly values: GPUBuffer;
  /** Another buffer, of at least `bins` words; it is cleared first. */
  readonly output: GPUBuffer;
  /** Values from 0 to `bins` − 1 are counted, greater ones are not. */
  readonly bins: number;
  /** How many values; a count on the GPU is clamped to the size of `values`. */
  readonly count: number | GpuCount;
}

/**
 * Encodes the counting of every value below `bins`; greater ones are not counted.
 * @example
 * encodeHistogram(gpu, encoder, { values, output, bins: 256, count: 1000 });
 * device.queue.submit([encoder.finish()]);
 */
export function encodeHistogram(gpu: Gpu, target: Target, options: HistogramOptions): void {
  const { values, output, bins, count } = options;
  requireStorage(values, 'values');
  requireStorage(output, 'output');
  requireApart({ values, output });
  requireBins(bins);
  if (wordsOf(output) < bins) {
    throw new InvalidInputError(`output has room for only ${wordsOf(output)} of the ${bins} bins`);
  }
  const max = requireCount(count, { values: wordsOf(values) });
  recordCounted(gpu, target, 'histogram', count, max, (recorder, items) =>
    recordHistogram(recorder, { values, output, bins, items }),
  );
}

/**
 * How often each value below `bins` occurs; greater values are not counted.
 * @example
 * const counts = await histogram(gpu, new Uint32Array([2, 0, 2, 9]), 3);
 * console.log(counts); // Uint32Array [1, 0, 2]
 */
export async function histogram(gpu: Gpu, values: Uint32Array, bins: number): Promise<Uint32Array> {
  requireBins(bins);
  requireItems(gpu, bins, 'bins');
  const count = values.length;
  requireItems(gpu, count, 'the number of values');
  return hostCall(gpu, async ({ upload, create, run }) => {
    const output = create('histogram/output', bins);
    const io = { values: upload('histogram/values', values), output, bins, count };
    const [counts] = await run((encoder) => encodeHistogram(gpu, encoder, io), [{ buffer: output, words: bins }]);
    return counts;
  });
}

function requireBins(bins: number): void {
  if (!Number.isInteger(bins) || bins < 1) {
    throw new InvalidInputError(`bins must be a whole number and at least 1, not ${bins}`);
  }
}
