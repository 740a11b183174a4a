/** Where a key belongs in a table of dyCuckoo, on the host; see src/schemes/dyCuckoo/geometry.wgsl.ts. */
import { type HashConstants, mix, multiplyHighTwin, rehashTwin } from '../../src/hashing/index.ts';
import type { EncodedKeys, KeyType } from '../../src/keys/index.ts';

/** A bucket of the whole table, and the tag of a key in it. */
export interface Choice {
  readonly subtable: number;
  readonly bucket: number;
  readonly tag: number;
}

export interface Subtable {
  readonly start: number;
  readonly buckets: number;
}

/** The subtables of a table with these fields in its header. */
export function subtablesOf(count: number, { bucketBits, doubled }: Readonly<Record<string, number>>): Subtable[] {
  const bits = bucketBits as number;
  const sizes = Array.from({ length: count }, (_, i) => 2 ** (bits + Number(i < (doubled as number))));
  return sizes.map((buckets, i) => ({ start: sizes.slice(0, i).reduce((sum, size) => sum + size, 0), buckets }));
}

/** The two buckets of a key. */
export function choicesOf(
  type: KeyType,
  keys: EncodedKeys,
  item: number,
  constants: HashConstants,
  subtables: readonly Subtable[],
): [Choice, Choice] {
  const hash = type.hashTwin?.(keys, item, mix, constants) as [number, number];
  const others = subtables.length - 1;
  const pair = multiplyHighTwin(hash[0], subtables.length * others);
  const first = Math.floor(pair / others);
  const second = (pair % others) + Number(pair % others >= first);
  const choice = (subtable: number): Choice => {
    const tag = type.isWord
      ? mix.hashTwin([keys.words[item] as number], mix.deriveTwin(constants, subtable + 1))[0]
      : rehashTwin(hash, constants, subtable);
    const { start, buckets } = subtables[subtable] as Subtable;
    return { subtable, bucket: start + (tag % buckets), tag };
  };
  return [choice(first), choice(second)];
}
