/** The bytes of keys without those of keys that are gone: measured, scanned, copied and pointed to, all on the GPU. */
import { type Gpu, perform, type Recorder, record, Workspace } from '../gpu/index.ts';
import { recordExclusiveScan } from '../primitives/index.ts';
import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';

const THREADS = 256;

const keys = storage('keys', 'array<vec2u>');
const keysOut = storage('keys', 'array<vec2u>', 'read_write');
const starts = storage('starts', 'array<u32>');
const startsOut = storage('starts', 'array<u32>', 'read_write');
/** Words of all keys, and 1 if they are more than a word can count. */
const totals = storage('totals', 'array<u32, 2>', 'read_write');
const oldBytes = storage('oldBytes', 'array<u32>');
const newBytes = storage('newBytes', 'array<u32>', 'read_write');
const count = uniform('count', 'u32');

/** Every key begins at a whole word. */
const measure = kernel({
  label: 'compact/measure',
  threads: THREADS,
  body: wgsl`
  if (item < ${count}) { ${startsOut}[item] = ${keys}[item].y / 4u + u32(${keys}[item].y % 4u != 0u); }`,
});

/** A sum that has gone over is less than the one before it. */
const checkSums = kernel({
  label: 'compact/check',
  threads: THREADS,
  body: wgsl`
  if (item >= ${count}) { return; }
  var next = ${totals}[0];
  if (item + 1u < ${count}) { next = ${starts}[item + 1u]; }
  if (next < ${starts}[item]) { ${totals}[1] = 1u; }`,
});

/** A word is one thread's work, however long its key is. */
const copyBytes = kernel({
  label: 'compact/copy',
  threads: THREADS,
  body: wgsl`
  if (item >= arrayLength(&${newBytes})) { return; }
  var low = 0u;
  var high = ${count};
  // The last key that begins here or before.
  for (var i = 0u; i < 32u && high - low > 1u; i++) {
    let middle = (low + high) / 2u;
    if (${starts}[middle] <= item) { low = middle; } else { high = middle; }
  }
  let slice = ${keys}[low];
  let at = (item - ${starts}[low]) * 4u;
  let first = slice.x + at;
  let bit = (first & 3u) * 8u;
  var four = ${oldBytes}[first >> 2u] >> bit;
  if (bit != 0u) { four |= ${oldBytes}[(first >> 2u) + 1u] << (32u - bit); }
  let left = select(0u, slice.y - at, at < slice.y);
  ${newBytes}[item] = select(four & ((1u << (left * 8u)) - 1u), four, left >= 4u);`,
});

const point = kernel({
  label: 'compact/point',
  threads: THREADS,
  body: wgsl`
  if (item < ${count}) { ${keysOut}[item].x = ${starts}[item] * 4u; }`,
});

/** Keys of a table, packed, and the bytes that they point into. */
interface PackedKeys {
  readonly keys: GPUBuffer;
  readonly count: number;
  readonly context: GPUBuffer;
  /** Bytes of the context that are taken. */
  readonly used: number;
  /** Bytes that the new one has at least, whether any key takes them or not. */
  readonly reserved: number;
}

/** A context without the bytes of keys that are gone. */
export interface Compacted {
  readonly buffer: GPUBuffer;
  readonly used: number;
}

/**
 * A context of nothing but the bytes of these keys, which point into it from then on. Nothing, and all stays as it is, if it
 * would not be smaller: keys may share bytes.
 */
export async function compactedContext(gpu: Gpu, packed: PackedKeys): Promise<Compacted | undefined> {
  const { keys: words, count: items, context, used, reserved } = packed;
  const workspace = new Workspace(gpu);
  const [sums, total] = (await gpu.allocate([
    { label: 'compact/starts', bytes: items * WORD_BYTES },
    { label: 'compact/totals', bytes: 8 },
  ])) as [GPUBuffer, GPUBuffer];
  const counted = [count, gpu.constants(items)] as const;
  try {
    const [bytes] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'compact', (recorder: Recorder) => {
          recorder.run(measure, [[keys, words], [startsOut, sums], counted], items);
          recordExclusiveScan(recorder, { input: sums, output: sums, items, total: { buffer: total }, workspace });
          recorder.run(checkSums, [[starts, sums], [totals, total], counted], items);
        }),
      [{ buffer: total, bytes: 8 }],
    );
    const [length = 0, isTooMany] = new Uint32Array(bytes as ArrayBuffer);
    const needed = length * WORD_BYTES;
    if (isTooMany || needed >= used) return undefined;
    const room = { label: 'context', bytes: Math.max(needed, reserved) };
    const [smaller] = (await gpu.allocate([room])) as [GPUBuffer];
    const copied = perform(gpu, (encoder) =>
      record(gpu, encoder, 'compact', (recorder: Recorder) => {
        const output = { buffer: smaller, size: Math.max(4, needed) };
        const pointed = [[starts, sums], counted] as const;
        recorder.run(copyBytes, [[keys, words], [oldBytes, context], [newBytes, output], ...pointed], length);
        recorder.run(point, [[keysOut, words], ...pointed], items);
      }),
    );
    await copied.catch((error: unknown) => {
      smaller.destroy();
      throw error;
    });
    return { buffer: smaller, used: needed };
  } finally {
    workspace.destroy();
    for (const buffer of [sums, total]) buffer.destroy();
  }
}
