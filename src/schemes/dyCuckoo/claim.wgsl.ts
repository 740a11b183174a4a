/**
 * Items whose keys are there change their values; the others take an empty slot of either bucket, by compare-exchange of its tag. Each
 * key has one item that speaks for it, so that nobody else brings the same key, and only empty slots are taken: who takes one owns it.
 */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { ABSENT, NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { ROOM_BITS, work } from './scratch.wgsl.ts';

/** Statements that put key and value of an item into a slot that it owns. */
export function fillSlot({ shape, storeKey, storeValue, valueAt }: Items, { folded }: Speakers): Wgsl {
  const value = folded ? folded('item') : valueAt('item');
  return wgsl`
fn fillSlot(slot: u32, item: u32) {
  ${storeKey}(slot, item);
  ${shape.request.valueWords > 0 ? wgsl`let value = ${value};` : ''}
  ${shape.request.valueWords > 0 ? storeValue('slot', 'value') : ''}
  atomicStore(&${work.of('slot', 'item')}, slot);
  ${newKeys.count}
}`;
}

/** Tries for one slot. A compare-exchange may fail for no reason; who gives up waits like those who found no room. */
const TRIES = 4;

export function claimKernel(items: Items, copies: Speakers, onExisting: OnExisting): Kernel {
  const { shape, parts, keys, tagWord, storeValue, storedWord, valueAt } = items;
  const { perBucket, request } = shape;
  const { emptyTag, Choice, choices } = parts;
  const roomIn = wgsl`
fn roomIn(bucket: u32) -> u32 {
  let empty = ${emptyTag}(bucket);
  var room = 0u;
  for (var s = 0u; s < ${perBucket}u; s++) {
    room += u32(atomicLoad(&${tagWord(wgsl`(bucket * ${perBucket}u + s)`)}) == empty);
  }
  return room;
}`;
  const claim = wgsl`
fn claim(choice: ${Choice}) -> u32 {
  let empty = ${emptyTag}(choice.bucket);
  for (var s = 0u; s < ${perBucket}u; s++) {
    let slot = choice.bucket * ${perBucket}u + s;
    for (var i = 0u; i < ${TRIES}u && atomicLoad(&${tagWord('slot')}) == empty; i++) {
      if (atomicCompareExchangeWeak(&${tagWord('slot')}, empty, choice.tag).exchanged) { return slot; }
    }
  }
  return ${NONE};
}`;
  const update =
    typeof onExisting === 'object' && copies.folded
      ? wgsl`
  let value = ${onExisting.combine}(${storedWord('slot')}, ${copies.folded('item')});
  ${storeValue('slot', 'value')}`
      : wgsl`
  let value = ${valueAt('item')};
  ${storeValue('slot', 'value')}`;
  const updates = onExisting !== 'keep' && request.valueWords > 0;
  // The bucket that was emptier at first. Who finds that another item was faster looks again.
  const claimRemembered = wgsl`
fn claimRemembered(both: array<${Choice}, 2>, room: u32, turn: u32) -> u32 {
  let rooms = vec2u(extractBits(room, 0u, ${ROOM_BITS}u), extractBits(room, ${ROOM_BITS}u, ${ROOM_BITS}u));
  let isSecond = countOneBits(rooms.y) > countOneBits(rooms.x);
  let free = select(rooms.x, rooms.y, isSecond);
  if (free == 0u) { return ${NONE}; }
  let start = turn % ${perBucket}u;
  // The first that is free from there on, so that not all try the same one.
  let ahead = free >> start;
  let within = select(firstTrailingBit(free), start + firstTrailingBit(ahead), ahead != 0u);
  var choice = both[0];
  if (isSecond) { choice = both[1]; }
  let slot = choice.bucket * ${perBucket}u + within;
  let isTaken = atomicCompareExchangeWeak(&${tagWord('slot')}, ${emptyTag}(choice.bucket), choice.tag).exchanged;
  return select(${NONE}, slot, isTaken);
}`;
  // The emptier bucket first: that keeps the filled factors of all subtables equal.
  const claimAgain = wgsl`
fn claimAgain(both: array<${Choice}, 2>) -> u32 {
  let isSecondEmptier = ${roomIn}(both[1].bucket) > ${roomIn}(both[0].bucket);
  var slot = ${NONE};
  if (isSecondEmptier) { slot = ${claim}(both[1]); }
  if (slot == ${NONE}) { slot = ${claim}(both[0]); }
  if (slot == ${NONE} && !isSecondEmptier) { slot = ${claim}(both[1]); }
  return slot;
}`;
  const insertItem = wgsl`
fn insertItem(item: u32) {
  if (!${copies.isSpeaker}(item)) { return; }
  let slot = atomicLoad(&${work.of('slot', 'item')});
  if (slot < ${ABSENT}) {
    ${updates ? update : ''}
    return;
  }
  let room = slot & ~${ABSENT};
  var taken = ${NONE};
  if (room != 0u) {
    let both = ${choices(keys.access)}(${keys.at('item')});
    taken = ${claimRemembered}(both, room, item);
    if (taken == ${NONE}) { taken = ${claimAgain}(both); }
  }
  if (taken == ${NONE}) {
    let at = atomicAdd(&${work.waitingCount}, 1u);
    atomicStore(&${work.of('waiting', 'at')}, item);
    return;
  }
  ${fillSlot(items, copies)}(taken, item);
}`;
  return kernel({
    label: 'dyCuckoo/claim',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) { ${insertItem}(item); }
  ${newKeys.flush}`,
  });
}
