/** Where keys belong in a table of regionCuckoo, on the host, and what is wrong with a table as it lies in memory. */
import { type HashConstants, mix, multiplyHighTwin } from '../../src/hashing/index.ts';
import type { EncodedKeys, KeyType } from '../../src/keys/index.ts';
import { BUCKET_WORDS, classesOf, emptyTag, type Layout } from '../../src/schemes/regionCuckoo/layout.wgsl.ts';

/** The fields of the header. */
export interface Fields {
  readonly regions: number;
  readonly bucketBits: number;
  readonly remainders: number;
}

/** Buckets are those of the whole table. */
export interface TwinPlace {
  readonly home: number;
  readonly remainder: number;
  readonly kind: number;
  readonly away: number;
}

/** Home plus a distance that depends on the class, in the same region. */
function otherBucket(bucket: number, kind: number, sign: 1 | -1, { bucketBits }: Fields): number {
  const size = 2 ** bucketBits;
  const inRegion = bucket % size;
  const distance = (2 * kind + 1) * 29;
  return bucket - inRegion + ((((inRegion + sign * distance) % size) + size) % size);
}

export function placeTwin(
  key: KeyType,
  keys: EncodedKeys,
  item: number,
  constants: HashConstants,
  layout: Layout,
  fields: Fields,
): TwinPlace {
  const hash = key.hashTwin?.(keys, item, mix, constants);
  if (!hash) throw new Error(`${key.name} keys have no hash on the host`);
  const [first, second] = hash;
  const { regions, bucketBits, remainders } = fields;
  const product = BigInt(first) * BigInt(regions) * BigInt(2 ** bucketBits);
  const home = Number(product >> 32n);
  const rest = key.isWord ? Number(product & 0xffff_ffffn) : second;
  const remainder = multiplyHighTwin(rest, remainders);
  const kind = remainder % classesOf(layout);
  return { home, remainder, kind, away: otherBucket(home, kind, 1, fields) };
}

/** Tags and class bits, from the words of all buckets. */
function readBuckets(words: Uint32Array, layout: Layout) {
  const { slots, metaWords, tagsPerWord, tagBits } = layout;
  const classBits = classesOf(layout) / metaWords;
  const meta = (bucket: number, w: number) => words[bucket * BUCKET_WORDS + BUCKET_WORDS - metaWords + w] as number;
  return {
    buckets: words.length / BUCKET_WORDS,
    tagAt: (bucket: number, slot: number): number =>
      Math.floor(meta(bucket, Math.floor(slot / tagsPerWord)) / 2 ** ((slot % tagsPerWord) * tagBits)) % 2 ** tagBits,
    hasLeft: (bucket: number, kind: number): boolean =>
      ((meta(bucket, Math.floor(kind / classBits)) >>> (32 - classBits + (kind % classBits))) & 1) === 1,
    slots,
  };
}

/** What is wrong with a table: nothing if each place is taken once, no other slot is, and every class bit is exact. */
export function faultsOfTable(
  words: Uint32Array,
  layout: Layout,
  fields: Fields,
  places: readonly TwinPlace[],
): string[] {
  const { buckets, tagAt, hasLeft, slots } = readBuckets(words, layout);
  const faults: string[] = [];
  let used = 0;
  const isAway = new Set<string>();
  for (let bucket = 0; bucket < buckets; bucket++) {
    for (let slot = 0; slot < slots; slot++) {
      const tag = tagAt(bucket, slot);
      if (tag === emptyTag(layout)) continue;
      used++;
      const kind = (tag >>> 1) % classesOf(layout);
      if (tag % 2 === 1) isAway.add(`${otherBucket(bucket, kind, -1, fields)}/${kind}`);
    }
  }
  if (used !== places.length) faults.push(`${used} slots are used by ${places.length} keys`);
  for (const { home, remainder, away } of places) {
    const count = (bucket: number, tag: number) =>
      Array.from({ length: slots }, (_, slot) => tagAt(bucket, slot)).filter((other) => other === tag).length;
    const found = count(home, remainder * 2) + count(away, remainder * 2 + 1);
    if (found < 1) faults.push(`the key of bucket ${home} and remainder ${remainder} is not there`);
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    for (let kind = 0; kind < classesOf(layout); kind++) {
      if (hasLeft(bucket, kind) !== isAway.has(`${bucket}/${kind}`)) {
        faults.push(`class bit ${kind} of bucket ${bucket} is ${hasLeft(bucket, kind)}`);
      }
    }
  }
  return faults;
}
