/**
 * Where batches find the tags of buckets. Large batches go through the table region by region: the workgroup that owns a region has
 * all of its tags in its memory. Small batches change them where they are, in the table.
 *
 * Buckets are numbered from the first that the store has.
 */
import { storage, unrolled, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import type { Layout } from './layout.wgsl.ts';

/** The buckets of a table, as those write them who own regions, and as many write them at once. */
export const bucketsOut = storage('buckets', 'array<u32>', 'read_write');
export const bucketsShared = storage('buckets', 'array<atomic<u32>>', 'read_write');

export interface TagStore {
  /** The number of its first bucket in the table. */
  readonly base: WgslPart;
  /** A word of a bucket's tags, which is atomic. */
  tagWord(bucket: WgslPart, word: WgslPart): Wgsl;
  /** The home of a key, from its address. */
  bucketOf(address: string): Wgsl;
  /** A value inside a bucket, and the statement that replaces it. */
  readInside(bucket: WgslPart, word: WgslPart): Wgsl;
  writeInside(bucket: WgslPart, word: WgslPart, value: WgslPart): Wgsl;
}

/** The tags of one region. */
export interface RegionStore extends TagStore {
  readonly threads: number;
  /** Items that a thread looks after at a time. */
  readonly itemsHeld: number;
  /** Buckets that there is room for. */
  readonly capacity: number;
  /** Statements that load the tags from `firstBucket` on; nobody waits for them before they are kept. */
  readonly load: Wgsl;
  /** Statements that keep them where all threads find them. A barrier has to follow. */
  readonly keep: Wgsl;
  /** Statements that write words that are not any more as they were loaded. */
  readonly save: Wgsl;
}

export function regionTags({ regionBuckets: capacity, metaWords }: Layout, header: WgslPart): RegionStore {
  const threads = 256;
  const base = wgsl`var<private> base: u32;`;
  const tags = wgsl`var<workgroup> tags: array<atomic<u32>, ${capacity * metaWords}>;`;
  const inTable = (bucket: WgslPart, word: WgslPart): Wgsl =>
    wgsl`${bucketsOut}[(${base} + ${bucket}) * ${BUCKET_WORDS}u + ${word}]`;
  /** A word of all tags, in the table. */
  const wordInTable = (i: WgslPart): Wgsl =>
    inTable(wgsl`(${i}) / ${metaWords}u`, wgsl`${BUCKET_WORDS - metaWords}u + (${i}) % ${metaWords}u`);
  const eachWord = (then: (at: string, loaded: string) => Wgsl): Wgsl =>
    unrolled(Math.ceil((capacity * metaWords) / threads), (n) => then(`thread + ${n * threads}u`, `loaded${n}`));
  return {
    threads,
    itemsHeld: 32,
    capacity,
    base,
    tagWord: (bucket, word) => wgsl`${tags}[(${bucket}) * ${metaWords}u + ${word}]`,
    bucketOf: (address) => wgsl`${address}.home`,
    readInside: inTable,
    writeInside: (bucket, word, value) => wgsl`${inTable(bucket, word)} = ${value};`,
    load: wgsl`
  ${base} = firstBucket;
  let tagWords = ${metaWords}u << ${header}.bucketBits;
  ${eachWord((at, loaded) => wgsl`let ${loaded} = ${wordInTable(wgsl`min(${at}, tagWords - 1u)`)};`)}`,
    keep: eachWord((at, loaded) => wgsl`if (${at} < tagWords) { atomicStore(&${tags}[${at}], ${loaded}); }`),
    save: eachWord(
      (at, loaded) => wgsl`
  if (${at} < tagWords) {
    let tagWord = atomicLoad(&${tags}[${at}]);
    if (tagWord != ${loaded}) { ${wordInTable(at)} = tagWord; }
  }`,
    ),
  };
}

export function tagsInPlace({ metaWords }: Layout, header: WgslPart): TagStore {
  const word = (bucket: WgslPart, w: WgslPart): Wgsl => wgsl`${bucketsShared}[(${bucket}) * ${BUCKET_WORDS}u + ${w}]`;
  return {
    base: '0u',
    tagWord: (bucket, w) => word(bucket, wgsl`${BUCKET_WORDS - metaWords}u + ${w}`),
    bucketOf: (address) => wgsl`(${address}.region << ${header}.bucketBits) + ${address}.home`,
    readInside: (bucket, w) => wgsl`atomicLoad(&${word(bucket, w)})`,
    writeInside: (bucket, w, value) => wgsl`atomicStore(&${word(bucket, w)}, ${value});`,
  };
}
