/** Deletion from a region by the workgroup that owns it. */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { removedKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import type { Entry, Region } from './region.wgsl.ts';
import { removal } from './removal.wgsl.ts';

export function deleteKernel(region: Region, entry: Entry): Kernel {
  const { shape, header, store, hasClass, classOf, awayOf, eachItem } = region;
  const { threads } = store;
  const { takeOut, hasClasses, freeSlots, pullHome } = removal(region, store);
  /** Buckets that keys are away from, and the slots that were empty in each before anybody pulled. */
  const untidy = wgsl`var<workgroup> untidy: array<u32, ${store.capacity}>;`;
  const count = wgsl`var<workgroup> untidyCount: atomic<u32>;`;
  const slotBits = shape.layout.slots;
  return kernel({
    label: 'regionCuckoo/delete',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  ${region.open(entry)}
  workgroupBarrier();
  let start = first;
  let stop = end;
  var removed = 0u;
  ${eachItem(
    entry,
    wgsl`
      var taken = ${takeOut}(address.home, address.remainder << 1u, parcel);
      if (taken == ${NONE} && ${hasClass}(address.home, ${classOf}(address.remainder))) {
        taken = ${takeOut}(${awayOf}, (address.remainder << 1u) | 1u, parcel);
      }
      removed += u32(taken == 1u);`,
  )}
  if (removed > 0u) { ${removedKeys.add('removed')} }
  workgroupBarrier();
  // They are few. Listed, they are looked after side by side.
  for (var bucket = thread; bucket < 1u << ${header}.bucketBits; bucket += ${threads}u) {
    if (${hasClasses}(bucket)) { ${untidy}[atomicAdd(&${count}, 1u)] = (bucket << ${slotBits}u) | ${freeSlots}(bucket); }
  }
  workgroupBarrier();
  for (var i = thread; i < atomicLoad(&${count}); i += ${threads}u) {
    ${pullHome}(${untidy}[i] >> ${slotBits}u, ${untidy}[i] & ${2 ** slotBits - 1}u);
  }
  workgroupBarrier();
  ${store.save}
  ${removedKeys.flush}`,
  });
}
