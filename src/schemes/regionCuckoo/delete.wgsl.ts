/**
 * Deletion from a region by the workgroup that owns it. First every key that is there gives up its slot. Then every bucket looks at
 * its class bits: one for which no key is away any more is cleared, and as long as there is room, keys that are away are pulled home.
 */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { classesOf } from './layout.wgsl.ts';
import { enterGroup, NONE, type Region } from './region.wgsl.ts';

export function deleteKernel(region: Region): Kernel {
  const { shape, header, store, find, perBucket, tagAt, setTag, empty, classOf } = region;
  const { hasClass, clearClass, guestOf, awayFrom, homeFrom, moveStored, noteDirty, isDirtyAt } = region;
  const { isWhole, eachItem, openItems, closeItems } = region;
  const { layout } = shape;
  const { metaWords, tagsPerWord, tagBits, slots } = layout;
  const { threads, tags, itemsHeld } = store;
  const atOnce = threads * itemsHeld;
  const removed = wgsl`var<workgroup> removed: atomic<u32>;`;
  /** WGSL: `(slot: u32, tag: u32) -> bool`, whether this thread has emptied the slot: a copy may have been faster. */
  const giveUp = wgsl`
fn giveUp(slot: u32, tag: u32) -> bool {
  let bucket = slot / ${perBucket}u;
  let within = slot % ${perBucket}u;
  let shift = (within % ${tagsPerWord}u) * ${tagBits}u;
  let before = atomicOr(&${tags}[${store.placeOf('bucket')} * ${metaWords}u + within / ${tagsPerWord}u], ${empty}u << shift);
  ${noteDirty}(bucket);
  // Its home has a class bit for it.
  if ((tag & 1u) == 1u) { ${noteDirty}(${homeFrom}(bucket, ${classOf}(tag >> 1u))); }
  return ((before >> shift) & ${empty}u) == tag;
}`;
  const pullHome = wgsl`
fn pullHome(bucket: u32, freeSlots: u32) {
  var free = freeSlots;
  for (var kind = 0u; kind < ${classesOf(layout)}u; kind++) {
    let other = ${awayFrom}(bucket, kind);
    // Where one was removed, both buckets are here.
    if (!${hasClass}(bucket, kind) || !${store.isHere('other')}) { continue; }
    var guest = ${guestOf}(other, kind);
    for (; guest != ${NONE} && free != 0u; free &= free - 1u) {
      let slot = bucket * ${perBucket}u + firstTrailingBit(free);
      ${setTag}(slot, ${tagAt}(guest) ^ 1u);
      ${moveStored}(guest, slot);
      // Nobody fills it before the next barrier.
      ${setTag}(guest, ${empty}u);
      guest = ${guestOf}(other, kind);
    }
    if (guest == ${NONE}) { ${clearClass}(bucket, kind); }
  }
}`;
  /** Statements that load the buckets where keys of changed buckets may be guests, as far as there is room. */
  const loadGuests = wgsl`
    for (var place = thread; place < ${store.capacity}u; place += ${threads}u) {
      if (!${isDirtyAt('place')}) { continue; }
      let bucket = ${store.bucketAt('place')};
      for (var kind = 0u; kind < ${classesOf(layout)}u; kind++) {
        if (${hasClass}(bucket, kind)) { ${store.ensureIfRoom}(${awayFrom}(bucket, kind)); }
      }
    }
    workgroupBarrier();`;
  /** Statements for the places of this thread: those whose buckets have lost a key, or one that was their guest elsewhere. */
  const tidy = wgsl`
    for (var low = 0u; low < ${store.capacity}u; low += ${threads}u) {
      let place = low + thread;
      let isChanged = place < ${store.capacity}u && ${isDirtyAt('place')};
      let bucket = ${store.bucketAt('place')};
      // Slots that were empty before anybody pulled: the values of others may still be on their way out.
      var free = 0u;
      for (var s = 0u; s < ${slots}u && isChanged; s++) {
        free |= select(0u, 1u << s, ${tagAt}(bucket * ${perBucket}u + s) == ${empty}u);
      }
      workgroupBarrier();
      if (isChanged) { ${pullHome}(bucket, free); }
      storageBarrier();
      workgroupBarrier();
    }`;
  return kernel({
    label: 'regionCuckoo/delete',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  ${enterGroup(header)}
  ${isWhole ? wgsl`${store.open}(firstBucket, thread);` : ''}
  for (var start = first; start < end; start += ${atOnce}u) {
    let stop = min(end, start + ${atOnce}u);
    ${openItems(wgsl``)}
    ${eachItem(wgsl`
      let slot = ${find}(place, parcel);
      if (slot == ${NONE}) { continue; }
      let tag = ${tagAt}(slot);
      if (tag != ${empty}u && ${giveUp}(slot, tag)) { atomicAdd(&${removed}, 1u); }`)}
    workgroupBarrier();
    ${isWhole ? '' : loadGuests}
    ${isWhole ? '' : tidy}
    ${closeItems}
  }
  ${isWhole ? tidy : ''}
  ${isWhole ? wgsl`${store.save}(thread);` : ''}
  if (thread == 0u && atomicLoad(&${removed}) > 0u) { atomicSub(&${counters}.keys, atomicLoad(&${removed})); }`,
  });
}
