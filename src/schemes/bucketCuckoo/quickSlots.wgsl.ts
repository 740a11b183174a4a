/**
 * The slots of a region in workgroup memory, as `quickRegion.wgsl.ts` fills them: one after the other, by a counter for each
 * bucket. A slot holds a tag, as it will stand in the bucket, and the number of its item. The less memory a workgroup takes,
 * the more of them are at work, so both share a word where they fit. Where tags do not tell keys, more bits of the hash stand above
 * them: two keys that agree in all of that are taken for copies.
 */
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { geometry, Place } from './geometry.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { regionBuckets, regionSlots, type Shape } from './shape.ts';

/** Steps of a walk. */
const WALK_LIMIT = 256;
/** Items that walk. */
const MOST_STUCK = 64;
/** Words of workgroup memory for single variables. */
const SINGLE_WORDS = 16;
/** Bits of the number of an item inside a region, or inside a whole input that is looked through. */
const REGION_NUMBER_BITS = 12;
const NUMBER_BITS = 16;
/** Room for the bits of a bucket's slots. */
const ASKED_BITS = 8;

/** Items without a home that are looked after; if there are more, the region is no ordinary one. */
const mostHomeless = ({ layout }: Shape): number => (layout.slots === 6 ? 192 : 512);

/** Bits of a word that are left for tags beside the number of an item. */
const tagRoom = ({ way }: Shape): number => 32 - (way?.rooms ? REGION_NUMBER_BITS : NUMBER_BITS);

/** Whether tag and number fit into one word. */
const isPacked = (shape: Shape): boolean => shape.layout.tagBits <= tagRoom(shape);

/** Whether items walk at the same time: in small buckets many have to. */
const walksTogether = (shape: Shape): boolean => isPacked(shape) && shape.layout.slots <= 3;

/** Words of workgroup memory. */
function wordsOfSlots(shape: Shape): number {
  const perBucket = shape.layout.slots * (isPacked(shape) ? 1 : 2) + 1 + ASKED_BITS / 32;
  return regionBuckets(shape) * perBucket + mostHomeless(shape) / 2 + MOST_STUCK + SINGLE_WORDS;
}

/** Whether a device has enough workgroup memory for them. */
export const quickSlotsFit = (shape: Shape, { maxComputeWorkgroupStorageSize }: GPUSupportedLimits): boolean =>
  wordsOfSlots(shape) * 4 <= maxComputeWorkgroupStorageSize;

/** The slots, and what items do with them. Items are numbered inside their region, or inside the input. */
export interface QuickSlots {
  /** The tag and the number in a slot, from a word that was read before. */
  readonly word: (slot: WgslPart) => Wgsl;
  readonly tagOf: (word: string) => Wgsl;
  readonly numberOf: (word: string, slot: WgslPart) => Wgsl;
  /** For every bucket, low half: the items that came, more than there are slots if some had to go on. High half: class bits. */
  readonly homes: Wgsl;
  /** WGSL: `(bucket: u32) -> u32`, how many slots are used. */
  readonly used: Wgsl;
  /** Items that found their home full, and the most of them that are looked after. */
  readonly homeless: Wgsl;
  readonly mostHomeless: number;
  /** Items that have to walk, and the most of them that can. */
  readonly stuck: Wgsl;
  readonly mostStuck: number;
  /** Whether one found no slot at all, or copies were met. */
  readonly trouble: Wgsl;
  /** WGSL: `(parcel, number: u32)`, takes a slot at home, or a place in the list of the homeless. */
  readonly goHome: Wgsl;
  /** WGSL: `(i: u32) -> bool`, a homeless item goes to its other bucket. False if that is full too. */
  readonly goAway: Wgsl;
  /**
   * WGSL: `(i: u32)`, an item whose buckets are both full makes another one move. All buckets that it looks at were full before
   * anybody did this.
   */
  readonly makeRoom: Wgsl;
  /** WGSL: `(i: u32)`, a stuck item walks. */
  readonly walk: Wgsl;
  /** How many may do so at the same time. */
  readonly walkers: number;
  /**
   * WGSL: `(i: u32)`, looks for copies of an item whose buckets were both full, when all have a slot: of two without a home,
   * one may have gone away and the other made room at home, and neither met the other.
   */
  readonly meetCopies: Wgsl;
  /** WGSL: `(slot: u32)`, the same for whoever is in a slot, where items have walked at the same time and passed each other. */
  readonly meetCopyOf: Wgsl | undefined;
}

/** @param parcelAt the parcel of an item */
export function quickSlots({ shape, view, parcels }: BuildParts, parcelAt: (number: WgslPart) => WgslPart): QuickSlots {
  const { header } = view;
  const { slots: perBucket, tagBits } = shape.layout;
  const { locate, awayFrom, homeFrom, classOf } = geometry(shape, header);
  const [slots, buckets] = [regionSlots(shape), regionBuckets(shape)];
  const packed = isPacked(shape);
  const room = packed ? tagRoom(shape) : 32;
  // What of the hash stands above the tag: bits of its second word that are not in the tag.
  const others = shape.isQuotient ? `(hash.y >> ${32 - (room - tagBits)}u)` : 'hash.y';
  const more = shape.exact || room === tagBits ? '' : ` | ((${others} << ${tagBits}u) & ${2 ** room - 1}u)`;
  const many = walksTogether(shape);
  const words = wgsl`var<workgroup> slotWords: array<${many ? 'atomic<u32>' : 'u32'}, ${slots}>;`;
  // Where many walk, every bit of a word is turned round, so that 0 is a slot that nobody has come to: no item has a number of all ones.
  const wordAt = (slot: WgslPart): Wgsl => (many ? wgsl`~atomicLoad(&${words}[${slot}])` : wgsl`${words}[${slot}]`);
  const numbers = wgsl`var<workgroup> numbers: array<u32, ${slots}>;`;
  const homes = wgsl`var<workgroup> homes: array<atomic<u32>, ${buckets}>;`;
  // A bit for every slot whose item somebody has asked to move.
  const asked = wgsl`var<workgroup> asked: array<atomic<u32>, ${(buckets * ASKED_BITS) / 32}>;`;
  const homeless = wgsl`var<workgroup> homeless: atomic<u32>;`;
  const list = wgsl`var<workgroup> list: array<atomic<u32>, ${mostHomeless(shape) / 2}>;`;
  const stuck = wgsl`var<workgroup> stuck: atomic<u32>;`;
  const stuckItems = wgsl`var<workgroup> stuckItems: array<u32, ${MOST_STUCK}>;`;
  const trouble = wgsl`var<workgroup> trouble: atomic<u32>;`;
  const tagOf = (word: string): Wgsl => wgsl`${packed ? `(${word} & ${2 ** room - 1}u)` : word}`;
  const numberOf = (word: string, slot: WgslPart): Wgsl =>
    packed ? wgsl`(${word} >> ${room}u)` : wgsl`${numbers}[${slot}]`;
  const remainderOf = (tag: string): string => `((${tag} >> 1u) & ${2 ** (tagBits - 1) - 1}u)`;

  // An item in a bucket of the region, or on its way there, and its tag there.
  const Item = wgsl`struct Item { bucket: u32, tag: u32, number: u32 }`;
  const wordOf = wgsl`
fn wordOf(item: ${Item}) -> u32 {
  return item.tag${packed ? ` | (item.number << ${room}u)` : ''};
}`;
  const put = wgsl`
fn put(item: ${Item}, slot: u32) {
  let at = item.bucket * ${perBucket}u + slot;
  ${many ? wgsl`atomicStore(&${words}[at], ~${wordOf}(item));` : wgsl`${words}[at] = ${wordOf}(item);`}
  ${packed ? '' : wgsl`${numbers}[at] = item.number;`}
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
  const otherBucket = wgsl`
fn otherBucket(bucket: u32, tag: u32) -> u32 {
  if ((tag & 1u) == 1u) { return ${homeFrom}(bucket, ${remainderOf('tag')}); }
  return ${awayFrom}(${Place}(0u, bucket, ${remainderOf('tag')}));
}`;
  const slotsWith = wgsl`
// How many slots of a bucket have this tag.
fn slotsWith(bucket: u32, tag: u32) -> u32 {
  var same = 0u;
  let end = ${used}(bucket);
  for (var s = 0u; s < end; s++) {
    let word = ${wordAt(wgsl`bucket * ${perBucket}u + s`)};
    same += u32(${tagOf('word')} == tag);
  }
  return same;
}`;
  const leaving = wgsl`
// An item on its way to its other bucket. The bucket that is its home keeps in mind that somebody left; of copies, one would
// stay: \`mine\` of the slots may have this tag.
fn leaving(item: ${Item}, mine: u32) -> ${Item} {
  if ((item.tag & 1u) == 0u) { atomicOr(&${homes}[item.bucket], 1u << (16u + ${classOf}(${remainderOf('item.tag')}))); }
  if (${slotsWith}(item.bucket, item.tag) > mine) { atomicStore(&${trouble}, 1u); }
  return ${Item}(${otherBucket}(item.bucket, item.tag), item.tag ^ 1u, item.number);
}`;
  const waitingItem = wgsl`
// A homeless item, as it is at home.
fn waitingItem(i: u32) -> ${Item} {
  let number = (atomicLoad(&${list}[i >> 1u]) >> (${NUMBER_BITS}u * (i & 1u))) & ${2 ** NUMBER_BITS - 1}u;
  let hash = ${parcels.hash(parcelAt('number'))};
  let place = ${locate}(hash);
  return ${Item}(place.home, (place.remainder << 1u)${more}, number);
}`;
  const walkAlone = wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    if (${used}(item.bucket) < ${perBucket}u && ${enter}(item)) { return; }
    let slot = (i + step) % ${perBucket}u;
    let other = ${itemIn}(item.bucket, slot);
    ${put}(item, slot);
    item = ${leaving}(other, 0u);
  }
  atomicStore(&${trouble}, 1u);
}`;
  const walkAmongOthers = wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    var slot = (i + step) % ${perBucket}u;
    if (${used}(item.bucket) < ${perBucket}u) {
      slot = min(atomicAdd(&${homes}[item.bucket], 1u) & 0xffffu, ${perBucket}u - 1u);
    }
    // Whoever took an empty slot may find that another was there sooner, and sends it on.
    let old = atomicExchange(&${words}[item.bucket * ${perBucket}u + slot], ~${wordOf}(item));
    if (old == 0u) { return; }
    let word = ~old;
    item = ${leaving}(${Item}(item.bucket, ${tagOf('word')}, ${numberOf('word', '0u')}), 0u);
  }
  atomicStore(&${trouble}, 1u);
}`;
  return {
    word: wordAt,
    tagOf,
    numberOf,
    homes,
    used,
    homeless,
    mostHomeless: mostHomeless(shape),
    stuck,
    mostStuck: MOST_STUCK,
    trouble,
    goHome: wgsl`
fn goHome(parcel: ${parcels.type}, number: u32) {
  let hash = ${parcels.hash('parcel')};
  let place = ${locate}(hash);
  if (!${enter}(${Item}(place.home, (place.remainder << 1u)${more}, number))) {
    let at = atomicAdd(&${homeless}, 1u);
    if (at < ${mostHomeless(shape)}u) { atomicOr(&${list}[at >> 1u], number << (${NUMBER_BITS}u * (at & 1u))); }
  }
}`,
    goAway: wgsl`
fn goAway(i: u32) -> bool {
  return ${enter}(${leaving}(${waitingItem}(i), 0u));
}`,
    makeRoom: wgsl`
fn makeRoom(i: u32) {
  var item = ${waitingItem}(i);
  // The items of both buckets are asked in turn.
  for (var turn = 0u; turn < ${2 * perBucket}u; turn++) {
    if (turn == ${perBucket}u) { item = ${Item}(${otherBucket}(item.bucket, item.tag), item.tag ^ 1u, item.number); }
    let slot = (i + turn) % ${perBucket}u;
    let bit = 1u << ((item.bucket % ${32 / ASKED_BITS}u) * ${ASKED_BITS}u + slot);
    if ((atomicOr(&${asked}[item.bucket / ${32 / ASKED_BITS}u], bit) & bit) != 0u) { continue; }
    let other = ${itemIn}(item.bucket, slot);
    let elsewhere = ${otherBucket}(other.bucket, other.tag);
    if (${used}(elsewhere) == ${perBucket}u) { continue; }
    if (${enter}(${Item}(elsewhere, other.tag ^ 1u, other.number))) {
      _ = ${leaving}(other, 1u);
      ${put}(item, slot);
      return;
    }
  }
  let at = atomicAdd(&${stuck}, 1u);
  if (at < ${MOST_STUCK}u) { ${stuckItems}[at] = i; } else { atomicStore(&${trouble}, 1u); }
}`,
    walk: many ? walkAmongOthers : walkAlone,
    walkers: many ? MOST_STUCK : 1,
    meetCopies: wgsl`
fn meetCopies(i: u32) {
  let home = ${waitingItem}(i);
  let away = ${otherBucket}(home.bucket, home.tag);
  let same = ${slotsWith}(home.bucket, home.tag) + ${slotsWith}(away, home.tag ^ 1u);
  if (same > 1u) { atomicStore(&${trouble}, 1u); }
}`,
    meetCopyOf: many
      ? wgsl`
fn meetCopyOf(slot: u32) {
  let bucket = slot / ${perBucket}u;
  if (slot % ${perBucket}u >= ${used}(bucket)) { return; }
  let item = ${itemIn}(bucket, slot % ${perBucket}u);
  if ((item.tag & 1u) == 1u && ${slotsWith}(${otherBucket}(bucket, item.tag), item.tag ^ 1u) > 0u) {
    atomicStore(&${trouble}, 1u);
  }
}`
      : undefined,
  };
}
