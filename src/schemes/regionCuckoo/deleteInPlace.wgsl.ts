/**
 * Deletion by small batches, item by item, in the table itself. Slots are emptied first. In the next dispatch, who has emptied a slot of a
 * bucket that keys are away from pulls one of them home into it; in the last, class bits are cleared that nobody needs any more.
 */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, unrolled, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { removedKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { work } from './inPlace.wgsl.ts';
import { metaCode } from './layout.wgsl.ts';
import type { SlotsInPlace } from './lookInPlace.wgsl.ts';
import { removal } from './removal.wgsl.ts';
import type { TagStore } from './tagStore.wgsl.ts';

/** The kernels, one after the other. `store` is where the tags are. */
export function deletionKernels(slots: SlotsInPlace, store: TagStore) {
  const { shape, parcels, addressOf, perBucket, empty, classOf, awayFrom, setTag, moveStored } = slots;
  const { guestsIn, clearClass, tagsOf, slotIn, hasLeft, hasClasses, wordOfTags, wordOfSlot, shiftOfSlot } = slots;
  const { metaWords } = shape.layout;
  const { classesIn, classBits } = metaCode(shape.layout);
  const { giveUp } = removal(slots, store);
  // The slot that an item has emptied, and the home of its key if it was away.
  const emptied = work.of('slot', 'item');
  const homeOf = work.of('meeting', 'item');
  const remove = wgsl`
fn remove(item: u32) -> vec2u {
  let parcel = ${parcels.fromInput('item')};
  let address = ${addressOf}(parcel);
  let kind = ${classOf}(address.remainder);
  var tag = address.remainder << 1u;
  var bucket = address.home;
  var tags = ${tagsOf}(bucket);
  var slot = ${slotIn}(bucket, tags, tag, parcel);
  if (slot == ${NONE} && ${hasLeft}(tags, kind)) {
    tag |= 1u;
    bucket = ${awayFrom}(address.home, kind);
    tags = ${tagsOf}(bucket);
    slot = ${slotIn}(bucket, tags, tag, parcel);
  }
  if (slot == ${NONE}) { return vec2u(${NONE}); }
  if (!${giveUp}(slot, tag)) { return vec2u(${NONE}); }
  ${removedKeys.count}
  if ((tag & 1u) == 1u) { return vec2u(slot, address.home); }
  return vec2u(select(${NONE}, slot, ${hasClasses}(tags)), ${NONE});
}`;
  /** Statements for every class of which keys of a bucket with these tags are away; they see it as `kind`. */
  const eachClass = (then: Wgsl): Wgsl =>
    unrolled(
      metaWords,
      (w) => wgsl`
  for (var bits = ${classesIn(wordOfTags('tags', w))}; bits != 0u; bits &= bits - 1u) {
    let kind = ${w * classBits}u + firstTrailingBit(bits);
    ${then}
  }`,
    );
  const takeGuest = wgsl`
// Empties the slot of a guest of that class, and returns it and its tag; or none.
fn takeGuest(bucket: u32, kind: u32) -> vec2u {
  var guests = ${guestsIn}(${tagsOf}(bucket), kind);
  // A step that leads no further follows a change of somebody else, or fails for no reason; then a guest stays where it is.
  for (var i = 0u; i < 1000u && guests != 0u; i++) {
    let slot = bucket * ${perBucket}u + firstTrailingBit(guests);
    let word = atomicLoad(&${wordOfSlot('slot')});
    let tag = (word >> ${shiftOfSlot('slot')}) & ${empty}u;
    if (tag == ${empty}u) {
      guests &= guests - 1u;
      continue;
    }
    let emptied = word | (${empty}u << ${shiftOfSlot('slot')});
    if (atomicCompareExchangeWeak(&${wordOfSlot('slot')}, word, emptied).exchanged) { return vec2u(slot, tag); }
  }
  return vec2u(${NONE});
}`;
  const pull = wgsl`
fn pull(slot: u32) {
  let bucket = slot / ${perBucket}u;
  let tags = ${tagsOf}(bucket);
  ${eachClass(wgsl`
    let guest = ${takeGuest}(${awayFrom}(bucket, kind), kind);
    if (guest.x == ${NONE}) { continue; }
    ${setTag}(slot, guest.y ^ 1u);
    ${moveStored}(guest.x, slot);
    return;`)}
}`;
  const tidy = wgsl`
fn tidy(bucket: u32) {
  let tags = ${tagsOf}(bucket);
  ${eachClass(wgsl`if (${guestsIn}(${tagsOf}(${awayFrom}(bucket, kind)), kind) == 0u) { ${clearClass}(bucket, kind); }`)}
}`;
  const overEmptied = (label: string, steps: Wgsl): Kernel =>
    kernel({
      label: `regionCuckoo/${label}`,
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let slot = atomicLoad(&${emptied});
  if (slot == ${NONE}) { return; }
  ${steps}`,
    });
  return [
    kernel({
      label: 'regionCuckoo/remove',
      threads: THREADS,
      body: wgsl`
  if (item < ${extentCount}) {
    let removed = ${remove}(item);
    atomicStore(&${emptied}, removed.x);
    if (removed.x != ${NONE}) { atomicStore(&${homeOf}, removed.y); }
  }
  ${removedKeys.flush}`,
    }),
    overEmptied('pull', wgsl`${pull}(slot);`),
    overEmptied(
      'tidy',
      wgsl`
  ${tidy}(slot / ${perBucket}u);
  let home = atomicLoad(&${homeOf});
  if (home != ${NONE}) { ${tidy}(home); }`,
    ),
  ];
}
