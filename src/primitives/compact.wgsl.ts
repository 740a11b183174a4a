import {
  type BufferView,
  countedWord,
  type Extent,
  type Gpu,
  type GpuCount,
  type Recorder,
  requireGpu,
  requireTarget,
  type Target,
  Workspace,
  within,
} from '../gpu/index.ts';
import { storage, wgsl } from '../wgsl/index.ts';
import { requireApart, requireCall, requireCount, requireGpuCount, requireStorage, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { recordFill } from './fill.wgsl.ts';
import { hostCall, requireArray, requireAsMany } from './hostCall.ts';
import { recordScan, scanKernels, scanScratch } from './scanKernels.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';

const values = storage('values', 'array<u32>');
const flags = storage('flags', 'array<u32>');
const kept = storage('kept', 'array<u32>', 'read_write');

/** A scan over "is it kept", whose prefixes are the positions of those that are. */
const kernels = scanKernels(
  'compact',
  wgsl`fn load(entry: u32) -> u32 { return u32(${flags}[entry] != 0u); }`,
  wgsl`fn store(entry: u32, loaded: u32, prefix: u32) { if (loaded != 0u) { ${kept}[prefix] = ${values}[entry]; } }`,
);

/** What `recordCompact` keeps. */
export interface CompactCall {
  readonly values: BufferView;
  /** Words other than zero mark the values to keep. May be the same buffer as `values`. */
  readonly flags: BufferView;
  /** Another buffer than `values` and `flags`, with room for all values. */
  readonly output: BufferView;
  /** Where the number of values kept goes. */
  readonly total: GpuCount;
  readonly items: number | Extent;
  readonly workspace: Workspace;
}

/** The scratch buffers of a compaction. */
export const compactScratch = (maxItems: number): readonly ScratchBuffer[] => scanScratch(maxItems);

/** Records a compaction: the flagged values, in order and without gaps. */
export function recordCompact(recorder: Recorder, call: CompactCall): void {
  const { items, total, workspace } = call;
  if ((typeof items === 'number' ? items : items.max) === 0) {
    recordFill(recorder, { output: total.buffer, value: 0, items: 1, offsetItems: countedWord(total) });
    return;
  }
  const bound = [
    [values, call.values],
    [flags, call.flags],
    [kept, call.output],
  ] as const;
  recordScan(recorder, kernels, { bound, items, total, workspace });
}

/** What `encodeCompact` keeps. */
export interface CompactOptions {
  readonly values: GPUBuffer;
  /** Words other than zero mark the values to keep. May be the same buffer as `values`. */
  readonly flags: GPUBuffer;
  /** Another buffer than `values` and `flags`, with room for all values. */
  readonly output: GPUBuffer;
  /** Where the number of values kept goes: a word of yet another buffer. */
  readonly total: GpuCount;
  /** How many words; a count on the GPU is clamped to the room there is. */
  readonly count: number | GpuCount;
  /** Scratch memory. Without one the call makes its own, which lives until it is garbage-collected. */
  readonly workspace?: Workspace;
}

/**
 * Encodes a compaction: the flagged values, in order and without gaps.
 * @example
 * encodeCompact(gpu, encoder, { values, flags, output, total: { buffer: kept }, count: 1000 });
 * device.queue.submit([encoder.finish()]);
 */
export function encodeCompact(gpu: Gpu, target: Target, options: CompactOptions): void {
  const max = within('encodeCompact', () => {
    requireCall(gpu, options, ['values', 'flags', 'output', 'total', 'count', 'workspace']);
    const { values, flags, output, total, count } = options;
    for (const [name, buffer] of Object.entries({ values, flags, output })) requireStorage(buffer, name);
    requireGpuCount(total, 'total');
    requireApart({ values, output, total: total.buffer });
    requireApart({ flags, output, total: total.buffer });
    const most = requireCount(count, { values: wordsOf(values), flags: wordsOf(flags), output: wordsOf(output) });
    requireTarget(target);
    return most;
  });
  const { values, flags, output, total, count, workspace = new Workspace(gpu) } = options;
  recordCounted(gpu, target, { label: 'compact', count, max }, (recorder, items) =>
    recordCompact(recorder, { values, flags, output, total, items, workspace }),
  );
}

/**
 * The values whose flag is not zero, in order.
 * @example
 * const kept = await compact(gpu, new Uint32Array([7, 8, 9]), new Uint32Array([1, 0, 1]));
 * console.log(kept); // Uint32Array [7, 9]
 */
export async function compact(gpu: Gpu, values: Uint32Array, flags: Uint32Array): Promise<Uint32Array<ArrayBuffer>> {
  within('compact', () => {
    requireGpu(gpu);
    requireArray(gpu, values, 'values');
    requireAsMany({ values, flags });
  });
  const count = values.length;
  const { output, total } = await hostCall(gpu, {
    label: 'compact',
    buffers: { values, flags, output: count, total: 1 },
    record: (encoder, { total: buffer, ...io }, workspace) =>
      encodeCompact(gpu, encoder, { ...io, total: { buffer }, count, workspace: workspace() }),
    read: ['output', 'total'],
  });
  return output.slice(0, total[0]);
}
