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
import { withinCall } from '../collections/keyIndex/settings.ts';
import type { PlainKeys } from '../collections/plain.ts';
import {
  type Abortable,
  type Gpu,
  InvalidInputError,
  isBuffer,
  perform,
  type Readback,
  type Recorder,
  record,
  requireGpu,
  requireSignal,
  type Signal,
  type Workspace,
  within,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { Fresh, GivenColumn } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { askingAheadOf, type CallMemory, withMemory } from './callMemory.ts';
import {
  type Cells,
  type CheckedColumn,
  type Column,
  type ColumnOf,
  type Columns,
  checkColumns,
  type GpuColumn,
  isColumnList,
  loadColumns,
  rowsOf,
} from './columns.ts';
import { groupDense, mayBeDense } from './denseGroups.wgsl.ts';
import { type RowReads, recordRows } from './readRows.wgsl.ts';
import { layoutOf, type RowBuffers, RowKeys, type RowOptions, requireKeys, requireRowOptions } from './rowKeys.ts';

/** A column as it comes back: an array, or an array with `valid` where the column had that, or nulls. */
export type FreshColumn<C> = C extends ArrayBufferView
  ? Fresh<C>
  : C extends Cells
    ? null extends C[number]
      ? OfCells<C> | { readonly values: OfCells<C>; readonly valid: Uint8Array<ArrayBuffer> }
      : OfCells<C>
    : C extends ColumnOf<infer V>
      ? Fresh<V> | { readonly values: Fresh<V>; readonly valid: Uint8Array<ArrayBuffer> }
      : never;

/** Cells of plain JavaScript as they come back. */
export type OfCells<C extends Cells> = Fresh<PlainKeys<NonNullable<C[number]>>>;

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
export interface GroupOptions<V, C> extends RowOptions, Abortable {
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
    requireRowOptions(options, ['values', 'combine', 'value', 'signal']);
    const { values, combine, value, signal, ...rest } = options;
    const results = ResultColumns.of(values, value, combine);
    const inputs = results.inputsOf(values);
    const isList = isColumnList(by);
    const call: RowWork<
      { readonly given: readonly ValuesOnGpu[]; readonly strings: readonly Strings[]; readonly mayBeDense: boolean },
      Groups<K, never>
    > = {
      by,
      name: 'by',
      options: rest,
      signal,
      check: (rows) => requireRows(inputs, rows),
      load: (memory, columns) => ({
        given: [...inputs].map(([name, { data }]) => [name, isBuffer(data) ? data : memory.upload([data])]),
        strings: columns.map(({ strings }) => strings?.slice()),
        mayBeDense: rest.scheme === undefined && mayBeDense(columns, results),
      }),
      work: async (input, { key, columns, loaded: { given, strings, mayBeDense }, memory }) => {
        const dense =
          mayBeDense && (await groupDense(memory, columns[0] as GpuColumn, input.count, results, new Map(given)));
        if (dense) {
          const { results: words, keys, ...groups } = dense;
          return { ...groups, keys: asColumns(isList, [keys]), values: results.decoded(words) } as unknown as Groups<
            K,
            never
          >;
        }
        const asGiven = (all: typeof given) => (isColumns(values) ? Object.fromEntries(all) : all[0]?.[1]);
        const aggregate = await Aggregate.from<unknown, Combiners<ValueColumns>, ValueColumns, KeyType>(
          memory.gpu,
          { ...input, values: asGiven(given) as ValueColumns },
          { ...rest, ...tableIn(memory), key, combine: results as unknown as Combiners<ValueColumns> },
        );
        const { resultReads } = memory.hold(aggregate);
        const { workspace } = memory;
        const first = await readFirstRows(
          aggregate.index,
          { columns, strings, rows: input.count, workspace },
          resultReads,
        );
        const { others, keys: read, ...groups } = first;
        const keys = asColumns(isList, read);
        return { ...groups, keys, values: aggregate.resultsOf(others) } as unknown as Groups<K, never>;
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
  options: RowOptions & Abortable = {},
): Promise<Omit<Groups<K, never>, 'values'> & { readonly counts: Uint32Array<ArrayBuffer> }> {
  return within('countBy', async () => {
    requireRowOptions(options, ['signal']);
    const { values, ...groups } = await groupBy(gpu, by, { ...options, combine: { counts: 'count' } });
    return { ...groups, counts: values.counts as Uint32Array<ArrayBuffer> };
  });
}

/**
 * The first row of every key, in the order of the rows. Rows without a value in a column are one key there.
 * @example
 * await distinct(gpu, ['Oslo', 'Rome', 'Oslo']); // [0, 1]
 */
export function distinct(
  gpu: Gpu,
  columns: Columns,
  options: RowOptions & Abortable = {},
): Promise<Uint32Array<ArrayBuffer>> {
  return within('distinct', () => withRowIndex(gpu, columns, options, (index) => index.firstItems()));
}

/** The number of every row's key, in the order of their first rows, and those rows. @internal */
export const numberRows = (gpu: Gpu, columns: Columns, options: RowOptions & Abortable) =>
  withRowIndex(gpu, columns, options, async (index) => {
    const [numbers, rows] = await Promise.all([index.idsOfItems(), index.firstItems()]);
    return { numbers, rows };
  });

/** Builds an index of the keys of rows, for as long as the work takes. */
async function withRowIndex<T>(
  gpu: Gpu,
  columns: Columns,
  options: RowOptions & Abortable,
  use: (index: KeyIndex<unknown>) => Promise<T>,
): Promise<T> {
  requireRowOptions(options, ['signal']);
  const { signal, ...rest } = options;
  const work = async (input: RowInput, { key, memory }: RowCall<undefined>) =>
    use(memory.hold(await KeyIndex.from<unknown, KeyType>(memory.gpu, input, { ...rest, ...tableIn(memory), key })));
  return withRowKeys(gpu, { by: columns, name: 'columns', options: rest, signal, load: () => undefined, work });
}

/** How tables of a call are made: keys are numbered in the order of their first rows. */
const tableIn = ({ workspace }: CallMemory) =>
  ({ construction: 'table', keepItems: true, ...withinCall({ arrays: workspace, effort: 'thorough' }) }) as const;

/** Columns as they were given: in a list, or the only one by itself. */
const asColumns = <T>(isList: boolean, columns: readonly T[]): readonly T[] | T =>
  isList ? columns : (columns[0] as T);

/** The rows of a column, where the host has them as strings. */
type Strings = readonly string[] | undefined;
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

/** What a call has that builds a table from rows. */
interface RowCall<L> {
  readonly key: KeyType;
  readonly columns: readonly GpuColumn[];
  readonly loaded: L;
  readonly memory: CallMemory;
}

/** Work on a table that is built from rows. */
interface RowWork<L, T> {
  readonly by: Columns;
  /** What the caller calls them. */
  readonly name: string;
  readonly options: RowOptions;
  readonly signal: Signal | undefined;
  /** Checks what else there is, by the number of rows. */
  check?(rows: number): void;
  /** Uploads what else there is, and copies what callers may change. */
  load(memory: CallMemory, columns: readonly CheckedColumn[]): L;
  work(input: RowInput, call: RowCall<L>): Promise<T>;
}

/** Uploads columns and makes the keys of their rows, for work that builds a table from them. */
function withRowKeys<L, T>(gpu: Gpu, { by, name, options, signal, check, load, work }: RowWork<L, T>): Promise<T> {
  requireGpu(gpu);
  requireSignal(signal);
  const checked = checkColumns(by, name);
  const count = rowsOf(checked);
  check?.(count);
  requireKeys(checked, options);
  const layout = layoutOf(checked);
  const loadAll = (memory: CallMemory) => [loadColumns(memory, checked), load(memory, checked)] as const;
  const onGpu = async ([columns, loaded]: ReturnType<typeof loadAll>, memory: CallMemory) => {
    const keys = memory.hold(new RowKeys(memory.gpu, layout, options));
    const input = { ...(await keys.build(columns, count, memory.workspace)), count };
    return work(input, { key: layout.key, columns, loaded, memory });
  };
  return withMemory(gpu, loadAll, askingAheadOf(count, onGpu), signal);
}

/** The rows that were grouped. */
interface GivenRows {
  readonly columns: readonly GpuColumn[];
  readonly strings: readonly Strings[];
  readonly rows: number;
  readonly workspace: Workspace;
}

/** Reads the first row of every group, what stands there in the columns, and what else is asked for, all at once. */
async function readFirstRows(
  { gpu, size, itemsOnGpu: { firsts } }: KeyIndex<unknown>,
  { columns, strings, rows: rowCount, workspace }: GivenRows,
  others: readonly Readback[],
) {
  const call = { rows: rowCount, wanted: firsts, count: size, workspace };
  // Filled while recording: buffers are made there, under its error scopes.
  const reads: Readback[] = [{ buffer: firsts, bytes: size * WORD_BYTES }, ...others];
  let recorded: readonly RowReads[] = [];
  const recordColumns = (recorder: Recorder) => {
    recorded = columns.map((column, i) => recordRows(recorder, column, strings[i], i, call));
    reads.push(...recorded.flatMap((own) => own.reads));
  };
  const [first, ...read] = await perform(
    gpu,
    (encoder) => record(gpu, encoder, 'relational/read', recordColumns),
    reads,
  );
  const rows = new Uint32Array(first as ArrayBuffer);
  const rest = read.splice(others.length);
  const keys = recorded.map(({ reads: { length }, decode }) => decode(rest.splice(0, length), rows));
  return { size, rows, keys, others: read };
}
