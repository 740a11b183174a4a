import type { Gpu, GpuCount } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { EntryBuffers } from '../../table/entryBuffers.ts';
import type { Count, Fresh, GivenKeys, Source, sourceOf } from '../../table/source.ts';
import type { ValueArray, ValueType } from '../../table/values.ts';
import type { IntoArrays } from '../into.ts';
import { indexSettings, type KeyIndexOptions } from '../keyIndex/settings.ts';
import { requireArrays } from '../onIndex.ts';
import { givenEntries, givenKeys, type OneOf } from '../plain.ts';
import { type DefaultScheme, withoutValues } from '../settings.ts';
import { ResultColumns } from './columns.ts';
import type { AccumulatorArray, CombinerName, CustomCombiner } from './combiners.wgsl.ts';

/** Values in several columns, by name; plain numbers are u32, and bigints u64, unless their type is named. */
export type ValueColumns = Readonly<Record<string, ValueArray | GPUBuffer | readonly number[] | readonly bigint[]>>;

/** Values as a caller may pass them. */
export type GivenValues = ValueArray | GPUBuffer | ValueColumns;

/** Keys and values, as typed arrays or GPU buffers; to be counted, keys are enough. */
export interface AggregateInput<K, V extends ValueArray | ValueColumns, Named = unknown> {
  readonly keys: GivenKeys<K, Named>;
  /** One array, or several by name for results that say which one they are `of`. */
  readonly values?: V | GPUBuffer;
  /** How many items; required where the keys are in a `GPUBuffer`. */
  readonly count?: number;
  /** The bytes that keys in a `GPUBuffer` point into, for keys that have a context. */
  readonly context?: GPUBuffer;
}

/** Items in GPU buffers, for the encoder face. */
export interface AggregateBuffers {
  readonly keys: GPUBuffer;
  /** One buffer, or several by name. */
  readonly values?: GPUBuffer | Readonly<Record<string, GPUBuffer>>;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** The bytes that the keys point into, for keys that have a context; all of the buffer is copied. */
  readonly context?: GPUBuffer;
}

/** One of several results: how values are combined, and of which column they are. */
export type ColumnCombiner<Name extends string = string> =
  | CombinerName
  | CustomCombiner
  | { readonly of: Name; readonly combine: CombinerName | CustomCombiner };

/** Several results by name, of values in one array or in columns. */
export type Combiners<V> = Readonly<
  Record<string, ColumnCombiner<V extends ValueArray ? never : Extract<keyof V, string>>>
>;

/** Options of an `Aggregate` with one result a key. */
export interface AggregateOptions<K, V extends ValueArray, C = CombinerName | CustomCombiner, Named = unknown>
  extends KeyIndexOptions<K, Named> {
  /**
   * How the values of a key become one: by name, or by a combiner of your own. **A `'sum'` of u32 or i32 values wraps around at
   * 2³², without an error**; `'sum64'` is exact.
   */
  readonly combine: C;
  /**
   * The type of the values. Default: that of the array's numbers; in a `GPUBuffer` `valueTypes.u32`. Values of several
   * words need a combiner of your own.
   */
  readonly value?: ValueType<V>;
}

/** Options of an `Aggregate` with several results a key. */
export interface AggregateColumnOptions<
  K,
  V extends ValueArray | ValueColumns = ValueColumns,
  C = Combiners<V>,
  Named = unknown,
> extends KeyIndexOptions<K, Named> {
  /**
   * How the values of a key become results, each by a name. **A `'sum'` of u32 or i32 values wraps around at 2³², without an
   * error**; `'sum64'` is exact.
   * @example
   * { combine: { n: 'count', total: 'sum64', low: 'min' } }               // of one array of values
   * { combine: { n: 'count', total: { of: 'price', combine: 'sum' } } }   // of values: { price, weight }
   */
  readonly combine: C;
  /** The types of the values: one, or by the names of their columns. Default as for one result. */
  readonly value?: [V] extends [ValueArray] ? ValueType<V> : { readonly [N in keyof V]?: ValueType };
}

/** Options for values that are in GPU buffers: their types are named, or u32. */
export type AggregateBufferOptions<K> =
  | AggregateOptions<K, ValueArray>
  | AggregateColumnOptions<K>
  | AggregateColumnOptions<K, ValueArray>;

/** The array that results of a combiner come back in, of values in such an array. */
export type ResultArray<C, V> = C extends 'count'
  ? Uint32Array
  : C extends 'mean'
    ? Float32Array
    : C extends 'sum64'
      ? V extends Int32Array | BigInt64Array
        ? BigInt64Array
        : BigUint64Array
      : C extends CustomCombiner<infer T>
        ? AccumulatorArray<T>
        : V extends ValueArray
          ? V
          : Uint32Array;

/** The arrays of several results. */
export type ResultArrays<C, V> = {
  readonly [N in keyof C]: C[N] extends { readonly of: infer Of; readonly combine: infer How }
    ? Of extends keyof V
      ? ResultArray<How, V[Of]>
      : never
    : ResultArray<C[N], V>;
};

/** What an aggregate has for a key: one result, or several by name. */
export type Results = ValueArray | Readonly<Record<string, ValueArray>>;

/** Results as they come back. */
export type FreshResults<R extends Results> = R extends ValueArray
  ? Fresh<R>
  : { [N in keyof R]: R[N] extends ValueArray ? Fresh<R[N]> : never };

/** The result of one key, or one of each by name. */
export type OneResult<R extends Results> = R extends ValueArray ? OneOf<R> : { [N in keyof R]: OneOf<R[N]> };

/** A buffer for the results, or one for each of several. */
export type BuffersOf<R extends Results> = R extends ValueArray ? GPUBuffer : { readonly [N in keyof R]: GPUBuffer };

/** Arrays of the caller's that get results and flags; of several results, those that are named. */
export type IntoResults<R extends Results> = R extends ValueArray
  ? IntoArrays<R>
  : { readonly values?: Partial<FreshResults<R>>; readonly found?: Uint8Array<ArrayBuffer> };

/** How results are asked for. */
export interface ResultOptions<R extends Results> {
  /** Stands for every component of the result of a key that is not there. Default 0. */
  readonly missing?: number;
  /** Arrays that get the answers, instead of new ones: at least as long as what is put into them. */
  readonly into?: IntoResults<R>;
}

/** Buffers of an encoded search for results. */
export interface ResultBuffers<R extends Results = ValueArray> {
  readonly queries: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
  /**
   * Gets the result of every query, or `missing`; as many words a query as the result has. A buffer for each of several
   * results, by name.
   */
  readonly values: BuffersOf<R>;
  /** Gets 1 or 0 for every query, a word each. */
  readonly found?: GPUBuffer;
  /** For every component of queries that are not there. Default 0. */
  readonly missing?: number;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

/** Where the keys and results of an aggregate go. */
export interface ResultEntryBuffers<R extends Results = ValueArray> extends Omit<EntryBuffers, 'values'> {
  /** Gets the result of every key. A buffer for each of several results, by name. */
  readonly values: BuffersOf<R>;
}

/** What is plain, as arrays: keys alone where they are counted, else pairs. */
export function givenItems<K>(
  given: AggregateInput<K, ValueArray | ValueColumns> | Iterable<unknown>,
  options: AggregateColumnOptions<K, never, unknown>,
  names: readonly string[],
) {
  type Input = AggregateInput<K, ValueArray | ValueColumns>;
  if (options?.combine === 'count') return givenKeys<K, Input, typeof options>(given, options, names);
  return givenEntries<K, never, Input, typeof options>(given, options, names);
}

/** The settings of an aggregate, after everything about them has been checked. */
export function prepared<K>(
  input: { readonly keys: GivenKeys<K>; readonly values?: GivenValues },
  options: AggregateColumnOptions<K, never, unknown>,
  defaultScheme: DefaultScheme,
) {
  const settings = indexSettings(input.keys, options, defaultScheme);
  const columns = ResultColumns.of(input.values, options.value, options.combine);
  // Several results are combined by the ids of the items.
  return { settings: { ...settings, keepItems: settings.keepItems || columns.areNamed }, columns };
}

/** Keys, and the values that the results need. */
export function columnSource<K>(
  gpu: Gpu,
  key: KeyType<K>,
  input: {
    readonly keys: unknown;
    readonly values?: GivenValues;
    readonly count?: Source['count'];
    readonly context?: GPUBuffer;
  },
  columns: ResultColumns,
  checked: typeof sourceOf,
): Source {
  const source = checked(gpu, key, withoutValues(input), undefined, columns.inputsOf(input.values));
  requireArrays(gpu, source.maxCount, columns.mostWords);
  return source;
}
