/** Columns as callers pass them, and the same on the GPU. */

import { requireArrays } from '../collections/onIndex.ts';
import { isPlain, keysOfPlain, listOf } from '../collections/plain.ts';
import {
  arrayKind,
  type BufferView,
  InvalidInputError,
  isBuffer,
  refuse,
  requireAttached,
  requireMembers,
  requireWhole,
} from '../gpu/index.ts';
import { type KeyType, type PreparedKeys, utf8 } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { contextBytes, requireContext, requireContextFits } from '../table/context.ts';
import { encodeKeys, inferKeyType, isPrepared, type KeyArray, roomFor, sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { CallMemory } from './callMemory.ts';

/** A column that says more of itself than its array does. */
export interface ColumnOf<V = unknown> {
  /**
   * An array, keys that bring their type along (`sliceKeys`, `arrowKeys`), several of those one behind the other (of a type without a
   * context), or a buffer.
   */
  readonly values: V | PreparedKeys<V> | readonly PreparedKeys<V>[] | GPUBuffer;
  /** The type of the values, as a key type; inferred from arrays, required for a `GPUBuffer`. */
  readonly key?: KeyType<V>;
  /**
   * Which rows have a value: bit i % 8 of byte ⌊i / 8⌋ is 1 for those that do, as in Apache Arrow. What stands in the others does not
   * matter. Default: all have one.
   */
  readonly valid?: Uint8Array | GPUBuffer;
  /** The bytes that strings in a `GPUBuffer` point into. */
  readonly context?: GPUBuffer;
  /** How many rows, for values in a `GPUBuffer`. */
  readonly count?: number;
}

/** Cells of plain JavaScript, with `null` where there is none: numbers are 32-bit unsigned, bigints 64-bit unsigned. */
export type Cells = readonly (string | null)[] | readonly (number | null)[] | readonly (bigint | null)[];

/** A column: a typed array, cells of plain JavaScript, or one that says more of itself. */
export type Column = KeyArray | Cells | ColumnOf;

/** The columns of a key: one, or several whose rows belong together. */
export type Columns = Column | readonly Column[];

/** A column after everything about it has been checked; nothing is uploaded yet. */
export interface CheckedColumn {
  readonly key: KeyType;
  readonly rows: number;
  /** The words of the rows: a buffer, or pieces of them. */
  readonly words: GPUBuffer | readonly Uint32Array[];
  readonly context: GPUBuffer | readonly Uint8Array[] | undefined;
  readonly valid: Uint8Array | GPUBuffer | undefined;
  /** The caller's array, where that has the rows as strings. */
  readonly strings?: readonly string[] | undefined;
  /** Whether it is of plain JavaScript and has no value that tells its type. */
  readonly isUntyped?: boolean | undefined;
}

/** A column on the GPU. */
export interface GpuColumn {
  readonly key: KeyType;
  /** Room for the words of all rows. */
  readonly words: GPUBuffer;
  readonly context: GPUBuffer | undefined;
  readonly valid: BufferView | undefined;
}

const MEMBERS = ['values', 'key', 'valid', 'context', 'count'];
/** What a key of rows may have: words, less one for rows without a value. */
const MOST_COLUMNS = 15;

const isCell = (cell: unknown): boolean => typeof cell !== 'object' || cell === null;

/** Whether that is a list of columns: an array that begins with a cell is a column itself. */
export const isColumnList = (columns: Columns): columns is readonly Column[] =>
  Array.isArray(columns) && columns.length > 0 && !isCell(columns[0]);

/** The columns of a list, or the only one. */
const columnsIn = (columns: Columns): readonly Column[] => (isColumnList(columns) ? columns : [columns]);

/** Checks the columns of one side against each other: all have the same number of rows. */
export function checkColumns(columns: Columns, name: string): readonly CheckedColumn[] {
  const checked = columnsIn(columns).map((column, i, { length }) =>
    checkColumn(column, length > 1 ? `${name}[${i}]` : name),
  );
  if (checked.length > MOST_COLUMNS) {
    throw new InvalidInputError(`${name} has ${checked.length} columns: no more than ${MOST_COLUMNS} make a key`);
  }
  const [first] = checked;
  const other = checked.find(({ rows }) => rows !== first?.rows);
  if (other) throw new InvalidInputError(`${name}: the columns have ${first?.rows} and ${other.rows} rows`);
  return checked;
}

/** Checks one column. */
export function checkColumn(column: Column, name: string): CheckedColumn {
  const isTyped = arrayKind(column) !== undefined;
  if (isBuffer(column)) throw new InvalidInputError(`${name}: say what is in a GPUBuffer: { values, key, count }`);
  if (!isTyped && !isPlain(column)) requireMembers(column, name, MEMBERS);
  const cells = !isTyped && isPlain(column) ? listOf(column) : undefined;
  const { values, key, valid, context, count }: ColumnOf = cells
    ? ofCells(cells, name)
    : isTyped
      ? { values: column }
      : (column as ColumnOf);
  const type = inferKeyType(values as GPUBuffer, key, name) as KeyType;
  if (isBuffer(values)) {
    requireStorage(values, name);
    requireContext(type, context);
    requireWhole(count, `${name}.count`);
    const rows = count as number;
    const room = roomFor(values, type.words * WORD_BYTES);
    if (rows > room) throw new InvalidInputError(`${name}.count is ${rows}, but there is room for ${room}`);
    return { key: type, rows, words: values, context, valid: checkValid(valid, rows, name) };
  }
  if (context) throw new InvalidInputError(`${name}: a \`context\` goes with values in a GPUBuffer only`);
  if (arrayKind(values)) requireAttached(values, name);
  const pieces = isPieces(values) ? values : [values];
  if (type.hasContext && pieces.length > 1) throw new InvalidInputError(`${name}: ${type.name} keys come in one piece`);
  const encoded = pieces.map((piece) => encodeKeys(type, piece, name));
  const given = encoded.reduce((sum, piece) => sum + piece.count, 0);
  const rows = count ?? given;
  requireWhole(rows, `${name}.count`);
  if (rows > given) throw new InvalidInputError(`${name}.count is ${rows}, but there are ${given} values`);
  const words = encoded.map((piece) => piece.words);
  const strings = Array.isArray(values) && type === (utf8 as KeyType) ? (values as readonly string[]) : undefined;
  const isUntyped = cells?.every((cell) => cell === null || cell === undefined);
  return {
    key: type,
    rows,
    words,
    context: encoded[0]?.context,
    valid: checkValid(valid, rows, name),
    strings,
    isUntyped,
  };
}

/** Whether that are keys with their type, one behind the other. */
const isPieces = (values: unknown): values is readonly PreparedKeys[] =>
  Array.isArray(values) && values.length > 0 && values.every(isPrepared);

/** Words with a bit for every row. */
export const bitWords = (rows: number): number => Math.ceil(rows / 32);

function checkValid(valid: unknown, rows: number, name: string): Uint8Array | GPUBuffer | undefined {
  if (valid === undefined) return undefined;
  if (isBuffer(valid)) requireStorage(valid, `${name}.valid`);
  else if (arrayKind(valid) !== 'Uint8Array') refuse(`${name}.valid`, 'a Uint8Array or a GPUBuffer of bits', valid);
  else requireAttached(valid, `${name}.valid`);
  const bytes = isBuffer(valid) ? valid.size : (valid as Uint8Array).length;
  // Kernels read whole words.
  const needed = isBuffer(valid) ? bitWords(rows) * WORD_BYTES : Math.ceil(rows / 8);
  if (bytes < needed) throw new InvalidInputError(`${name}.valid has ${bytes} bytes: ${rows} rows need ${needed}`);
  // What other libraries call a mask. Bits may have zeros behind them, up to any length.
  if (bytes === rows && !isBuffer(valid) && (valid as Uint8Array).subarray(needed).some((byte) => byte !== 0)) {
    throw new InvalidInputError(`${name}.valid has a byte for every row, and should have a bit`);
  }
  return valid as Uint8Array | GPUBuffer;
}

/** Cells of plain JavaScript as a column, which tells where there is none. */
function ofCells(cells: readonly unknown[], name: string): ColumnOf {
  // Not by `map` and the like, which pass over holes.
  const hasNulls = cells.includes(null) || cells.includes(undefined);
  const first = hasNulls ? cells.find((cell) => cell !== null && cell !== undefined) : cells[0];
  const isText = first === undefined || typeof first === 'string';
  if (!hasNulls) return isText ? { values: cells } : { values: keysOfPlain(cells, name).keys };
  const none = isText ? '' : typeof first === 'bigint' ? 0n : 0;
  const valid = new Uint8Array(Math.ceil(cells.length / 8));
  const filled = Array.from(cells, (cell, i) => {
    if (cell !== null && cell !== undefined) valid[i >> 3] = (valid[i >> 3] as number) | (1 << (i & 7));
    return cell ?? none;
  });
  return isText ? { values: filled, key: utf8, valid } : { values: keysOfPlain(filled, name).keys, valid };
}

/** Uploads what is not on the GPU yet. */
export function loadColumns(memory: CallMemory, columns: readonly CheckedColumn[]): readonly GpuColumn[] {
  const { gpu } = memory;
  for (const { key, rows, context } of columns) {
    requireArrays(gpu, rows, key.words);
    if (context && !isBuffer(context)) requireContextFits(gpu, contextBytes(context));
  }
  return columns.map(({ key, rows, words, context, valid }) => ({
    key,
    words: isBuffer(words) ? words : memory.upload(words),
    context: context && (isBuffer(context) ? context : memory.uploadContext(context)),
    valid: valid && validOnGpu(memory, valid, rows),
  }));
}

/** The bits as words. */
function validOnGpu(memory: CallMemory, valid: Uint8Array | GPUBuffer, rows: number): BufferView {
  const buffer = isBuffer(valid) ? valid : memory.upload([valid.subarray(0, Math.ceil(rows / 8))]);
  return sized(memory.gpu, buffer, bitWords(rows) * WORD_BYTES);
}

/** A column whose type may not be known, because no value tells it. */
export type KeyColumn = Pick<CheckedColumn, 'key' | 'isUntyped'>;

/**
 * Columns of a side, where those that have no value are of the types of the other side. Where the other side has none, no value is equal
 * to anything, and none has to be looked at.
 */
export const typedLike = (columns: readonly CheckedColumn[], others: readonly KeyColumn[]): readonly CheckedColumn[] =>
  columns.map((column, i) => {
    const { key, isUntyped } = others[i] ?? column;
    return key === column.key || !(column.isUntyped || isUntyped) ? column : withoutValues(key, column.rows);
  });

/** A column of so many rows that have no value. */
const withoutValues = (key: KeyType, rows: number): CheckedColumn => ({
  key,
  rows,
  words: [new Uint32Array(rows * key.words)],
  context: key.hasContext ? [] : undefined,
  valid: new Uint8Array(Math.ceil(rows / 8)),
});

/** Throws unless the columns of two sides are of the same types, one by one. */
export function requireSameTypes(
  left: readonly { readonly key: KeyType }[],
  right: readonly { readonly key: KeyType }[],
): void {
  if (left.length !== right.length) {
    throw new InvalidInputError(`there are ${left.length} columns on the left, and ${right.length} on the right`);
  }
  left.forEach(({ key }, i) => {
    const { key: other } = right[i] as { readonly key: KeyType };
    if (key !== other)
      throw new InvalidInputError(`column ${i} is ${key.name} on the left, and ${other.name} on the right`);
  });
}

/** How many rows columns have. */
export const rowsOf = ([first]: readonly CheckedColumn[]): number => first?.rows ?? 0;
