/** Rows by number: what a table's one-word values point at, for data that is wider than a value. */
import {
  arrayKind,
  type BufferView,
  type Extent,
  extentCount,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  isBuffer,
  type Recorder,
  refuse,
  requireAttached,
  requireTarget,
  requireWords,
  type Target,
  within,
} from '../gpu/index.ts';
import { type Binding, type Kernel, kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { requireApart, requireCall, requireCount, requireStorage, wordsOf } from './checks.ts';
import { recordCounted } from './counted.ts';
import { withItemsPerGroup } from './grid.wgsl.ts';
import { hostCall, requireItems } from './hostCall.ts';

const THREADS = 256;
/** Words or vectors that a workgroup writes, where a row has no more. */
const PARTS_PER_GROUP = THREADS * 8;

const Shape = wgsl`
struct Shape {
  rowParts: u32,     // words or vectors of a row
  rowCount: u32,
  rowsPerGroup: u32, // rows that a workgroup writes
}`;
const shape = uniform('shape', Shape);
const indices = storage('indices', 'array<u32>');

interface Gather {
  readonly kernel: Kernel;
  readonly rows: Binding;
  readonly output: Binding;
}

/** The threads of a workgroup write side by side, whatever the rows are that they read from. */
function gatherKernel(part: 'u32' | 'vec4u'): Gather {
  const rows = storage('rows', `array<${part}>`);
  const output = storage('output', `array<${part}>`, 'read_write');
  return {
    rows,
    output,
    kernel: kernel({
      label: 'gather',
      threads: THREADS,
      body: wgsl`
  let first = group * ${shape}.rowsPerGroup;
  if (first >= ${extentCount}) { return; }
  let parts = min(${shape}.rowsPerGroup, ${extentCount} - first) * ${shape}.rowParts;
  for (var i = thread; i < parts; i += ${THREADS}u) {
    let index = ${indices}[first + i / ${shape}.rowParts];
    var part = ${part}(0u);
    if (index < ${shape}.rowCount) { part = ${rows}[index * ${shape}.rowParts + i % ${shape}.rowParts]; }
    ${output}[first * ${shape}.rowParts + i] = part;
  }`,
    }),
  };
}

const gatherWords = gatherKernel('u32');
const gatherVectors = gatherKernel('vec4u');

/** What `recordGatherRows` reads and writes. */
export interface GatherRowsCall {
  readonly rows: BufferView;
  readonly rowWords: number;
  /** How many rows there are; others are zeros. */
  readonly rowCount: number;
  readonly indices: BufferView;
  /** Another buffer than `rows` and `indices`. */
  readonly output: BufferView;
  readonly items: number | Extent;
}

/** Records the gathering of rows. */
export function recordGatherRows(recorder: Recorder, call: GatherRowsCall): void {
  const { gpu } = recorder;
  const { rowWords, rowCount } = call;
  const extent = recorder.extent(call.items);
  const partWords = rowWords % 4 === 0 ? 4 : 1;
  const { kernel: program, rows, output } = partWords === 4 ? gatherVectors : gatherWords;
  const rowParts = rowWords / partWords;
  const rowsPerGroup = Math.max(1, Math.floor(PARTS_PER_GROUP / rowParts));
  recorder.run(
    withItemsPerGroup(program, rowsPerGroup),
    [
      [shape, gpu.constants(rowParts, rowCount, rowsPerGroup)],
      // Nothing cannot be bound, so where there are no rows any buffer will do.
      [rows, rowCount === 0 ? gpu.constants(0, 0, 0, 0) : call.rows],
      [indices, call.indices],
      [output, call.output],
      [extentCount, extent.count],
    ],
    extent,
  );
}

/** What `encodeGatherRows` reads and writes. */
export interface GatherRowsOptions {
  /** Rows one behind the other; words behind the last whole row are not used. */
  readonly rows: GPUBuffer;
  /** Words of a row. Multiples of four move as whole vectors. */
  readonly rowWords: number;
  /** The number of the row wanted, a word each; zeros come out where there is no such row. */
  readonly indices: GPUBuffer;
  /** Another buffer than `rows` and `indices`; gets the rows one behind the other. */
  readonly output: GPUBuffer;
  /** How many rows are wanted; a count on the GPU is clamped to the room there is. */
  readonly count: number | GpuCount;
}

/**
 * Encodes the gathering of rows by their numbers, such as the values of a `HashMap` whose missing value is 0xffffffff.
 * @example
 * map.encodeGet(encoder, { queries, values: indices, missing: 0xffffffff, count: 1000 });
 * encodeGatherRows(gpu, encoder, { rows, rowWords: 8, indices, output, count: 1000 });
 */
export function encodeGatherRows(gpu: Gpu, target: Target, options: GatherRowsOptions): void {
  const max = within('encodeGatherRows', () => {
    requireCall(gpu, options, ['rows', 'rowWords', 'indices', 'output', 'count']);
    const { rows, rowWords, indices, output, count } = options;
    requireRowWords(rowWords);
    for (const [name, buffer] of Object.entries({ rows, indices, output })) requireStorage(buffer, name);
    requireApart({ rows, output });
    requireApart({ indices, output });
    const rooms = { indices: wordsOf(indices), output: Math.floor(wordsOf(output) / rowWords) };
    const most = requireCount(count, rooms);
    requireItems(gpu, Math.floor(wordsOf(rows) / rowWords) * rowWords, 'the number of words in rows');
    requireItems(gpu, most * rowWords, 'the number of words wanted');
    requireTarget(target);
    return most;
  });
  const { rows, rowWords, indices, output, count } = options;
  const rowCount = Math.floor(wordsOf(rows) / rowWords);
  if (max === 0) return;
  // Only what is used, so that a caller's buffers may be larger than a binding.
  const used = (buffer: GPUBuffer, words: number): BufferView => ({ buffer, size: WORD_BYTES * words });
  recordCounted(gpu, target, { label: 'gather', count, max }, (recorder, items) =>
    recordGatherRows(recorder, {
      rows: used(rows, rowCount * rowWords),
      rowWords,
      rowCount,
      indices: used(indices, max),
      output: used(output, max * rowWords),
      items,
    }),
  );
}

/** Typed arrays that rows may come in. */
export type RowArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/**
 * Rows by their numbers, one behind the other, in an array of the same type; from a buffer in a `Uint32Array`. A number that
 * no row has gives zeros.
 * @example
 * const rows = new Float32Array([1, 2, 3, 4, 5, 6]);
 * await gatherRows(gpu, { rows, rowWords: 2, indices: new Uint32Array([2, 0, 9]) }); // [5, 6, 1, 2, 0, 0]
 */
export async function gatherRows<Rows extends RowArray | GPUBuffer>(
  gpu: Gpu,
  options: { readonly rows: Rows; readonly rowWords: number; readonly indices: Uint32Array },
): Promise<Rows extends RowArray ? Rows : Uint32Array<ArrayBuffer>> {
  const kind = within('gatherRows', () => {
    requireCall(gpu, options, ['rows', 'rowWords', 'indices']);
    const { rows, rowWords, indices } = options;
    requireRowWords(rowWords);
    requireWords(indices, 'indices');
    requireItems(gpu, indices.length * rowWords, 'the number of words wanted');
    if (isBuffer(rows)) {
      requireStorage(rows, 'rows');
      return 'Uint32Array';
    }
    requireWholeRows(gpu, rows, rowWords);
    return arrayKind(rows) as 'Uint32Array';
  });
  const { rows, rowWords, indices } = options;
  const count = indices.length;
  const { output } = await hostCall(gpu, {
    label: 'gather',
    buffers: { indices, output: count * rowWords, ...(ArrayBuffer.isView(rows) && { rows }) },
    record: (encoder, { rows: uploaded = rows as GPUBuffer, ...io }) =>
      encodeGatherRows(gpu, encoder, { ...io, rows: uploaded, rowWords, count }),
    read: ['output'],
  });
  return new globalThis[kind](output.buffer) as never;
}

function requireRowWords(rowWords: number): void {
  if (!Number.isInteger(rowWords) || rowWords < 1) refuse('rowWords', 'a whole number above 0', rowWords);
}

function requireWholeRows(gpu: Gpu, rows: RowArray, rowWords: number): void {
  if (!arrayKind(rows)) refuse('rows', 'a typed array or a GPUBuffer', rows);
  requireAttached(rows, 'rows');
  const rowBytes = WORD_BYTES * rowWords;
  if (rows.byteLength % rowBytes !== 0 || rowBytes % rows.BYTES_PER_ELEMENT !== 0) {
    throw new InvalidInputError(
      `${rows.length} elements of ${rows.BYTES_PER_ELEMENT} bytes are not whole rows of ${rowWords} words`,
    );
  }
  requireItems(gpu, rows.byteLength / WORD_BYTES, 'the number of words in rows');
}
