/**
 * Making room. If both buckets of a key are full, keys are moved along a path: the first to its other bucket, where it takes the place
 * of the second, and so on to an empty slot. The path is found first, in a dispatch in which nobody writes the table, and every slot
 * on it is asked for by a lock. In the next dispatch those who got all their locks move, and nobody else: no slot is on two such
 * paths, so all are as they were when the path was found, and no key is ever without a slot. Who did not get all locks, or found no
 * path, tries again in the next round. The greatest claim of a round gets all it asks for, so that every round gets somewhere.
 */
import { type Kernel, kernel, storage, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { fillSlot } from './claim.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { LONGEST_PATH, PATH_WORDS } from './moveRoom.ts';
import { moveRooms, work } from './scratch.wgsl.ts';

/** Locks, then how many items each lane is done with, then the path of each lane. */
export const moves = storage('moves', 'array<atomic<u32>>', 'read_write');
/** The number of the round. */
export const round = uniform('round', 'u32');

/** Bits of the number of a lane. */
const LANE_BITS = 21;
/** Claims of a later round are greater, so that locks need not be cleared. */
const claimOf = (lane: WgslPart): Wgsl => wgsl`(((${round} + 1u) << ${LANE_BITS}u) | ${lane})`;

const lanes = wgsl`${moveRooms}.x`;
const lockCount = wgsl`(1u << ${moveRooms}.y)`;
const lockOf = (slot: WgslPart): Wgsl => wgsl`${moves}[(${slot} * 0x9e3779b1u) >> (32u - ${moveRooms}.y)]`;
const doneIn = (lane: WgslPart): Wgsl => wgsl`${moves}[${lockCount} + ${lane}]`;
const pathWord = (lane: WgslPart, word: WgslPart): Wgsl =>
  wgsl`${moves}[${lockCount} + ${lanes} + ${lane} * ${PATH_WORDS}u + ${word}]`;
const pathSlot = (lane: WgslPart, i: WgslPart): Wgsl => pathWord(lane, wgsl`1u + 2u * (${i})`);
const pathTag = (lane: WgslPart, i: WgslPart): Wgsl => pathWord(lane, wgsl`2u + 2u * (${i})`);

/** WGSL: `(lane: u32) -> u32`, the item that waits in a lane, or none. A lane takes every `lanes`-th. */
const waitingIn = wgsl`
fn waitingIn(lane: u32) -> u32 {
  if (lane >= ${lanes}) { return ${NONE}; }
  let position = lane + atomicLoad(&${doneIn('lane')}) * ${lanes};
  if (position >= atomicLoad(&${work.waitingCount})) { return ${NONE}; }
  return atomicLoad(&${work.of('waiting', 'position')});
}`;

/** Finds a path for every item that waits, and asks for its slots. */
export function pathKernel({ shape, parts, keys }: Items): Kernel {
  const { perBucket, request } = shape;
  const { buckets, code, choices, otherChoice, emptyTag, subtableOf, storedKey, key: inTable } = parts;
  const slots = wgsl`var<private> slots: array<u32, ${LONGEST_PATH}>;`;
  const tags = wgsl`var<private> tags: array<u32, ${LONGEST_PATH}>;`;
  const isOnPath = wgsl`
fn isOnPath(slot: u32, length: u32) -> bool {
  for (var i = 0u; i < length; i++) {
    if (${slots}[i] == slot) { return true; }
  }
  return false;
}`;
  const emptySlots = wgsl`
fn emptySlots(bucket: u32) -> u32 {
  return ${code.matches}(${buckets}[bucket], ${emptyTag}(bucket));
}`;
  /** Any of the slots in a mask, so that two paths to one bucket need not meet. */
  const anyOf = wgsl`
fn anyOf(mask: u32, random: u32) -> u32 {
  return select(firstTrailingBit(mask), firstLeadingBit(mask), (random & 1u) == 1u);
}`;
  // A random walk that looks one step ahead: all keys of a bucket are asked before one of them is chosen.
  const findPath = wgsl`
fn findPath(start: ${parts.Choice}, seed: u32) -> u32 {
  var here = start;
  var random = seed;
  for (var length = 0u; length + 1u < ${LONGEST_PATH}u; length++) {
    random = random * 747796405u + 2891336453u;
    let content = ${buckets}[here.bucket];
    let free = ${code.matches}(content, ${emptyTag}(here.bucket));
    ${tags}[length] = here.tag;
    if (free != 0u) {
      ${slots}[length] = here.bucket * ${perBucket}u + ${anyOf}(free, random >> 8u);
      return length + 1u;
    }
    let number = ${subtableOf}(here.bucket).number;
    var onward = ${NONE};
    var next = here;
    for (var s = 0u; s < ${perBucket}u; s++) {
      let within = ((random >> 16u) + s) % ${perBucket}u;
      let slot = here.bucket * ${perBucket}u + within;
      if (${isOnPath}(slot, length)) { continue; }
      let tag = ${code.tagOf}(content, within);
      let other = ${otherChoice(inTable)}(number, ${inTable.of(storedKey('slot', 'number', 'tag'))});
      let room = ${emptySlots}(other.bucket);
      if (room != 0u) {
        ${slots}[length] = slot;
        ${slots}[length + 1u] = other.bucket * ${perBucket}u + ${anyOf}(room, random >> 8u);
        ${tags}[length + 1u] = other.tag;
        return length + 2u;
      }
      if (onward == ${NONE}) {
        onward = slot;
        next = other;
      }
    }
    if (onward == ${NONE}) { return 0u; }
    ${slots}[length] = onward;
    here = next;
  }
  return 0u;
}`;
  return kernel({
    label: `dyCuckoo/path/${request.key.name}`,
    threads: THREADS,
    body: wgsl`
  let waiting = ${waitingIn}(item);
  if (waiting == ${NONE}) { return; }
  let both = ${choices(keys.access)}(${keys.at('waiting')});
  var start = both[0];
  if (((${round} + item) & 1u) == 1u) { start = both[1]; }
  let length = ${findPath}(start, (item * 0x9e3779b1u) ^ (${round} * 0x85ebca6bu));
  atomicStore(&${pathWord('item', '0u')}, length);
  for (var i = 0u; i < length; i++) {
    atomicStore(&${pathSlot('item', 'i')}, ${slots}[i]);
    atomicStore(&${pathTag('item', 'i')}, ${tags}[i]);
    atomicMax(&${lockOf(wgsl`${slots}[i]`)}, ${claimOf('item')});
  }`,
  });
}

/** Moves along the paths whose slots all are granted. */
export function moveKernel(items: Items, copies: Speakers): Kernel {
  const { tagWord, moveStored } = items;
  const isGranted = wgsl`
fn isGranted(lane: u32, length: u32) -> bool {
  for (var i = 0u; i < length; i++) {
    let slot = atomicLoad(&${pathSlot('lane', 'i')});
    if (atomicLoad(&${lockOf('slot')}) != ${claimOf('lane')}) { return false; }
  }
  return length > 0u;
}`;
  const moveAlong = wgsl`
fn moveAlong(lane: u32, waiting: u32) {
  let length = atomicLoad(&${pathWord('lane', '0u')});
  if (!${isGranted}(lane, length)) { return; }
  for (var i = length - 1u; i > 0u; i--) {
    let goal = atomicLoad(&${pathSlot('lane', 'i')});
    ${moveStored}(atomicLoad(&${pathSlot('lane', 'i - 1u')}), goal);
    atomicStore(&${tagWord('goal')}, atomicLoad(&${pathTag('lane', 'i')}));
  }
  let slot = atomicLoad(&${pathSlot('lane', '0u')});
  atomicStore(&${tagWord('slot')}, atomicLoad(&${pathTag('lane', '0u')}));
  ${fillSlot(items, copies)}(slot, waiting);
  atomicAdd(&${doneIn('lane')}, 1u);
}`;
  return kernel({
    label: 'dyCuckoo/move',
    threads: THREADS,
    body: wgsl`
  let waiting = ${waitingIn}(item);
  if (waiting != ${NONE}) { ${moveAlong}(item, waiting); }
  ${newKeys.flush}`,
  });
}
