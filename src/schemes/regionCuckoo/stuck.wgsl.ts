/**
 * Items that found both of their buckets full. They are handed out, one to each thread at a time. In rounds, those that need one move make
 * it together; then one thread makes room for the others. Once that fails, nobody else of the workgroup is made room for:
 * all copies of a key share its fate.
 */

import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { makingRoom, Step } from './moves.wgsl.ts';
import type { Region } from './region.wgsl.ts';

/** What is done with an item in the end. */
export interface Outcomes {
  /** WGSL: `(slot: u32, parcel, item: u32)`, it has got a slot. */
  readonly fill: Wgsl;
  /** WGSL: `(slot: u32)`, a copy of it has got one. */
  readonly meet: Wgsl;
  /** WGSL: `(parcel)`, there is no room for it. */
  readonly leave: Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, what else moves along with a slot. */
  readonly moveFlags?: Wgsl | undefined;
}

/** Rounds of moves that are made together. */
const ROUNDS = 3;
/** A thread has no more items than bits in its mask, and as many are settled at a time as there are threads. */
const MOST_TURNS = 33;

/** What the workgroup keeps of them. */
const memoryOf = ({ store: { threads, capacity } }: Region) => ({
  locks: wgsl`var<workgroup> locks: array<atomic<u32>, ${capacity}>;`,
  listed: wgsl`var<workgroup> listed: array<u32, ${threads}>;`,
  count: wgsl`var<workgroup> stuckCount: atomic<u32>;`,
  isCrowded: wgsl`var<workgroup> isCrowded: u32;`,
  /** A count that all threads know. */
  known: wgsl`var<workgroup> known: u32;`,
});

type Memory = ReturnType<typeof memoryOf>;
type Making = ReturnType<typeof makingRoom>;

/** Statements that settle the items in the mask `stuck`; they see `thread`, `first` and `start`. All threads run them. */
export function settleStuck(region: Region, outcomes: Outcomes): Wgsl {
  const { parcels, store, addressOf, find } = region;
  const { threads } = store;
  const { meet, leave, moveFlags } = outcomes;
  const memory = memoryOf(region);
  const { isCrowded } = memory;
  const making = makingRoom(region, { lockOf: (bucket) => wgsl`${memory.locks}[${bucket}]`, moveFlags });
  return wgsl`
    // There is one at most: nobody is made room for after it.
    var failed = ${NONE};
    var turns = ${MOST_TURNS}u;
    if (start > first) { turns = select(turns, 0u, workgroupUniformLoad(&${isCrowded}) != 0u); }
    for (var turn = 0u; turn < turns; turn++) {
      ${handOut(region, memory)}
      ${moveTogether(region, memory, making, outcomes)}
      if (remaining > 0u) { ${makeRoomAlone(region, memory, making, outcomes)} }
      if (handedOut <= ${threads}u) { break; }
      // The list is used again.
      workgroupBarrier();
    }
    for (; stuck != 0u || failed != ${NONE}; failed = ${NONE}) {
      var item = failed;
      if (item == ${NONE}) {
        item = start + firstTrailingBit(stuck) * ${threads}u + thread;
        stuck &= stuck - 1u;
      }
      let parcel = ${parcels.buffer}[item];
      let address = ${addressOf}(parcel);
      let slot = ${find}(address, parcel);
      if (slot == ${NONE}) { ${leave}(parcel); } else { ${meet}(slot); }
    }
    storageBarrier();
    workgroupBarrier();`;
}

/** Statements that give one item to each thread, or end the loop. Evenly, because few threads have several. */
function handOut({ parcels, store: { threads }, addressOf }: Region, { count, listed, known }: Memory): Wgsl {
  return wgsl`
      for (; stuck != 0u; stuck &= stuck - 1u) {
        let at = atomicAdd(&${count}, 1u);
        if (at >= ${threads}u) { break; }
        ${listed}[at] = start + firstTrailingBit(stuck) * ${threads}u + thread;
      }
      workgroupBarrier();
      if (thread == 0u) { ${known} = atomicExchange(&${count}, 0u); }
      let handedOut = workgroupUniformLoad(&${known});
      if (handedOut == 0u) { break; }
      let item = ${listed}[min(thread, min(handedOut, ${threads}u) - 1u)];
      let parcel = ${parcels.buffer}[item];
      let address = ${addressOf}(parcel);
      var isStuck = thread < handedOut;`;
}

/** Statements that make one move for each of them, as long as anybody is stuck; `remaining` tells how many are in the end. */
function moveTogether(
  { store: { threads, itemsHeld }, find }: Region,
  { count, known }: Memory,
  { findMove, ask, isGranted, moveAside }: Making,
  { fill, meet }: Outcomes,
): Wgsl {
  return wgsl`
      var remaining = handedOut;
      for (var round = 1u; round <= ${ROUNDS}u && remaining > 0u; round++) {
        // Greater than all of the rounds before.
        let number = (((start - first) / ${threads * itemsHeld}u * ${MOST_TURNS}u + turn) * ${ROUNDS}u + round) * ${threads}u + thread;
        var step = ${Step}(${NONE}, ${NONE});
        if (isStuck) {
          let slot = ${find}(address, parcel);
          if (slot != ${NONE}) {
            ${meet}(slot);
            isStuck = false;
          } else { step = ${findMove}(address); }
          if (step.origin != ${NONE}) { ${ask}(address, step, number); }
        }
        workgroupBarrier();
        if (step.origin != ${NONE} && ${isGranted}(address, step, number)) {
          ${moveAside}(address, step);
          ${fill}(step.origin, parcel, item);
          isStuck = false;
        }
        if (isStuck) { atomicAdd(&${count}, 1u); }
        storageBarrier();
        workgroupBarrier();
        if (thread == 0u) { ${known} = atomicExchange(&${count}, 0u); }
        remaining = workgroupUniformLoad(&${known});
      }`;
}

/** Statements by which one thread makes room for the others, until it fails. */
function makeRoomAlone(
  { parcels, addressOf, find }: Region,
  { listed, count, isCrowded }: Memory,
  { makeRoom }: Making,
  { fill, meet }: Outcomes,
): Wgsl {
  /** Items that are settled are taken off the list. */
  const makeRoomForListed = wgsl`
fn makeRoomForListed(length: u32) {
  for (var i = 0u; i < length; i++) {
    let item = ${listed}[i];
    let parcel = ${parcels.buffer}[item];
    let address = ${addressOf}(parcel);
    let there = ${find}(address, parcel);
    if (there != ${NONE}) {
      ${meet}(there);
    } else {
      let slot = ${makeRoom}(address);
      if (slot == ${NONE}) {
        ${isCrowded} = 1u;
        return;
      }
      ${fill}(slot, parcel, item);
    }
    ${listed}[i] = ${NONE};
  }
}`;
  return wgsl`
        var mine = 0u;
        if (isStuck) {
          mine = atomicAdd(&${count}, 1u);
          ${listed}[mine] = item;
        }
        workgroupBarrier();
        if (thread == 0u) { ${makeRoomForListed}(atomicExchange(&${count}, 0u)); }
        storageBarrier();
        workgroupBarrier();
        if (isStuck && ${listed}[mine] != ${NONE}) { failed = item; }
        if (workgroupUniformLoad(&${isCrowded}) != 0u) { break; }`;
}
