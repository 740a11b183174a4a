import {
  type Data,
  type Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  type TypeMap,
  type Vector,
} from 'apache-arrow';
import { InvalidInputError, requireWords, within } from '../../gpu/index.ts';
import { NO_ROW } from '../../relational/join.wgsl.ts';
import { requireTable } from './tables.ts';
import { takeData } from './takeData.ts';

/**
 * The rows with these numbers, in that order, as a table of one record batch; `NO_ROW` is a row of nulls. Joins and other calls of
 * `hashnest/relational` give such numbers. Dictionaries are kept, and so is the text of views.
 * @example
 * const { left } = await table.join(column(orders.getChild('customer')));
 * const known = take(orders, left);
 */
export function take<T extends TypeMap>(table: Table<T>, rows: Uint32Array): Table<T> {
  return within('take', () => {
    requireTable(table, 'table');
    requireWords(rows, 'rows');
    const wrong = rows.find((row) => row >= table.numRows && row !== NO_ROW);
    if (wrong !== undefined) throw new InvalidInputError(`rows: there is no row ${wrong} of ${table.numRows}`);
    return takeTable(table, rows);
  });
}

/** The same, without a look at the arguments. @internal */
export function takeTable<T extends TypeMap>(table: Table<T>, rows: Uint32Array): Table<T> {
  const columns = table.schema.fields.map((field, i) => taken(field, table.getChildAt(i) as Vector, rows));
  return tableOf(columns, rows.length, table.schema.metadata) as unknown as Table<T>;
}

/** A field and its rows. */
export interface Taken {
  readonly field: Field;
  readonly data: Data;
}

/** Rows of a column, with its field; that may have nulls now, or another dictionary. */
export function taken(field: Field, vector: Vector, rows: Uint32Array, name = field.name): Taken {
  const data = takeData(vector, rows, name);
  const nullable = field.nullable || data.nullCount > 0;
  return { field: field.clone({ name, type: data.type, nullable }), data };
}

/** A table of one record batch. */
export function tableOf(columns: readonly Taken[], rows: number, metadata?: Map<string, string> | null): Table {
  const fields = columns.map(({ field }) => field);
  const schema = new Schema(fields, metadata ?? null);
  const children = columns.map(({ data }) => data);
  const data = makeData({ type: new Struct(fields), length: rows, nullCount: 0, children });
  return new Table(schema, [new RecordBatch(schema, data)]);
}
