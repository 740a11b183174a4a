import { type GpuCount, requireMembers, requireOneOf, requireWhole } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { requireApart, requireGpuCount, requireStorage } from '../../primitives/checks.ts';
import { requireContext } from '../../table/context.ts';
import { checkCount, roomFor } from '../../table/source.ts';
import type { ValueArray, ValueType } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { KeyIndexOptions } from '../keyIndex/settings.ts';

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
  requireOneOf(order, 'order', ['input', 'any']);
  return order;
}

type AnyKey = KeyType<never> | KeyType;

/** Checks the buffers of an encoded count, and returns the greatest number of queries. */
export function checkCountBuffers(key: AnyKey, buffers: CountBuffers): number {
  requireMembers(buffers, 'buffers', ['queries', 'count', 'counts', 'starts', 'context']);
  const { queries, counts, starts, count, context } = buffers;
  for (const [name, buffer] of Object.entries({ queries, counts })) requireStorage(buffer, name);
  if (starts !== undefined) requireStorage(starts, 'starts');
  requireContext(key, context);
  requireApart({ queries, counts, starts });
  const room = Math.min(
    roomFor(queries, key.words * WORD_BYTES),
    roomFor(counts, 4),
    starts ? roomFor(starts, 4) : Infinity,
  );
  return checkCount(count, room);
}

/** Checks the buffers of an encoded retrieval: the greatest number of queries, and of values. */
export function checkRetrieveBuffers(
  key: AnyKey,
  valueBytes: number,
  buffers: RetrieveBuffers,
): { readonly max: number; readonly capacity: number } {
  requireMembers(buffers, 'buffers', ['queries', 'count', 'offsets', 'values', 'capacity', 'total', 'context']);
  const { queries, offsets, values, total, count, context } = buffers;
  for (const [name, buffer] of Object.entries({ queries, offsets, values })) requireStorage(buffer, name);
  requireContext(key, context);
  requireGpuCount(total, 'total');
  requireApart({ queries, offsets, values, total: total.buffer });
  const max = checkCount(count, Math.min(roomFor(queries, key.words * WORD_BYTES), roomFor(offsets, 4)));
  const { capacity = roomFor(values, valueBytes) } = buffers;
  requireWhole(capacity, 'capacity');
  return { max, capacity: checkCount(capacity, roomFor(values, valueBytes), 'capacity') };
}
