/** From what callers pass to buffers, after everything about it has been checked. */
import {
  type BufferView,
  ELEMENT_BYTES,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  type Recorder,
} from '../gpu/index.ts';
import { type EncodedKeys, f32, i32, i64, type KeyType, type PreparedKeys, u32, u64, utf8 } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { contextBytes, requireContext, requireContextFits, uploadContext } from './context.ts';
import type { Table } from './table.ts';

/** A number of items, or the word of a GPU buffer that holds it. */
export type Count = number | GpuCount;

/** An array type without its kind of buffer: who builds from one kind may search with another. */
export type Widened<T> = T extends Uint32Array
  ? Uint32Array
  : T extends BigUint64Array
    ? BigUint64Array
    : T extends BigInt64Array
      ? BigInt64Array
      : T extends Int32Array
        ? Int32Array
        : T extends Float32Array
          ? Float32Array
          : T extends readonly string[]
            ? readonly string[]
            : T;

/** What may be passed as keys to a collection of such keys. */
export type Keys<K> = K | Widened<K> | PreparedKeys<K>;

/** Items on the GPU. What is not there yet is uploaded when it is asked for. */
export interface Source {
  readonly keys: BufferView;
  readonly values: BufferView | undefined;
  readonly count: Count;
  /** The count, or the greatest that it can be. */
  readonly maxCount: number;
  /** The bytes that the keys point into, for keys that have a context. */
  readonly context: Context | undefined;
  /** Frees what was uploaded; a caller's buffers are left alone. */
  release(): void;
  /** Recorded after the last attempt of a build, also of one that failed: what a collection does with a finished table. */
  finish?(recorder: Recorder, table: Table): void;
}

/** Bytes of keys, as a table gets them. */
export interface Context {
  readonly bytes: number;
  readonly buffer: GPUBuffer;
  /** Frees what was uploaded; a caller's buffer is left alone. */
  release(): void;
}

/** Types that an array of keys tells by itself. */
const INFERRED = [u32, u64, i32, f32, i64, utf8] as readonly KeyType[];

/** The key type of an array of keys. */
export function inferKeyType<K>(keys: K | PreparedKeys<K> | GPUBuffer, given: KeyType<K> | undefined): KeyType<K> {
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
export function prepareSource<K>(
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
  const owned: GPUBuffer[] = [];
  const toBuffer = (label: string, data: GPUBuffer | ArrayBufferView): GPUBuffer => {
    if (isBuffer(data)) return data;
    const buffer = gpu.upload(label, data);
    owned.push(buffer);
    return buffer;
  };
  // Late, so that the plan comes first, and the upload falls under the error scopes of the build.
  const keysView = once(() =>
    sized(gpu, toBuffer('input/keys', encoded?.words ?? (keys as GPUBuffer)), maxCount * keyBytes),
  );
  const valuesView = once(() =>
    values === undefined ? undefined : sized(gpu, toBuffer('input/values', values), maxCount * valueBytes),
  );
  const context = input.context ? borrowed(input.context) : encoded?.context && uploaded(gpu, encoded.context);
  if (context) requireContextFits(gpu, context.bytes);
  return {
    get keys() {
      return keysView();
    },
    get values() {
      return valuesView();
    },
    count: count ?? maxCount,
    maxCount,
    context,
    release: () => {
      for (const buffer of owned) buffer.destroy();
      context?.release();
    },
  };
}

/** The caller's own buffer. */
const borrowed = (buffer: GPUBuffer): Context => ({ bytes: buffer.size, buffer, release: () => {} });

/** Bytes of the host, uploaded when they are asked for. */
function uploaded(gpu: Gpu, pieces: readonly Uint8Array[]): Context {
  let made: GPUBuffer | undefined;
  return {
    bytes: contextBytes(pieces),
    get buffer() {
      made ??= uploadContext(gpu, 'input/context', pieces);
      return made;
    },
    release: () => made?.destroy(),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
