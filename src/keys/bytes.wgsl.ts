/**
 * Keys of variable length: slices of a shared byte array, the context, as an offset and a length (Due et al. 2025,
 * section 3.1). Each side has its own context and its own WGSL type, so that a key cannot be read from the wrong bytes.
 */
import { arrayKind, refuse } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { UnsupportedError } from '../gpu/errors.ts';
import type { HashFamily, HashStream } from '../hashing/index.ts';
import { type Binding, kept, storage, Wgsl, wgsl } from '../wgsl/index.ts';
import { pack, sliced, sliceOf } from './byteSlices.ts';
import { requireKeyOptions } from './keyOptions.ts';
import type { EncodedKeys, KeyAccess, KeyOrder, KeySide, KeyType } from './keyType.ts';
import { packStrings } from './packStrings.ts';

/** What makes a type of byte strings. */
export interface BytesKeyOptions<Host> {
  readonly name: string;
  /** What callers pass, for messages. Default `'NAME keys'`. */
  readonly takes?: string;
  readonly accepts: (keys: unknown) => keys is Host;
  /** The bytes of every key. */
  readonly encode: (keys: Host) => Iterable<Uint8Array>;
  readonly decode: (keys: readonly Uint8Array[]) => Host;
  /**
   * WGSL: `(bytes: u32) -> u32`, what is hashed and compared instead of four bytes; each byte by itself, and 0 as 0. Keys
   * that differ only before it are the same key.
   */
  readonly fold?: Wgsl;
  /** Bit-identical to `fold`, for hashing such keys on the host. */
  readonly foldTwin?: (bytes: number) => number;
}

/** How the bytes of one side are read. */
interface SliceAccess extends KeyAccess {
  readonly context: Binding;
  /** WGSL: `(key, at: u32) -> u32`, four bytes from there on, with zeros behind the end. */
  readonly bytesAt: Wgsl;
}

/** A key type of byte strings of any length. */
export const bytesKey = <Host>(options: BytesKeyOptions<Host>): KeyType<Host> =>
  within('bytesKey', () => {
    const { accepts, encode, decode } = Object(options) as BytesKeyOptions<Host>;
    requireKeyOptions(options, { accepts, encode, decode });
    return packedKey({ ...options, encode: (keys) => pack(options.encode(keys)) });
  });

/** What makes a type of byte strings that are packed already. */
interface PackedKeyOptions<Host> extends Omit<BytesKeyOptions<Host>, 'encode'> {
  readonly encode: (keys: Host) => EncodedKeys;
}

function packedKey<Host>(options: PackedKeyOptions<Host>): KeyType<Host> {
  const { name, takes, accepts, encode, decode, fold, foldTwin } = options;
  if (fold !== undefined && !(fold instanceof Wgsl && fold.declares)) {
    refuse('fold', 'a WGSL function, written with the template wgsl', fold);
  }
  const hash = kept((access: SliceAccess, family: HashFamily) => hashOf(name, access, family));
  return {
    name,
    words: 2,
    isWord: false,
    hasContext: true,
    ...(takes && { takes }),
    accepts,
    encode,
    decode: (words, context = new Uint8Array()) => decode(sliced(words, context)),
    access: (side) => accessOf(side, fold),
    hash: (access, family) => hash(access as SliceAccess, family),
    // Bytes that only kernels can fold cannot be hashed here.
    ...((!fold || foldTwin) && {
      hashTwin: (keys, item, family, constants) => {
        const bytes = sliceOf(keys, item);
        return streamOf(name, family).twin(bytes.length, foursOf(bytes, foldTwin), constants);
      },
    }),
    equals: (a, b) => equalBytes(a as SliceAccess, b as SliceAccess),
    order,
    shader: { type: 'vec2u', toWords: (key) => key, fromWords: (stored) => stored },
  };
}

/** What a slice is called. Of one form and different types: what is meant for one side does not compile on another. */
const TYPE_NAMES: Readonly<Record<KeySide, string>> = {
  table: 'TableSlice',
  input: 'InputSlice',
  needle: 'NeedleSlice',
};

function accessOf(side: KeySide, fold: Wgsl | undefined): SliceAccess {
  const context = storage(`${side}Bytes`, 'array<u32>');
  const type = new Wgsl([`struct ${TYPE_NAMES[side]} { offset: u32, length: u32 }`], []);
  const slice = wgsl`
fn slice(words: vec2u) -> ${type} {
  return ${type}(words.x, words.y);
}`;
  // A slice ends where its bytes do, and with it every loop over it.
  const clamped = wgsl`
fn clamped(words: vec2u) -> vec2u {
  let bytes = arrayLength(&${context}) * 4u;
  let offset = min(words.x, bytes);
  return vec2u(offset, min(words.y, bytes - offset));
}`;
  const bytesAt = wgsl`
fn bytesAt(key: ${type}, at: u32) -> u32 {
  let first = key.offset + at;
  let bit = (first & 3u) * 8u;
  var four = ${context}[first >> 2u] >> bit;
  if (bit != 0u) { four |= ${context}[(first >> 2u) + 1u] << (32u - bit); }
  let left = key.length - at;
  four = select(four & ((1u << (left * 8u)) - 1u), four, left >= 4u);
  return ${fold ? wgsl`${fold}(four)` : 'four'};
}`;
  return {
    side,
    type,
    of: (stored) => wgsl`${slice}(${stored})`,
    safe: (words) => wgsl`${clamped}(${words})`,
    bytesIn: (words) => wgsl`${words}.y`,
    context,
    bytesAt,
  };
}

function streamOf(name: string, { name: family, stream }: HashFamily): HashStream {
  if (stream) return stream;
  throw new UnsupportedError(
    `the hash family '${family}' takes keys of fixed size, not ${name} keys. Use the default family`,
  );
}

function hashOf(name: string, { type, bytesAt }: SliceAccess, family: HashFamily): Wgsl {
  const stream = streamOf(name, family);
  return wgsl`
fn hashBytes(key: ${type}, constants: vec4u) -> vec2u {
  var state = ${stream.begin}(key.length, constants);
  for (var at = 0u; at < key.length; at += 4u) {
    state = ${stream.absorb}(state, ${bytesAt}(key, at), constants);
  }
  return ${stream.end}(state, constants);
}`;
}

/** Four bytes at a time, as `bytesAt` reads them. */
function* foursOf(bytes: Uint8Array, fold = (four: number) => four): Generator<number> {
  for (let at = 0; at < bytes.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
    yield fold((a | (b << 8) | (c << 16) | (d << 24)) >>> 0) >>> 0;
  }
}

const equalBytes = (a: SliceAccess, b: SliceAccess): Wgsl => wgsl`
fn equalBytes(a: ${a.type}, b: ${b.type}) -> bool {
  if (a.length != b.length) { return false; }
  for (var at = 0u; at < a.length; at += 4u) {
    if (${a.bytesAt}(a, at) != ${b.bytesAt}(b, at)) { return false; }
  }
  return true;
}`;

/** The first byte becomes the most significant. */
const firstByteFirst = wgsl`
fn firstByteFirst(bytes: u32) -> u32 {
  return (bytes << 24u) | ((bytes & 0xff00u) << 8u) | ((bytes >> 8u) & 0xff00u) | (bytes >> 24u);
}`;

const bytesAt = (access: KeyAccess): Wgsl => (access as SliceAccess).bytesAt;

/** Byte by byte; a beginning comes before what it is the beginning of. For UTF-8 that is the order of code points. */
const order: KeyOrder = {
  lead: (access) => wgsl`
fn lead(key: ${access.type}) -> u32 {
  return ${firstByteFirst}(${bytesAt(access)}(key, 0u));
}`,
  less: (a, b) => wgsl`
fn lessBytes(a: ${a.type}, b: ${b.type}) -> bool {
  let shorter = min(a.length, b.length);
  for (var at = 0u; at < shorter; at += 4u) {
    let x = ${bytesAt(a)}(a, at);
    let y = ${bytesAt(b)}(b, at);
    if (x != y) { return ${firstByteFirst}(x) < ${firstByteFirst}(y); }
  }
  return a.length < b.length;
}`,
};

const isArrayOf =
  <T>(isOne: (one: unknown) => one is T) =>
  (keys: unknown): keys is readonly T[] => {
    if (!Array.isArray(keys)) return false;
    // Not `every`, which skips holes, of which there may be billions.
    for (let i = 0; i < keys.length; i++) if (!isOne(keys[i])) return false;
    return true;
  };

/** Byte strings, from an array of `Uint8Array`; in shaders `vec2u(offset, length)`, a slice of a buffer of bytes. */
export const bytes: KeyType<readonly Uint8Array[]> = bytesKey({
  name: 'bytes',
  takes: 'an array of Uint8Array',
  accepts: isArrayOf((one): one is Uint8Array => arrayKind(one) === 'Uint8Array'),
  encode: (keys) => keys,
  decode: (keys) => keys,
});

/** What makes a type of strings: how their UTF-8 bytes are compared. */
export type StringKeyOptions = Pick<BytesKeyOptions<readonly string[]>, 'name' | 'fold' | 'foldTwin'>;

/**
 * A key type of strings, as UTF-8.
 * @example
 * const ascii = stringKey({ name: 'ascii', fold: wgsl`fn fold(bytes: u32) -> u32 { return bytes & 0x7f7f7f7fu; }` });
 */
export const stringKey = (options: StringKeyOptions): KeyType<readonly string[]> =>
  within('stringKey', () => {
    requireKeyOptions(options, {});
    return packedKey({
      ...options,
      takes: 'an array of strings',
      accepts: isArrayOf((one) => typeof one === 'string'),
      encode: packStrings,
      decode: decodeStrings,
    });
  });

/** Strings, as UTF-8; in shaders `vec2u(offset, length)`, a slice of a buffer of bytes. Ordered by code points. */
export const utf8: KeyType<readonly string[]> = stringKey({ name: 'utf8' });

function decodeStrings(keys: readonly Uint8Array[]): readonly string[] {
  // A mark at the beginning is a part of the key.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return keys.map((key) => decoder.decode(key));
}
