/**
 * How the items of a small batch arrive: keys are looked for, and those that are absent take an empty slot, by compare-exchange of a word
 * of tags. Whoever takes one owns it.
 */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { ABSENT, appending, NONE, THREADS } from '../kit/batch/work.wgsl.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { changing, type Inserted, remember, work } from './inPlace.wgsl.ts';
import type { SlotsInPlace } from './lookInPlace.wgsl.ts';
import { FULL, MET, UNDECIDED } from './slots.wgsl.ts';

/** The kernels, one after the other. */
export function arrivalKernels(inserted: Inserted): readonly Kernel[] {
  const { slots, copies } = inserted;
  if (slots.shape.exact) return [settleKernel(inserted, true)];
  // Keys that their tags do not tell are not looked for while others arrive: theirs may not be there yet.
  return [matchKernel(slots, copies, changing(inserted).update), settleKernel(inserted, false)];
}

/** Looks for the keys of all items. */
export function matchKernel(slots: SlotsInPlace, { isSpeaker }: Pick<Speakers, 'isSpeaker'>, update?: Wgsl): Kernel {
  const { parcels, addressOf, find } = slots;
  return kernel({
    label: 'regionCuckoo/match',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  if (!${isSpeaker}(item)) { return; }
  let parcel = ${parcels.fromInput('item')};
  let slot = ${find}(${addressOf}(parcel), parcel);
  atomicStore(&${work.of('slot', 'item')}, select(slot, ${ABSENT}, slot == ${NONE}));
  ${update ? wgsl`if (slot != ${NONE}) { ${update}(slot, parcel, item); }` : ''}`,
  });
}

/** Whose key has copies, and who speaks for it, has the last word. */
export function mendKernel({ parcels, addressOf, find, storeValue }: SlotsInPlace, speaker: Wgsl): Kernel {
  return kernel({
    label: 'regionCuckoo/mend',
    threads: THREADS,
    body: wgsl`
  if (atomicLoad(&${work.hasCopies}) == 0u) { return; }
  for (var i = item; i < ${extentCount}; i += groups * ${THREADS}u) {
    if (${speaker}(i) != i) { continue; }
    let parcel = ${parcels.fromInput('i')};
    let slot = ${find}(${addressOf}(parcel), parcel);
    if (slot != ${NONE}) { ${storeValue}(slot, parcel); }
  }`,
  });
}

/** Absent keys take a slot, or wait for one. @param looks whether they are looked for here */
function settleKernel(inserted: Inserted, looks: boolean): Kernel {
  const { slots, copies, meetingOf } = inserted;
  const { shape, parcels, addressOf, findFrom, tagsOf, claim, awayFrom, setClass, classOf, Address } = slots;
  const { fill, update } = changing(inserted);
  const arrive = wgsl`
fn arrive(home: ${Bucket}, address: ${Address}, parcel: ${parcels.type}, item: u32) -> bool {
  var claimed = ${claim}(address.home, home, address.remainder << 1u);
  if (claimed == ${FULL}) {
    let kind = ${classOf}(address.remainder);
    let away = ${awayFrom}(address.home, kind);
    claimed = ${claim}(away, ${tagsOf}(away), (address.remainder << 1u) | 1u);
    if (claimed < ${MET}) { ${setClass}(address.home, kind); }
  }
  if (claimed < ${MET}) {
    ${fill}(claimed, parcel, item);
    return true;
  }
  ${
    shape.exact
      ? wgsl`if (claimed < ${UNDECIDED}) {
    ${remember(work)}(claimed & ~${MET}, item);
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
  let address = ${addressOf}(parcel);
  let home = ${tagsOf}(address.home);
  ${
    meetingOf
      ? wgsl`// While tags are on their way.
  let meeting = ${meetingOf}(item);
  atomicStore(&${work.of('meeting', 'item')}, meeting);
  if (meeting == ${NONE}) {
    atomicAdd(&${work.leftCount}, 1u);
    atomicStore(&${work.of('slot', 'item')}, ${ABSENT});
    return true;
  }`
      : ''
  }
  ${
    looks
      ? wgsl`let slot = ${findFrom}(home, address, parcel);
  if (slot != ${NONE}) {
    ${update}(slot, parcel, item);
    return true;
  }`
      : ''
  }
  return ${arrive}(home, address, parcel, item);
}`;
  const waiting = appending(work.waitingCount);
  return kernel({
    label: 'regionCuckoo/settle',
    threads: THREADS,
    body: wgsl`
  var isSettled = true;
  if (item < ${extentCount}) { isSettled = ${settle}(item); }
  var mine = 0u;
  if (!isSettled) {
    atomicStore(&${work.of('slot', 'item')}, ${ABSENT});
    ${waiting.note}
  }
  ${newKeys.flush}
  ${waiting.reserve}
  if (!isSettled) { atomicStore(&${work.of('waiting', waiting.at)}, item); }`,
  });
}
