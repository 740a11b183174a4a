/** Some rows of vectors, as new ones of the same types. */
import {
  type Data,
  type DataType,
  Dictionary,
  Int32,
  makeData,
  Type,
  type Union,
  UnionMode,
  Vector,
} from 'apache-arrow';
import { TooLargeError, UnsupportedError } from '../../gpu/index.ts';
import { NO_ROW } from '../../relational/join.wgsl.ts';
import { bitAt, emptyBits, hasNulls, isValid, setBit } from './bits.ts';
import { requireMemory } from './keys.ts';

/** Rows of a vector as one chunk. */
export function takeData(vector: Vector, rows: Uint32Array, name: string): Data {
  const type: DataType = vector.type;
  const length = rows.length;
  const hasMemory = type.typeId !== Type.Null && !type.children?.length;
  if (hasMemory) for (const data of vector.data) requireMemory(data, name);
  const each = (visit: Visit) => visitRows(vector, rows, visit);
  const { nullBitmap, nullCount } = validOf(vector, rows);
  const found = { type, length, nullCount, nullBitmap };
  switch (type.typeId) {
    case Type.Null:
      return makeData({ type, length } as never);
    case Type.Bool: {
      const data = emptyBits(length);
      each(({ values, offset }, i, row) => void (bitAt(values, offset + i) && setBit(data, row)));
      return makeData({ ...found, data } as never);
    }
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return makeData({ ...found, ...takeStrings(type, each, length, name) } as never);
    case Type.Utf8View:
    case Type.BinaryView:
      return makeData({ ...found, ...takeViews(vector, each, length) } as never);
    case Type.Dictionary:
      return takeEntries(vector, each, found);
    case Type.Int:
    case Type.Float:
    case Type.Decimal:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Interval:
    case Type.Duration:
    case Type.FixedSizeBinary:
      return makeData({ ...found, data: takeCells(vector, each, length) } as never);
    case Type.Struct:
    case Type.FixedSizeList:
    case Type.List:
    case Type.LargeList:
    case Type.Map:
    case Type.Union:
      return makeData({ ...found, ...takeNested(vector, rows, each, name) } as never);
    default:
      throw new UnsupportedError(`${name} is ${type}, of which no rows can be taken`);
  }
}

/** Called with the chunk of a row, its number there, and its number among those that are taken. */
type Visit = (data: Data, i: number, row: number) => void;

/** Visits the rows that there are; `NO_ROW` is left out. */
function visitRows({ data }: Vector, rows: Uint32Array, visit: Visit): void {
  const starts = [0];
  for (const { length } of data) starts.push((starts.at(-1) as number) + length);
  let [chunk, start, end] = [0, 0, 0];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (row === NO_ROW) continue;
    // Most rows are in the chunk of the one before.
    if (row < start || row >= end) {
      chunk = chunkOf(starts, row);
      [start, end] = [starts[chunk] as number, starts[chunk + 1] as number];
    }
    visit(data[chunk] as Data, row - start, i);
  }
}

/** The last chunk that begins at a row or before it, by bisection; empty ones begin where others do, and come first. */
function chunkOf(starts: readonly number[], row: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= row) low = middle;
    else high = middle;
  }
  return low;
}

/** Which of the rows have a value. */
function validOf(vector: Vector, rows: Uint32Array): { nullBitmap?: Uint8Array; nullCount: number } {
  if (!vector.data.some(hasNulls) && !rows.includes(NO_ROW)) return { nullCount: 0 };
  const nullBitmap = emptyBits(rows.length);
  let nullCount = rows.length;
  visitRows(vector, rows, (data, i, row) => {
    if (!isValid(data, i)) return;
    nullCount--;
    setBit(nullBitmap, row);
  });
  return nullCount > 0 ? { nullBitmap, nullCount } : { nullCount };
}

/** Values of a fixed size. Those of 64 bits are moved as words, because JavaScript would make an object of each. */
function takeCells(vector: Vector, each: (visit: Visit) => void, length: number): ArrayBufferView {
  const { type, stride } = vector;
  const { ArrayType } = type.typeId === Type.Dictionary ? type.indices : type;
  const cells = new ArrayType(length * stride);
  const isWide = cells.BYTES_PER_ELEMENT === 8;
  const asCells = (array: typeof cells) =>
    isWide ? new Uint32Array(array.buffer, array.byteOffset, array.length * 2) : array;
  const output = asCells(cells);
  const width = isWide ? 2 * stride : stride;
  let last: Data | undefined;
  let input = output;
  each((data, i, row) => {
    if (data !== last) [last, input] = [data, asCells(data.values)];
    for (let k = 0; k < width; k++) output[row * width + k] = input[i * width + k];
  });
  return cells;
}

/** As far as 32-bit offsets reach. */
const MOST_ELEMENTS = 2 ** 31 - 1;

/** The parts of what rows of variable length consist of, and where each goes. */
function rangesOf(type: DataType, each: (visit: Visit) => void, length: number, name: string) {
  const isLarge = [Type.LargeUtf8, Type.LargeBinary, Type.LargeList].includes(type.typeId);
  const lengths = new Uint32Array(length);
  let total = 0;
  each((data, i, row) => {
    if (!isValid(data, i)) return;
    lengths[row] = Number(data.valueOffsets[i + 1]) - Number(data.valueOffsets[i]);
    total += lengths[row] as number;
  });
  if (total > MOST_ELEMENTS && !isLarge) {
    throw new TooLargeError(`${name} would have ${total} elements, and ${type} holds ${MOST_ELEMENTS}`, 0);
  }
  const valueOffsets = isLarge ? new BigInt64Array(length + 1) : new Int32Array(length + 1);
  let end = 0;
  for (let row = 0; row < length; row++) {
    end += lengths[row] as number;
    valueOffsets[row + 1] = (isLarge ? BigInt(end) : end) as never;
  }
  /** Visits the ranges: where each begins in its chunk, how long it is, and where it goes. */
  const eachRange = (visit: (data: Data, from: number, many: number, to: number) => void) =>
    each((data, i, row) => {
      const many = lengths[row] as number;
      if (many > 0) visit(data, Number(data.valueOffsets[i]), many, Number(valueOffsets[row]));
    });
  return { valueOffsets, total, eachRange };
}

function takeStrings(type: DataType, each: (visit: Visit) => void, length: number, name: string) {
  const { valueOffsets, total, eachRange } = rangesOf(type, each, length, name);
  const bytes = new Uint8Array(total);
  eachRange(({ values }, from, many, to) => bytes.set(values.subarray(from, from + many), to));
  return { valueOffsets, data: bytes };
}

const VIEW_BYTES = 16;

/** Views with the buffers of all chunks, which are not copied. */
function takeViews(vector: Vector, each: (visit: Visit) => void, length: number) {
  const firstBuffers = new Map<Data, number>();
  const variadicBuffers: Uint8Array[] = [];
  for (const data of vector.data) {
    firstBuffers.set(data, variadicBuffers.length);
    variadicBuffers.push(...data.variadicBuffers);
  }
  const views = new Uint8Array(length * VIEW_BYTES);
  const view = new DataView(views.buffer);
  each((data, i, row) => {
    if (!isValid(data, i)) return;
    views.set(data.values.subarray(i * VIEW_BYTES, (i + 1) * VIEW_BYTES), row * VIEW_BYTES);
    const number = row * VIEW_BYTES + 8;
    const isInline = view.getInt32(row * VIEW_BYTES, true) <= 12;
    if (!isInline) view.setInt32(number, view.getInt32(number, true) + (firstBuffers.get(data) as number), true);
  });
  return { views, variadicBuffers };
}

/** Entries of dictionaries. If chunks have several, they become one: those of all, one behind the other. */
function takeEntries(vector: Vector, each: (visit: Visit) => void, found: { readonly length: number }): Data {
  const dictionaries = new Set(vector.data.flatMap(({ dictionary }) => dictionary ?? []));
  if (dictionaries.size < 2) {
    const [dictionary] = dictionaries;
    return makeData({ ...found, data: takeCells(vector, each, found.length), dictionary } as never);
  }
  const { dictionary, entries } = entriesOf(vector, each, found.length);
  const type = new Dictionary((vector.type as Dictionary).dictionary, new Int32());
  return makeData({ ...found, type, data: new Int32Array(entries.buffer), dictionary } as never);
}

/** The dictionaries of all chunks as one, which are not copied, and the entries of rows there. */
function entriesOf(vector: Vector, each: (visit: Visit) => void, length: number) {
  const starts = new Map<Vector, number>();
  let count = 0;
  for (const { dictionary } of vector.data) {
    if (!dictionary || starts.has(dictionary)) continue;
    starts.set(dictionary, count);
    count += dictionary.length;
  }
  const entries = new Uint32Array(length);
  each((data, i, row) => {
    if (isValid(data, i)) entries[row] = Number(data.values[i]) + (starts.get(data.dictionary as Vector) as number);
  });
  const [first, ...others] = starts.keys();
  return { dictionary: (first as Vector).concat(...others), entries };
}

/** Rows of a vector that have values, as values: those of a dictionary are looked up. */
export function takeValues(vector: Vector, rows: Uint32Array, name: string): Data {
  const isCoded = (vector.type as DataType).typeId === Type.Dictionary;
  if (!isCoded || rows.length === 0) return takeData(isCoded ? emptyOf(vector) : vector, rows, name);
  const { dictionary, entries } = entriesOf(vector, (visit) => visitRows(vector, rows, visit), rows.length);
  return takeData(dictionary, entries, name);
}

/** No values of the type of a dictionary. */
const emptyOf = (vector: Vector): Vector =>
  new Vector([makeData({ type: (vector.type as Dictionary).dictionary, length: 0, nullCount: 0 } as never)]);

/** Types within types: rows of what they consist of. */
function takeNested(vector: Vector, rows: Uint32Array, each: (visit: Visit) => void, name: string) {
  const type: DataType = vector.type;
  const children = Array.from(type.children, (_, k) => childOf(vector, k));
  const taken = (k: number, wanted: Uint32Array) => takeData((children[k] as Child).vector, wanted, name);
  const startOf = (k: number, data: Data) => (children[k] as Child).starts.get(data) as number;
  /** As many rows of a child for each row, `NO_ROW` where there is none. */
  const alongside = (k: number, many = 1): Data => {
    const wanted = new Uint32Array(rows.length * many).fill(NO_ROW);
    each((data, i, row) => {
      for (let j = 0; j < many; j++) wanted[row * many + j] = startOf(k, data) + i * many + j;
    });
    return taken(k, wanted);
  };
  if (type.typeId === Type.Struct) return { children: children.map((_, k) => alongside(k)) };
  if (type.typeId === Type.FixedSizeList) return { child: alongside(0, vector.stride) };
  if (type.typeId !== Type.Union) {
    const { valueOffsets, total, eachRange } = rangesOf(type, each, rows.length, name);
    const wanted = new Uint32Array(total);
    eachRange((data, from, many, to) => {
      for (let j = 0; j < many; j++) wanted[to + j] = startOf(0, data) + from + j;
    });
    return { valueOffsets, child: taken(0, wanted) };
  }
  // A union has no nulls of its own: a row that is none is a null of its first type.
  const { mode, typeIds: ids, typeIdToChildIndex } = type as Union;
  const typeIds = new Int8Array(rows.length).fill(ids[0] as number);
  each((data, i, row) => {
    typeIds[row] = data.typeIds[i] as number;
  });
  if (mode === UnionMode.Sparse) return { typeIds, children: children.map((_, k) => alongside(k)) };
  const wanted = children.map((): number[] => []);
  const valueOffsets = Int32Array.from(typeIds, (id) => {
    const own = wanted[typeIdToChildIndex[id] as number] as number[];
    return own.push(NO_ROW) - 1;
  });
  each((data, i, row) => {
    const k = typeIdToChildIndex[typeIds[row] as number] as number;
    (wanted[k] as number[])[valueOffsets[row] as number] = startOf(k, data) + Number(data.valueOffsets[i]);
  });
  return { typeIds, valueOffsets, children: children.map((_, k) => taken(k, Uint32Array.from(wanted[k] as number[]))) };
}

/** A child of all chunks, and where that of each begins. */
interface Child {
  readonly vector: Vector;
  readonly starts: ReadonlyMap<Data, number>;
}

function childOf({ data }: Vector, k: number): Child {
  const parts = data.map(({ children }) => children[k] as Data);
  const starts = new Map<Data, number>();
  let start = 0;
  data.forEach((chunk, i) => {
    starts.set(chunk, start);
    start += (parts[i] as Data).length;
  });
  return { vector: new Vector(parts), starts };
}
