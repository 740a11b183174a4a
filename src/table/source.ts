/** From what callers pass to buffers, after everything about it has been checked. */
import {
  type BufferView,
  ELEMENT_BYTES,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  type Recorder,
} from '../gpu/index.ts';
import {
  type EncodedKeys,
  f32,
  i32,
  i64,
  type KeyBuffers,
  type KeyType,
  type PreparedKeys,
  u32,
  u64,
  utf8,
} from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { once } from '../wgsl/index.ts';
import { contextBytes, requireContext, requireContextFits, uploadContext } from './context.ts';
import type { Table } from './table.ts';

/** A number of items, or the word of a GPU buffer that holds it. */
export type Count = number | GpuCount;

/** Arrays that tell the type of their keys by themselves. The type of others is named, by the option `key`. */
export type KeyArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array | readonly string[];

/** What keys may be where a collection is made: anything if their type is named, and `Named` is not `never`. */
export type Told<Named> = [Named] extends [never] ? KeyArray : unknown;

/**
 * Keys as a collection is made from them. Who names no type passes arrays, or keys that bring their type along: nobody knows
 * what is in a `GPUBuffer`.
 */
export type GivenKeys<K, Named = unknown> = [Named] extends [never]
  ? NoInfer<K> | (PreparedKeys<K> & { readonly type: Named })
  : K | (PreparedKeys<K> & { readonly type: Named }) | GPUBuffer;

/** Arrays as they come back: new ones, each over an `ArrayBuffer` or another kind of buffer. */
export type Fresh<T, Buffer extends ArrayBufferLike = ArrayBuffer> = T extends Uint32Array
  ? Uint32Array<Buffer>
  : T extends Int32Array
    ? Int32Array<Buffer>
    : T extends Float32Array
      ? Float32Array<Buffer>
      : T extends BigUint64Array
        ? BigUint64Array<Buffer>
        : T extends BigInt64Array
          ? BigInt64Array<Buffer>
          : T extends Uint8Array
            ? Uint8Array<Buffer>
            : T extends readonly ArrayBufferView[]
              ? { [I in keyof T]: Fresh<T[I], Buffer> }
              : T;

/** An array type without its kind of buffer: who builds from one kind may search with another. */
export type Widened<T> = T extends readonly string[] ? readonly string[] : Fresh<T, ArrayBufferLike>;

/** What may be passed as keys to a collection of such keys. */
export type Keys<K> = K | Widened<K> | PreparedKeys<K>;

/** Items on the GPU. */
interface ItemBuffers extends KeyBuffers {
  readonly values: BufferView | undefined;
}

/** What a table is built from, after everything about it has been checked. */
export interface Source {
  readonly count: Count;
  /** The count, or the greatest that it can be. */
  readonly maxCount: number;
  /** Bytes that the keys point into, for keys that have a context. */
  readonly contextBytes: number | undefined;
  /** The items on the GPU. What is not there yet is uploaded by the first call, which comes after the plan. */
  load(): ItemBuffers;
  /** Frees what was uploaded; a caller's buffers are left alone. */
  release(): void;
  /** Recorded after the last attempt of a build, also of one that failed: what a collection does with a finished table. */
  finish?(recorder: Recorder, table: Table): void;
}

type TypeOf<K> = K extends unknown ? KeyType<K> : never;

/** Types that an array of keys tells by itself. */
const INFERRED: readonly TypeOf<KeyArray>[] = [u32, u64, i32, f32, i64, utf8];

/** The key type of an array of keys. */
export function inferKeyType<K>(keys: GivenKeys<K>, given: KeyType<K> | undefined): KeyType<K> {
  if (given) return given;
  if (isPrepared<K>(keys)) return keys.type;
  if (isBuffer(keys))
    throw new InvalidInputError('keys in a GPUBuffer need the option `key`, for example { key: u32 }');
  const found = INFERRED.find((type) => type.accepts(keys));
  if (!found) {
    throw new InvalidInputError(
      'keys must be an array of numbers (Uint32Array, Int32Array, Float32Array, BigUint64Array, BigInt64Array) or of strings, or come with the option `key`',
    );
  }
  return found as unknown as KeyType<K>;
}

const isPrepared = <K>(keys: unknown): keys is PreparedKeys<K> =>
  typeof keys === 'object' && keys !== null && 'type' in keys && 'words' in keys;

export const isBuffer = (value: unknown): value is GPUBuffer =>
  typeof value === 'object' && value !== null && 'mapState' in value && 'usage' in value;

/** Checks keys, values and count against each other, before anything is uploaded or planned. */
export function sourceOf<K>(
  gpu: Gpu,
  key: KeyType<K>,
  input: {
    readonly keys: unknown;
    readonly values?: ArrayBufferView | GPUBuffer | undefined;
    readonly count?: Count;
    readonly context?: GPUBuffer;
  },
  valueWords = 1,
): Source {
  const { keys, values, count } = input;
  const keyBytes = key.words * 4;
  const valueBytes = valueWords * 4;
  const encoded = isBuffer(keys) ? undefined : encodeKeys(key, keys);
  if (!encoded) requireContext(key, input.context);
  else if (input.context) throw new InvalidInputError('a `context` goes with keys in a GPUBuffer only');
  if (encoded && values !== undefined && !isBuffer(values) && values.byteLength / valueBytes !== encoded.count) {
    throw new InvalidInputError(`there are ${encoded.count} keys but ${values.byteLength / valueBytes} values`);
  }
  const maxCount = checkCount(
    count ?? encoded?.count,
    Math.min(
      encoded?.count ?? roomFor(keys as GPUBuffer, keyBytes),
      values === undefined
        ? Number.POSITIVE_INFINITY
        : isBuffer(values)
          ? roomFor(values, valueBytes)
          : values.byteLength / valueBytes,
    ),
  );
  for (const [name, buffer] of [
    ['keys', keys],
    ['values', values],
  ] as const) {
    if (isBuffer(buffer)) requireStorage(buffer, name);
  }
  const { context = encoded?.context } = input;
  const bytes = context && (isBuffer(context) ? context.size : contextBytes(context));
  if (bytes !== undefined) requireContextFits(gpu, bytes);

  const uploads: GPUBuffer[] = [];
  const uploaded = (buffer: GPUBuffer): GPUBuffer => {
    uploads.push(buffer);
    return buffer;
  };
  const toBuffer = (name: string, data: GPUBuffer | ArrayBufferView): GPUBuffer =>
    isBuffer(data) ? data : uploaded(gpu.upload(`input/${name}`, data));
  const load = once(
    (): ItemBuffers => ({
      keys: sized(gpu, toBuffer('keys', encoded?.words ?? (keys as GPUBuffer)), maxCount * keyBytes),
      values: values && sized(gpu, toBuffer('values', values), maxCount * valueBytes),
      context: context && (isBuffer(context) ? context : uploaded(uploadContext(gpu, 'input/context', context))),
    }),
  );
  return {
    count: count ?? maxCount,
    maxCount,
    contextBytes: bytes,
    load,
    release: () => {
      for (const buffer of uploads) buffer.destroy();
    },
  };
}

/** Only the part that is used, so that a caller's buffer may be larger than a binding. */
export const sized = (gpu: Gpu, buffer: GPUBuffer, bytes: number): BufferView =>
  // Nothing cannot be bound, so where nothing is used any buffer will do that holds an element.
  bytes === 0 ? gpu.constants(...Array<number>(ELEMENT_BYTES / 4).fill(0)) : { buffer, size: bytes };

/** The words of a caller's keys; a wrong type is an error before anything else happens. */
export function encodeKeys<K>(key: KeyType<K>, keys: unknown): EncodedKeys {
  if (isPrepared(keys)) {
    if (keys.type !== key) throw new InvalidInputError(`these are ${keys.type.name} keys, not ${key.name} keys`);
    return keys;
  }
  if (!key.accepts(keys)) throw new InvalidInputError(`these are not ${key.name} keys`);
  return key.encode(keys);
}

/** The keys that words stand for. */
export const decodeKeys = <K>(key: KeyType<K>, words: Uint32Array, context: Uint8Array | undefined): Fresh<K> =>
  key.decode(words, context) as Fresh<K>;

/** Checks a count against the room there is; for one on the GPU, the room is the most that it can be. */
export function checkCount(count: Count | undefined, room: number): number {
  if (count === undefined) throw new InvalidInputError('a GPUBuffer needs a `count`');
  if (typeof count === 'number') {
    if (!Number.isInteger(count) || count < 0) {
      throw new InvalidInputError(`count must be a whole number, not ${count}`);
    }
    if (count > room) throw new InvalidInputError(`count is ${count}, but there is room for ${Math.floor(room)}`);
    return count;
  }
  const { buffer, offset = 0 } = count;
  requireStorage(buffer, 'count');
  if (offset % 4 !== 0 || offset < 0 || offset + 4 > buffer.size) {
    throw new InvalidInputError(
      `count is at byte ${offset} of a buffer of ${buffer.size}; it must be a whole word in it`,
    );
  }
  return Math.floor(room);
}

/** How many items of that size a buffer holds. */
export const roomFor = (buffer: GPUBuffer, bytes: number): number => Math.floor(buffer.size / bytes);
