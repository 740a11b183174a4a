import { type GpuCount, InvalidInputError } from '../../gpu/index.ts';
import type { ValueArray, ValueType } from '../../table/values.ts';
import type { KeyIndexOptions } from '../keyIndex/keyIndex.ts';

/** Options of a `MultiMap`. */
export interface MultiMapOptions<K, V extends ValueArray, Named = unknown> extends KeyIndexOptions<K, Named> {
  /** The type of the values. Default: that of the array's numbers; in a `GPUBuffer` `valueTypes.u32`. */
  readonly value?: ValueType<V>;
  /**
   * The order of a key's values: that of the input, by a stable sort, or any, by atomics in workgroups, which may differ
   * from build to build. Default `'input'`.
   */
  readonly order?: ValueOrder;
}

/** The order of a key's values. */
export type ValueOrder = 'input' | 'any';

/** Buffers of an encoded count. */
export interface CountBuffers {
  readonly queries: GPUBuffer;
  /** How many queries, known here or on the GPU. */
  readonly count: number | GpuCount;
  /** Gets how many values each query has. */
  readonly counts: GPUBuffer;
  /** Gets where they begin among all values, as in shaders. */
  readonly starts?: GPUBuffer;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

/** Buffers of an encoded retrieval. */
export interface RetrieveBuffers {
  readonly queries: GPUBuffer;
  /** How many queries, known here or on the GPU. */
  readonly count: number | GpuCount;
  /** Gets where the values of each query begin in `values`. */
  readonly offsets: GPUBuffer;
  /** Gets the values of all queries, one query after the other; nothing is written past its end. */
  readonly values: GPUBuffer;
  /** Values that may be written. Default: as many as `values` has room for. */
  readonly capacity?: number;
  /** Gets how many values there are, with room for them or without; 2³² − 1 if there are as many or more. */
  readonly total: GpuCount;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

export function requireValueOrder(order: ValueOrder = 'input'): ValueOrder {
  if (order !== 'input' && order !== 'any') throw new InvalidInputError(`order must be 'input' or 'any', not ${order}`);
  return order;
}
