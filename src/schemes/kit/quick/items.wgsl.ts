/** Items in the buckets of a region, and on their way from one to the other. */
import { type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import type { QuickMemory } from './memory.wgsl.ts';

/** Where items belong. */
export interface QuickItems {
  /** The WGSL type with the `home` of an item in its region, and the `remainder` that its tags are made of. */
  readonly Address: Wgsl;
  /** That of an item by number. */
  addressOf(number: WgslPart): WgslPart;
  /** WGSL: `(bucket: u32, tag: u32) -> u32`, the other bucket of the item that has this tag in a bucket. */
  readonly otherBucket: Wgsl;
  /** A statement: an item with that remainder has left the bucket that is its home. There is a half of each word of `homes` for that. */
  noteLeft(homes: Wgsl, bucket: string, remainder: string): WgslPart;
  /** Where that has to be exact: the class of a remainder, and a statement: no item of a class is away from its home any more. */
  readonly exactly?: {
    readonly classOf: Wgsl;
    noteNone(homes: Wgsl, bucket: string, kind: string): WgslPart;
  };
  /** Whether two items by number have the same key, where equal tags do not tell. */
  readonly looksSame?: (one: WgslPart, other: WgslPart) => WgslPart;
  /** Whether it is certain that no key occurs twice. */
  readonly areDistinct?: boolean;
}

export type MovingItems = ReturnType<typeof movingItems>;

/** What items do: they enter buckets, leave them, and look for copies of themselves. */
export function movingItems(memory: QuickMemory, items: QuickItems) {
  const { shape, homes, wordAt, tagOf, numberOf, wordOf: wordIn, putWord, putNumber, giveUp } = memory;
  const { otherBucket, looksSame, areDistinct = false } = items;
  const { slots: perBucket } = shape;
  // An item in a bucket of the region, or on its way there, and its tag there.
  const Item = wgsl`struct Item { bucket: u32, tag: u32, number: u32 }`;
  const wordOf = wgsl`
fn wordOf(item: ${Item}) -> u32 {
  return ${wordIn('item.tag', 'item.number')};
}`;
  const put = wgsl`
fn put(item: ${Item}, slot: u32) {
  let at = item.bucket * ${perBucket}u + slot;
  ${putWord('at', wgsl`${wordOf}(item)`)}
  ${putNumber('at', 'item.number')}
}`;
  const itemIn = wgsl`
fn itemIn(bucket: u32, slot: u32) -> ${Item} {
  let at = bucket * ${perBucket}u + slot;
  let word = ${wordAt('at')};
  return ${Item}(bucket, ${tagOf('word')}, ${numberOf('word', 'at')});
}`;
  const used = wgsl`
fn used(bucket: u32) -> u32 {
  return min(atomicLoad(&${homes}[bucket]) & 0xffffu, ${perBucket}u);
}`;
  const enter = wgsl`
// Takes the next slot of its bucket, if there is one.
fn enter(item: ${Item}) -> bool {
  let slot = atomicAdd(&${homes}[item.bucket], 1u) & 0xffffu;
  if (slot < ${perBucket}u) { ${put}(item, slot); }
  return slot < ${perBucket}u;
}`;
  const copiesIn = wgsl`
// How many slots of its bucket have the key of an item, as far as can be told.
fn copiesIn(item: ${Item}) -> u32 {
  var copies = 0u;
  for (var s = 0u; s < ${perBucket}u; s++) {
    let at = item.bucket * ${perBucket}u + s;
    let word = ${wordAt('at')};
    if (${tagOf('word')} == item.tag) { copies += ${looksSame ? wgsl`u32(${looksSame(numberOf('word', 'at'), 'item.number')})` : '1u'}; }
  }
  return copies;
}`;
  const elsewhere = wgsl`
// An item as it would be in its other bucket.
fn elsewhere(item: ${Item}) -> ${Item} {
  return ${Item}(${otherBucket}(item.bucket, item.tag), item.tag ^ 1u, item.number);
}`;
  const noteLeft = wgsl`
// The bucket that is an item's home keeps in mind that it has left.
fn noteLeft(item: ${Item}) {
  if ((item.tag & 1u) == 0u) { ${items.noteLeft(homes, 'item.bucket', '(item.tag >> 1u)')} }
}`;
  const { exactly } = items;
  const noteBack = exactly
    ? wgsl`
// An item was in its bucket, and goes home if it was away. Others of its home and class would have been in that bucket too.
fn noteBack(item: ${Item}) {
  if ((item.tag & 1u) == 0u) { return; }
  let kind = ${exactly.classOf}(item.tag >> 1u);
  for (var s = 0u; s < ${perBucket}u; s++) {
    let tag = ${itemIn}(item.bucket, s).tag;
    if ((tag & 1u) == 1u && ${exactly.classOf}(tag >> 1u) == kind) { return; }
  }
  let home = ${elsewhere}(item).bucket;
  ${exactly.noteNone(homes, 'home', 'kind')}
}`
    : undefined;
  const leaving = wgsl`
// An item on its way to its other bucket. Of copies, one would stay: \`mine\` of the slots may have this key.
fn leaving(item: ${Item}, mine: u32) -> ${Item} {
  ${areDistinct ? '' : wgsl`if (${copiesIn}(item) > mine) { ${giveUp} }`}
  return ${elsewhere}(item);
}`;
  return { Item, wordOf, put, itemIn, used, enter, copiesIn, elsewhere, noteLeft, noteBack, leaving };
}
