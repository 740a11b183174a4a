import {
  type BufferView,
  type Extent,
  extentCount,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  type Recorder,
  refuse,
  requireGpu,
  requireTarget,
  type Target,
  within,
} from '../gpu/index.ts';
import { kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';
import { requireApart, requireCall, requireCount, requireStorage, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { recordFill } from './fill.wgsl.ts';
import { withItemsPerGroup, workPerGroup } from './grid.wgsl.ts';
import { hostCall, requireArray, requireItems } from './hostCall.ts';

const THREADS = 256;
const VALUES_PER_THREAD = 16;
const VALUES_PER_GROUP = THREADS * VALUES_PER_THREAD;
/** Bins that fit into workgroup memory. */
const WORKGROUP_BINS = 2048;
/** Enough to fill a large GPU several times; more would only be more histograms to add up. */
const MOST_GROUPS = 2048;

/** How many bins, and how many values a workgroup handles. */
const parameters = uniform('parameters', 'vec2u');
const values = storage('values', 'array<u32>');
const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
// WGSL fills workgroup memory with zeros when a workgroup starts. Several copies of few bins, one for every so many
// threads, were tried against collisions and gained nothing on an H200.
const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${WORKGROUP_BINS}>;`;

/** `last` is the last value there is; a thread has all its reads under way before it counts. */
const countBatch = (counter: (bin: string) => Wgsl): Wgsl => wgsl`
  ${unrolled(VALUES_PER_THREAD, (k) => wgsl`let bin${k} = ${values}[min(at + ${k * THREADS}u, last)];`)}
  ${unrolled(
    VALUES_PER_THREAD,
    (k) => wgsl`if (at + ${k * THREADS}u <= last && bin${k} < bins) { atomicAdd(&${counter(`bin${k}`)}, 1u); }`,
  )}`;

const countInWorkgroups = kernel({
  label: 'histogram/workgroups',
  threads: THREADS,
  body: wgsl`
  let bins = ${parameters}.x;
  let start = group * ${parameters}.y;
  let end = min(start + ${parameters}.y, ${extentCount});
  let last = end - 1u;
  for (var at = start + thread; at < end; at += ${VALUES_PER_GROUP}u) {
    ${countBatch((bin) => wgsl`${counters}[${bin}]`)}
  }
  workgroupBarrier();
  for (var bin = thread; bin < bins; bin += ${THREADS}u) {
    let found = atomicLoad(&${counters}[bin]);
    if (found > 0u) { atomicAdd(&${counts}[bin], found); }
  }`,
});

const countInPlace = kernel({
  label: 'histogram/global',
  threads: THREADS,
  itemsPerGroup: VALUES_PER_GROUP,
  body: wgsl`
  let bins = ${parameters}.x;
  let at = group * ${VALUES_PER_GROUP}u + thread;
  let last = ${extentCount} - 1u;
  if (at > last) { return; }
  ${countBatch((bin) => wgsl`${counts}[${bin}]`)}`,
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
  const extent = recorder.extent(items);
  recordFill(recorder, { output, value: 0, items: bins });
  const perGroup = workPerGroup(extent.max, VALUES_PER_GROUP, MOST_GROUPS);
  recorder.run(
    bins <= WORKGROUP_BINS ? withItemsPerGroup(countInWorkgroups, perGroup) : countInPlace,
    [
      [values, input],
      [counts, output],
      [parameters, gpu.constants(bins, perGroup)],
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
  const max = within('encodeHistogram', () => {
    requireCall(gpu, options, ['values', 'output', 'bins', 'count']);
    const { values, output, bins, count } = options;
    requireStorage(values, 'values');
    requireStorage(output, 'output');
    requireApart({ values, output });
    requireBins(bins);
    if (wordsOf(output) < bins) {
      throw new InvalidInputError(`output has room for only ${wordsOf(output)} of the ${bins} bins`);
    }
    const most = requireCount(count, { values: wordsOf(values) });
    requireTarget(target);
    return most;
  });
  const { values, output, bins, count } = options;
  recordCounted(gpu, target, { label: 'histogram', count, max }, (recorder, items) =>
    recordHistogram(recorder, { values, output, bins, items }),
  );
}

/**
 * How often each value below `bins` occurs; greater values are not counted.
 * @example
 * const counts = await histogram(gpu, new Uint32Array([2, 0, 2, 9]), 3);
 * console.log(counts); // Uint32Array [1, 0, 2]
 */
export async function histogram(gpu: Gpu, values: Uint32Array, bins: number): Promise<Uint32Array<ArrayBuffer>> {
  within('histogram', () => {
    requireGpu(gpu);
    requireArray(gpu, values, 'values');
    requireBins(bins);
    requireItems(gpu, bins, 'bins');
  });
  const count = values.length;
  const { output } = await hostCall(gpu, {
    label: 'histogram',
    buffers: { values, output: bins },
    record: (encoder, io) => encodeHistogram(gpu, encoder, { ...io, bins, count }),
    read: ['output'],
  });
  return output;
}

function requireBins(bins: number): void {
  if (!Number.isInteger(bins) || bins < 1) refuse('bins', 'a whole number and at least 1', bins);
}
