import { isColumns, ResultColumns } from '../collections/aggregate/columns.ts';
import {
  Aggregate,
  type Combiners,
  type FreshResults,
  KeyIndex,
  type ResultArrays,
  type ValueArray,
  type ValueColumns,
  type ValueType,
} from '../collections/index.ts';
import { type Gpu, InvalidInputError, isBuffer, requireGpu, requireOptions, Workspace, within } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { Fresh, GivenColumn } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import {
  type Column,
  type ColumnOf,
  type Columns,
  checkColumns,
  type GpuColumn,
  loadColumns,
  rowsOf,
  withUploads,
} from './columns.ts';
import { readRows } from './readRows.wgsl.ts';
import { type RowBuffers, RowKeys, RowLayout, type RowOptions } from './rowKeys.ts';

/** A column as it comes back: an array, or an array with `valid` where the column had that, or nulls. */
export type FreshColumn<C> = C extends ArrayBufferView
  ? Fresh<C>
  : C extends readonly (string | null)[]
    ? null extends C[number]
      ? readonly string[] | { readonly values: readonly string[]; readonly valid: Uint8Array<ArrayBuffer> }
      : readonly string[]
    : C extends ColumnOf<infer V>
      ? Fresh<V> | { readonly values: Fresh<V>; readonly valid: Uint8Array<ArrayBuffer> }
      : never;

/** The columns of a key as they come back. */
export type FreshColumns<C> = C extends readonly Column[]
  ? { readonly [I in keyof C]: FreshColumn<C[I]> }
  : FreshColumn<C>;

/** Groups of rows, in the order of their first rows. */
export interface Groups<C, R> {
  /** How many groups there are. */
  readonly size: number;
  /** The first row of every group. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** The key of every group, as the columns that were grouped by. */
  readonly keys: FreshColumns<C>;
  /** The results of every group, by their names. */
  readonly values: R;
}

/** Options of a grouping. */
export interface GroupOptions<V, C> extends RowOptions {
  /** Values by name, for results that say which they are `of`; or one array. */
  readonly values?: V;
  /** The results that every group gets, by name; see `Aggregate`. A `'sum'` of u32 or i32 values wraps around at 2³², `'sum64'` is exact. */
  readonly combine: C;
  /** The types of the values: one, or by the names of their columns. Default: those of arrays; in a `GPUBuffer` `valueTypes.u32`. */
  readonly value?: [V] extends [ValueArray] ? ValueType<V> : { readonly [N in keyof V]?: ValueType };
}

/**
 * Groups rows by one or several key columns, and combines values of every group. Rows without a value in a column are one group there,
 * as in SQL.
 * @example
 * const { keys, values } = await groupBy(gpu, ['Oslo', 'Rome', 'Oslo'],
 *   { values: { price }, combine: { n: 'count', total: { of: 'price', combine: 'sum64' } } });
 * // keys ['Oslo', 'Rome'], values.n [2, 1], values.total
 */
export function groupBy<
  const K extends Columns,
  const C extends Combiners<V>,
  V extends ValueArray | ValueColumns = Uint32Array,
>(gpu: Gpu, by: K, options: GroupOptions<V, C>): Promise<Groups<K, FreshResults<ResultArrays<C, V>>>> {
  return within('groupBy', async () => {
    requireOptions(options, ['values', 'combine', 'value', 'scheme', 'seed']);
    const { values, combine, value, ...rest } = options;
    const results = ResultColumns.of(values, value, combine);
    const inputs = results.inputsOf(values);
    const call: RowWork<readonly ValuesOnGpu[], Groups<K, never>> = {
      by,
      options: rest,
      check: (rows) => requireRows(inputs, rows),
      load: (keep) =>
        [...inputs].map(([name, { data }]) => [name, isBuffer(data) ? data : keep(gpu.upload('values', data))]),
      work: async (input, key, loaded, first) => {
        const types = new Map(results.all.map(({ of, value: type }) => [of, type]));
        const asGiven = <T>(all: readonly (readonly [string, T])[]) =>
          isColumns(values) ? Object.fromEntries(all) : all[0]?.[1];
        const aggregate = await Aggregate.from<unknown, Combiners<ValueColumns>, ValueColumns, KeyType>(
          gpu,
          { ...input, values: asGiven(loaded) as ValueColumns },
          {
            ...rest,
            ...TABLE,
            key,
            combine: combine as Combiners<ValueColumns>,
            value: asGiven(loaded.map(([name]) => [name, types.get(name) as ValueType] as const)) as Record<
              string,
              ValueType
            >,
          },
        );
        try {
          const { values: combined } = await aggregate.entries();
          return { ...(await first(aggregate.index)), values: combined } as unknown as Groups<K, never>;
        } finally {
          aggregate.destroy();
        }
      },
    };
    return withRowKeys(gpu, call);
  });
}

/**
 * How many rows every key has.
 * @example
 * const { keys, counts } = await countBy(gpu, ['Oslo', 'Rome', 'Oslo']); // ['Oslo', 'Rome'], [2, 1]
 */
export function countBy<const K extends Columns>(
  gpu: Gpu,
  by: K,
  options: RowOptions = {},
): Promise<Omit<Groups<K, never>, 'values'> & { readonly counts: Uint32Array<ArrayBuffer> }> {
  return within('countBy', async () => {
    requireOptions(options, ['scheme', 'seed']);
    const { values, ...groups } = await groupBy(gpu, by, { ...options, combine: { counts: 'count' } });
    return { ...groups, counts: values.counts as Uint32Array<ArrayBuffer> };
  });
}

/**
 * The first row of every key, in the order of the rows. Rows without a value in a column are one key there.
 * @example
 * await distinct(gpu, ['Oslo', 'Rome', 'Oslo']); // [0, 1]
 */
export function distinct(gpu: Gpu, columns: Columns, options: RowOptions = {}): Promise<Uint32Array<ArrayBuffer>> {
  return within('distinct', () => withRowIndex(gpu, columns, options, (index) => index.firstItems()));
}

/** The number of every row's key, in the order of their first rows, and those rows. @internal */
export const numberRows = (gpu: Gpu, columns: Columns, options: RowOptions) =>
  withRowIndex(gpu, columns, options, async (index) => ({
    numbers: await index.idsOfItems(),
    rows: await index.firstItems(),
  }));

/** Builds an index of the keys of rows, for as long as the work takes. */
async function withRowIndex<T>(
  gpu: Gpu,
  columns: Columns,
  options: RowOptions,
  use: (index: KeyIndex<unknown>) => Promise<T>,
): Promise<T> {
  requireOptions(options, ['scheme', 'seed']);
  const work = async (input: RowInput, key: KeyType) => {
    const index = await KeyIndex.from<unknown, KeyType>(gpu, input, { ...options, ...TABLE, key });
    try {
      return await use(index);
    } finally {
      index.destroy();
    }
  };
  return withRowKeys(gpu, { by: columns, options, load: () => undefined, work });
}

/** Keys are numbered in the order of their first rows. */
const TABLE = { construction: 'table', keepItems: true } as const;

type ValuesOnGpu = readonly [name: string, buffer: GPUBuffer];
type RowInput = RowBuffers & { readonly count: number };

/** Throws unless there is a value for every row. */
function requireRows(inputs: ReadonlyMap<string, GivenColumn>, rows: number): void {
  for (const [name, { data, words }] of inputs) {
    const items = (isBuffer(data) ? data.size : data.byteLength) / (words * WORD_BYTES);
    if (isBuffer(data) ? items < rows : items !== rows) {
      throw new InvalidInputError(`there are ${rows} rows but ${items} values as ${name}`);
    }
  }
}

/** Work on a table that is built from rows. */
interface RowWork<L, T> {
  readonly by: Columns;
  readonly options: RowOptions;
  /** Checks what else there is, by the number of rows. */
  check?(rows: number): void;
  /** Uploads what else there is. */
  load(keep: (buffer: GPUBuffer) => GPUBuffer): L;
  /** `first` gives the first rows of the keys of an index. */
  work(input: RowInput, key: KeyType, loaded: L, first: (index: KeyIndex<unknown>) => Promise<object>): Promise<T>;
}

/** Uploads columns and makes the keys of their rows, for work that builds a table from them. */
function withRowKeys<L, T>(gpu: Gpu, { by, options, check, load, work }: RowWork<L, T>): Promise<T> {
  requireGpu(gpu);
  const checked = checkColumns(by, 'columns');
  const count = rowsOf(checked);
  check?.(count);
  const layout = new RowLayout(
    checked.map(({ key }) => key),
    checked.some(({ valid }) => valid !== undefined),
  );
  const loadAll = (keep: (buffer: GPUBuffer) => GPUBuffer) => [loadColumns(gpu, checked, keep), load(keep)] as const;
  return withUploads(gpu, loadAll, async ([columns, loaded]) => {
    const workspace = new Workspace(gpu);
    const keys = new RowKeys(gpu, layout, options);
    try {
      const input = { ...(await keys.build(columns, count, workspace)), count };
      return await work(input, layout.key, loaded, (index) => firstRows(index, columns, count));
    } finally {
      keys.destroy();
      workspace.destroy();
    }
  });
}

/** The first row of every group, and what stands there in the columns. */
async function firstRows(index: KeyIndex<unknown>, columns: readonly GpuColumn[], count: number) {
  const rows = await index.firstItems();
  const keys: Column[] = [];
  for (const column of columns) {
    keys.push(await readRows(index.gpu, column, count, index.itemsOnGpu.firsts, rows.length));
  }
  return { size: rows.length, rows, keys: columns.length === 1 ? keys[0] : keys };
}
