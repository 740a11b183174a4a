/**
 * The slots of a region in workgroup memory, as `quickRegion.wgsl.ts` fills them: one after the other, by a counter for each
 * bucket. A slot holds a tag, as it will stand in the bucket, and the number of its item. The less memory a workgroup takes,
 * the more of them are at work, so both share a word where they fit.
 */
import { type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { geometry, Place } from './geometry.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { regionBuckets, regionSlots, type Shape } from './shape.ts';
import { anySlot } from './walk.wgsl.ts';

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
  wordsOfSlots(shape) * WORD_BYTES <= maxComputeWorkgroupStorageSize;

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
  /** Items that have to walk. */
  readonly stuck: Wgsl;
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
  /** WGSL: `(bucket: u32, slot: u32) -> u32`, how many slots of a bucket have the key of one of them. */
  readonly copiesAt: Wgsl;
}

/** @param parcelAt the parcel of an item */
export function quickSlots({ shape, view, parcels }: BuildParts, parcelAt: (number: WgslPart) => WgslPart): QuickSlots {
  const { header } = view;
  const { slots: perBucket } = shape.layout;
  const { locate, awayFrom, homeFrom, classOf } = geometry(shape, header);
  const [slots, buckets] = [regionSlots(shape), regionBuckets(shape)];
  const packed = isPacked(shape);
  const room = packed ? tagRoom(shape) : 32;
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
  if ((tag & 1u) == 1u) { return ${homeFrom}(bucket, tag >> 1u); }
  return ${awayFrom}(${Place}(0u, bucket, tag >> 1u));
}`;
  // A tag may not tell the key. Where the hash is in the parcels, it will do: whoever agrees in 64 bits is looked at again elsewhere.
  const [other, own] = [parcelAt(numberOf('word', 'at')), parcelAt('item.number')];
  const looksSame = shape.request.key.hasContext
    ? wgsl`all(${parcels.fullHash(other)} == ${parcels.fullHash(own)})`
    : parcels.isSameKey(other, own);
  const copiesIn = wgsl`
// How many slots of its bucket have the key of an item, as far as can be told.
fn copiesIn(item: ${Item}) -> u32 {
  var copies = 0u;
  for (var s = 0u; s < ${perBucket}u; s++) {
    let at = item.bucket * ${perBucket}u + s;
    let word = ${wordAt('at')};
    if (${tagOf('word')} == item.tag) { copies += ${shape.exact ? '1u' : wgsl`u32(${looksSame})`}; }
  }
  return copies;
}`;
  const elsewhere = wgsl`
// An item as it would be in its other bucket.
fn elsewhere(item: ${Item}) -> ${Item} {
  return ${Item}(${otherBucket}(item.bucket, item.tag), item.tag ^ 1u, item.number);
}`;
  const leaving = wgsl`
// An item on its way to its other bucket. The bucket that is its home keeps in mind that somebody left; of copies, one would
// stay: \`mine\` of the slots may have this key.
fn leaving(item: ${Item}, mine: u32) -> ${Item} {
  if ((item.tag & 1u) == 0u) { atomicOr(&${homes}[item.bucket], 1u << (16u + ${classOf}(item.tag >> 1u))); }
  if (${copiesIn}(item) > mine) { atomicStore(&${trouble}, 1u); }
  return ${elsewhere}(item);
}`;
  const waitingItem = wgsl`
// A homeless item, as it is at home.
fn waitingItem(i: u32) -> ${Item} {
  let number = (atomicLoad(&${list}[i >> 1u]) >> (${NUMBER_BITS}u * (i & 1u))) & ${2 ** NUMBER_BITS - 1}u;
  let place = ${locate}(${parcels.hash(parcelAt('number'))});
  return ${Item}(place.home, place.remainder << 1u, number);
}`;
  const walkAlone = wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    if (${used}(item.bucket) < ${perBucket}u && ${enter}(item)) { return; }
    let slot = ${anySlot(perBucket)}(i, step);
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
    var slot = ${anySlot(perBucket)}(i, step);
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
    trouble,
    goHome: wgsl`
fn goHome(parcel: ${parcels.type}, number: u32) {
  let place = ${locate}(${parcels.hash('parcel')});
  if (!${enter}(${Item}(place.home, place.remainder << 1u, number))) {
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
    if (turn == ${perBucket}u) { item = ${elsewhere}(item); }
    let slot = (i + turn) % ${perBucket}u;
    let bit = 1u << ((item.bucket % ${32 / ASKED_BITS}u) * ${ASKED_BITS}u + slot);
    if ((atomicOr(&${asked}[item.bucket / ${32 / ASKED_BITS}u], bit) & bit) != 0u) { continue; }
    let other = ${itemIn}(item.bucket, slot);
    let moved = ${elsewhere}(other);
    if (${used}(moved.bucket) == ${perBucket}u) { continue; }
    if (${enter}(moved)) {
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
  let item = ${waitingItem}(i);
  if (${copiesIn}(item) + ${copiesIn}(${elsewhere}(item)) > 1u) { atomicStore(&${trouble}, 1u); }
}`,
    copiesAt: wgsl`
fn copiesAt(bucket: u32, slot: u32) -> u32 {
  return ${copiesIn}(${itemIn}(bucket, slot));
}`,
    meetCopyOf: many
      ? wgsl`
fn meetCopyOf(slot: u32) {
  let bucket = slot / ${perBucket}u;
  if (slot % ${perBucket}u >= ${used}(bucket)) { return; }
  let item = ${itemIn}(bucket, slot % ${perBucket}u);
  if ((item.tag & 1u) == 1u && ${copiesIn}(${elsewhere}(item)) > 0u) { atomicStore(&${trouble}, 1u); }
}`
      : undefined,
  };
}
