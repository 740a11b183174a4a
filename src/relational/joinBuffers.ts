/** What goes into a join and comes out of it. */
import { type Gpu, type GpuCount, refuse, requireMembers, requireOneOf, requireWhole } from '../gpu/index.ts';
import { requireApart, requireGpuCount, requireStorage } from '../primitives/checks.ts';
import { type Count, checkCount, roomFor } from '../table/source.ts';
import { type BufferColumns, checkBufferColumns } from './bufferColumns.ts';
import type { GpuColumn } from './columns.ts';
import type { How } from './join.wgsl.ts';

/** Throws unless there is such a join. */
export function requireHow(how: How | undefined): void {
  if (how !== undefined) requireOneOf(how, 'how', HOWS);
}

const HOWS: readonly How[] = ['inner', 'left', 'right', 'full', 'semi', 'anti'];
const JOIN = ['columns', 'count', 'how', 'leftRows', 'rightRows', 'capacity', 'total'];

/** Pairs of row numbers, in the order of the rows on the left, then of those on the right. */
export interface JoinedRows {
  /** The row on the left of every pair; `NO_ROW` for a row on the right that has no partner. These come last, in their order. */
  readonly left: Uint32Array<ArrayBuffer>;
  /** The row on the right; `NO_ROW` for a row on the left that has no partner. Empty for `'semi'` and `'anti'`. */
  readonly right: Uint32Array<ArrayBuffer>;
}

/** Buffers of an encoded join. */
export interface JoinBuffers extends BufferColumns {
  /** Which rows are wanted. Default `'inner'`. */
  readonly how?: How;
  /** Gets the row on the left of every pair, a word each. */
  readonly leftRows: GPUBuffer;
  /** Gets the row on the right; not for `'semi'` and `'anti'`. */
  readonly rightRows?: GPUBuffer;
  /** How many pairs there is room for. Default: what the buffers hold. */
  readonly capacity?: number;
  /**
   * The word that gets how many pairs there are, whether there was room for them or not: what `capacity` would have to be. 2³² − 1
   * if there are as many or more.
   */
  readonly total: GpuCount;
}

/** Whether a join gives rows on the left alone. */
export const isList = (how: How): boolean => how === 'semi' || how === 'anti';

/** An encoded join, after everything about it has been checked. */
export interface CheckedJoin extends Required<Omit<JoinBuffers, 'columns'>> {
  readonly columns: readonly GpuColumn[];
  /** The most rows that there can be. */
  readonly rows: number;
  readonly count: Count;
}

/** Checks the buffers of an encoded join. */
export function checkJoin(gpu: Gpu, buffers: JoinBuffers): CheckedJoin {
  requireMembers(buffers, 'buffers', JOIN);
  const { how = 'inner', leftRows, rightRows, total } = buffers;
  requireHow(how);
  const { columns, rows, count } = checkBufferColumns(gpu, buffers);
  requireStorage(leftRows, 'leftRows');
  if (!isList(how)) requireStorage(rightRows as GPUBuffer, 'rightRows');
  else if (rightRows) refuse('rightRows', `left out: a ${how} join gives rows on the left alone`, rightRows);
  requireGpuCount(total, 'total');
  const outputs = { leftRows, rightRows, total: total.buffer };
  requireApart(outputs);
  for (const { values, valid, context } of [buffers.columns].flat()) {
    for (const input of [values, valid, context]) requireApart({ columns: input, ...outputs });
  }
  const room = Math.min(roomFor(leftRows, 4), rightRows ? roomFor(rightRows, 4) : Number.POSITIVE_INFINITY);
  const { capacity = room } = buffers;
  requireWhole(capacity, 'capacity');
  checkCount(capacity, room, 'capacity');
  return { columns, rows, count, how, leftRows, rightRows: rightRows ?? leftRows, capacity, total };
}
