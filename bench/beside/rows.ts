/** Rows to join and to group: each key follows from its number, and each row's number of a key is drawn. All answers are known. */
import { utf8 } from '../../src/index.ts';
import { NO_ROW } from '../../src/relational.ts';
import { workloadSeeds } from '../generators.ts';
import { makerOf } from '../keyMaker.ts';
import { scrambleBitsTwin, scrambleTwin } from '../scramble.ts';

/** Scattered: any numbers below 2³¹. Dense: those from 0 on. Strings: of 5 to 25 characters. */
export type KeyKind = 'scattered u32' | 'dense u32' | 'strings';
/** A column of keys, as a caller has it. */
export type Keys = Uint32Array<ArrayBuffer> | readonly string[];

/** How many rows there are for each key. */
const ROWS_OF_A_KEY = 8;
/** One of so many rows on the left has a key that no row on the right has. */
const ONE_ABSENT_IN = 8;
const MOST_VALUE = 1000;
const SEEDS = workloadSeeds(1);
/** Below 2³¹, where JavaScript has whole numbers without a box. */
const KEY_MASK = 2 ** 31 - 1;

/** The keys of some numbers: `of` says which number stands where. Every string is one of its own, as if it had been read from a file. */
function keysOf(kind: KeyKind, distinct: number, of: Uint32Array): Keys {
  if (kind === 'dense u32') return of.slice();
  if (kind === 'scattered u32') return Uint32Array.from(of, (i) => scrambleBitsTwin(i, KEY_MASK, SEEDS.key[0]));
  const names = makerOf(utf8).twins([...Array(distinct).keys()], SEEDS) as readonly string[];
  const offsets = new Uint32Array(distinct + 1);
  names.forEach((name, i) => {
    offsets[i + 1] = (offsets[i] as number) + name.length;
  });
  const bytes = Buffer.from(names.join(''), 'latin1');
  return Array.from(of, (i) => bytes.toString('latin1', offsets[i], offsets[i + 1]));
}

/** Two tables to be joined by their keys: no key is on the right twice. */
export interface JoinData {
  readonly kind: KeyKind;
  readonly left: Keys;
  readonly right: Keys;
  /** For every row on the left the one on the right with the same key, or `NO_ROW`. */
  readonly partners: Uint32Array;
}

/** Pairs of rows, in any order. */
export interface Pairs {
  readonly left: ArrayLike<number>;
  readonly right: ArrayLike<number>;
}

export function makeJoin(kind: KeyKind, size: number): JoinData {
  const count = Math.max(1, Math.floor(size / ROWS_OF_A_KEY));
  const numbers = Uint32Array.from({ length: size }, (_, row) => {
    const drawn = scrambleTwin(row, SEEDS.value);
    const isAbsent = drawn % ONE_ABSENT_IN === 0;
    return (Math.floor(drawn / ONE_ABSENT_IN) % count) + (isAbsent ? count : 0);
  });
  return {
    kind,
    left: keysOf(kind, 2 * count, numbers),
    right: keysOf(
      kind,
      count,
      Uint32Array.from({ length: count }, (_, row) => row),
    ),
    partners: numbers.map((number) => (number < count ? number : NO_ROW)),
  };
}

/** How many rows on the left have not just the partner that they should have. */
export function wrongPairs({ partners }: JoinData, { left, right }: Pairs): number {
  const found = new Uint32Array(partners.length).fill(NO_ROW);
  let wrong = Math.abs(left.length - right.length);
  for (let i = 0; i < left.length; i++) {
    const row = left[i] as number;
    if (found[row] !== NO_ROW) wrong++;
    else found[row] = right[i] as number;
  }
  for (let row = 0; row < found.length; row++) if (found[row] !== partners[row]) wrong++;
  return wrong;
}

/** Rows to be grouped by their keys. */
export interface GroupData {
  readonly kind: KeyKind;
  readonly keys: Keys;
  readonly values: Uint32Array<ArrayBuffer>;
  /** Keys that there may be. Dense ones are below. */
  readonly distinct: number;
  /** What every key has: how many rows, and the sum of their values. */
  readonly expected: ReadonlyMap<number | string, readonly [count: number, sum: number]>;
}

/** Groups in any order. */
export interface Groups {
  readonly keys: ArrayLike<number | string>;
  readonly counts: ArrayLike<number>;
  readonly sums: ArrayLike<number>;
}

export function makeGroups(kind: KeyKind, size: number): GroupData {
  const distinct = Math.max(1, Math.floor(size / ROWS_OF_A_KEY));
  const numbers = Uint32Array.from({ length: size }, (_, row) => scrambleTwin(row, SEEDS.value) % distinct);
  const values = Uint32Array.from({ length: size }, (_, row) => Math.imul(row, 0x9e37_79b1) >>> 0).map(
    (word) => word % MOST_VALUE,
  );
  const [counts, sums] = [new Uint32Array(distinct), new Uint32Array(distinct)];
  numbers.forEach((number, row) => {
    counts[number] = (counts[number] as number) + 1;
    sums[number] = (sums[number] as number) + (values[row] as number);
  });
  const all = keysOf(
    kind,
    distinct,
    Uint32Array.from({ length: distinct }, (_, number) => number),
  );
  const expected = new Map<number | string, readonly [number, number]>();
  counts.forEach((count, number) => {
    if (count > 0) expected.set(all[number] as number | string, [count, sums[number] as number]);
  });
  return { kind, keys: keysOf(kind, distinct, numbers), values, distinct, expected };
}

/** How many groups are missing, are there twice, or have another count or sum than they should have. */
export function wrongGroups({ expected }: GroupData, { keys, counts, sums }: Groups): number {
  const seen = new Set<number | string>();
  let right = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number | string;
    const [count, sum] = expected.get(key) ?? [];
    if (!seen.has(key) && count === counts[i] && sum === sums[i]) right++;
    seen.add(key);
  }
  return Math.max(keys.length, expected.size) - right;
}
