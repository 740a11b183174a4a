import {
  type BufferView,
  countedWord,
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
import { requireCall, requireCount, requireGpuCount, requireStorage, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { recordFill } from './fill.wgsl.ts';
import { hostCall, requireArray } from './hostCall.ts';
import { recordScan, type ScanCall, scanKernels } from './scanKernels.wgsl.ts';

const source = storage('source', 'array<u32>');
const result = storage('result', 'array<u32>', 'read_write');

const store = wgsl`fn store(entry: u32, loaded: u32, prefix: u32) { ${result}[entry] = prefix; }`;
const apart = scanKernels('scan', wgsl`fn load(entry: u32) -> u32 { return ${source}[entry]; }`, store);
// WebGPU refuses a buffer that one kernel binds both for reading and for writing.
const inPlace = scanKernels('scan/inPlace', wgsl`fn load(entry: u32) -> u32 { return ${result}[entry]; }`, store);

/** What `recordExclusiveScan` scans. */
export interface ExclusiveScanCall extends Omit<ScanCall, 'bound'> {
  readonly input: BufferView;
  /** May be the very same as `input`. */
  readonly output: BufferView;
}

/** Records an exclusive scan: every word becomes the sum, modulo 2³², of all words before it. */
export function recordExclusiveScan(recorder: Recorder, { input, output, ...call }: ExclusiveScanCall): void {
  const max = typeof call.items === 'number' ? call.items : call.items.max;
  if (max === 0) {
    const { total } = call;
    if (total) recordFill(recorder, { output: total.buffer, value: 0, items: 1, offsetItems: countedWord(total) });
  } else if (input === output) {
    recordScan(recorder, inPlace, { ...call, bound: [[result, output]] });
  } else {
    recordScan(recorder, apart, {
      ...call,
      bound: [
        [source, input],
        [result, output],
      ],
    });
  }
}

/** What `encodeExclusiveScan` scans. */
export interface ExclusiveScanOptions {
  readonly input: GPUBuffer;
  /** May be the same buffer as `input`. */
  readonly output: GPUBuffer;
  /** How many words; a count on the GPU is clamped to the room there is. */
  readonly count: number | GpuCount;
  /** Where the sum of all words goes; may lie in `output`, behind the words scanned. */
  readonly total?: GpuCount;
  /** Scratch memory. Without one the call makes its own, which lives until it is garbage-collected. */
  readonly workspace?: Workspace;
}

/**
 * Encodes an exclusive scan: every word becomes the sum, modulo 2³², of all words before it.
 * @example
 * encodeExclusiveScan(gpu, encoder, { input: counts, output: starts, count: 1000, total: { buffer: starts, offset: 4000 } });
 * device.queue.submit([encoder.finish()]);
 */
export function encodeExclusiveScan(gpu: Gpu, target: Target, options: ExclusiveScanOptions): void {
  const max = within('encodeExclusiveScan', () => {
    requireCall(gpu, options, ['input', 'output', 'count', 'total', 'workspace']);
    const { input, output, count, total } = options;
    requireStorage(input, 'input');
    requireStorage(output, 'output');
    const rooms: Record<string, number> = { input: wordsOf(input), output: wordsOf(output) };
    if (total !== undefined) {
      requireGpuCount(total, 'total');
      if (total.buffer === input || total.buffer === output) rooms['the part before total'] = countedWord(total);
    }
    const most = requireCount(count, rooms);
    requireTarget(target);
    return most;
  });
  const { input, output, count, total, workspace = new Workspace(gpu) } = options;
  recordCounted(gpu, target, { label: 'scan', count, max }, (recorder, items) =>
    recordExclusiveScan(recorder, { input, output, items, total, workspace }),
  );
}

/**
 * The sum, modulo 2³², of all words before each word, and of all words.
 * @example
 * const { output, total } = await exclusiveScan(gpu, new Uint32Array([3, 1, 4]));
 * console.log(output, total); // Uint32Array [0, 3, 4] 8
 */
export async function exclusiveScan(
  gpu: Gpu,
  input: Uint32Array,
): Promise<{ output: Uint32Array<ArrayBuffer>; total: number }> {
  within('exclusiveScan', () => {
    requireGpu(gpu);
    requireArray(gpu, input, 'input');
  });
  const count = input.length;
  const { words, total } = await hostCall(gpu, {
    label: 'scan',
    buffers: { words: input, total: 1 },
    record: (encoder, { words, total: buffer }, workspace) =>
      encodeExclusiveScan(gpu, encoder, {
        input: words,
        output: words,
        count,
        total: { buffer },
        workspace: workspace(),
      }),
    read: ['words', 'total'],
  });
  return { output: words, total: total[0] as number };
}
