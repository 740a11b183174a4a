/** Columns as callers pass them, from plain cells. */
import type { Column, Columns } from '../../src/relational.ts';

export type Cell = number | bigint | string | null;

/** The bits of a column with nulls, as Arrow has them. */
export function validOf(cells: readonly Cell[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(cells.length / 8));
  cells.forEach((cell, i) => {
    if (cell !== null) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
  });
  return bits;
}

/** What stands in an array where a cell has no value. */
const NOTHING = 7;

const withValid = (values: Uint32Array | Float32Array | BigUint64Array, cells: readonly Cell[]): Column =>
  cells.includes(null) ? { values, valid: validOf(cells) } : values;

const COLUMNS = {
  u32: (cells: readonly Cell[]): Column => {
    const values = Uint32Array.from(cells, (cell) => Number(cell ?? NOTHING));
    return withValid(values, cells);
  },
  f32: (cells: readonly Cell[]): Column => {
    const values = Float32Array.from(cells, (cell) => Number(cell ?? NOTHING));
    return withValid(values, cells);
  },
  u64: (cells: readonly Cell[]): Column => {
    const values = BigUint64Array.from(cells, (cell) => BigInt(cell ?? NOTHING) << 33n);
    return withValid(values, cells);
  },
  string: (cells: readonly Cell[]): Column => cells.map((cell) => (cell === null ? null : `name ${cell}`)),
};

export type ColumnKind = keyof typeof COLUMNS;

export const columnOf = (kind: ColumnKind, cells: readonly Cell[]): Column => COLUMNS[kind](cells);

/** One column, or a list of several. */
export function columnsOf(kinds: readonly ColumnKind[], cells: readonly (readonly Cell[])[]): Columns {
  const columns = kinds.map((kind, i) => columnOf(kind, cells[i] as readonly Cell[]));
  return columns.length === 1 ? (columns[0] as Column) : columns;
}
