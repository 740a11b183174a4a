import type { Table, TypeMap } from 'apache-arrow';
import { type Abortable, type Gpu, requireGpu, requireOptions, within } from '../../gpu/index.ts';
import type { ColumnOf } from '../../relational/columns.ts';
import { distinct as distinctRows } from '../../relational/groupBy.ts';
import type { RowOptions } from '../../relational/rowKeys.ts';
import { type TopOptions, topK as topRows } from '../../relational/topK.ts';
import { columnOf } from './column.ts';
import { childOf, childrenOf, requireTable } from './tables.ts';
import { takeTable } from './take.ts';

/** Options of `distinct`. */
export interface TableDistinctOptions extends RowOptions, Abortable {
  /** The columns by which rows are the same. Default: all. */
  readonly by?: string | readonly string[];
}

/** Options of `topK`. */
export interface TableTopOptions extends TopOptions {
  /** The column whose values are compared. */
  readonly by: string;
}

/**
 * The first of all rows that are the same in some columns, in the order of the table. Nulls are the same here, as in SQL.
 * @example
 * const visitors = await distinct(gpu, visits, { by: ['person', 'day'] });
 */
export function distinct<T extends TypeMap>(
  gpu: Gpu,
  table: Table<T>,
  options: TableDistinctOptions = {},
): Promise<Table<T>> {
  return within('distinct', async () => {
    requireGpu(gpu);
    requireTable(table, 'table');
    requireOptions(options, ['by', 'scheme', 'seed', 'signal']);
    const { by = table.schema.fields.map(({ name }) => String(name)), ...rest } = options;
    return takeTable(table, await distinctRows(gpu, columnsOf(table, by), rest));
  });
}

/**
 * The rows with the k greatest values of a column, the greatest first, or with the least. Of equal values the row that comes first is taken
 * first. Rows without a value are never among them; NaN is greater than all numbers.
 * @example
 * const dearest = await topK(gpu, orders, 10, { by: 'cents' });
 */
export function topK<T extends TypeMap>(
  gpu: Gpu,
  table: Table<T>,
  k: number,
  options: TableTopOptions,
): Promise<Table<T>> {
  return within('topK', async () => {
    requireGpu(gpu);
    requireTable(table, 'table');
    requireOptions(options, ['by', 'order', 'signal']);
    const { by, ...rest } = options;
    const { vector } = childOf(table, by, 'by');
    return takeTable(table, await topRows(gpu, columnOf(vector, by), k, rest));
  });
}

/** The columns of a key by their names. */
export const columnsOf = (table: Table, by: string | readonly string[]): readonly ColumnOf[] =>
  childrenOf(table, by, 'by').map(({ field, vector }) => columnOf(vector, field.name));
