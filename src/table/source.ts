/** From what callers pass to buffers, after everything about it has been checked. */
import {
  type BufferView,
  ELEMENT_BYTES,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  isBuffer,
  type Recorder,
  refuse,
  requireMembers,
  requireWhole,
} from '../gpu/index.ts';
import {
  bytes as byteStrings,
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
import { requireGpuCount, requireStorage } from '../primitives/checks.ts';
import { once, WORD_BYTES } from '../wgsl/index.ts';
import { contextBytes, requireContext, requireContextFits, uploadPieces } from './context.ts';
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

/** Keys or values of plain JavaScript, for collections of numbers. Vectors are arrays of their own, or flat. */
export type PlainArray<K> = K extends Uint32Array | Int32Array | Float32Array
  ? readonly number[] | readonly (readonly number[])[]
  : K extends BigUint64Array | BigInt64Array
    ? readonly bigint[]
    : never;

/** What may be passed as keys to a collection of such keys. */
export type Keys<K> = K | Widened<K> | PreparedKeys<K> | PlainArray<K>;

/** What may be passed as values to a collection of such values. */
export type Values<V> = V | Widened<V> | PlainArray<V>;

/** Items on the GPU. */
interface ItemBuffers extends KeyBuffers {
  readonly values: BufferView | undefined;
  /** Further values, by the names of their columns. */
  readonly columns?: ReadonlyMap<string, BufferView>;
}

/** Something that every item has: where it is, and words of each. */
export interface GivenColumn {
  readonly data: ArrayBufferView | GPUBuffer;
  readonly words: number;
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
  /** Tells that what was uploaded has been used successfully. */
  proven?(): void;
  /** Lets go of what was uploaded; a caller's buffers are left alone. */
  release(): void;
  /** Recorded after the last attempt of a build, also of one that failed: what a collection does with a finished table. */
  finish?(recorder: Recorder, table: Table): void;
}

/** The same items for a rehearsal, which neither uses nor frees them. */
export const rehearsedSource = (source: Source): Source => ({ ...source, proven: () => {}, release: () => {} });

type TypeOf<K> = K extends unknown ? KeyType<K> : never;

/** Types that an array of keys tells by itself. */
const INFERRED: readonly TypeOf<KeyArray>[] = [u32, u64, i32, f32, i64, utf8];

/** The key type of an array of keys. */
export function inferKeyType<K>(keys: GivenKeys<K>, named: KeyType<K> | undefined, name = 'keys'): KeyType<K> {
  if (named !== undefined) return requireKeyType(named);
  if (isPrepared<K>(keys)) return requireKeyType(keys.type);
  if (isBuffer(keys))
    throw new InvalidInputError('keys in a GPUBuffer need the option `key`, for example { key: u32 }');
  const found = INFERRED.find((type) => type.accepts(keys));
  if (!found) {
    refuse(name, `${INFERRED.map(({ takes }) => takes).join(', ')}, or come with the option \`key\``, keys);
  }
  return found as unknown as KeyType<K>;
}

/** Throws unless it is a key type, not the name of one. */
export function requireKeyType<K>(key: KeyType<K>): KeyType<K> {
  if (typeof key?.accepts !== 'function') refuse('key', 'a key type such as u32', key);
  return key;
}

/** Whether that are keys with their type. */
export const isPrepared = <K>(keys: unknown): keys is PreparedKeys<K> =>
  typeof keys === 'object' && keys !== null && 'type' in keys && 'words' in keys;

/** Items as callers pass them. */
interface Input {
  readonly keys: unknown;
  readonly values?: ArrayBufferView | GPUBuffer | undefined;
  readonly count?: Count;
  readonly context?: GPUBuffer;
}

/** Further values by name, after they have been checked for their types. */
type GivenColumns = ReadonlyMap<string, GivenColumn>;
const NO_COLUMNS: GivenColumns = new Map();

const INPUT = ['keys', 'values', 'count', 'context'];

/** Throws unless items have members of the right names: `keys` and `values` of a `Map` are something else. */
export function requireInput(input: unknown): void {
  requireMembers(input, 'input', INPUT);
  if (Symbol.iterator in (input as object)) refuse('input', `an object { ${INPUT.join(', ')} }`, input);
}

/** What a table is built from on the host face: its size is decided here, so the count is known here. */
export function sourceOf<K>(
  gpu: Gpu,
  key: KeyType<K>,
  input: Input,
  valueWords = 1,
  columns: GivenColumns = NO_COLUMNS,
): Source {
  requireInput(input);
  if (input.count !== undefined) requireWhole(input.count, 'count on the host face');
  return checkedSource(gpu, key, input, valueWords, columns);
}

/** What a table is built from on the encoder face: buffers, because nobody would free what were uploaded. */
export function bufferSourceOf<K>(
  gpu: Gpu,
  key: KeyType<K>,
  input: Input,
  valueWords = 1,
  columns: GivenColumns = NO_COLUMNS,
): Source {
  requireInput(input);
  requireStorage(input.keys as GPUBuffer, 'keys');
  if (input.values !== undefined) requireStorage(input.values as GPUBuffer, 'values');
  for (const [name, { data }] of columns) requireStorage(data as GPUBuffer, name);
  return checkedSource(gpu, key, input, valueWords, columns);
}

/** Checks keys, values and count against each other, before anything is uploaded or planned. */
function checkedSource<K>(gpu: Gpu, key: KeyType<K>, input: Input, valueWords: number, columns: GivenColumns): Source {
  const { keys, values, count } = input;
  const keyBytes = key.words * WORD_BYTES;
  const encoded = isBuffer(keys) ? undefined : encodeKeys(key, keys);
  if (!encoded) requireContext(key, input.context);
  else if (input.context) throw new InvalidInputError('a `context` goes with keys in a GPUBuffer only');
  const main = values && ({ data: values, words: valueWords } satisfies GivenColumn);
  const all = main ? [['values', main] as const, ...columns] : [...columns];
  const rooms = all.map(([name, { data, words }]) => {
    if (isBuffer(data)) return roomFor(data, words * WORD_BYTES);
    const items = data.byteLength / (words * WORD_BYTES);
    if (encoded && items !== encoded.count) {
      throw new InvalidInputError(`there are ${encoded.count} keys but ${items} ${name}`);
    }
    return items;
  });
  const maxCount = checkCount(
    count ?? encoded?.count,
    Math.min(encoded?.count ?? roomFor(keys as GPUBuffer, keyBytes), ...rooms),
  );
  if (isBuffer(keys)) requireStorage(keys, 'keys');
  for (const [name, { data }] of all) if (isBuffer(data)) requireStorage(data, name);
  const { context = encoded?.context } = input;
  const bytes = context && (isBuffer(context) ? context.size : contextBytes(context));
  if (bytes !== undefined) requireContextFits(gpu, bytes);

  const uploads: GPUBuffer[] = [];
  const taken: GPUBuffer[] = [];
  let isProven = false;
  const uploaded = (buffer: GPUBuffer): GPUBuffer => {
    uploads.push(buffer);
    return buffer;
  };
  const toBuffer = (data: GPUBuffer | ArrayBufferView): GPUBuffer => {
    if (isBuffer(data)) return data;
    const buffer = gpu.spare.take('kernel', data.byteLength);
    taken.push(buffer);
    gpu.write(buffer, data);
    return buffer;
  };
  const loaded = ({ data, words }: GivenColumn): BufferView =>
    sized(gpu, toBuffer(data), maxCount * words * WORD_BYTES);
  const load = once(
    (): ItemBuffers => ({
      keys: loaded({ data: encoded?.words ?? (keys as GPUBuffer), words: key.words }),
      values: main && loaded(main),
      columns: new Map([...columns].map(([name, column]) => [name, loaded(column)])),
      context: context && (isBuffer(context) ? context : uploadPieces(gpu, 'input/context', context, uploaded)),
    }),
  );
  return {
    count: count ?? maxCount,
    maxCount,
    contextBytes: bytes,
    load,
    proven: () => {
      isProven = true;
    },
    release: () => {
      for (const buffer of uploads) buffer.destroy();
      for (const buffer of taken.splice(0).reverse()) gpu.spare.giveBack('kernel', buffer, isProven);
    },
  };
}

/** Only the part that is used, so that a caller's buffer may be larger than a binding. */
export const sized = (gpu: Gpu, buffer: GPUBuffer, bytes: number): BufferView =>
  // Nothing cannot be bound, so where nothing is used any buffer will do that holds an element.
  bytes === 0 ? gpu.constants(...Array<number>(ELEMENT_BYTES / WORD_BYTES).fill(0)) : { buffer, size: bytes };

/** The words of a caller's keys; a wrong type is an error before anything else happens. */
export function encodeKeys<K>(key: KeyType<K>, keys: unknown, name = 'keys'): EncodedKeys {
  if (isPrepared(keys)) return requirePrepared(key as KeyType, keys);
  if (!key.accepts(keys) && Array.isArray(keys) && key.collect) return key.encode(key.collect(keys, name));
  if (!key.accepts(keys)) refuse(name, key.takes ? `${key.takes} (${key.name})` : `${key.name} keys`, keys);
  const encoded = key.encode(keys);
  // A type of the caller's own may make half a key.
  requireWhole(encoded.count, `the number of ${key.name} keys`);
  return encoded;
}

/** Throws unless prepared keys, which anybody may have written, are keys of that type. */
function requirePrepared(key: KeyType, keys: PreparedKeys): EncodedKeys {
  const { type, words, count, context } = keys;
  if (type !== key) throw new InvalidInputError(`keys: these are ${type?.name} keys, not ${key.name} keys`);
  const isWhole =
    u32.accepts(words) &&
    words.length === count * key.words &&
    (key.hasContext ? byteStrings.accepts(context) : context === undefined);
  if (!isWhole) throw new InvalidInputError(`keys: their words, count and context do not make ${key.name} keys`);
  return keys;
}

/** The keys that words stand for. */
export const decodeKeys = <K>(key: KeyType<K>, words: Uint32Array, context: Uint8Array | undefined): Fresh<K> =>
  key.decode(words, context) as Fresh<K>;

/** Checks a count against the room there is; for one on the GPU, the room is the most that it can be. */
export function checkCount(count: Count | undefined, room: number, name = 'count'): number {
  if (count === undefined) throw new InvalidInputError('a GPUBuffer needs a `count`');
  if (typeof count === 'number') {
    requireWhole(count, name);
    if (count > room) throw new InvalidInputError(`${name} is ${count}, but there is room for ${Math.floor(room)}`);
    return count;
  }
  requireGpuCount(count, name);
  return Math.floor(room);
}

/** How many items of that size a buffer holds. */
export const roomFor = (buffer: GPUBuffer, bytes: number): number => Math.floor(buffer.size / bytes);
