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
  /** A statement: the tags of a bucket have changed. */
  noteChange(bucket: WgslPart): WgslPart;
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
  /** WGSL: `(firstBucket: u32, thread: u32)`, loads the tags. A barrier has to follow. */
  readonly open: Wgsl;
  /** WGSL: `(thread: u32)`, saves what has changed. */
  readonly save: Wgsl;
  /** Whether the tags of a bucket have changed. */
  hasChanged(bucket: WgslPart): Wgsl;
}

export function regionTags({ regionBuckets: capacity, metaWords }: Layout, header: WgslPart): RegionStore {
  const threads = 256;
  const base = wgsl`var<private> base: u32;`;
  const tags = wgsl`var<workgroup> tags: array<atomic<u32>, ${capacity * metaWords}>;`;
  const changed = wgsl`var<workgroup> changed: array<atomic<u32>, ${Math.ceil(capacity / 32)}>;`;
  const inTable = (bucket: WgslPart, word: WgslPart): Wgsl =>
    wgsl`${bucketsOut}[(${base} + ${bucket}) * ${BUCKET_WORDS}u + ${word}]`;
  const hasChanged = (bucket: WgslPart): Wgsl =>
    wgsl`(((atomicLoad(&${changed}[${bucket} / 32u]) >> (${bucket} % 32u)) & 1u) == 1u)`;
  const noteChange = wgsl`
fn noteChange(bucket: u32) {
  atomicOr(&${changed}[bucket / 32u], 1u << (bucket % 32u));
}`;
  /** A word of all tags, in the table. */
  const wordInTable = (i: WgslPart): Wgsl =>
    inTable(wgsl`${i} / ${metaWords}u`, wgsl`${BUCKET_WORDS - metaWords}u + ${i} % ${metaWords}u`);
  const perThread = Math.ceil((capacity * metaWords) / threads);
  return {
    threads,
    itemsHeld: 32,
    capacity,
    base,
    tagWord: (bucket, word) => wgsl`${tags}[(${bucket}) * ${metaWords}u + ${word}]`,
    noteChange: (bucket) => wgsl`${noteChange}(${bucket});`,
    readInside: inTable,
    writeInside: (bucket, word, value) => wgsl`${inTable(bucket, word)} = ${value};`,
    hasChanged,
    open: wgsl`
fn openStore(firstBucket: u32, thread: u32) {
  ${base} = firstBucket;
  let words = ${metaWords}u << ${header}.bucketBits;
  // All loads first, so that they are under way together.
  ${unrolled(perThread, (n) => wgsl`let word${n} = ${wordInTable(wgsl`min(thread + ${n * threads}u, words - 1u)`)};`)}
  ${unrolled(perThread, (n) => wgsl`if (thread + ${n * threads}u < words) { atomicStore(&${tags}[thread + ${n * threads}u], word${n}); }`)}
}`,
    save: wgsl`
fn saveStore(thread: u32) {
  for (var i = thread; i < ${metaWords}u << ${header}.bucketBits; i += ${threads}u) {
    let bucket = i / ${metaWords}u;
    if (${hasChanged('bucket')}) { ${wordInTable('i')} = atomicLoad(&${tags}[i]); }
  }
}`,
  };
}

export function tagsInPlace({ metaWords }: Layout): TagStore {
  const word = (bucket: WgslPart, w: WgslPart): Wgsl => wgsl`${bucketsShared}[(${bucket}) * ${BUCKET_WORDS}u + ${w}]`;
  return {
    base: '0u',
    tagWord: (bucket, w) => word(bucket, wgsl`${BUCKET_WORDS - metaWords}u + ${w}`),
    noteChange: () => '',
    readInside: (bucket, w) => wgsl`atomicLoad(&${word(bucket, w)})`,
    writeInside: (bucket, w, value) => wgsl`atomicStore(&${word(bucket, w)}, ${value});`,
  };
}
