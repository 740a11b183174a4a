/**
 * Deletion from a region by the workgroup that owns it. First every key that is there gives up its slot. Then every bucket looks at
 * its class bits: one for which no key is away any more is cleared, and as long as there is room, keys that are away are pulled home.
 */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { classesOf } from './layout.wgsl.ts';
import { enterRegion, NONE, type Region, THREADS } from './region.wgsl.ts';

export function deleteKernel(region: Region): Kernel {
  const { shape, parcels, header, load, save, placeOf, find, tags, perBucket, tagAt, setTag, empty } = region;
  const { hasClass, clearClass, guestOf, awayFrom, moveStored, noteDirty } = region;
  const { layout } = shape;
  const { metaWords, tagsPerWord, tagBits, slots } = layout;
  const removed = wgsl`var<workgroup> removed: atomic<u32>;`;
  const total = wgsl`var<workgroup> removedTotal: u32;`;
  /** WGSL: `(slot: u32, tag: u32) -> bool`, whether this thread has emptied the slot: a copy may have been faster. */
  const giveUp = wgsl`
fn giveUp(slot: u32, tag: u32) -> bool {
  let within = slot % ${perBucket}u;
  let shift = (within % ${tagsPerWord}u) * ${tagBits}u;
  let before = atomicOr(&${tags}[(slot / ${perBucket}u) * ${metaWords}u + within / ${tagsPerWord}u], ${empty}u << shift);
  ${noteDirty}(slot / ${perBucket}u);
  return ((before >> shift) & ${empty}u) == tag;
}`;
  const pullHome = wgsl`
fn pullHome(bucket: u32, freeSlots: u32) {
  var free = freeSlots;
  for (var kind = 0u; kind < ${classesOf(layout)}u; kind++) {
    if (!${hasClass}(bucket, kind)) { continue; }
    let other = ${awayFrom}(bucket, kind);
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
  return kernel({
    label: 'regionCuckoo/delete',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  ${enterRegion(header)}
  ${load}(region, thread);
  workgroupBarrier();
  for (var i = first + thread; i < end; i += ${THREADS}u) {
    let parcel = ${parcels.buffer}[i];
    let slot = ${find}(${placeOf}(parcel), parcel);
    if (slot == ${NONE}) { continue; }
    let tag = ${tagAt}(slot);
    if (tag != ${empty}u && ${giveUp}(slot, tag)) { atomicAdd(&${removed}, 1u); }
  }
  workgroupBarrier();
  if (thread == 0u) { ${total} = atomicLoad(&${removed}); }
  if (workgroupUniformLoad(&${total}) == 0u) { return; }
  for (var low = 0u; low < 1u << ${header}.bucketBits; low += ${THREADS}u) {
    let bucket = low + thread;
    let isBucket = bucket < 1u << ${header}.bucketBits;
    // Slots that were empty before anybody pulled: the values of others may still be on their way out.
    var free = 0u;
    for (var s = 0u; s < ${slots}u && isBucket; s++) {
      free |= select(0u, 1u << s, ${tagAt}(bucket * ${perBucket}u + s) == ${empty}u);
    }
    workgroupBarrier();
    if (isBucket) { ${pullHome}(bucket, free); }
    storageBarrier();
    workgroupBarrier();
  }
  ${save}(thread);
  if (thread == 0u) { atomicSub(&${counters}.keys, ${total}); }`,
  });
}
