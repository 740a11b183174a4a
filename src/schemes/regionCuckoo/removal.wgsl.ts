/**
 * What deletion does with slots. A key that is there gives up its slot. Then those buckets are tidied that lost a key, or one that was
 * their guest elsewhere: a class of which no key is away any more loses its bit, and as long as there is room, keys that are away are
 * pulled home.
 */

import { unrolled, wgsl } from '../../wgsl/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { metaCode } from './layout.wgsl.ts';
import type { Slots } from './slots.wgsl.ts';
import type { TagStore } from './tagStore.wgsl.ts';

export function removal(slots: Slots, { tagWord }: TagStore) {
  const { shape, parcels, isInSlot, perBucket, tagAt, setTag, empty, clearClass, guestOf, awayFrom, moveStored } =
    slots;
  const { wordOfSlot, shiftOfSlot, eachTag } = slots;
  const { metaWords, tagsPerWord, tagBits } = shape.layout;
  const { classesIn, classBits, sameTags } = metaCode(shape.layout);
  return {
    /** WGSL: `(bucket: u32, tag: u32, parcel) -> u32`, 1 if this thread has emptied the slot of a key, 0 if a copy was faster, or none if it is not there. */
    takeOut: wgsl`
fn takeOut(bucket: u32, tag: u32, parcel: ${parcels.type}) -> u32 {
  for (var w = 0u; w < ${metaWords}u; w++) {
    let same = ${sameTags}(atomicLoad(&${tagWord('bucket', 'w')}), tag);
    if (same == 0u) { continue; }
    let shift = firstTrailingBit(same) - ${tagBits - 1}u;
    ${
      isInSlot
        ? wgsl`let slot = bucket * ${perBucket}u + w * ${tagsPerWord}u + shift / ${tagBits}u;
    if (!${isInSlot}) { continue; }`
        : ''
    }
    let before = atomicOr(&${tagWord('bucket', 'w')}, ${empty}u << shift);
    return u32(((before >> shift) & ${empty}u) == tag);
  }
  return ${NONE};
}`,
    /** WGSL: `(slot: u32, tag: u32) -> bool`, whether this thread has emptied the slot: a copy may have been faster. */
    giveUp: wgsl`
fn giveUp(slot: u32, tag: u32) -> bool {
  let before = atomicOr(&${wordOfSlot('slot')}, ${empty}u << ${shiftOfSlot('slot')});
  return ((before >> ${shiftOfSlot('slot')}) & ${empty}u) == tag;
}`,
    /** WGSL: `(bucket: u32) -> bool`, whether keys of the bucket are away. */
    hasClasses: wgsl`
fn hasClasses(bucket: u32) -> bool {
  var words = 0u;
  ${unrolled(metaWords, (w) => wgsl`words |= atomicLoad(&${tagWord('bucket', `${w}u`)});`)}
  return ${classesIn('words')} != 0u;
}`,
    /** WGSL: `(bucket: u32) -> u32`, a bit for every slot that is empty. */
    freeSlots: wgsl`
fn freeSlots(bucket: u32) -> u32 {
  var free = 0u;
  ${eachTag('bucket', (slot) => wgsl`free |= select(0u, 1u << ${slot}, tag == ${empty}u);`)}
  return free;
}`,
    /**
     * WGSL: `(bucket: u32, freeSlots: u32)`, tidies a bucket, by one thread. The slots were empty before anybody pulled: values of others
     * may still be on their way out. Nobody else puts keys into the bucket, or takes those that belong there from elsewhere.
     */
    pullHome: wgsl`
fn pullHome(bucket: u32, freeSlots: u32) {
  var free = freeSlots;
  for (var w = 0u; w < ${metaWords}u; w++) {
    for (var bits = ${classesIn(wgsl`atomicLoad(&${tagWord('bucket', 'w')})`)}; bits != 0u; bits &= bits - 1u) {
      let kind = w * ${classBits}u + firstTrailingBit(bits);
      let other = ${awayFrom}(bucket, kind);
      var guest = ${guestOf}(other, kind);
      for (; guest != ${NONE} && free != 0u; free &= free - 1u) {
        let slot = bucket * ${perBucket}u + firstTrailingBit(free);
        ${setTag}(slot, ${tagAt}(guest) ^ 1u);
        ${moveStored}(guest, slot);
        // Nobody fills it in this step.
        ${setTag}(guest, ${empty}u);
        guest = ${guestOf}(other, kind);
      }
      if (guest == ${NONE}) { ${clearClass}(bucket, kind); }
    }
  }
}`,
  };
}
