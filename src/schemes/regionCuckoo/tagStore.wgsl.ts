/**
 * Where a workgroup keeps the tags of the buckets that it owns. For large batches all of one region are here, each at its own place.
 * For small ones, only those of buckets that items come to, of several regions, in a table with linear probing.
 *
 * Buckets are numbered from the first of the first region of the group.
 */
import { storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import type { Layout } from './layout.wgsl.ts';

/** The buckets of a table, as those write them who own regions. */
export const bucketsOut = storage('buckets', 'array<u32>', 'read_write');

export type StoreKind = 'whole region' | 'touched buckets';

/** Words of tags in workgroup memory. */
const TOUCHED_WORDS = 2048;
const MOST_TOUCHED = 512;
/** An item comes to two buckets, and the table is no more than half full. */
const BUCKETS_PER_ITEM = 4;

export interface TagStore {
  readonly kind: StoreKind;
  readonly threads: number;
  /** Items that a thread looks after at a time. */
  readonly itemsHeld: number;
  /** Buckets that there is room for. */
  readonly capacity: number;
  /** The tags, and for every place whether it has to be saved. */
  readonly tags: Wgsl;
  readonly dirty: Wgsl;
  /** The place of a bucket that is here. */
  placeOf(bucket: WgslPart): WgslPart;
  /** WGSL: `(firstBucket: u32, thread: u32)`, empties the store, and loads what is loaded at once. A barrier has to follow. */
  readonly open: Wgsl;
  /** Statements that load a bucket unless it is here. A barrier has to follow; none for one thread alone. */
  ensure(bucket: WgslPart): Wgsl;
  /** WGSL: `(bucket: u32) -> bool`, the same for one thread alone, with no barrier behind it; whether there was room. */
  readonly ensureAlone: Wgsl;
  /** WGSL: `(bucket: u32)`, the same for buckets that are not needed if there is no room for them. */
  readonly ensureIfRoom: Wgsl;
  /** Whether a bucket is here. */
  isHere(bucket: WgslPart): WgslPart;
  /** The bucket at a place, if there is one. */
  bucketAt(place: WgslPart): WgslPart;
  /** WGSL: `(thread: u32)`, saves what has changed. */
  readonly save: Wgsl;
  /** The number of the first bucket in the table. */
  readonly base: Wgsl;
}

/** The items that a workgroup with touched buckets looks after at a time. */
export const touchedItems = ({ metaWords }: Layout): number =>
  Math.min(MOST_TOUCHED, TOUCHED_WORDS / metaWords) / BUCKETS_PER_ITEM;

export function tagStore(kind: StoreKind, layout: Layout, header: WgslPart): TagStore {
  return kind === 'whole region' ? wholeRegion(layout, header) : touchedBuckets(layout);
}

const base = wgsl`var<private> base: u32;`;

const wordInTable = ({ metaWords }: Layout): Wgsl => wgsl`
fn wordInTable(bucket: u32, w: u32) -> u32 {
  return (${base} + bucket) * ${BUCKET_WORDS}u + ${BUCKET_WORDS - metaWords}u + w;
}`;

const isDirty = (dirty: Wgsl, place: string): Wgsl =>
  wgsl`(((atomicLoad(&${dirty}[${place} / 32u]) >> (${place} % 32u)) & 1u) == 1u)`;

function wholeRegion(layout: Layout, header: WgslPart): TagStore {
  const { regionBuckets: capacity, metaWords } = layout;
  const threads = 256;
  const tags = wgsl`var<workgroup> tags: array<atomic<u32>, ${capacity * metaWords}>;`;
  const dirty = wgsl`var<workgroup> dirty: array<atomic<u32>, ${Math.ceil(capacity / 32)}>;`;
  const inTable = wordInTable(layout);
  return {
    kind: 'whole region',
    threads,
    itemsHeld: 32,
    capacity,
    tags,
    dirty,
    base,
    placeOf: (bucket) => bucket,
    open: wgsl`
fn openStore(firstBucket: u32, thread: u32) {
  ${base} = firstBucket;
  for (var i = thread; i < ${metaWords}u << ${header}.bucketBits; i += ${threads}u) {
    atomicStore(&${tags}[i], ${bucketsOut}[${inTable}(i / ${metaWords}u, i % ${metaWords}u)]);
  }
}`,
    ensure: () => wgsl``,
    ensureAlone: wgsl`
fn ensureAlone(bucket: u32) -> bool {
  return true;
}`,
    ensureIfRoom: wgsl`
fn ensureIfRoom(bucket: u32) {
}`,
    isHere: () => 'true',
    bucketAt: (place) => place,
    save: wgsl`
fn saveStore(thread: u32) {
  for (var i = thread; i < ${metaWords}u << ${header}.bucketBits; i += ${threads}u) {
    let bucket = i / ${metaWords}u;
    if (${isDirty(dirty, 'bucket')}) { ${bucketsOut}[${inTable}(bucket, i % ${metaWords}u)] = atomicLoad(&${tags}[i]); }
  }
}`,
  };
}

function touchedBuckets(layout: Layout): TagStore {
  const { metaWords } = layout;
  const capacity = Math.min(MOST_TOUCHED, TOUCHED_WORDS / metaWords);
  const threads = touchedItems(layout);
  const tags = wgsl`var<workgroup> tags: array<atomic<u32>, ${capacity * metaWords}>;`;
  const dirty = wgsl`var<workgroup> dirty: array<atomic<u32>, ${Math.ceil(capacity / 32)}>;`;
  /** Which bucket is at a place, counted from 1; 0 where there is none. */
  const whose = wgsl`var<workgroup> whose: array<atomic<u32>, ${capacity}>;`;
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const inTable = wordInTable(layout);
  const firstPlace = wgsl`
fn firstPlace(bucket: u32) -> u32 {
  return ((bucket * 0x9e3779b1u) >> 16u) & ${capacity - 1}u;
}`;
  const place = wgsl`
fn place(bucket: u32) -> u32 {
  var at = ${firstPlace}(bucket);
  for (var i = 0u; i < ${capacity}u; i++) {
    let old = atomicLoad(&${whose}[at]);
    if (old == bucket + 1u || old == 0u) { break; }
    at = (at + 1u) & ${capacity - 1}u;
  }
  return at;
}`;
  const isHere = (bucket: WgslPart): Wgsl => wgsl`(atomicLoad(&${whose}[${place}(${bucket})]) == ${bucket} + 1u)`;
  const ensure = wgsl`
fn ensure(bucket: u32) {
  var at = ${firstPlace}(bucket);
  for (var i = 0u; i < ${2 * capacity}u; i++) {
    let old = atomicLoad(&${whose}[at]);
    if (old == bucket + 1u) { return; }
    if (old != 0u) {
      at = (at + 1u) & ${capacity - 1}u;
      continue;
    }
    if (atomicCompareExchangeWeak(&${whose}[at], 0u, bucket + 1u).exchanged) {
      for (var w = 0u; w < ${metaWords}u; w++) {
        atomicStore(&${tags}[at * ${metaWords}u + w], ${bucketsOut}[${inTable}(bucket, w)]);
      }
      atomicAdd(&${taken}, 1u);
      return;
    }
  }
}`;
  return {
    kind: 'touched buckets',
    threads,
    itemsHeld: 1,
    capacity,
    tags,
    dirty,
    base,
    placeOf: (bucket) => wgsl`${place}(${bucket})`,
    open: wgsl`
fn openStore(firstBucket: u32, thread: u32) {
  ${base} = firstBucket;
  for (var i = thread; i < ${capacity}u; i += ${threads}u) { atomicStore(&${whose}[i], 0u); }
  for (var i = thread; i < ${Math.ceil(capacity / 32)}u; i += ${threads}u) { atomicStore(&${dirty}[i], 0u); }
  if (thread == 0u) { atomicStore(&${taken}, 0u); }
}`,
    ensure: (bucket) => wgsl`${ensure}(${bucket});`,
    // Some places stay free, so that searches for a place are short.
    ensureAlone: wgsl`
fn ensureAlone(bucket: u32) -> bool {
  if (atomicLoad(&${taken}) >= ${(capacity * 3) / 4}u) { return ${isHere('bucket')}; }
  ${ensure}(bucket);
  return true;
}`,
    // All threads may come here at once, each with one.
    ensureIfRoom: wgsl`
fn ensureIfRoom(bucket: u32) {
  if (atomicLoad(&${taken}) < ${(capacity * 5) / 8}u) { ${ensure}(bucket); }
}`,
    isHere,
    bucketAt: (at) => wgsl`(atomicLoad(&${whose}[${at}]) - 1u)`,
    save: wgsl`
fn saveStore(thread: u32) {
  for (var i = thread; i < ${capacity}u; i += ${threads}u) {
    if (!${isDirty(dirty, 'i')}) { continue; }
    let bucket = atomicLoad(&${whose}[i]) - 1u;
    for (var w = 0u; w < ${metaWords}u; w++) { ${bucketsOut}[${inTable}(bucket, w)] = atomicLoad(&${tags}[i * ${metaWords}u + w]); }
  }
}`,
  };
}
