/** Keys to test with, the same for every scheme and every key type. */
import { randomWords } from '../../src/hashing/index.ts';
import { pointSets } from '../oracles/pointSets.ts';
import { type Key, type KeyKind, type Keys, numberOf } from './keyKinds.ts';

/** Distinct keys, and others that are not among them. */
export interface KeySet {
  readonly name: string;
  readonly present: Keys;
  readonly absent: Keys;
}

/** Distinct random keys; the first `count` of a seed are the same for every greater `count`. */
export function randomKeys({ bits }: KeyKind, count: number, seed = 1): Keys {
  const random = randomWords(seed);
  const keys = new Set<Key>();
  while (keys.size < count) {
    keys.add(bits === 32 ? BigInt(random()) : numberOf(Array.from({ length: bits / 32 }, random)));
  }
  return [...keys];
}

/** Values of all sizes, among them 0 and the words that tables use as marks. */
export function valuesFor(count: number, salt = 0): Uint32Array {
  const marks = [0xffff_ffff, 0, 0xffff_fffe];
  return Uint32Array.from({ length: count }, (_, i) => marks[i - salt] ?? Math.imul(i + salt, 0x9e37_79b1) >>> 0);
}

/** Every other key from the front, the rest from the back: present and absent keys by turns. */
export function interleave(a: Keys, b: Keys): Keys {
  const keys: Key[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    for (const from of [a, b]) if (i < from.length) keys.push(from[i] as Key);
  }
  return keys;
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
  const patterned = (name: string, keyAt: (i: bigint) => Key): KeySet => {
    const keys = Array.from({ length: 2 * count }, (_, i) => keyAt(BigInt(i)));
    const present = keys.slice(0, count);
    const ends = [0n, allOnes].filter((key) => !present.includes(key));
    return { name, present, absent: [...keys.slice(count), ...ends] };
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
  if (bits > 32) {
    const top = BigInt(bits - 32);
    const ones = 0xffff_ffffn;
    const others = (1n << top) - 1n;
    sets.push(
      patterned('highest word differs, all others 0', (i) => i << top),
      patterned('highest word differs, all others ones', (i) => ((ones - i) << top) | others),
      patterned('lowest word differs, all others ones', (i) => allOnes - ones + (ones - i)),
    );
  }
  return [...sets, ...setsOfPoints(kind)];
}

/** For keys that are points: lines, planes, blocks, corners of space. Absent are the neighbours of the points. */
function setsOfPoints(kind: KeyKind): KeySet[] {
  return pointSets
    .filter(({ dimensions }) => kind.name === `vec${dimensions}i`)
    .map(({ name, points }) => {
      const present = kind.numbers(points);
      const all = new Set(present);
      return { name, present, absent: present.map((key) => key ^ 1n).filter((key) => !all.has(key)) };
    });
}
