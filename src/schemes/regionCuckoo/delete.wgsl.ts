/**
 * Deletion from a region by the workgroup that owns it. First every key that is there gives up its slot. Then every bucket looks at
 * its class bits: one for which no key is away any more is cleared, and as long as there is room, keys that are away are pulled home.
 */
import { type Kernel, kernel, unrolled, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { classesOf, metaCode } from './layout.wgsl.ts';
import { enterGroup, NONE, type Region } from './region.wgsl.ts';

/** A bit beside those of slots. */
const ANY_SLOT = 1 << 8;

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
  const hasClasses = wgsl`
fn hasClasses(place: u32) -> bool {
  var bits = 0u;
  for (var w = 0u; w < ${metaWords}u; w++) { bits |= atomicLoad(&${tags}[place * ${metaWords}u + w]); }
  return (bits & ${metaCode(layout).classMask}) != 0u;
}`;
  const freeSlots = wgsl`
fn freeSlots(bucket: u32) -> u32 {
  var free = 0u;
  for (var s = 0u; s < ${slots}u; s++) {
    free |= select(0u, 1u << s, ${tagAt}(bucket * ${perBucket}u + s) == ${empty}u);
  }
  return free;
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
      if (!${isDirtyAt('place')} || !${hasClasses}(place)) { continue; }
      let bucket = ${store.bucketAt('place')};
      for (var kind = 0u; kind < ${classesOf(layout)}u; kind++) {
        if (${hasClass}(bucket, kind)) { ${store.ensureIfRoom}(${awayFrom}(bucket, kind)); }
      }
    }
    workgroupBarrier();`;
  /** Places that a thread looks after. */
  const held = Math.ceil(store.capacity / threads);
  const placeAt = (k: number): string => `(${k * threads}u + thread)`;
  /** Slots that were empty before anybody pulled: the values of others may still be on their way out. */
  const noteFree = (k: number): Wgsl => wgsl`
    var free${k} = 0u;
    if (${isDirtyAt(placeAt(k))} && ${hasClasses}(${placeAt(k)})) { free${k} = ${ANY_SLOT}u | ${freeSlots}(${store.bucketAt(placeAt(k))}); }`;
  const pullFor = (k: number): Wgsl => wgsl`
    if (free${k} != 0u) { ${pullHome}(${store.bucketAt(placeAt(k))}, free${k} & ~${ANY_SLOT}u); }`;
  /** Statements for the buckets that have lost a key, or one that was their guest elsewhere, and have keys that are away. */
  const tidy = wgsl`
    ${unrolled(held, noteFree)}
    workgroupBarrier();
    ${unrolled(held, pullFor)}
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
