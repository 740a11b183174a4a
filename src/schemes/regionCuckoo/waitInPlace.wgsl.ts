/**
 * Items of small batches that found both of their buckets full. Room is made in rounds of two dispatches: in the first nobody writes tags,
 * every item finds a key that could move, and asks for all buckets of that move by a lock; in the second those move that got all
 * their locks. One workgroup cares for the few that are left.
 */
import { extentCount } from '../../gpu/index.ts';
import { multiplyHigh } from '../../hashing/index.ts';
import { type Kernel, kept, kernel, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { leaving, newKeys } from '../kit/batch/ends.wgsl.ts';
import { ABSENT, NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { changing, type Inserted, remember, type WaitingWork } from './inPlace.wgsl.ts';
import { makingRoom, Step } from './moves.wgsl.ts';

/** The number of a round, from 1 on, and of the last that all items take part in. */
export const round = uniform('round', 'vec2u');
/** Further rounds, of the last workgroup. */
const LAST_ROUNDS = 6;

/** One thread makes room for no more than so many. */
const MOST = 2 ** 16;

/** The list of items that wait, or of those that wait once more. */
type Waiting = 'waiting' | 'again';

/** What the words of a batch are for here. */
const waitingWords = kept((work: WaitingWork) => {
  /** WGSL: `(lane: u32) -> u32`, the item that waits there, unless it is settled. */
  const waitingIn = kept(
    (list: Waiting): Wgsl => wgsl`
fn waitingIn(lane: u32) -> u32 {
  let item = atomicLoad(&${work.of(list, 'lane')});
  return select(item, ${NONE}, atomicLoad(&${work.of('slot', 'item')}) < ${ABSENT});
}`,
  );
  return {
    /** A word of what a lane wants to move. */
    step: (lane: WgslPart, word: 0 | 1): Wgsl => work.of('steps', wgsl`2u * ${lane} + ${word}u`),
    /** Multiplied, because neighbours would share a lock. */
    lockOf: (bucket: WgslPart): Wgsl =>
      work.of('locks', wgsl`${multiplyHigh}((${bucket}) * 0x9e3779b1u, ${work.sizeOf('locks')})`),
    waitingIn,
    /** How many are in a list. */
    countOf: (list: Waiting): Wgsl =>
      wgsl`min(atomicLoad(&${list === 'waiting' ? work.waitingCount : work.againCount}), ${work.room})`,
    /** WGSL: `(lane: u32, number: u32) -> u32`, what a lane asks with in a round: more than anybody did in the rounds before. */
    numberOf: wgsl`
fn numberOf(lane: u32, number: u32) -> u32 {
  return number * ${work.room} + lane;
}`,
    waitOnceMore: wgsl`
fn waitOnceMore(item: u32) {
  if (atomicLoad(&${work.of('slot', 'item')}) < ${ABSENT}) { return; }
  atomicStore(&${work.of('again', wgsl`atomicAdd(&${work.againCount}, 1u)`)}, item);
}`,
  };
});

type ForOne = ReturnType<typeof stepsForOne>;

/** What is done for one item that waits: in a round, and when nothing else has helped. */
function stepsForOne(inserted: Inserted) {
  const { work, slots } = inserted;
  const { step, lockOf, numberOf } = waitingWords(work);
  const { parcels, addressOf, find, tagsOf, slotIn, hasLeft, findMove, awayFrom, classOf } = slots;
  const { fill } = changing(inserted);
  const { ask, isGranted, moveAside, makeRoom } = makingRoom(slots, { lockOf });
  const askFor = wgsl`
fn askForMove(item: u32, lane: u32, number: u32) {
  let parcel = ${parcels.fromInput('item')};
  let address = ${addressOf}(parcel);
  atomicStore(&${step('lane', 0)}, ${NONE});
  // Both buckets are loaded together: nearly nobody's key is there.
  let kind = ${classOf}(address.remainder);
  let away = ${awayFrom}(address.home, kind);
  let homeTags = ${tagsOf}(address.home);
  let awayTags = ${tagsOf}(away);
  var there = ${slotIn}(address.home, homeTags, address.remainder << 1u, parcel);
  if (there == ${NONE} && ${hasLeft}(homeTags, kind)) {
    there = ${slotIn}(away, awayTags, (address.remainder << 1u) | 1u, parcel);
  }
  if (there != ${NONE}) {
    ${remember(work)}(there, item);
    return;
  }
  let found = ${findMove}(address, homeTags, awayTags);
  if (found.origin == ${NONE}) { return; }
  atomicStore(&${step('lane', 0)}, found.origin);
  atomicStore(&${step('lane', 1)}, found.goal);
  ${ask}(address, found, ${numberOf}(lane, number));
}`;
  const moveFor = wgsl`
fn moveFor(item: u32, lane: u32, number: u32) {
  let wanted = ${Step}(atomicLoad(&${step('lane', 0)}), atomicLoad(&${step('lane', 1)}));
  if (wanted.origin == ${NONE}) { return; }
  let parcel = ${parcels.fromInput('item')};
  let address = ${addressOf}(parcel);
  if (!${isGranted}(address, wanted, ${numberOf}(lane, number))) { return; }
  ${moveAside}(address, wanted);
  ${fill}(wanted.origin, parcel, item);
}`;
  /** Once nothing helps, nobody else is made room for: all copies of a key share its fate. */
  const settleOne = wgsl`
fn settleOne(item: u32, isCrowded: bool) -> bool {
  let parcel = ${parcels.fromInput('item')};
  let address = ${addressOf}(parcel);
  var slot = ${find}(address, parcel);
  if (slot != ${NONE}) {
    ${remember(work)}(slot, item);
    return true;
  }
  if (!isCrowded) { slot = ${makeRoom}(address); }
  if (slot == ${NONE}) { return false; }
  ${fill}(slot, parcel, item);
  return true;
}`;
  return { askFor, moveFor, settleOne };
}

const lanes = wgsl`var<workgroup> lanes: u32;`;
const unsettled = wgsl`var<workgroup> unsettled: atomic<u32>;`;

/** Statements of one workgroup that settles the items of a list, or counts them as left. The other list gets those that no round has settled. */
function settleList(work: WaitingWork, list: Waiting, { askFor, moveFor, settleOne }: ForOne): Wgsl {
  const { waitingIn, countOf } = waitingWords(work);
  const others: Waiting = list === 'waiting' ? 'again' : 'waiting';
  const eachLane = (then: Wgsl): Wgsl => wgsl`
    for (var lane = thread; lane < count; lane += ${THREADS}u) {
      let waiting = ${waitingIn(list)}(lane);
      if (waiting != ${NONE}) { ${then} }
    }
    storageBarrier();
    workgroupBarrier();`;
  // Where nobody has moved, nobody will.
  const rounds = wgsl`
  for (var number = ${round}.y + 1u; open > 0u && number <= ${round}.y + ${LAST_ROUNDS}u; number++) {
    if (thread == 0u) { atomicStore(&${unsettled}, 0u); }
    ${eachLane(wgsl`${askFor}(waiting, lane, number);`)}
    ${eachLane(wgsl`
      ${moveFor}(waiting, lane, number);
      if (atomicLoad(&${work.of('slot', 'waiting')}) >= ${ABSENT}) {
        atomicStore(&${work.of(others, wgsl`atomicAdd(&${unsettled}, 1u)`)}, waiting);
      }`)}
    if (thread == 0u) { ${lanes} = atomicLoad(&${unsettled}); }
    let rest = workgroupUniformLoad(&${lanes});
    if (rest == open && number > ${round}.y + 1u) { break; }
    open = rest;
  }`;
  return wgsl`
  if (thread == 0u) { ${lanes} = ${countOf(list)}; }
  let count = workgroupUniformLoad(&${lanes});
  var open = count;
  ${rounds}
  // One thread makes room for one after the other. Once it fails, nobody else is made room for: all copies of a key share its fate.
  var first = 0u;
  for (var turn = 0u; open > 0u && turn < 2u; turn++) {
    let isAlone = turn == 0u;
    let end = select(open, min(open, ${MOST}u), isAlone);
    var left = 0u;
    var lane = first + thread;
    if (isAlone && thread > 0u) { lane = end; }
    for (; lane < end; lane += select(${THREADS}u, 1u, isAlone)) {
      if (${settleOne}(atomicLoad(&${work.of(others, 'lane')}), !isAlone)) { continue; }
      if (isAlone) { break; }
      left++;
    }
    if (left > 0u) { atomicAdd(&${work.leftCount}, left); }
    if (isAlone && thread == 0u) { ${lanes} = lane; }
    storageBarrier();
    first = workgroupUniformLoad(&${lanes});
  }`;
}

export function waitingKernels(inserted: Inserted) {
  const { work } = inserted;
  const { waitingIn, countOf, waitOnceMore } = waitingWords(work);
  const steps = stepsForOne(inserted);
  const { askFor, moveFor } = steps;
  const eachWaiting = (then: Wgsl): Wgsl => wgsl`
  for (var lane = item; lane < ${countOf('waiting')}; lane += groups * ${THREADS}u) {
    let waiting = ${waitingIn('waiting')}(lane);
    if (waiting != ${NONE}) { ${then} }
  }`;
  const leaveOut = wgsl`
  storageBarrier();
  if (thread == 0u) { ${lanes} = atomicLoad(&${work.leftCount}); }
  if (workgroupUniformLoad(&${lanes}) == 0u) { return; }
  for (var i = thread; i < ${extentCount}; i += ${THREADS}u) { ${leaving({ work, copies: inserted.copies }, false)}(i); }`;
  const one = (name: string, list: Waiting, then: Wgsl | '' = ''): Kernel =>
    kernel({
      label: `regionCuckoo/${name}`,
      threads: THREADS,
      body: wgsl`
  ${settleList(work, list, steps)}
  ${newKeys.flush}
  ${then}`,
    });
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
      if (${round}.x == ${round}.y) { ${waitOnceMore}(waiting); }`)}
  ${newKeys.flush}`,
    }),
    /** One workgroup, for those that wait once more. */
    last: one('last', 'again'),
    /** The same, where nobody else asks who was left. */
    lastAndLeft: one(
      'last',
      'again',
      wgsl`if (thread == 0u) { atomicAdd(&${counters}.left, atomicLoad(&${work.leftCount})); }`,
    ),
    /** The same for all that wait, if they are few; and for what is behind it, too. */
    lastOfFew: one('lastOfFew', 'waiting'),
    lastOfAll: one('lastOfAll', 'waiting', leaveOut),
  };
}
