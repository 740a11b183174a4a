/** Where `bucketCuckoo` puts one-word keys, in BigInt arithmetic; and keys that belong where a test wants them. */
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';

/** Regions, and buckets of each. */
export interface Grid {
  readonly regions: number;
  readonly bucketsPerRegion: number;
}

export interface Address {
  readonly region: number;
  readonly home: number;
  readonly away: number;
  readonly remainder: number;
}

export const bucketsOf = ({ regions, bucketsPerRegion }: Grid): number => regions * bucketsPerRegion;

/** The bits of a hash's product that the remainder leaves out. */
export const remainderShift = (grid: Grid): number => BigInt(bucketsOf(grid)).toString(2).length - 1;

const highWord = (a: number, b: number): number => Number((BigInt(a) * BigInt(b)) >> 32n);

/** How far from home the other bucket is. */
function hopTwin(remainder: number, buckets: number): number {
  let x = Math.imul(remainder, 0x9e3779b1) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x85ebca77) >>> 0;
  return 1 + highWord((x ^ (x >>> 13)) >>> 0, buckets - 1);
}

/** The address of a hash: the bucket is the quotient of hash × buckets by 2³². */
export function locateTwin(hash: number, grid: Grid): Address {
  const product = BigInt(hash) * BigInt(bucketsOf(grid));
  const bucket = Number(product >> 32n);
  const remainder = Number((product & 0xffff_ffffn) >> BigInt(remainderShift(grid)));
  const home = bucket % grid.bucketsPerRegion;
  return {
    region: Math.floor(bucket / grid.bucketsPerRegion),
    home,
    away: (home + hopTwin(remainder, grid.bucketsPerRegion)) % grid.bucketsPerRegion,
    remainder,
  };
}

/** Where tags of wide keys are the rest of the hash: its first word, and bits of the second as far as they fit. */
export function filledUpTwin([x, y]: readonly [number, number], grid: Grid, tagBits: number): number {
  const { remainder } = locateTwin(x, grid);
  const more = BigInt(y) << BigInt(32 - remainderShift(grid));
  return Number((BigInt(remainder) | more) & BigInt(2 ** (tagBits - 1) - 1));
}

/** The hashes whose home is a bucket of the whole table: first and end. */
export function hashesOfBucket(bucket: number, grid: Grid): readonly [number, number] {
  const buckets = BigInt(bucketsOf(grid));
  const first = (at: number) => Number(((BigInt(at) << 32n) + buckets - 1n) / buckets);
  return [first(bucket), first(bucket + 1)];
}

const MULTIPLIERS = [0x7feb352d, 0x846ca68b] as const;

const inverseOf = (odd: number): number => {
  let x = 1;
  for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
};

/** The key whose hash in the family `mix` has this first word. */
export function unmixTwin(hash: number, [x, y]: HashConstants): number {
  const [before, after] = MULTIPLIERS;
  let key = Math.imul(hash ^ (hash >>> 15) ^ (hash >>> 30), inverseOf(after));
  key = Math.imul(key ^ (key >>> 16), inverseOf(y | 1));
  key = Math.imul(key ^ (key >>> 15) ^ (key >>> 30), inverseOf(before));
  return (key ^ (key >>> 16) ^ x) >>> 0;
}

/** A key of two words whose hash in the family `mix` has this first word; `low` is its low word. */
export function widen(low: number, hash: number, constants: HashConstants): bigint {
  // The first word is absorbed before the second, so the second can be chosen to arrive at any hash.
  const [state] = mix.hashTwin([low], constants);
  const high = (unmixTwin(hash, constants) ^ constants[0] ^ state) >>> 0;
  return BigInt(low) | (BigInt(high) << 32n);
}

type Keys = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;

/** Distinct keys whose hashes begin with a word between `first` and `end`, as far as `accept` likes them. */
function keysWithin(
  kind: 'u32' | 'u64',
  constants: HashConstants,
  { first, end, count }: { readonly first: number; readonly end: number; readonly count: number },
  accept: (hash: number, second: number) => boolean,
): Keys {
  const random = randomWords(first);
  const keys = new Set<number | bigint>();
  for (let trials = 0; keys.size < count; trials++) {
    if (trials > 10_000_000) throw new Error('there are not so many such keys');
    const hash = first + Math.floor((random() / 2 ** 32) * (end - first));
    const key = kind === 'u32' ? unmixTwin(hash, constants) : widen(random(), hash, constants);
    const words = typeof key === 'number' ? [key] : [Number(key & 0xffff_ffffn), Number(key >> 32n)];
    const [x, y] = mix.hashTwin(words, constants) as readonly [number, number];
    if (x !== hash) throw new Error('the twin of unmix is wrong');
    if (accept(x, y)) keys.add(key);
  }
  return kind === 'u32' ? Uint32Array.from(keys as Set<number>) : BigUint64Array.from(keys as Set<bigint>);
}

/** Distinct keys that all belong into one region. */
export function keysOfRegion(
  kind: 'u32' | 'u64',
  grid: Grid,
  constants: HashConstants,
  region: number,
  count: number,
): Keys {
  const [first] = hashesOfBucket(region * grid.bucketsPerRegion, grid);
  const [end] = hashesOfBucket((region + 1) * grid.bucketsPerRegion, grid);
  return keysWithin(kind, constants, { first, end, count }, () => true);
}

/** Distinct keys that can be in two buckets of the first region and nowhere else: half are at home in either. */
export function keysOfPair(
  kind: 'u32' | 'u64',
  grid: Grid & { readonly isQuotient: boolean; readonly layout: { readonly tagBits: number } },
  constants: HashConstants,
  [one, other]: readonly [number, number],
  count: number,
): Keys {
  const { tagBits } = grid.layout;
  const remainderOf = (x: number, y: number): number => {
    if (kind === 'u32') return locateTwin(x, grid).remainder;
    return grid.isQuotient ? filledUpTwin([x, y], grid, tagBits) : y >>> (33 - tagBits);
  };
  const atHome = (home: number, away: number, wanted: number) => {
    const [first, end] = hashesOfBucket(home, grid);
    return keysWithin(kind, constants, { first, end, count: wanted }, (x, y) => {
      const hop = hopTwin(remainderOf(x, y), grid.bucketsPerRegion);
      return (locateTwin(x, grid).home + hop) % grid.bucketsPerRegion === away;
    });
  };
  const half = count >> 1;
  const [a, b] = [atHome(one, other, half), atHome(other, one, count - half)];
  // By turns, so that any part of them has both kinds.
  const all = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? b : a)[i >> 1] as number | bigint);
  return kind === 'u32' ? Uint32Array.from(all as number[]) : BigUint64Array.from(all as bigint[]);
}
