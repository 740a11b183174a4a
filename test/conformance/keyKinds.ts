/** Every key type, with keys numbered from 0: what the product of key types and tables is checked with. */
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
  vec2i,
  vec3i,
  vec4i,
} from '../../src/keys/index.ts';

/** A key type and its keys by number; different numbers are different keys. */
export interface NumberedKeys {
  readonly type: KeyType;
  of(numbers: readonly number[]): unknown;
  /** What tells keys apart: of what `of` makes, and of what collections give back. */
  labels(keys: unknown): string[];
}

/** A bijection of 32 bits, so that keys differ in all places. */
const scrambled = (n: number, salt: number): number => {
  let x = Math.imul(n ^ (n >>> 15), 0x2c1b_3c6d) ^ salt;
  x = Math.imul(x ^ (x >>> 12), 0x297a_2d39);
  return (x ^ (x >>> 15)) >>> 0;
};

/** The first keys are those that careless marks mix up: all zeros, all ones, and keys that differ in one word from them. */
function wordsOf(n: number, words: number): number[] {
  const zeros = Array<number>(words).fill(0);
  if (n === 0) return zeros;
  if (n === 1) return zeros.map(() => 0xffff_ffff);
  if (n === 2 && words > 1) return [...zeros.slice(1), 0xffff_ffff];
  if (n === 3) return [0xffff_fffe, ...zeros.slice(1)];
  return zeros.map((_, i) => scrambled(n, 0x1234_5678 * (i + 1)));
}

const fixed = (type: KeyType<never> | KeyType): NumberedKeys => {
  const { words, decode, encode } = type as KeyType;
  return {
    type: type as KeyType,
    of: (numbers) => decode(Uint32Array.from(numbers.flatMap((n) => wordsOf(n, words)))),
    labels: (keys) => {
      const { count, words: all } = encode(keys);
      return Array.from({ length: count }, (_, i) => all.subarray(i * words, (i + 1) * words).join());
    },
  };
};

/** Empty, short and long ones, with shared beginnings, characters of one to four bytes, and zeros at the end. */
function stringOf(n: number): string {
  const first = ['', '\0', 'a', 'a\0', 'ä', '日本', '🙂', 'a'.repeat(100)];
  if (n < first.length) return first[n] as string;
  const parts = ['', 'common beginning ', 'ü', `${'longer than a few words '.repeat(4)}`];
  return `${parts[n % parts.length]}${n}`;
}

const strings: NumberedKeys = {
  type: utf8 as KeyType,
  of: (numbers) => numbers.map(stringOf),
  labels: (keys) => [...(keys as readonly string[])],
};

/** Of many lengths; the number is in the first two bytes. */
const byteStrings: NumberedKeys = {
  type: bytes as KeyType,
  of: (numbers) =>
    numbers.map((n) => {
      if (n === 0) return new Uint8Array(0);
      const key = Uint8Array.from({ length: 2 + (n % 23) }, (_, i) => scrambled(n, i));
      key.set([n & 0xff, n >> 8]);
      return key;
    }),
  labels: (keys) => (keys as readonly Uint8Array[]).map((key) => key.join()),
};

export const numberedKeys: readonly NumberedKeys[] = [
  ...[u32, i32, f32, u64, i64, vec2i, vec3i, vec4i, tuple(u32, f32), tuple(vec3i, i64)].map((type) =>
    fixed(type as KeyType),
  ),
  byteStrings,
  strings,
];
