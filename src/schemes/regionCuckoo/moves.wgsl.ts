/**
 * Making room. If both buckets of a key are full, keys are moved along a path: the first to its other bucket, where it takes the
 * place of the second, and so on to a bucket with an empty slot. The path is found first, and nothing is moved unless it ends: no key
 * is ever without a slot. Most need one move, and those are made together, each by a thread that has all buckets of the move to
 * itself. One thread makes room for the few that are left.
 */

import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import type { Slots } from './slots.wgsl.ts';

/** Keys that are moved for one at most. */
const LONGEST_PATH = 64;

/** What moves need beside the slots. */
interface Moving {
  /** For every bucket, who may change it: the greatest number. Those of later rounds are greater. Buckets may share one. */
  lockOf(bucket: WgslPart): Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, what else moves along with a slot. */
  readonly moveFlags?: Wgsl | undefined;
}

/** A key that could move. */
export const Step = wgsl`
struct Step {
  origin: u32, // the slot that becomes free, or none
  goal: u32,
}`;

export function makingRoom(slots: Slots, { lockOf, moveFlags }: Moving) {
  const { Address, perBucket, tagAt, setTag, emptySlot, empty, classOf, awayFrom, otherBucket } = slots;
  const { setClass, clearClass, guestOf, moveStored } = slots;
  // One thread's own, but here: memory of its own would be set to zero for every thread.
  const path = wgsl`var<workgroup> path: array<u32, ${LONGEST_PATH}>;`;
  /** A key goes to an empty slot of its other bucket. */
  const moveKey = wgsl`
fn moveKey(origin: u32, goal: u32) {
  let tag = ${tagAt}(origin);
  let kind = ${classOf}(tag >> 1u);
  ${setTag}(goal, tag ^ 1u);
  ${setTag}(origin, ${empty}u);
  ${moveStored}(origin, goal);
  ${moveFlags ? wgsl`${moveFlags}(origin, goal);` : ''}
  if ((tag & 1u) == 0u) { ${setClass}(origin / ${perBucket}u, kind); }
  else if (${guestOf}(origin / ${perBucket}u, kind) == ${NONE}) { ${clearClass}(goal / ${perBucket}u, kind); }
}`;
  const isOnPath = wgsl`
fn isOnPath(slot: u32, length: u32) -> bool {
  for (var i = 0u; i < length; i++) {
    if (${path}[i] == slot) { return true; }
  }
  return false;
}`;
  /** WGSL: `(start: u32, seed: u32) -> u32`, an empty slot in that bucket, after keys were moved if need be; or none. */
  const freeSlot = wgsl`
fn freeSlot(start: u32, seed: u32) -> u32 {
  var bucket = start;
  var random = seed;
  for (var length = 0u; length <= ${LONGEST_PATH}u; length++) {
    var hole = ${emptySlot}(bucket);
    if (hole != ${NONE}) {
      for (var i = length; i > 0u; i--) {
        ${moveKey}(${path}[i - 1u], hole);
        hole = ${path}[i - 1u];
      }
      return hole;
    }
    if (length == ${LONGEST_PATH}u) { break; }
    random = random * 747796405u + 2891336453u;
    let turn = (random >> 16u) % ${perBucket}u;
    var victim = ${NONE};
    for (var s = 0u; s < ${perBucket}u && victim == ${NONE}; s++) {
      let slot = bucket * ${perBucket}u + (turn + s) % ${perBucket}u;
      if (!${isOnPath}(slot, length)) { victim = slot; }
    }
    if (victim == ${NONE}) { break; }
    ${path}[length] = victim;
    bucket = ${otherBucket}(bucket, ${tagAt}(victim));
  }
  return ${NONE};
}`;
  /** A key in either bucket that could move at once. */
  const findMove = wgsl`
fn findMove(address: ${Address}) -> ${Step} {
  let away = ${awayFrom}(address.home, ${classOf}(address.remainder));
  for (var i = 0u; i < ${2 * perBucket}u; i++) {
    let bucket = select(address.home, away, i >= ${perBucket}u);
    let slot = bucket * ${perBucket}u + i % ${perBucket}u;
    let tag = ${tagAt}(slot);
    // Who only looks like a key that is there has room at home: that needs no move.
    if (tag == ${empty}u) { continue; }
    let goal = ${emptySlot}(${otherBucket}(bucket, tag));
    if (goal != ${NONE}) { return ${Step}(slot, goal); }
  }
  return ${Step}(${NONE}, ${NONE});
}`;
  return {
    /** WGSL: `(address: Address) -> Step`. */
    findMove,
    /** WGSL: `(address: Address, step: Step, number: u32)`, asks for the buckets of a move, and for the key's home: copies do so too. */
    ask: wgsl`
fn askFor(address: ${Address}, step: ${Step}, number: u32) {
  atomicMax(&${lockOf('address.home')}, number);
  atomicMax(&${lockOf(wgsl`(step.origin / ${perBucket}u)`)}, number);
  atomicMax(&${lockOf(wgsl`(step.goal / ${perBucket}u)`)}, number);
}`,
    /** WGSL: `(address: Address, step: Step, number: u32) -> bool`, whether all of them were granted. */
    isGranted: wgsl`
fn isGranted(address: ${Address}, step: ${Step}, number: u32) -> bool {
  return atomicLoad(&${lockOf('address.home')}) == number
    && atomicLoad(&${lockOf(wgsl`(step.origin / ${perBucket}u)`)}) == number
    && atomicLoad(&${lockOf(wgsl`(step.goal / ${perBucket}u)`)}) == number;
}`,
    /** WGSL: `(address: Address, step: Step)`, makes the move, and puts the tag of the key into the slot that became free. */
    moveAside: wgsl`
fn moveAside(address: ${Address}, step: ${Step}) {
  ${moveKey}(step.origin, step.goal);
  let goesAway = step.origin / ${perBucket}u != address.home;
  ${setTag}(step.origin, (address.remainder << 1u) | u32(goesAway));
  if (goesAway) { ${setClass}(address.home, ${classOf}(address.remainder)); }
}`,
    /** WGSL: `(address: Address) -> u32`, puts the tag of a key that is not there into a slot of either bucket, and returns it; or none. */
    makeRoom: wgsl`
fn makeRoom(address: ${Address}) -> u32 {
  let kind = ${classOf}(address.remainder);
  let away = ${awayFrom}(address.home, kind);
  for (var i = 0u; i < 4u; i++) {
    let goesAway = (i & 1u) == 1u;
    let slot = ${freeSlot}(select(address.home, away, goesAway), address.remainder + i);
    if (slot == ${NONE}) { continue; }
    ${setTag}(slot, (address.remainder << 1u) | u32(goesAway));
    if (goesAway) { ${setClass}(address.home, kind); }
    return slot;
  }
  return ${NONE};
}`,
  };
}
