/**
 * Deletion by small batches, item by item, in the table itself. Slots are emptied first; then one item tidies each bucket, with
 * the slots that were empty between the two dispatches.
 */
import { extentCount } from '../../gpu/index.ts';
import { multiplyHigh } from '../../hashing/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { removedKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { step, work } from './inPlace.wgsl.ts';
import { removal } from './removal.wgsl.ts';
import type { Slots } from './slots.wgsl.ts';
import type { TagStore } from './tagStore.wgsl.ts';

/** The kernels, one after the other. `store` is where the tags are. */
export function deletionKernels(slots: Slots, store: TagStore) {
  const { parcels, placeOf, find, tagAt, empty, perBucket, shape } = slots;
  const { giveUp, hasClasses, freeSlots, pullHome } = removal(slots, store);
  const isPulling = 2 ** shape.layout.slots;
  const bucketOf = (word: 0 | 1): Wgsl => (word === 0 ? work.of('slot', 'item') : work.of('meeting', 'item'));
  /** WGSL: `(bucket: u32) -> bool`, whether this thread is the first to come to a bucket. */
  const isFirst = wgsl`
fn isFirst(bucket: u32) -> bool {
  let places = ${work.sizeOf('places')};
  var at = ${multiplyHigh}(bucket * 0x9e3779b1u, places);
  for (var i = 0u; i < 2u * places; i++) {
    let result = atomicCompareExchangeWeak(&${work.of('places', 'at')}, 0u, bucket + 1u);
    if (result.exchanged) { return true; }
    if (result.old_value == bucket + 1u) { return false; }
    if (result.old_value == 0u) { continue; }
    at = select(at + 1u, 0u, at + 1u == places);
  }
  return false;
}`;
  const plan = (word: 0 | 1): Wgsl => wgsl`
  {
    let bucket = atomicLoad(&${bucketOf(word)});
    var task = 0u;
    if (bucket != ${NONE}) {
      if (${isFirst}(bucket)) { task = ${isPulling}u | ${freeSlots}(bucket); }
    }
    atomicStore(&${step('item', word)}, task);
  }`;
  const tidy = (word: 0 | 1): Wgsl => wgsl`
  {
    let task = atomicLoad(&${step('item', word)});
    if (task != 0u) { ${pullHome}(atomicLoad(&${bucketOf(word)}), task & ${isPulling - 1}u); }
  }`;
  const overItems = (label: string, steps: Wgsl): Kernel =>
    kernel({
      label: `regionCuckoo/${label}`,
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${steps}`,
    });
  const remove = wgsl`
fn remove(item: u32) {
  let parcel = ${parcels.fromInput('item')};
  let place = ${placeOf}(parcel);
  let slot = ${find}(place, parcel);
  var changed = vec2u(${NONE});
  if (slot != ${NONE}) {
    let tag = ${tagAt}(slot);
    if (tag != ${empty}u && ${giveUp}(slot, tag)) {
      ${removedKeys.count}
      if (${hasClasses}(slot / ${perBucket}u)) { changed.x = slot / ${perBucket}u; }
      // Its home has a class bit for it.
      if ((tag & 1u) == 1u) { changed.y = place.home; }
    }
  }
  atomicStore(&${bucketOf(0)}, changed.x);
  atomicStore(&${bucketOf(1)}, changed.y);
}`;
  return [
    kernel({
      label: 'regionCuckoo/remove',
      threads: THREADS,
      body: wgsl`
  if (item < ${extentCount}) { ${remove}(item); }
  ${removedKeys.flush}`,
    }),
    overItems('plan', wgsl`${plan(0)}\n  ${plan(1)}`),
    overItems('tidy', wgsl`${tidy(0)}\n  ${tidy(1)}`),
  ];
}
