/**
 * Items whose home is full. They go to their other bucket; if that is full too, they make somebody of either bucket move who has room
 * elsewhere; the last few walk.
 */
import { unrolled, type Wgsl, wgsl } from '../../../wgsl/index.ts';
import type { MovingItems, QuickItems } from './items.wgsl.ts';
import { mostHomeless, mostStuck, type QuickMemory, walksTogether } from './memory.wgsl.ts';

/** Steps of a walk. */
const WALK_LIMIT = 256;

/** WGSL: `(walker: u32, step: u32) -> u32`, the slot of a full bucket that gives way: any, since walks that took them by turns went in circles. */
export const anySlot = (perBucket: number): Wgsl => wgsl`
fn anySlot(walker: u32, step: u32) -> u32 {
  let mixed = ((walker + 1u) * 0x9e3779b1u) ^ ((step + 1u) * 0x85ebca77u);
  return ((mixed * 0xc2b2ae35u) >> 16u) % ${perBucket}u;
}`;

/** What all of them need. */
interface Homeless {
  readonly memory: QuickMemory;
  readonly moving: MovingItems;
  /** WGSL: `(i: u32) -> Item`, one of the list, as it is at home. */
  readonly waitingItem: Wgsl;
}

/**
 * Statements for all of so many threads, when all items have come: those without a home get a slot, or there is trouble. They see
 * `fits`, whether items could come at all, and `slotCount`, the slots of the region. A barrier has to follow.
 */
export function settling(
  memory: QuickMemory,
  moving: MovingItems,
  { addressOf, areDistinct = false }: QuickItems,
): (threads: number) => Wgsl {
  const { shape, homelessAt, homeless, trouble, giveUp, stuck } = memory;
  const { Item } = moving;
  const waitingItem = wgsl`
// A homeless item, as it is at home.
fn waitingItem(i: u32) -> ${Item} {
  let number = ${homelessAt('i')};
  let address = ${addressOf('number')};
  return ${Item}(address.home, address.remainder << 1u, number);
}`;
  const all = { memory, moving, waitingItem };
  const many = walksTogether(shape);
  const walkers = many ? mostStuck(shape) : 1;
  const [goAway, makeRoom, walk] = [
    goingAway(all),
    makingRoom(all),
    many ? walkingAmongOthers(all) : walkingAlone(all),
  ];
  const [meetCopies, meetCopyOf] = [meetingCopies(all), meetingCopyOf(all)];
  const eachCrowdedOut = (threads: number, then: Wgsl): Wgsl => wgsl`
  for (var left = crowdedOut; left != 0u; left &= left - 1u) {
    ${then}(firstTrailingBit(left) * ${threads}u + thread);
  }`;
  return (threads) => wgsl`
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
  ${areDistinct ? '' : eachCrowdedOut(threads, meetCopies)}`;
}

/** WGSL: `(i: u32) -> bool`. */
function goingAway({ moving, waitingItem }: Homeless): Wgsl {
  const { enter, leaving, noteLeft } = moving;
  return wgsl`
// A homeless item goes to its other bucket. False if that is full too.
fn goAway(i: u32) -> bool {
  let item = ${waitingItem}(i);
  let isAway = ${enter}(${leaving}(item, 0u));
  if (isAway) { ${noteLeft}(item); }
  return isAway;
}`;
}

/** WGSL: `(i: u32)`. */
function makingRoom({ memory, moving, waitingItem }: Homeless): Wgsl {
  const { shape, askedBit, askedWord, stuck, stuckItems, giveUp } = memory;
  const { elsewhere, itemIn, used, enter, leaving, noteLeft, put } = moving;
  const { slots: perBucket } = shape;
  return wgsl`
// An item whose buckets are both full makes another one move. All buckets that it looks at were full before anybody did this.
fn makeRoom(i: u32) {
  let atHome = ${waitingItem}(i);
  var item = atHome;
  // The items of both buckets are asked in turn.
  for (var turn = 0u; turn < ${2 * perBucket}u; turn++) {
    if (turn == ${perBucket}u) { item = ${elsewhere}(item); }
    let slot = (i + turn) % ${perBucket}u;
    let bit = ${askedBit('item.bucket', 'slot')};
    if ((atomicOr(&${askedWord('item.bucket')}, bit) & bit) != 0u) { continue; }
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
}

/** WGSL: `(bucket: u32, walker: u32, step: u32) -> u32`. */
function slotsToTake({ memory, moving }: Homeless): Wgsl {
  const { shape } = memory;
  const { elsewhere, itemIn, used } = moving;
  const { slots: perBucket } = shape;
  const any = anySlot(perBucket);
  // In dense regions it is worth looking ahead.
  return shape.isDense
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
}

/** WGSL: `(i: u32)`, where no other item walks at the same time. */
function walkingAlone(all: Homeless): Wgsl {
  const { shape, stuckItems, giveUp } = all.memory;
  const { used, enter, itemIn, put, noteLeft, noteBack, leaving } = all.moving;
  const { slots: perBucket } = shape;
  const { waitingItem } = all;
  const slotToTake = slotsToTake(all);
  return wgsl`
fn walk(i: u32) {
  var item = ${waitingItem}(${stuckItems}[i]);
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    if (${used}(item.bucket) < ${perBucket}u && ${enter}(item)) { return; }
    let slot = ${slotToTake}(item.bucket, i, step);
    let other = ${itemIn}(item.bucket, slot);
    ${put}(item, slot);
    ${noteLeft}(other);
    ${noteBack ? wgsl`${noteBack}(other);` : ''}
    item = ${leaving}(other, 0u);
  }
  ${giveUp}
}`;
}

/** WGSL: `(i: u32)`, where many walk. */
function walkingAmongOthers(all: Homeless): Wgsl {
  const { shape, stuckItems, homes, words, tagOf, numberOf, giveUp } = all.memory;
  const { Item, used, wordOf, noteLeft, leaving } = all.moving;
  const { slots: perBucket } = shape;
  const { waitingItem } = all;
  const slotToTake = slotsToTake(all);
  return wgsl`
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
}

/** WGSL: `(i: u32)`. */
function meetingCopies({ memory, moving, waitingItem }: Homeless): Wgsl {
  const { giveUp } = memory;
  const { copiesIn, elsewhere } = moving;
  return wgsl`
// Looks for copies of an item whose buckets were both full, when all have a slot: of two without a home, one may have gone away
// and the other made room at home, and neither met the other.
fn meetCopies(i: u32) {
  let item = ${waitingItem}(i);
  if (${copiesIn}(item) + ${copiesIn}(${elsewhere}(item)) > 1u) { ${giveUp} }
}`;
}

/** WGSL: `(slot: u32)`. */
function meetingCopyOf({ memory, moving }: Homeless): Wgsl {
  const { shape, giveUp } = memory;
  const { used, itemIn, copiesIn, elsewhere } = moving;
  const { slots: perBucket } = shape;
  return wgsl`
// The same for whoever is in a slot, where items have walked at the same time and passed each other.
fn meetCopyOf(slot: u32) {
  let bucket = slot / ${perBucket}u;
  if (slot % ${perBucket}u >= ${used}(bucket)) { return; }
  let item = ${itemIn}(bucket, slot % ${perBucket}u);
  if ((item.tag & 1u) == 1u && ${copiesIn}(${elsewhere}(item)) > 0u) { ${giveUp} }
}`;
}
