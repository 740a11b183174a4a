import {
  type BufferView,
  type Extent,
  extentCount,
  type Gpu,
  type GpuCount,
  type Recorder,
  requireGpu,
  requireTarget,
  requireWhole,
  type Target,
  within,
} from '../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import { requireCall, requireCount, requireStorage, requireWord, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { hostCall, requireItems } from './hostCall.ts';

const THREADS = 256;
const WORDS_PER_THREAD = 16;
const WORDS_PER_GROUP = THREADS * WORDS_PER_THREAD;

/** The value, and the word that the first one goes to. */
const parameters = uniform('parameters', 'vec2u');
const words = storage('words', 'array<u32>', 'read_write');
const vectors = storage('vectors', 'array<vec4u>', 'read_write');

const fillWords = kernel({
  label: 'fill/words',
  threads: THREADS,
  itemsPerGroup: WORDS_PER_GROUP,
  body: wgsl`
  for (var k = 0u; k < ${WORDS_PER_THREAD}u; k++) {
    let i = group * ${WORDS_PER_GROUP}u + k * ${THREADS}u + thread;
    if (i < ${extentCount}) { ${words}[${parameters}.y + i] = ${parameters}.x; }
  }`,
});

const fillVectors = kernel({
  label: 'fill/vectors',
  threads: THREADS,
  itemsPerGroup: WORDS_PER_GROUP,
  body: wgsl`
  let value = ${parameters}.x;
  let first = ${parameters}.y / 4u;
  for (var k = 0u; k < ${WORDS_PER_THREAD / 4}u; k++) {
    let i = group * ${WORDS_PER_GROUP / 4}u + k * ${THREADS}u + thread;
    if (i < ${extentCount} / 4u) { ${vectors}[first + i] = vec4u(value); }
  }
  // The words behind the last one must stay as they are. One thread alone, because writes to parts of a vector may race.
  if (item == 0u) {
    for (var part = 0u; part < ${extentCount} % 4u; part++) { ${vectors}[first + ${extentCount} / 4u][part] = value; }
  }`,
});

/** What `recordFill` writes, and where. */
export interface FillCall {
  readonly output: BufferView;
  readonly value: number;
  readonly items: number | Extent;
  /** The first word to write. Default 0. */
  readonly offsetItems?: number;
}

/** Records the writing of one word over and over. */
export function recordFill(recorder: Recorder, { output, value, items, offsetItems = 0 }: FillCall): void {
  const extent = recorder.extent(items);
  // The words behind the last whole vector of a buffer are out of a vector's reach.
  const whole = wordsOf(output) % 4 === 0 && offsetItems % 4 === 0;
  recorder.run(
    whole ? fillVectors : fillWords,
    [
      [whole ? vectors : words, output],
      [parameters, recorder.gpu.constants(value, offsetItems)],
      [extentCount, extent.count],
    ],
    extent,
  );
}

/** What `encodeFill` writes, and where. */
export interface FillOptions {
  readonly output: GPUBuffer;
  /** A word: 0 to 2³² − 1. */
  readonly value: number;
  /** How many words; a count on the GPU is clamped to the room there is. */
  readonly count: number | GpuCount;
  /** The first word to write. Default 0. */
  readonly offsetItems?: number;
}

/**
 * Encodes the writing of one word over and over.
 * @example
 * encodeFill(gpu, encoder, { output: buffer, value: 0xffffffff, count: 1000 });
 * device.queue.submit([encoder.finish()]);
 */
export function encodeFill(gpu: Gpu, target: Target, options: FillOptions): void {
  const max = within('encodeFill', () => {
    requireCall(gpu, options, ['output', 'value', 'count', 'offsetItems']);
    const { output, value, count, offsetItems = 0 } = options;
    requireStorage(output, 'output');
    requireWord(value, 'value');
    requireWhole(offsetItems, 'offsetItems');
    const most = requireCount(count, { output: wordsOf(output) - offsetItems });
    requireTarget(target);
    return most;
  });
  const { output, value, count, offsetItems = 0 } = options;
  recordCounted(gpu, target, { label: 'fill', count, max }, (recorder, items) =>
    recordFill(recorder, { output, value, items, offsetItems }),
  );
}

/**
 * An array of one word over and over, made on the GPU.
 * @example
 * const ones = await fill(gpu, 1000, 1);
 * console.log(ones.length, ones[999]); // 1000 1
 */
export async function fill(gpu: Gpu, length: number, value: number): Promise<Uint32Array<ArrayBuffer>> {
  within('fill', () => {
    requireGpu(gpu);
    requireWord(value, 'value');
    requireItems(gpu, length, 'length');
  });
  const { output } = await hostCall(gpu, {
    label: 'fill',
    buffers: { output: length },
    record: (encoder, { output }) => encodeFill(gpu, encoder, { output, value, count: length }),
    read: ['output'],
  });
  return output;
}
