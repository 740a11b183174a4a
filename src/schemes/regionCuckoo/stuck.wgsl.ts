/**
 * Items that found both of their buckets full. Every thread cares for one of them at a time. In rounds, those that need one move make
 * it together; then one thread makes room for the others. Once that fails, nobody else of the workgroup is made room for:
 * all copies of a key share its fate.
 */
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { makingRoom } from './moves.wgsl.ts';
import { NONE, type Region } from './region.wgsl.ts';

/** What is done with an item in the end. */
export interface Outcomes {
  /** WGSL: `(slot: u32, parcel, item: u32)`, it has got a slot. */
  readonly fill: Wgsl;
  /** WGSL: `(slot: u32, parcel)`, its key is there. */
  readonly update: Wgsl;
  /** WGSL: `(parcel)`, there is no room for it. */
  readonly leave: Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, what else moves along with a slot. */
  readonly moveFlags: Wgsl;
}

/** Rounds of moves that are made together. */
const ROUNDS = 3;
/** A thread has no more items than bits in its mask, and one of them is settled at a time. */
const MOST_TURNS = 33;

/** Statements that settle the items in the mask `stuck`; they see `thread`, `first` and `start`. All threads run them. */
export function settleStuck(region: Region, { fill, update, leave, moveFlags }: Outcomes): Wgsl {
  const { parcels, store, isWhole, placeOf, find, heldItems } = region;
  const { threads, itemsHeld } = store;
  const { makeRoom, Step, findMove, ask, isGranted, moveAside } = makingRoom(region, moveFlags);
  const listed = wgsl`var<workgroup> listed: array<u32, ${threads}>;`;
  const count = wgsl`var<workgroup> stuckCount: atomic<u32>;`;
  const isCrowded = wgsl`var<workgroup> isCrowded: u32;`;
  const goesOn = wgsl`var<workgroup> goesOn: u32;`;
  /** Items that are settled are taken off the list. */
  const makeRoomForListed = wgsl`
fn makeRoomForListed(length: u32) {
  for (var i = 0u; i < length; i++) {
    let item = ${listed}[i];
    let parcel = ${parcels.buffer}[item];
    let place = ${placeOf}(parcel);
    let there = ${find}(place, parcel);
    if (there != ${NONE}) {
      ${update}(there, parcel);
    } else {
      let slot = ${makeRoom}(place);
      if (slot == ${NONE}) {
        ${isCrowded} = 1u;
        return;
      }
      ${fill}(slot, parcel, item);
    }
    ${listed}[i] = ${NONE};
  }
}`;
  const moveTogether = wgsl`
      for (var round = 1u; round <= ${ROUNDS}u; round++) {
        // Greater than all of the rounds before.
        let number = (((start - first) / ${threads * itemsHeld}u * ${MOST_TURNS}u + turn) * ${ROUNDS}u + round) * ${threads}u + thread;
        var step = ${Step}(${NONE}, ${NONE});
        if (isStuck) {
          let slot = ${find}(place, parcel);
          if (slot != ${NONE}) {
            ${update}(slot, parcel);
            isStuck = false;
          } else { step = ${findMove}(place); }
          if (step.origin != ${NONE}) { ${ask}(place, step, number); }
        }
        workgroupBarrier();
        if (step.origin != ${NONE} && ${isGranted}(place, step, number)) {
          ${moveAside}(place, step);
          ${fill}(step.origin, parcel, item);
          isStuck = false;
        }
        storageBarrier();
        workgroupBarrier();
      }`;
  const ownItem = wgsl`
      let item = min(start + firstTrailingBit(stuck | 0x80000000u) * ${threads}u + thread, end - 1u);
      let parcel = ${parcels.buffer}[item];
      let place = ${placeOf}(parcel);`;
  return wgsl`
    for (var turn = 0u; turn < ${MOST_TURNS}u; turn++) {
      if (stuck != 0u) { atomicAdd(&${count}, 1u); }
      workgroupBarrier();
      if (thread == 0u) {
        ${goesOn} = u32(atomicLoad(&${count}) > 0u && ${isCrowded} == 0u);
        atomicStore(&${count}, 0u);
      }
      if (workgroupUniformLoad(&${goesOn}) == 0u) { break; }
      ${ownItem}
      var isStuck = stuck != 0u;
      ${isWhole ? moveTogether : ''}
      var mine = 0u;
      if (isStuck) {
        mine = atomicAdd(&${count}, 1u);
        ${listed}[mine] = item;
      }
      workgroupBarrier();
      if (thread == 0u) {
        ${makeRoomForListed}(atomicLoad(&${count}));
        atomicStore(&${count}, 0u);
      }
      storageBarrier();
      workgroupBarrier();
      if (!isStuck || ${listed}[mine] == ${NONE}) { stuck &= stuck - 1u; }
    }
    ${heldItems(
      'stuck',
      wgsl`
      let slot = ${find}(place, parcel);
      if (slot == ${NONE}) { ${leave}(parcel); } else { ${update}(slot, parcel); }`,
    )}
    storageBarrier();
    workgroupBarrier();`;
}
