/** Columns on the encoder face: buffers, and a count that may be known only on the GPU. */
import { type Gpu, InvalidInputError, isBuffer, refuse, requireMembers } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { requireContext } from '../table/context.ts';
import { type Count, checkCount, requireKeyType, roomFor, sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { bitWords, type GpuColumn } from './columns.ts';

/** A column in a buffer. */
export interface BufferColumn {
  readonly values: GPUBuffer;
  /** The type of the values, as a key type. */
  readonly key: KeyType;
  /** Which rows have a value: a bit each, as in `ColumnOf`. */
  readonly valid?: GPUBuffer;
  /** The bytes that strings point into. */
  readonly context?: GPUBuffer;
}

/** The columns of a key in buffers. */
export interface BufferColumns {
  /** One column, or several whose rows belong together. */
  readonly columns: BufferColumn | readonly BufferColumn[];
  /** How many rows, known here or on the GPU. */
  readonly count: Count;
}

const MEMBERS = ['values', 'key', 'valid', 'context'];

/** The columns after everything about them has been checked, and the most rows that there can be. */
export function checkBufferColumns(gpu: Gpu, input: BufferColumns) {
  requireMembers(input, 'input', ['columns', 'count']);
  const { columns, count } = input;
  const list: readonly BufferColumn[] = Array.isArray(columns) ? columns : [columns as BufferColumn];
  if (list.length === 0) throw new InvalidInputError('columns: there has to be one at least');
  const rooms = list.map((column, i) => {
    const name = `columns[${i}]`;
    requireMembers(column, name, MEMBERS);
    const { values, key, valid, context } = column;
    requireStorage(values, `${name}.values`);
    requireKeyType(key);
    requireContext(key, context);
    if (valid !== undefined && !isBuffer(valid)) refuse(`${name}.valid`, 'a GPUBuffer of bits', valid);
    if (valid) requireStorage(valid, `${name}.valid`);
    return Math.min(
      roomFor(values, key.words * WORD_BYTES),
      valid ? 8 * WORD_BYTES * Math.floor(valid.size / WORD_BYTES) : Number.POSITIVE_INFINITY,
    );
  });
  const rows = checkCount(count, Math.min(...rooms));
  const loaded = list.map(
    ({ values, key, valid, context }): GpuColumn => ({
      key,
      words: values,
      context,
      valid: valid && sized(gpu, valid, bitWords(rows) * WORD_BYTES),
    }),
  );
  return { columns: loaded, rows, count };
}
