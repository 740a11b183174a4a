import { type DataType, Field, Float64, Int64, makeData, type Table, Uint32, Uint64, type Vector } from 'apache-arrow';
import {
  type Abortable,
  type Gpu,
  InvalidInputError,
  refuse,
  requireGpu,
  requireMembers,
  requireOneOf,
  requireOptions,
  within,
} from '../../gpu/index.ts';
import { numberRows } from '../../relational/groupBy.ts';
import type { RowOptions } from '../../relational/rowKeys.ts';
import { emptyBits, setBit } from './bits.ts';
import { bestRows, counts, type Groups, meansOf, sums, type ValuesKind, valuesKind } from './combine.ts';
import { requireMemory } from './keys.ts';
import { columnsOf } from './rows.ts';
import { childOf, childrenOf, requireTable } from './tables.ts';
import { type Taken, tableOf, taken } from './take.ts';

/** How the values of a group become one. */
export type TableCombiner = 'count' | 'sum' | 'mean' | 'min' | 'max';

/** Options of a grouping of a table. */
export interface TableGroupOptions extends RowOptions, Abortable {
  /** The columns whose equal rows are a group. */
  readonly by: string | readonly string[];
  /**
   * The results, by the names of their columns: `'count'` is the number of rows, `{ of, combine }` combines the values of a column, without
   * its nulls.
   * - `'count'`: how many values there are, as Uint32
   * - `'sum'`: of integers exact, as Int64 or Uint64; of floats as Float64. A sum of nothing is null
   * - `'mean'`: as Float64
   * - `'min'`, `'max'`: of numbers, dates and times, as the column has them; NaN is greater than all numbers
   */
  readonly combine: Readonly<Record<string, 'count' | { readonly of: string; readonly combine: TableCombiner }>>;
}

const COMBINERS: readonly TableCombiner[] = ['count', 'sum', 'mean', 'min', 'max'];

/**
 * Groups the rows of a table by columns that are equal, and combines values of every group. The new table has the columns of `by`, then the
 * results. Groups come in the order of their first rows; nulls in a column of `by` are equal, as in SQL.
 * @example
 * const totals = await groupBy(gpu, orders, { by: 'city', combine: { n: 'count', cents: { of: 'cents', combine: 'sum' } } });
 */
export function groupBy(gpu: Gpu, table: Table, options: TableGroupOptions): Promise<Table> {
  return within('groupBy', async () => {
    requireGpu(gpu);
    requireTable(table, 'table');
    requireOptions(options, ['by', 'combine', 'scheme', 'seed', 'signal']);
    const { by, combine, ...rest } = options;
    const keys = childrenOf(table, by, 'by');
    const results = checkResults(table, combine);
    const names = [...keys.map(({ field }) => String(field.name)), ...results.map(({ name }) => name)];
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new InvalidInputError(`combine: ${twice} is the name of a column of \`by\``);
    const { numbers, rows } = await numberRows(gpu, columnsOf(table, by), rest);
    const groups = { numbers, size: rows.length };
    const columns = keys.map(({ field, vector }) => taken(field, vector, rows));
    return tableOf([...columns, ...results.map((result) => result.of(groups))], rows.length);
  });
}

interface Result {
  readonly name: string;
  /** The column of the result. */
  of(groups: Groups): Taken;
}

/** What is to be combined; throws for columns whose values cannot be. */
function checkResults(table: Table, combine: TableGroupOptions['combine']): readonly Result[] {
  if (typeof combine !== 'object' || combine === null) refuse('combine', 'an object of results', combine);
  return Object.entries(combine).map(([name, wanted]) => {
    if (wanted === 'count') return { name, of: (groups) => full(name, new Uint32(), counts(groups)) };
    requireMembers(wanted, `combine.${name}`, ['of', 'combine']);
    requireOneOf(wanted.combine, `combine.${name}.combine`, COMBINERS);
    const { field, vector } = childOf(table, wanted.of, `combine.${name}.of`);
    return { name, of: combined(name, field, vector, wanted.combine) };
  });
}

/** The column of a result. */
function combined(name: string, field: Field, vector: Vector, combiner: TableCombiner): Result['of'] {
  if (combiner === 'count') return (groups) => full(name, new Uint32(), counts(groups, vector));
  const kind = valuesKind(vector.type, combiner, field.name);
  const requireValues = () => {
    for (const data of vector.data) requireMemory(data, field.name);
  };
  requireValues();
  const of = ofValues(name, field, vector, kind, combiner);
  return (groups) => {
    // They are read here, after the GPU has worked, and may have been transferred meanwhile.
    requireValues();
    return of(groups);
  };
}

/** The column of a result that values are read for. */
function ofValues(
  name: string,
  field: Field,
  vector: Vector,
  kind: ValuesKind,
  combiner: Exclude<TableCombiner, 'count'>,
): Result['of'] {
  if (combiner === 'min' || combiner === 'max') {
    return (groups) => {
      const rows = bestRows(vector, kind, groups, combiner === 'max');
      return taken(field, vector, rows, name);
    };
  }
  if (combiner === 'mean') {
    return (groups) => {
      const many = counts(groups, vector);
      return known(name, new Float64(), meansOf(sums(vector, kind, groups), many), many);
    };
  }
  const type = kind.isFloat ? new Float64() : kind.isSigned ? new Int64() : new Uint64();
  return (groups) => known(name, type, sums(vector, kind, groups).values(name), counts(groups, vector));
}

/** A column without nulls. */
const full = (name: string, type: DataType, data: ArrayBufferView): Taken => ({
  field: new Field(name, type, false),
  data: makeData({ type, nullCount: 0, data } as never),
});

/** A column with nulls where nothing was combined. */
function known(name: string, type: DataType, data: ArrayBufferView, many: Uint32Array): Taken {
  const nullBitmap = emptyBits(many.length);
  let nullCount = 0;
  many.forEach((count, i) => {
    if (count > 0) setBit(nullBitmap, i);
    else nullCount++;
  });
  const nulls = nullCount > 0 ? { nullCount, nullBitmap } : { nullCount };
  return { field: new Field(name, type, true), data: makeData({ type, ...nulls, data } as never) };
}
