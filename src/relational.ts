/**
 * Tables of rows: joins, groups, distinct rows and the greatest ones, over columns that are arrays or GPU buffers.
 * @example
 * import { join } from 'hashnest/relational';
 * const { left, right } = await join(gpu, orders.city, cities.name);
 * @packageDocumentation
 */
export type { BufferColumn, BufferColumns } from './relational/bufferColumns.ts';
export type { Cells, Column, ColumnOf, Columns } from './relational/columns.ts';
export {
  countBy,
  distinct,
  type FreshColumn,
  type FreshColumns,
  type GroupOptions,
  type Groups,
  groupBy,
  type OfCells,
} from './relational/groupBy.ts';
export { type JoinOptions, join } from './relational/join.ts';
export { type How, NO_ROW } from './relational/join.wgsl.ts';
export type { JoinBuffers, JoinedRows } from './relational/joinBuffers.ts';
export { JoinTable } from './relational/joinTable.ts';
export type { PrepareJoinOptions } from './relational/prepareJoins.ts';
export type { RowOptions } from './relational/rowKeys.ts';
export { type TopOptions, topK } from './relational/topK.ts';
