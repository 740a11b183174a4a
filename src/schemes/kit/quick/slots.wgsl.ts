/**
 * The slots of an empty region in workgroup memory, as they are filled quickly where nothing is special about it: no more items than
 * slots, no copies, no long walks. They are filled one after the other, by a counter for each bucket. A slot holds a tag, as it
 * will stand in the bucket, and the number of its item. The less memory a workgroup takes, the more of them are at work, so both
 * share a word where they fit.
 *
 * Items go home. Those whose home is full go to their other bucket; if that is full too, they make somebody of either bucket
 * move who has room elsewhere; the last few walk.
 */
import { unrolled, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../../wgsl/index.ts';

/** Steps of a walk. */
const WALK_LIMIT = 256;
/** Words of workgroup memory for single variables. */
const SINGLE_WORDS = 16;
/** Bits of the number of an item in the list of those without a home. */
const LISTED_BITS = 16;
/** Bits of a word of `homes` that count; those above are for classes. */
export const HOME_BITS = 16;
/** Room for the bits of a bucket's slots. */
const ASKED_BITS = 8;

/** What the memory depends on. */
export interface QuickShape {
  /** Slots of a bucket, and buckets of a region at most. */
  readonly slots: number;
  readonly buckets: number;
  readonly tagBits: number;
  /** Bits of the number of an item: 16 at most, or none where slots keep no numbers. Tags have less than 32 then. */
  readonly numberBits: number;
  /** Whether a region may be nearly full, so that many items have to walk. */
  readonly isDense?: boolean;
}

/** Items without a home that are looked after; if there are more, the region is no ordinary one. */
const mostHomeless = ({ slots, isDense }: QuickShape): number => (slots === 6 && !isDense ? 192 : 512);

/** Items that walk: more of them in small buckets and in dense regions. */
const mostStuck = ({ slots, isDense }: QuickShape): number => (slots <= 3 || isDense ? 96 : 64);

/** Whether tag and number fit into one word. */
const isPacked = ({ tagBits, numberBits }: QuickShape): boolean => tagBits + numberBits <= 32;

/** Whether items walk at the same time: in small buckets and in dense regions many have to. */
const walksTogether = (shape: QuickShape): boolean => isPacked(shape) && (shape.slots <= 3 || shape.isDense === true);

/** Words of workgroup memory. */
function wordsOfSlots(shape: QuickShape): number {
  const perBucket = shape.slots * (isPacked(shape) ? 1 : 2) + 1 + ASKED_BITS / 32;
  return shape.buckets * perBucket + mostHomeless(shape) / 2 + mostStuck(shape) + SINGLE_WORDS;
}

/** Whether a device has enough workgroup memory for them, and so many words beside. */
export const quickSlotsFit = (
  shape: QuickShape,
  { maxComputeWorkgroupStorageSize }: GPUSupportedLimits,
  others = 0,
): boolean => (wordsOfSlots(shape) + others) * WORD_BYTES <= maxComputeWorkgroupStorageSize;

/** Threads that fill a region: as many as the device allows of those that were tried. */
export const regionThreads = ({ maxComputeInvocationsPerWorkgroup }: GPUSupportedLimits): number =>
  maxComputeInvocationsPerWorkgroup >= 512 ? 512 : 256;

/** Where items belong. */
export interface QuickItems {
  /** The WGSL type with the `home` of an item in its region, and the `remainder` that its tags are made of. */
  readonly Place: Wgsl;
  /** That of an item by number. */
  placeOf(number: WgslPart): WgslPart;
  /** WGSL: `(bucket: u32, tag: u32) -> u32`, the other bucket of the item that has this tag in a bucket. */
  readonly otherBucket: Wgsl;
  /** A statement: an item with that remainder has left the bucket that is its home. There is a half of each word of `homes` for that. */
  noteLeft(homes: Wgsl, bucket: string, remainder: string): WgslPart;
  /** Whether two items by number have the same key, where equal tags do not tell. */
  readonly looksSame?: (one: WgslPart, other: WgslPart) => WgslPart;
  /** Whether it is certain that no key occurs twice. */
  readonly areDistinct?: boolean;
}

/** The slots, and what items do with them. */
export interface QuickSlots {
  readonly shape: QuickShape;
  /** The tag and the number in a slot, from a word that was read before. */
  readonly word: (slot: WgslPart) => Wgsl;
  readonly tagOf: (word: string) => Wgsl;
  readonly numberOf: (word: string, slot: WgslPart) => Wgsl;
  /** For every bucket, low half: the items that came, more than there are slots if some had to go on. High half: class bits. */
  readonly homes: Wgsl;
  /** WGSL: `(bucket: u32) -> u32`, how many slots are used. */
  readonly used: Wgsl;
  /** Whether one found no slot at all, or copies were met. */
  readonly trouble: Wgsl;
  /** A statement: there is. */
  readonly giveUp: Wgsl;
  /** How many items have walked. Who was pushed out may be back at home, although it was noted that it left. */
  readonly stuck: Wgsl;
  /** WGSL: `(place: Place, number: u32)`, takes a slot at home, or a place in the list of the homeless. */
  readonly goHome: Wgsl;
  /**
   * Statements for all of so many threads, when all items have come: those without a home get a slot, or there is trouble. They see
   * `fits`, whether items could come at all, and `slotCount`, the slots of the region. A barrier has to follow.
   */
  readonly settle: (threads: number) => Wgsl;
  /** WGSL: `(bucket: u32, slot: u32) -> u32`, how many slots of a bucket have the key of one of them; left out where keys are distinct. */
  readonly copiesAt: Wgsl | undefined;
  /** Whether equal tags in a bucket are not enough to tell. */
  readonly looksCloser: boolean;
}

/** WGSL: `(walker: u32, step: u32) -> u32`, the slot of a full bucket that gives way: any, since walks that took them by turns went in circles. */
export const anySlot = (perBucket: number): Wgsl => wgsl`
fn anySlot(walker: u32, step: u32) -> u32 {
  let mixed = ((walker + 1u) * 0x9e3779b1u) ^ ((step + 1u) * 0x85ebca77u);
  return ((mixed * 0xc2b2ae35u) >> 16u) % ${perBucket}u;
}`;

export function quickSlots(shape: QuickShape, items: QuickItems): QuickSlots {
  const { slots: perBucket, buckets, numberBits } = shape;
  const { Place, placeOf, otherBucket, looksSame, areDistinct = false } = items;
  const slots = perBucket * buckets;
  const packed = isPacked(shape);
  const room = packed ? 32 - numberBits : 32;
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
  const stuckItems = wgsl`var<workgroup> stuckItems: array<u32, ${mostStuck(shape)}>;`;
  const trouble = wgsl`var<workgroup> trouble: atomic<u32>;`;
  const giveUp = wgsl`atomicStore(&${trouble}, 1u);`;
  const tagOf = (word: string): Wgsl => wgsl`${packed ? `(${word} & ${2 ** room - 1}u)` : word}`;
  const inWord = (word: string): string => (numberBits > 0 ? `(${word} >> ${room}u)` : '0u');
  const numberOf = (word: string, slot: WgslPart): Wgsl => wgsl`${packed ? inWord(word) : wgsl`${numbers}[${slot}]`}`;

  // An item in a bucket of the region, or on its way there, and its tag there.
  const Item = wgsl`struct Item { bucket: u32, tag: u32, number: u32 }`;
  const wordOf = wgsl`
fn wordOf(item: ${Item}) -> u32 {
  return item.tag${packed && numberBits > 0 ? ` | (item.number << ${room}u)` : ''};
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
  const leaving = wgsl`
// An item on its way to its other bucket. Of copies, one would stay: \`mine\` of the slots may have this key.
fn leaving(item: ${Item}, mine: u32) -> ${Item} {
  ${areDistinct ? '' : wgsl`if (${copiesIn}(item) > mine) { ${giveUp} }`}
  return ${elsewhere}(item);
}`;
  const waitingItem = wgsl`
// A homeless item, as it is at home.
fn waitingItem(i: u32) -> ${Item} {
  let number = (atomicLoad(&${list}[i >> 1u]) >> (${LISTED_BITS}u * (i & 1u))) & ${2 ** LISTED_BITS - 1}u;
  let place = ${placeOf('number')};
  return ${Item}(place.home, place.remainder << 1u, number);
}`;
  const any = anySlot(perBucket);
  // In dense regions it is worth looking ahead.
  const slotToTake = shape.isDense
    ? wgsl`
// The slot of a full bucket that gives way: of somebody who has room elsewhere, or any.
fn slotToTake(bucket: u32, walker: u32, step: u32) -> u32 {
  let first = ${any}(walker, step);
  var able = 0u; // a bit for each of those with room
  ${unrolled(perBucket, (slot) => wgsl`able |= select(0u, ${2 ** slot}u, ${used}(${elsewhere}(${itemIn}(bucket, ${slot}u)).bucket) < ${perBucket}u);`)}
  let later = able >> first;
  if (later != 0u) { return first + firstTrailingBit(later); }
  return select(first, firstTrailingBit(able), able != 0u);
}`
    : wgsl`
fn slotToTake(bucket: u32, walker: u32, step: u32) -> u32 {
  return ${any}(walker, step);
}`;
  const walkAlone = wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    if (${used}(item.bucket) < ${perBucket}u && ${enter}(item)) { return; }
    let slot = ${slotToTake}(item.bucket, i, step);
    let other = ${itemIn}(item.bucket, slot);
    ${put}(item, slot);
    ${noteLeft}(other);
    item = ${leaving}(other, 0u);
  }
  ${giveUp}
}`;
  const walkAmongOthers = wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    var slot = 0u;
    if (${used}(item.bucket) < ${perBucket}u) {
      slot = min(atomicAdd(&${homes}[item.bucket], 1u) & 0xffffu, ${perBucket}u - 1u);
    } else { slot = ${slotToTake}(item.bucket, i, step); }
    // Whoever took an empty slot may find that another was there sooner, and sends it on.
    let old = atomicExchange(&${words}[item.bucket * ${perBucket}u + slot], ~${wordOf}(item));
    if (old == 0u) { return; }
    let word = ~old;
    let other = ${Item}(item.bucket, ${tagOf('word')}, ${numberOf('word', '0u')});
    ${noteLeft}(other);
    item = ${leaving}(other, 0u);
  }
  ${giveUp}
}`;
  const walk = many ? walkAmongOthers : walkAlone;
  const walkers = many ? mostStuck(shape) : 1;
  const goAway = wgsl`
// A homeless item goes to its other bucket. False if that is full too.
fn goAway(i: u32) -> bool {
  let item = ${waitingItem}(i);
  let isAway = ${enter}(${leaving}(item, 0u));
  if (isAway) { ${noteLeft}(item); }
  return isAway;
}`;
  const makeRoom = wgsl`
// An item whose buckets are both full makes another one move. All buckets that it looks at were full before anybody did this.
fn makeRoom(i: u32) {
  let atHome = ${waitingItem}(i);
  var item = atHome;
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
      ${noteLeft}(other);
      if (turn >= ${perBucket}u) { ${noteLeft}(atHome); }
      ${put}(item, slot);
      return;
    }
  }
  let at = atomicAdd(&${stuck}, 1u);
  if (at < ${mostStuck(shape)}u) { ${stuckItems}[at] = i; } else { ${giveUp} }
}`;
  const meetCopies = wgsl`
// Looks for copies of an item whose buckets were both full, when all have a slot: of two without a home, one may have gone away
// and the other made room at home, and neither met the other.
fn meetCopies(i: u32) {
  let item = ${waitingItem}(i);
  if (${copiesIn}(item) + ${copiesIn}(${elsewhere}(item)) > 1u) { ${giveUp} }
}`;
  const meetCopyOf = wgsl`
// The same for whoever is in a slot, where items have walked at the same time and passed each other.
fn meetCopyOf(slot: u32) {
  let bucket = slot / ${perBucket}u;
  if (slot % ${perBucket}u >= ${used}(bucket)) { return; }
  let item = ${itemIn}(bucket, slot % ${perBucket}u);
  if ((item.tag & 1u) == 1u && ${copiesIn}(${elsewhere}(item)) > 0u) { ${giveUp} }
}`;
  const eachCrowdedOut = (threads: number, then: Wgsl): Wgsl => wgsl`
  for (var left = crowdedOut; left != 0u; left &= left - 1u) {
    ${then}(firstTrailingBit(left) * ${threads}u + thread);
  }`;
  return {
    shape,
    word: wordAt,
    tagOf,
    numberOf,
    homes,
    used,
    trouble,
    giveUp,
    stuck,
    goHome: wgsl`
fn goHome(place: ${Place}, number: u32) {
  if (!${enter}(${Item}(place.home, place.remainder << 1u, number))) {
    let at = atomicAdd(&${homeless}, 1u);
    if (at < ${mostHomeless(shape)}u) { atomicOr(&${list}[at >> 1u], number << (${LISTED_BITS}u * (at & 1u))); }
  }
}`,
    settle: (threads) => wgsl`
  workgroupBarrier();
  let isOrdinary = fits && atomicLoad(&${homeless}) <= ${mostHomeless(shape)}u;
  if (!isOrdinary) { ${giveUp} }
  let waiting = select(0u, atomicLoad(&${homeless}), isOrdinary);
  var crowdedOut = 0u; // a bit for each of the thread's items whose buckets are both full
  for (var i = thread; i < waiting; i += ${threads}u) {
    if (!${goAway}(i)) { crowdedOut |= 1u << (i / ${threads}u); }
  }
  workgroupBarrier();
  ${eachCrowdedOut(threads, makeRoom)}
  workgroupBarrier();
  if (thread < ${walkers}u) {
    for (var i = thread; i < atomicLoad(&${stuck}) && atomicLoad(&${trouble}) == 0u; i += ${walkers}u) { ${walk}(i); }
  }
  workgroupBarrier();
  ${many && !areDistinct ? wgsl`if (atomicLoad(&${stuck}) > 0u) { for (var i = thread; i < slotCount; i += ${threads}u) { ${meetCopyOf}(i); } }` : ''}
  ${areDistinct ? '' : eachCrowdedOut(threads, meetCopies)}`,
    looksCloser: looksSame !== undefined,
    copiesAt: areDistinct
      ? undefined
      : wgsl`
fn copiesAt(bucket: u32, slot: u32) -> u32 {
  return ${copiesIn}(${itemIn}(bucket, slot));
}`,
  };
}
