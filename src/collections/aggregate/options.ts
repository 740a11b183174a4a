import type { GpuCount } from '../../gpu/index.ts';
import type { Count, GivenKeys } from '../../table/source.ts';
import { inferValueType, type ValueArray, type ValueType } from '../../table/values.ts';
import type { IntoArrays } from '../into.ts';
import { indexSettings, type KeyIndexOptions } from '../keyIndex/settings.ts';
import type { DefaultScheme } from '../settings.ts';
import { type Combiner, type CombinerName, type CustomCombiner, resolveCombiner } from './combiners.wgsl.ts';

/** Keys and values, as typed arrays or GPU buffers; to be counted, keys are enough. */
export interface AggregateInput<K, V extends ValueArray, Named = unknown> {
  readonly keys: GivenKeys<K, Named>;
  readonly values?: V | GPUBuffer;
  /** How many items; required where the keys are in a `GPUBuffer`. */
  readonly count?: number;
  /** The bytes that keys in a `GPUBuffer` point into, for keys that have a context. */
  readonly context?: GPUBuffer;
}

/** Items in GPU buffers, for the encoder face. */
export interface AggregateBuffers {
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** The bytes that the keys point into, for keys that have a context; all of the buffer is copied. */
  readonly context?: GPUBuffer;
}

/** Options of an `Aggregate`. */
export interface AggregateOptions<K, V extends ValueArray, C = CombinerName | CustomCombiner, Named = unknown>
  extends KeyIndexOptions<K, Named> {
  /**
   * How the values of a key become one: by name, or by a combiner of your own. A `'sum'` of u32 or i32 values wraps around
   * at 2³², without an error.
   */
  readonly combine: C;
  /**
   * The type of the values. Default: that of the array's numbers; in a `GPUBuffer` `valueTypes.u32`. Values of several
   * words need a combiner of your own.
   */
  readonly value?: ValueType<V>;
}

/** How results are asked for. */
export interface ResultOptions<R extends ValueArray> {
  /** Stands for every component of the result of a key that is not there. Default 0. */
  readonly missing?: number;
  /** Arrays that get the answers, instead of new ones: at least as long as what is put into them. */
  readonly into?: IntoArrays<R>;
}

/** Buffers of an encoded search for results. */
export interface ResultBuffers {
  readonly queries: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
  /** Gets the result of every query, or `missing`; as many words a query as the accumulator has. */
  readonly values: GPUBuffer;
  /** Gets 1 or 0 for every query, a word each. */
  readonly found?: GPUBuffer;
  /** For every component of queries that are not there. Default 0. */
  readonly missing?: number;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

/** The settings of an aggregate, after everything about them has been checked. */
export function prepared<K>(
  input: { readonly keys: GivenKeys<K>; readonly values?: ValueArray | GPUBuffer },
  options: AggregateOptions<K, ValueArray>,
  defaultScheme: DefaultScheme,
) {
  const settings = indexSettings(input.keys, options, defaultScheme);
  const value = input.values === undefined ? undefined : inferValueType(input.values, options.value);
  const combiner = resolveCombiner(options.combine, value);
  return { settings, combiner, value: value ?? combiner.scalar };
}

/** Who only counts needs no values. */
export const withoutUnused = <T extends { readonly values?: ValueArray | GPUBuffer }>(
  input: T,
  { counts }: Combiner,
) => ({
  ...input,
  values: counts ? undefined : input.values,
});
