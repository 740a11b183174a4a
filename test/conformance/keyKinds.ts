/**
 * Every key type, with a number for every key. The cases speak of keys by their numbers, so that a key is the same to a `Map`
 * of JavaScript as it is to a table, whatever its type.
 */
import {
  bytes,
  f32,
  i32,
  i64,
  type KeyType,
  tuple,
  u32,
  u64,
  utf8,
  vec2f,
  vec2i,
  vec3f,
  vec3i,
  vec4f,
  vec4i,
} from '../../src/keys/index.ts';
import { bytesOf, digitsInBytes, digitsInString, digitsOf, numberOfDigits, stringOf } from './spelling.ts';

/** One key, by its number. */
export type Key = bigint;

/** Keys, by their numbers. */
export type Keys = readonly bigint[];

/** A key type and its keys by number: different numbers are different keys. */
export interface KeyKind {
  readonly name: string;
  readonly type: KeyType;
  /** Keys are the numbers of so many bits. */
  readonly bits: number;
  /** The greatest number; where keys are words, all of their bits are ones. */
  readonly allOnes: bigint;
  /** Whether an array of these keys tells its type by itself. */
  readonly isInferred: boolean;
  /** The keys as a caller has them. */
  host(keys: Keys): unknown;
  /** The numbers of keys as a caller has them. */
  numbers(host: unknown): bigint[];
  /** A key in a shader, from expressions for its words, as a caller would write it. */
  inShader(words: readonly string[]): string;
}

const WORD = 0xffff_ffffn;

/** The words of a number, the lowest first. */
export const wordsOf = (key: Key, words: number): number[] =>
  Array.from({ length: words }, (_, i) => Number((key >> BigInt(32 * i)) & WORD));

/** The number of these words, the lowest first. */
export const numberOf = (words: ArrayLike<number>): Key =>
  Array.from(words).reduceRight((number, word) => (number << 32n) | BigInt(word), 0n);

const kindOf = (kind: Omit<KeyKind, 'name' | 'allOnes'>): KeyKind => ({
  ...kind,
  name: kind.type.name,
  allOnes: (1n << BigInt(kind.bits)) - 1n,
});

const allWords = (keys: Keys, words: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from(words === 1 ? keys.map(Number) : keys.flatMap((key) => wordsOf(key, words)));

const allNumbers = (stored: Uint32Array, words: number): bigint[] =>
  Array.from({ length: stored.length / words }, (_, i) => numberOf(stored.subarray(i * words, (i + 1) * words)));

type WordArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array;

/** Keys of words, in a typed array. */
const inArray = <T>(
  type: KeyType<T>,
  array: new (words: ArrayBuffer) => WordArray,
  isInferred: boolean,
  inShader: KeyKind['inShader'],
): KeyKind => {
  const { words } = type;
  return kindOf({
    type: type as unknown as KeyType,
    bits: 32 * words,
    isInferred,
    host: (keys) => new array(allWords(keys, words).buffer),
    numbers: (host) => {
      const { buffer, byteOffset, byteLength } = host as WordArray;
      return allNumbers(new Uint32Array(buffer, byteOffset, byteLength / 4), words);
    },
    inShader,
  });
};

const pair = (words: readonly string[]): string => `vec2u(${words.join()})`;
const bitsAs =
  (type: string, from = 'u32') =>
  (words: readonly string[]): string =>
    `bitcast<${type}>(${from}(${words.join()}))`;

/** Keys of several parts. */
const tupleKind = <T>(type: KeyType<T>): KeyKind => {
  const { words, decode, encode } = type;
  return kindOf({
    type: type as unknown as KeyType,
    bits: 32 * words,
    isInferred: false,
    host: (keys) => decode(allWords(keys, words)),
    numbers: (host) => allNumbers(encode(host as T).words, words),
    inShader: () => {
      throw new Error('no case uses tuples in a shader of its own');
    },
  });
};

/** How 0 and NaN may be spelled. */
const ZEROS = [0, 0x8000_0000];
const NANS = [0x7fc0_0000, 0xffff_ffff, 0xffc0_0000, 0x7f80_0001];

/**
 * Points of floating-point numbers: a number's bits are dealt out to the coordinates, as multiples of an eighth. All ones are NaN. Where
 * a number can be spelled in several ways, every key of a list has another one.
 */
const floatKind = (type: KeyType<Float32Array>, bits: number): KeyKind => {
  const digitBits = BigInt(Math.ceil(bits / type.words));
  const ones = (1n << digitBits) - 1n;
  const sizes = Array.from({ length: type.words }, (_, i) => {
    const left = BigInt(bits) - BigInt(i) * digitBits;
    return left < digitBits ? (1n << left) - 1n : ones;
  });
  const bitsOf = new Uint32Array(1);
  const float = new Float32Array(bitsOf.buffer);
  const coordinate = (digit: bigint, greatest: bigint, spelling: number): number => {
    float[0] = (Number(digit) - 5) / 8;
    const ways = digit === greatest ? NANS : digit === 5n ? ZEROS : undefined;
    return ways?.[spelling % ways.length] ?? (bitsOf[0] as number);
  };
  const digitOf = (word: number, greatest: bigint): bigint => {
    bitsOf[0] = word;
    return Number.isNaN(float[0]) ? greatest : BigInt((float[0] as number) * 8 + 5);
  };
  return kindOf({
    type: type as unknown as KeyType,
    bits,
    isInferred: false,
    host: (keys) =>
      new Float32Array(
        Uint32Array.from(
          keys.flatMap((key, k) =>
            sizes.map((size, i) => coordinate((key >> (BigInt(i) * digitBits)) & size, size, k + i)),
          ),
        ).buffer,
      ),
    numbers: (host) => {
      const { buffer, byteOffset, length } = host as Float32Array;
      const words = new Uint32Array(buffer, byteOffset, length);
      return Array.from({ length: length / type.words }, (_, k) =>
        sizes.reduce(
          (number, size, i) => number | (digitOf(words[k * type.words + i] as number, size) << (BigInt(i) * digitBits)),
          0n,
        ),
      );
    },
    inShader: bitsAs(type.name, `vec${type.words}u`),
  });
};

/** Keys of variable length are numbers that are spelled. */
const spelledKind = <T>(
  type: KeyType<readonly T[]>,
  isInferred: boolean,
  spell: (digits: readonly number[]) => T,
  digitsIn: (spelled: T) => number[],
): KeyKind =>
  kindOf({
    type: type as unknown as KeyType,
    bits: 64,
    isInferred,
    host: (keys) => keys.map((key) => spell(digitsOf(key))),
    numbers: (host) => (host as readonly T[]).map((key) => numberOfDigits(digitsIn(key))),
    inShader: pair,
  });

export const keyKinds = {
  u32: inArray(u32, Uint32Array, true, ([word]) => word as string),
  i32: inArray(i32, Int32Array, true, bitsAs('i32')),
  f32: inArray(f32, Float32Array, true, bitsAs('f32')),
  u64: inArray(u64, BigUint64Array, true, pair),
  i64: inArray(i64, BigInt64Array, true, pair),
  vec2i: inArray(vec2i, Int32Array, false, bitsAs('vec2i', 'vec2u')),
  vec3i: inArray(vec3i, Int32Array, false, bitsAs('vec3i', 'vec3u')),
  vec4i: inArray(vec4i, Int32Array, false, bitsAs('vec4i', 'vec4u')),
  vec2f: floatKind(vec2f, 32),
  vec3f: floatKind(vec3f, 32),
  vec4f: floatKind(vec4f, 64),
  pairs: tupleKind(tuple(u32, f32)),
  wideTuples: tupleKind(tuple(vec3i, i64)),
  bytes: spelledKind(bytes, false, bytesOf, digitsInBytes),
  utf8: spelledKind(utf8, true, stringOf, digitsInString),
} as const satisfies Record<string, KeyKind>;

export const allKinds: readonly KeyKind[] = Object.values(keyKinds);

/** Options that name the type of keys where an array of them does not. */
export const keyOption = ({ isInferred, type }: KeyKind): { readonly key?: KeyType } =>
  isInferred ? {} : { key: type };
