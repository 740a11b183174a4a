/**
 * How small batches look for keys, and take slots, in the table itself. All tags of a bucket are loaded together, so that nobody waits
 * for one word after the other, and a slot is taken by what was seen then.
 */
import { join, unrolled, wgsl } from '../../wgsl/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { BUCKET_WORDS, Bucket, bucketWord } from '../kit/bucket.wgsl.ts';
import { bucketCode, metaCode } from './layout.wgsl.ts';
import { Step } from './moves.wgsl.ts';
import type { Slots } from './slots.wgsl.ts';
import type { TagStore } from './tagStore.wgsl.ts';

export type SlotsInPlace = ReturnType<typeof slotsInPlace>;

/** Slots of the table itself. */
export function slotsInPlace(slots: Slots, { tagWord }: TagStore) {
  const { shape, parcels, perBucket, empty, Address, classOf, awayFrom, otherBucket, isInSlot } = slots;
  const { metaWords } = shape.layout;
  const { matches, hasLeft, notAtHome, tagOf } = bucketCode(shape.layout);
  const at = metaCode(shape.layout);
  const valueWords = BUCKET_WORDS - metaWords;
  const words = Array.from({ length: BUCKET_WORDS }, (_, w) => (w < valueWords ? '0u' : `word${w - valueWords}`));
  const tagsOf = wgsl`
fn tagsOf(bucket: u32) -> ${Bucket} {
  ${unrolled(metaWords, (w) => wgsl`let word${w} = atomicLoad(&${tagWord('bucket', `${w}u`)});`)}
  return ${Bucket}(vec4u(${words.slice(0, 4).join(', ')}), vec4u(${words.slice(4).join(', ')}));
}`;
  /** A word of the tags of a bucket. */
  const wordOfTags = (bucket: string, w: number): string => `${bucket}.${bucketWord(valueWords + w)}`;
  const anyWordOfTags = wgsl`
fn anyWordOfTags(bucket: ${Bucket}, w: u32) -> u32 {
  var word = ${wordOfTags('bucket', 0)};
  ${join(
    Array.from(
      { length: metaWords - 1 },
      (_, w) => `word = select(word, ${wordOfTags('bucket', w + 1)}, w == ${w + 1}u);`,
    ),
    '\n  ',
  )}
  return word;
}`;
  const slotIn = wgsl`
fn slotIn(bucket: u32, tags: ${Bucket}, tag: u32, parcel: ${parcels.type}) -> u32 {
  ${
    isInSlot
      ? wgsl`for (var mask = ${matches}(tags, tag); mask != 0u; mask &= mask - 1u) {
    let slot = bucket * ${perBucket}u + firstTrailingBit(mask);
    if (${isInSlot}) { return slot; }
  }
  return ${NONE};`
      : wgsl`let mask = ${matches}(tags, tag);
  return select(bucket * ${perBucket}u + firstTrailingBit(mask), ${NONE}, mask == 0u);`
  }
}`;
  const findFrom = wgsl`
fn findFrom(home: ${Bucket}, address: ${Address}, parcel: ${parcels.type}) -> u32 {
  let atHome = ${slotIn}(address.home, home, address.remainder << 1u, parcel);
  let kind = ${classOf}(address.remainder);
  if (atHome != ${NONE} || !${hasLeft}(home, kind)) { return atHome; }
  let away = ${awayFrom}(address.home, kind);
  return ${slotIn}(away, ${tagsOf}(away), (address.remainder << 1u) | 1u, parcel);
}`;
  return {
    ...slots,
    /** WGSL: `(bucket: u32) -> Bucket`, its tags and class bits; values are left out. */
    tagsOf,
    /** WGSL: `(bucket: u32, tags: Bucket, tag: u32, parcel) -> u32`, the slot of a bucket with these tags that has the key, or none. */
    slotIn,
    hasLeft,
    wordOfTags,
    /** WGSL: `(tags: Bucket, kind: u32) -> u32`, a bit for every guest of that class in a bucket with these tags. */
    guestsIn: wgsl`
fn guestsIn(tags: ${Bucket}, kind: u32) -> u32 {
  var guests = ${notAtHome}(tags) & ~${matches}(tags, ${empty}u);
  for (var rest = guests; rest != 0u; rest &= rest - 1u) {
    if (${classOf}(${tagOf}(tags, firstTrailingBit(rest)) >> 1u) != kind) { guests ^= rest & (0u - rest); }
  }
  return guests;
}`,
    /** WGSL: `(tags: Bucket) -> bool`, whether keys of a bucket with these tags are away. */
    hasClasses: wgsl`
fn hasClasses(tags: ${Bucket}) -> bool {
  var words = 0u;
  ${join(
    Array.from({ length: metaWords }, (_, w) => `words |= ${wordOfTags('tags', w)};`),
    '\n  ',
  )}
  return ${at.classesIn('words')} != 0u;
}`,
    /** WGSL: `(address: Address, home: Bucket, away: Bucket) -> Step`, a key in either bucket, with these tags, that could move at once. */
    findMove: wgsl`
fn findMove(address: ${Address}, home: ${Bucket}, away: ${Bucket}) -> ${Step} {
  let other = ${awayFrom}(address.home, ${classOf}(address.remainder));
  for (var i = 0u; i < ${2 * perBucket}u; i++) {
    let isOther = i >= ${perBucket}u;
    let bucket = select(address.home, other, isOther);
    var tag = ${tagOf}(home, i % ${perBucket}u);
    if (isOther) { tag = ${tagOf}(away, i % ${perBucket}u); }
    // Who only looks like a key that is there has room at home: that needs no move.
    if (tag == ${empty}u) { continue; }
    let goal = ${otherBucket}(bucket, tag);
    let free = ${matches}(${tagsOf}(goal), ${empty}u);
    if (free != 0u) { return ${Step}(bucket * ${perBucket}u + i % ${perBucket}u, goal * ${perBucket}u + firstTrailingBit(free)); }
  }
  return ${Step}(${NONE}, ${NONE});
}`,
    /** WGSL: `(home: Bucket, address: Address, parcel) -> u32`, the slot of a key whose home has these tags, or none. */
    findFrom,
    /** WGSL: `(address: Address, parcel) -> u32`, the slot of a key, or none. */
    find: wgsl`
fn findInPlace(address: ${Address}, parcel: ${parcels.type}) -> u32 {
  return ${findFrom}(${tagsOf}(address.home), address, parcel);
}`,
    /** WGSL: `(bucket: u32, seen: Bucket, tag: u32) -> u32`, puts a tag into an empty slot of a bucket whose tags were seen before. */
    claim: slots.claiming(wgsl`bucket: u32, seen: ${Bucket}, tag: u32`, wgsl`${anyWordOfTags}(seen, w)`),
  };
}
