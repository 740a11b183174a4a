/**
 * Deletion from a region by the workgroup that owns it. First every key that is there gives up its slot. Then every bucket looks at
 * its class bits: one for which no key is away any more is cleared, and as long as there is room, keys that are away are pulled home.
 */
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { metaCode } from './layout.wgsl.ts';
import { enterGroup, NONE, type Region } from './region.wgsl.ts';

export function deleteKernel(region: Region): Kernel {
  const { shape, header, store, find, perBucket, tagAt, setTag, empty, classOf } = region;
  const { clearClass, guestOf, awayFrom, homeFrom, moveStored, noteDirty, isDirtyAt } = region;
  const { isWhole, eachItem, openItems, closeItems } = region;
  const { layout } = shape;
  const { metaWords, tagsPerWord, tagBits, slots } = layout;
  const { threads, tags, itemsHeld } = store;
  const { classesIn, classBits } = metaCode(layout);
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
  const hasClasses = wgsl`
fn hasClasses(place: u32) -> bool {
  var words = 0u;
  for (var w = 0u; w < ${metaWords}u; w++) { words |= atomicLoad(&${tags}[place * ${metaWords}u + w]); }
  return ${classesIn('words')} != 0u;
}`;
  const freeSlots = wgsl`
fn freeSlots(bucket: u32) -> u32 {
  var free = 0u;
  for (var s = 0u; s < ${slots}u; s++) {
    free |= select(0u, 1u << s, ${tagAt}(bucket * ${perBucket}u + s) == ${empty}u);
  }
  return free;
}`;
  /** Statements for every class of which a key of the bucket at `place` is away; they see `bucket`, `kind` and `other`. */
  const eachClass = (then: Wgsl): Wgsl => wgsl`
  for (var w = 0u; w < ${metaWords}u; w++) {
    for (var bits = ${classesIn(wgsl`atomicLoad(&${tags}[place * ${metaWords}u + w])`)}; bits != 0u; bits &= bits - 1u) {
      let kind = w * ${classBits}u + firstTrailingBit(bits);
      let other = ${awayFrom}(bucket, kind);
      ${then}
    }
  }`;
  const pullHome = wgsl`
fn pullHome(place: u32, bucket: u32, freeSlots: u32) {
  var free = freeSlots;
  ${eachClass(wgsl`
      // Where one was removed, both buckets are here.
      if (!${store.isHere('other')}) { continue; }
      var guest = ${guestOf}(other, kind);
      for (; guest != ${NONE} && free != 0u; free &= free - 1u) {
        let slot = bucket * ${perBucket}u + firstTrailingBit(free);
        ${setTag}(slot, ${tagAt}(guest) ^ 1u);
        ${moveStored}(guest, slot);
        // Nobody fills it before the next barrier.
        ${setTag}(guest, ${empty}u);
        guest = ${guestOf}(other, kind);
      }
      if (guest == ${NONE}) { ${clearClass}(bucket, kind); }`)}
}`;
  /** Statements that load the buckets where keys of changed buckets may be guests, as far as there is room. */
  const loadGuests = wgsl`
    for (var place = thread; place < ${store.capacity}u; place += ${threads}u) {
      if (!${isDirtyAt('place')}) { continue; }
      let bucket = ${store.bucketAt('place')};
      ${eachClass(wgsl`${store.ensureIfRoom}(other);`)}
    }
    workgroupBarrier();`;
  /**
   * For every place the slots that were empty before anybody pulled, and a bit beside them if its bucket has changed: the values of
   * other slots may still be on their way out, and whoever pulls changes other buckets.
   */
  const free = wgsl`var<workgroup> free: array<u32, ${store.capacity}>;`;
  const isPulling = 2 ** slots;
  /** Statements for the buckets that have lost a key, or one that was their guest elsewhere. */
  const tidy = wgsl`
    for (var place = thread; place < ${store.capacity}u; place += ${threads}u) {
      ${free}[place] = 0u;
      if (${isDirtyAt('place')} && ${hasClasses}(place)) { ${free}[place] = ${isPulling}u | ${freeSlots}(${store.bucketAt('place')}); }
    }
    workgroupBarrier();
    for (var place = thread; place < ${store.capacity}u; place += ${threads}u) {
      if (${free}[place] != 0u) { ${pullHome}(place, ${store.bucketAt('place')}, ${free}[place] & ${isPulling - 1}u); }
    }
    storageBarrier();
    workgroupBarrier();`;
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
