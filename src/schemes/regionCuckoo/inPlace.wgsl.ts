/**
 * Small batches, item by item, in the table itself. One item speaks for each key, so that nobody else brings it. First all keys are
 * looked for. Those that are absent take an empty slot, by compare-exchange of a word of tags; whoever takes one owns it. Those that find
 * both buckets full wait for room, which is made in rounds of two dispatches: in the first nobody writes tags, every item finds a
 * key that could move, and asks for all buckets of that move by a lock; in the second those move that got all their locks. One workgroup
 * cares for the few that are left.
 */
import { extentCount } from '../../gpu/index.ts';
import { multiplyHigh } from '../../hashing/index.ts';
import { type Kernel, kernel, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { ABSENT, itemWork, NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { makingRoom } from './moves.wgsl.ts';
import { FULL, MET, type Slots, UNDECIDED } from './slots.wgsl.ts';

/** Locks of buckets, or buckets that are tidied; and what an item that waits wants to move, or which buckets it tidies. */
export const work = itemWork('regionCuckoo', { locks: 1 }, { steps: 2, again: 1 });

/** The number of a round, from 1 on, and of the last that all items take part in. */
export const round = uniform('round', 'vec2u');
/** Further rounds, of the last workgroup. */
const LAST_ROUNDS = 6;

/** A word of what is known of a lane, or of an item. */
export const step = (lane: WgslPart, word: 0 | 1): Wgsl => work.of('steps', wgsl`2u * ${lane} + ${word}u`);
/** Multiplied, because neighbours would share a lock. */
const lockOf = (bucket: WgslPart): Wgsl =>
  work.of('locks', wgsl`${multiplyHigh}((${bucket}) * 0x9e3779b1u, ${work.sizeOf('locks')})`);

/** What becomes of items of an insertion. */
interface Inserted {
  readonly slots: Slots;
  readonly onExisting: OnExisting;
  readonly copies: Omit<Speakers, 'meet'>;
}

export function insertionKernels(inserted: Inserted) {
  const { slots, copies } = inserted;
  const { shape } = slots;
  const match = matchKernel(slots, copies, changing(inserted).update);
  return {
    /** Keys that their tags do not tell are not looked for while others arrive: theirs may not be there yet. */
    arrive: shape.exact ? [settleKernel(inserted, true)] : [match, settleKernel(inserted, false)],
    ...waitingKernels(inserted),
  };
}

/** WGSL: `(slot: u32, item: u32)`: the key of an item is in that slot. It is all that a copy does whose key was absent at first. */
const remember = wgsl`
fn remember(slot: u32, item: u32) {
  atomicStore(&${work.of('slot', 'item')}, slot);
}`;

/** WGSL: `(slot: u32, parcel, item: u32)`: the key of an item is there, or it has taken the slot. Both remember it. */
function changing({ slots, onExisting, copies: { folded } }: Inserted) {
  const { shape, parcels, storeKey, storeValue, wordOf, setWord } = slots;
  const hasValues = shape.request.valueWords > 0;
  const arguments_ = wgsl`(slot: u32, parcel: ${parcels.type}, item: u32)`;
  const store = folded ? setWord('slot', folded('item')) : wgsl`${storeValue}(slot, parcel);`;
  const replace =
    typeof onExisting === 'object' && folded
      ? setWord('slot', wgsl`${onExisting.combine}(${wordOf('slot')}, ${folded('item')})`)
      : store;
  return {
    update: wgsl`
fn update${arguments_} {
  ${hasValues && onExisting !== 'keep' ? replace : ''}
  ${remember}(slot, item);
}`,
    fill: wgsl`
fn fill${arguments_} {
  ${storeKey}(slot, parcel);
  ${hasValues ? store : ''}
  ${remember}(slot, item);
  ${newKeys.count}
}`,
  };
}

/** Looks for the keys of all items. */
export function matchKernel(slots: Slots, { isSpeaker }: Omit<Speakers, 'meet'>, update?: Wgsl): Kernel {
  const { parcels, placeOf, find } = slots;
  return kernel({
    label: 'regionCuckoo/match',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  if (!${isSpeaker}(item)) { return; }
  let parcel = ${parcels.fromInput('item')};
  let slot = ${find}(${placeOf}(parcel), parcel);
  atomicStore(&${work.of('slot', 'item')}, select(slot, ${ABSENT}, slot == ${NONE}));
  ${update ? wgsl`if (slot != ${NONE}) { ${update}(slot, parcel, item); }` : ''}`,
  });
}

/** Absent keys take a slot, or wait for one. @param looks whether they are looked for here */
function settleKernel(inserted: Inserted, looks: boolean): Kernel {
  const { slots, copies } = inserted;
  const { shape, parcels, placeOf, find, claim, awayOf, setClass, classOf, Place } = slots;
  const { fill, update } = changing(inserted);
  const arrive = wgsl`
fn arrive(place: ${Place}, parcel: ${parcels.type}, item: u32) -> bool {
  var claimed = ${claim}(place.home, place.remainder << 1u);
  if (claimed == ${FULL}) {
    claimed = ${claim}(${awayOf}, (place.remainder << 1u) | 1u);
    if (claimed < ${MET}) { ${setClass}(place.home, ${classOf}(place.remainder)); }
  }
  if (claimed < ${MET}) {
    ${fill}(claimed, parcel, item);
    return true;
  }
  ${
    shape.exact
      ? wgsl`if (claimed < ${UNDECIDED}) {
    ${remember}(claimed & ~${MET}, item);
    return true;
  }`
      : ''
  }
  return false;
}`;
  const settle = wgsl`
fn settle(item: u32) -> bool {
  if (!${copies.isSpeaker}(item)) { return true; }
  ${looks ? '' : wgsl`if (atomicLoad(&${work.of('slot', 'item')}) < ${ABSENT}) { return true; }`}
  let parcel = ${parcels.fromInput('item')};
  let place = ${placeOf}(parcel);
  ${
    looks
      ? wgsl`let slot = ${find}(place, parcel);
  if (slot != ${NONE}) {
    ${update}(slot, parcel, item);
    return true;
  }`
      : ''
  }
  return ${arrive}(place, parcel, item);
}`;
  const waiting = wgsl`var<workgroup> waiting: atomic<u32>;`;
  const firstWaiting = wgsl`var<workgroup> firstWaiting: u32;`;
  return kernel({
    label: 'regionCuckoo/settle',
    threads: THREADS,
    body: wgsl`
  var isSettled = true;
  if (item < ${extentCount}) { isSettled = ${settle}(item); }
  var mine = 0u;
  if (!isSettled) {
    atomicStore(&${work.of('slot', 'item')}, ${ABSENT});
    mine = atomicAdd(&${waiting}, 1u);
  }
  ${newKeys.flush}
  if (thread == 0u && atomicLoad(&${waiting}) > 0u) { ${firstWaiting} = atomicAdd(&${work.waitingCount}, atomicLoad(&${waiting})); }
  workgroupBarrier();
  if (!isSettled) { atomicStore(&${work.of('waiting', wgsl`${firstWaiting} + mine`)}, item); }`,
  });
}

function waitingKernels(inserted: Inserted) {
  const { slots } = inserted;
  const { parcels, placeOf, find } = slots;
  const { fill } = changing(inserted);
  const { Step, findMove, ask, isGranted, moveAside, makeRoom } = makingRoom(slots, { lockOf });
  /** WGSL: `(lane: u32) -> u32`, the item that waits there, unless it is settled. */
  const waitingIn = (list: 'waiting' | 'again'): Wgsl => wgsl`
fn waitingIn(lane: u32) -> u32 {
  let item = atomicLoad(&${work.of(list, 'lane')});
  return select(item, ${NONE}, atomicLoad(&${work.of('slot', 'item')}) < ${ABSENT});
}`;
  const numberOf = wgsl`
fn numberOf(lane: u32, number: u32) -> u32 {
  return number * ${work.room} + lane;
}`;
  const askFor = wgsl`
fn askForMove(item: u32, lane: u32, number: u32) {
  let parcel = ${parcels.fromInput('item')};
  let place = ${placeOf}(parcel);
  atomicStore(&${step('lane', 0)}, ${NONE});
  let there = ${find}(place, parcel);
  if (there != ${NONE}) {
    ${remember}(there, item);
    return;
  }
  let found = ${findMove}(place);
  if (found.origin == ${NONE}) { return; }
  atomicStore(&${step('lane', 0)}, found.origin);
  atomicStore(&${step('lane', 1)}, found.goal);
  ${ask}(place, found, ${numberOf}(lane, number));
}`;
  const moveFor = wgsl`
fn moveFor(item: u32, lane: u32, number: u32) {
  let wanted = ${Step}(atomicLoad(&${step('lane', 0)}), atomicLoad(&${step('lane', 1)}));
  if (wanted.origin == ${NONE}) { return; }
  let parcel = ${parcels.fromInput('item')};
  let place = ${placeOf}(parcel);
  if (!${isGranted}(place, wanted, ${numberOf}(lane, number))) { return; }
  ${moveAside}(place, wanted);
  ${fill}(wanted.origin, parcel, item);
}`;
  /** Once nothing helps, nobody else is made room for: all copies of a key share its fate. */
  const settleOne = wgsl`
fn settleOne(item: u32, isCrowded: bool) -> bool {
  let parcel = ${parcels.fromInput('item')};
  let place = ${placeOf}(parcel);
  var slot = ${find}(place, parcel);
  if (slot != ${NONE}) {
    ${remember}(slot, item);
    return true;
  }
  if (!isCrowded) { slot = ${makeRoom}(place); }
  if (slot == ${NONE}) { return false; }
  ${fill}(slot, parcel, item);
  return true;
}`;
  const eachWaiting = (then: Wgsl): Wgsl => wgsl`
  for (var lane = item; lane < atomicLoad(&${work.waitingCount}); lane += groups * ${THREADS}u) {
    let waiting = ${waitingIn('waiting')}(lane);
    if (waiting != ${NONE}) { ${then} }
  }`;
  const wait = wgsl`
fn waitOnceMore(item: u32) {
  if (atomicLoad(&${work.of('slot', 'item')}) < ${ABSENT}) { return; }
  atomicStore(&${work.of('again', wgsl`atomicAdd(&${work.againCount}, 1u)`)}, item);
}`;
  const lanes = wgsl`var<workgroup> lanes: u32;`;
  const unsettled = wgsl`var<workgroup> unsettled: atomic<u32>;`;
  const noteUnsettled = wgsl`
fn noteUnsettled(item: u32, lane: u32, number: u32) {
  atomicAdd(&${unsettled}, 1u);
}`;
  const eachOfLast = (then: Wgsl): Wgsl => wgsl`
    for (var lane = thread; lane < count; lane += ${THREADS}u) {
      let waiting = ${waitingIn('again')}(lane);
      if (waiting != ${NONE}) { ${then}(waiting, lane, number); }
    }
    storageBarrier();
    workgroupBarrier();`;
  return {
    /** They may have any number of workgroups. */
    ask: kernel({
      label: 'regionCuckoo/ask',
      threads: THREADS,
      body: eachWaiting(wgsl`${askFor}(waiting, lane, ${round}.x);`),
    }),
    move: kernel({
      label: 'regionCuckoo/move',
      threads: THREADS,
      body: wgsl`
  ${eachWaiting(wgsl`
      ${moveFor}(waiting, lane, ${round}.x);
      if (${round}.x == ${round}.y) { ${wait}(waiting); }`)}
  ${newKeys.flush}`,
    }),
    /** One workgroup. */
    last: kernel({
      label: 'regionCuckoo/last',
      threads: THREADS,
      body: wgsl`
  if (thread == 0u) { ${lanes} = atomicLoad(&${work.againCount}); }
  let count = workgroupUniformLoad(&${lanes});
  if (count == 0u) { return; }
  for (var number = ${round}.y + 1u; number <= ${round}.y + ${LAST_ROUNDS}u; number++) {
    if (thread == 0u) { atomicStore(&${unsettled}, 0u); }
    ${eachOfLast(askFor)}
    ${eachOfLast(moveFor)}
    ${eachOfLast(noteUnsettled)}
    if (thread == 0u) { ${lanes} = atomicLoad(&${unsettled}); }
    if (workgroupUniformLoad(&${lanes}) == 0u) { break; }
  }
  if (thread == 0u) {
    var left = 0u;
    for (var lane = 0u; lane < count; lane++) {
      let waiting = ${waitingIn('again')}(lane);
      if (waiting != ${NONE} && !${settleOne}(waiting, left > 0u)) { left++; }
    }
    if (left > 0u) { atomicAdd(&${work.leftCount}, left); }
  }
  ${newKeys.flush}`,
    }),
  };
}
