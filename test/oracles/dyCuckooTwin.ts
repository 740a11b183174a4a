/** Where a key belongs in a table of dyCuckoo, and what has to be in its buckets, on the host; see src/schemes/dyCuckoo/geometry.wgsl.ts. */
import { expect } from 'vitest';
import { type HashConstants, mix, multiplyHighTwin, rehashTwin } from '../../src/hashing/index.ts';
import type { EncodedKeys, KeyType } from '../../src/keys/index.ts';
import type { DynamicPlan } from '../../src/schemes/contract/index.ts';

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

/** How many subtables have so many buckets in all. */
export const subtableCount = (buckets: number, { bucketBits, doubled }: Readonly<Record<string, number>>): number =>
  buckets / 2 ** (bucketBits as number) - (doubled as number);

/** Every slot is empty or has a tag of its bucket; every key has its tag in one of its two buckets, and there are no others. */
export function expectSoundSubtables(
  words: Uint32Array,
  { fields, slotCount, request }: Pick<DynamicPlan, 'fields' | 'slotCount' | 'request'>,
  constants: HashConstants,
  { host }: { host(keys: readonly bigint[]): unknown },
  keys: readonly bigint[],
): void {
  const allBuckets = words.length / 8;
  const subtables = subtablesOf(subtableCount(allBuckets, fields), fields);
  const sizes = subtables.map(({ buckets }) => buckets);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * Math.min(...sizes));
  const perBucket = slotCount / allBuckets;
  const tags = new Map<string, number>();
  let present = 0;
  // Counted, because `expect` takes longer than what is looked at.
  const wrong = { emptySlots: 0, choices: 0, places: 0 };
  for (const { start, buckets } of subtables) {
    for (let local = 0; local < buckets; local++) {
      for (let slot = 0; slot < perBucket; slot++) {
        const tag = words[(start + local) * 8 + slot] as number;
        if (tag % buckets !== local) wrong.emptySlots += Number(tag !== ~local >>> 0);
        else {
          present++;
          const name = `${start + local}/${tag}`;
          tags.set(name, (tags.get(name) ?? 0) + 1);
        }
      }
    }
  }
  expect(present).toBe(keys.length);
  const type = request.key as KeyType;
  const encoded = type.encode(host(keys));
  for (let i = 0; i < keys.length; i++) {
    const choices = choicesOf(type, encoded, i, constants, subtables);
    wrong.choices += Number(choices[0].subtable === choices[1].subtable);
    const there = choices.map(({ bucket, tag }) => tags.get(`${bucket}/${tag}`) ?? 0);
    // Tags of one word tell the key: it is there once. Others may have a tag in common with another key.
    const times = (there[0] as number) + (there[1] as number);
    wrong.places += Number(type.isWord ? times !== 1 : times === 0);
  }
  expect(wrong).toEqual({ emptySlots: 0, choices: 0, places: 0 });
}
