/** Many byte strings as slices of few arrays. */
import { arrayKind, refuse, requireAttached, requireMembers } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { InvalidInputError } from '../gpu/errors.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { EncodedKeys, KeyType, PreparedKeys } from './keyType.ts';

/** Byte strings one behind the other: string `i` is `bytes` from `offsets[i]` to `offsets[i + 1]`. */
export interface ByteSlices {
  readonly bytes: Uint8Array;
  /** One more than there are strings. */
  readonly offsets: Uint32Array | Int32Array | BigInt64Array;
}

/** Arrays that offsets may come in. */
const OFFSETS = ['Uint32Array', 'Int32Array', 'BigInt64Array'];

/** Offsets and lengths are 32-bit words. */
const MOST_BYTES = 2 ** 32 - 4;

/** Throws where keys have more bytes than words can tell. */
export function requireBytes(bytes: number): void {
  if (bytes > MOST_BYTES) throw new InvalidInputError(`the keys have more than ${MOST_BYTES} bytes in all`);
}

/** Copies byte strings into one array. */
export function pack(strings: Iterable<Uint8Array>): EncodedKeys {
  let [context, words] = [new Uint8Array(1024), new Uint32Array(256)];
  let [count, used] = [0, 0];
  for (const string of strings) {
    requireAttached(string, 'keys');
    const end = used + string.length;
    requireBytes(end);
    if (end > context.length) context = grown(context, end);
    if (2 * count + 2 > words.length) words = grown(words, 2 * count + 2);
    context.set(string, used);
    words[2 * count] = used;
    words[2 * count + 1] = string.length;
    used = end;
    count++;
  }
  return { count, words: words.subarray(0, 2 * count), context: [context.subarray(0, used)] };
}

/** A copy with more room: at least so much, and twice as much as before, so that growing stays cheap. */
export function grown<T extends Uint8Array | Uint32Array>(array: T, least: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.max(least, 2 * array.length));
  larger.set(array);
  return larger;
}

/** The strings that words of offsets and lengths stand for; views, not copies. */
export const sliced = (words: Uint32Array, context: Uint8Array): Uint8Array[] =>
  Array.from({ length: words.length / 2 }, (_, i) => {
    const offset = words[2 * i] as number;
    return context.subarray(offset, offset + (words[2 * i + 1] as number));
  });

/** The bytes of one string. No string lies in two pieces. */
export function sliceOf({ words, context = [] }: EncodedKeys, item: number): Uint8Array {
  let offset = words[2 * item] as number;
  const length = words[2 * item + 1] as number;
  for (const piece of context) {
    if (offset < piece.length) return piece.subarray(offset, offset + length);
    offset -= Math.ceil(piece.length / WORD_BYTES) * WORD_BYTES;
  }
  return new Uint8Array();
}

/**
 * Keys of a type of byte strings, such as `utf8`, that lie in one array already. The bytes are not copied on the host.
 * @example
 * const names = sliceKeys(utf8, { bytes, offsets });
 * const ids = await HashMap.from(gpu, { keys: names, values });
 */
export const sliceKeys = <Host>(type: KeyType<Host>, slices: ByteSlices): PreparedKeys<Host> =>
  within('sliceKeys', () => {
    requireMembers(slices, 'slices', ['bytes', 'offsets']);
    return prepared(type, [slices]);
  });

/** A column of Apache Arrow, as far as it is needed here: `Utf8`, `LargeUtf8`, `Binary` or `LargeBinary`. */
export interface ArrowColumn {
  readonly data: readonly {
    readonly length: number;
    readonly nullCount: number;
    readonly values: Uint8Array;
    readonly valueOffsets: Int32Array | BigInt64Array;
  }[];
}

/**
 * Keys of a type of byte strings from a column of Apache Arrow. The bytes are uploaded from where they lie, chunk by chunk.
 * @example
 * const ids = await HashMap.from(gpu, { keys: arrowKeys(utf8, table.getChild('name')), values });
 */
export function arrowKeys<Host>(type: KeyType<Host>, column: ArrowColumn): PreparedKeys<Host> {
  return within('arrowKeys', () => prepared(type, chunksOf(column)));
}

function chunksOf(column: ArrowColumn): readonly ByteSlices[] {
  if (!Array.isArray(column?.data)) refuse('column', 'a column of Apache Arrow', column);
  return column.data.map(({ length, nullCount, values, valueOffsets }) => {
    if (!(values instanceof Uint8Array) || valueOffsets === undefined) {
      throw new InvalidInputError('column must have strings or bytes, with offsets');
    }
    if (nullCount > 0) throw new InvalidInputError(`the column has ${nullCount} nulls, and a null is no key`);
    return { bytes: values, offsets: valueOffsets.subarray(0, length + 1) };
  });
}

function prepared<Host>(type: KeyType<Host>, chunks: readonly ByteSlices[]): PreparedKeys<Host> {
  if (typeof type?.accepts !== 'function') refuse('type', 'a key type such as utf8', type);
  for (const { bytes, offsets } of chunks) {
    if (arrayKind(bytes) !== 'Uint8Array') refuse('bytes', 'a Uint8Array', bytes);
    if (!OFFSETS.includes(arrayKind(offsets) as string)) refuse('offsets', `one of ${OFFSETS.join(', ')}`, offsets);
    requireAttached(bytes, 'bytes');
    requireAttached(offsets, 'offsets');
  }
  if (!type.hasContext) throw new InvalidInputError(`${type.name} keys are no slices of bytes`);
  const count = chunks.reduce((sum, { offsets }) => sum + Math.max(0, offsets.length - 1), 0);
  const words = new Uint32Array(2 * count);
  const context = new ContextPieces();
  let at = 0;
  for (const chunk of chunks) at += writeSlices(chunk, words.subarray(2 * at), context);
  return { type, count, words, context: context.pieces };
}

/** Bytes that keys point into, from many arrays, which are not joined. */
export class ContextPieces {
  readonly pieces: Uint8Array[] = [];
  #bytes = 0;

  /** Adds bytes, and tells where they begin. */
  add(bytes: Uint8Array): number {
    const start = this.#bytes;
    this.pieces.push(bytes);
    this.#bytes += Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES;
    requireBytes(this.#bytes);
    return start;
  }
}

/** Writes the words of byte strings, adds to the context what the offsets reach, and tells how many strings there were. */
export function writeSlices({ bytes, offsets }: ByteSlices, words: Uint32Array, context: ContextPieces): number {
  const count = Math.max(0, offsets.length - 1);
  if (count === 0) return 0;
  const [first, last] = [Number(offsets[0]), Number(offsets[count])];
  if (!(first >= 0 && last <= bytes.length)) {
    throw new InvalidInputError(`the offsets reach from ${first} to ${last}, but there are ${bytes.length} bytes`);
  }
  const start = context.add(bytes.subarray(first, last));
  let previous = first;
  for (let i = 0; i < count; i++) {
    const next = Number(offsets[i + 1]);
    if (!(next >= previous)) throw new InvalidInputError(`the offsets go back from ${previous} to ${next}`);
    words[2 * i] = start + previous - first;
    words[2 * i + 1] = next - previous;
    previous = next;
  }
  return count;
}
