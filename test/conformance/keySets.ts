/** Keys to test with, the same for every scheme and every key type. */
import { randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';

/** Arrays of keys, of either type. */
export type Keys = Uint32Array | BigUint64Array;

/** One key, of either type. */
export type Key = number | bigint;

/** A type of key and how to make arrays of it. */
export interface KeyKind {
  readonly name: string;
  readonly type: KeyType<Keys>;
  readonly bits: number;
  readonly allOnes: bigint;
  from(keys: readonly bigint[]): Keys;
}

const u32Kind: KeyKind = {
  name: 'u32',
  type: u32 as KeyType<Keys>,
  bits: 32,
  allOnes: 0xffff_ffffn,
  from: (keys) => Uint32Array.from(keys, Number),
};

const u64Kind: KeyKind = {
  name: 'u64',
  type: u64 as KeyType<Keys>,
  bits: 64,
  allOnes: 0xffff_ffff_ffff_ffffn,
  from: (keys) => BigUint64Array.from(keys),
};

export const keyKinds: readonly KeyKind[] = [u32Kind, u64Kind];

/** Distinct keys, and others that are not among them. */
export interface KeySet {
  readonly name: string;
  readonly present: Keys;
  readonly absent: Keys;
}

/** Distinct random keys; the first `count` of a seed are the same for every greater `count`. */
export function randomKeys(kind: KeyKind, count: number, seed = 1): Keys {
  const random = randomWords(seed);
  const word = () => BigInt(random());
  const keys = new Set<bigint>();
  while (keys.size < count) keys.add(kind.bits === 32 ? word() : word() | (word() << 32n));
  return kind.from([...keys]);
}

/** Values of all sizes, among them 0 and the words that tables use as marks. */
export function valuesFor(count: number, salt = 0): Uint32Array {
  const marks = [0xffff_ffff, 0, 0xffff_fffe];
  return Uint32Array.from({ length: count }, (_, i) => marks[i - salt] ?? Math.imul(i + salt, 0x9e37_79b1) >>> 0);
}

/** Every other key from the front, the rest from the back: present and absent keys by turns. */
export function interleave(kind: KeyKind, a: Keys, b: Keys): Keys {
  const keys: bigint[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    for (const from of [a, b]) if (i < from.length) keys.push(BigInt(from[i] as Key));
  }
  return kind.from(keys);
}

/** A set of random keys, and as many random absent ones. */
export function randomSet(kind: KeyKind, count: number, seed = 1): KeySet {
  const keys = randomKeys(kind, 2 * count, seed);
  return { name: 'random', present: keys.slice(0, count), absent: keys.slice(count) };
}

/** Key sets that are hard on weak hash functions and on careless marks; `count` is at most 2,048. */
export function adversarialSets(kind: KeyKind, count: number): KeySet[] {
  const { bits, allOnes } = kind;
  const half = BigInt(bits / 2);
  const patterned = (name: string, keyAt: (i: bigint) => bigint): KeySet => {
    const keys = Array.from({ length: 2 * count }, (_, i) => keyAt(BigInt(i)));
    const present = keys.slice(0, count);
    const ends = [0n, allOnes].filter((key) => !present.includes(key));
    return { name, present: kind.from(present), absent: kind.from([...keys.slice(count), ...ends]) };
  };
  const sets = [
    randomSet(kind, count),
    patterned('sequential', (i) => i),
    patterned('descending from all ones', (i) => allOnes - i),
    patterned('equal low bits', (i) => (i << half) | 0x1234n),
    patterned('equal high bits', (i) => (0xabcdn << (BigInt(bits) - 16n)) | i),
    patterned('multiples of a large power of two', (i) => i << BigInt(bits - 12)),
    // 0 and all ones are absent, their neighbours present.
    patterned('around 0 and all ones', (i) => (i % 2n === 0n ? i / 2n + 1n : allOnes - 1n - i / 2n)),
  ];
  if (bits === 64) {
    const ones = 0xffff_ffffn;
    sets.push(
      patterned('high word differs, low word 0', (i) => i << 32n),
      patterned('high word differs, low word all ones', (i) => ((ones - i) << 32n) | ones),
      patterned('low word differs, high word all ones', (i) => (ones << 32n) | (ones - i)),
    );
  }
  return sets;
}
