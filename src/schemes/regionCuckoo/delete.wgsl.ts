/** Deletion from a region by the workgroup that owns it. */

import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { removedKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import type { Region } from './region.wgsl.ts';
import { removal } from './removal.wgsl.ts';

export function deleteKernel(region: Region, enter: Wgsl): Kernel {
  const { shape, header, store, find, tagAt, empty, classOf, homeFrom, perBucket, eachItem } = region;
  const { threads } = store;
  const { giveUp, hasClasses, freeSlots, pullHome } = removal(region, store);
  /** For every bucket the slots that were empty before anybody pulled, and a bit beside them if it is tidied. */
  const free = wgsl`var<workgroup> free: array<u32, ${store.capacity}>;`;
  const isPulling = 2 ** shape.layout.slots;
  return kernel({
    label: 'regionCuckoo/delete',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  ${enter}
  ${store.open}(firstBucket, thread);
  workgroupBarrier();
  let start = first;
  let stop = end;
  ${eachItem(wgsl`
      let slot = ${find}(place, parcel);
      if (slot == ${NONE}) { continue; }
      let tag = ${tagAt}(slot);
      if (tag == ${empty}u || !${giveUp}(slot, tag)) { continue; }
      ${removedKeys.count}
      // Its home has a class bit for it.
      if ((tag & 1u) == 1u) { ${store.noteChange(wgsl`${homeFrom}(slot / ${perBucket}u, ${classOf}(tag >> 1u))`)} }`)}
  workgroupBarrier();
  let buckets = 1u << ${header}.bucketBits;
  for (var bucket = thread; bucket < buckets; bucket += ${threads}u) {
    ${free}[bucket] = 0u;
    if (${store.hasChanged('bucket')} && ${hasClasses}(bucket)) { ${free}[bucket] = ${isPulling}u | ${freeSlots}(bucket); }
  }
  workgroupBarrier();
  for (var bucket = thread; bucket < buckets; bucket += ${threads}u) {
    if (${free}[bucket] != 0u) { ${pullHome}(bucket, ${free}[bucket] & ${isPulling - 1}u); }
  }
  workgroupBarrier();
  ${store.save}(thread);
  ${removedKeys.flush}`,
  });
}
