/**
 * Insertion into a region by the workgroup that owns it. Every item first looks for its key in both buckets. If it is absent, it
 * takes an empty slot at home; behind a barrier, those who found none take one of their other bucket; behind another, one
 * thread makes room for the few that are left. Items for which there is no room change nothing and are listed.
 */
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters, type OnExisting } from '../contract/index.ts';
import { copiesOf } from './copies.wgsl.ts';
import { makingRoom } from './moves.wgsl.ts';
import { enterRegion, FULL, MET, NONE, type Region, THREADS, UNDECIDED } from './region.wgsl.ts';

/** The numbers of items without room. */
export const leftItems = storage('left', 'array<u32>', 'read_write');

/** What an insertion is asked for. */
export interface InsertKind {
  readonly onExisting: OnExisting;
  readonly unique: boolean;
  /** Whether items without room are listed. */
  readonly listsLeft: boolean;
  /** Whether keys are only counted: everything is done but what would last. */
  readonly onlyCounts: boolean;
}

/** How absent keys are counted. */
export const COUNTING: InsertKind = { onExisting: 'keep', unique: true, listsLeft: false, onlyCounts: true };

/** Whether parcels carry the numbers of their items. */
export const isNumbered = ({ onExisting, unique, listsLeft }: InsertKind, valueWords: number): boolean =>
  listsLeft || (!unique && valueWords > 0 && typeof onExisting !== 'object');

/** Items that one thread looks after at a time: a bit each in its masks. */
const HELD = 32;
/** Items that one thread makes room for at a time. */
const MOST_STUCK = 256;

export function insertKernel(region: Region, kind: InsertKind): Kernel {
  const {
    shape,
    parcels,
    header,
    load,
    save,
    placeOf,
    find,
    claim,
    storeKey,
    storeValue,
    classOf,
    awayFrom,
    setClass,
  } = region;
  const { exact, request } = shape;
  const { onExisting, unique, listsLeft, onlyCounts } = kind;
  const isCombined = typeof onExisting === 'object';
  const copies = copiesOf(region, onExisting, request.valueWords > 0 && (isCombined || !unique));
  const { makeRoom } = makingRoom(region, copies.move);
  const added = wgsl`var<workgroup> added: atomic<u32>;`;
  const stuckItems = wgsl`var<workgroup> stuckItems: array<u32, ${MOST_STUCK}>;`;
  const stuckCount = wgsl`var<workgroup> stuckCount: atomic<u32>;`;
  const stuckTotal = wgsl`var<workgroup> stuckTotal: u32;`;
  /** Once somebody found no room, nobody else is made room for: all copies of a key share its fate. */
  const isCrowded = wgsl`var<workgroup> isCrowded: u32;`;

  // Also where keys are only counted: a slot whose tag does not last stays empty.
  const fill = wgsl`
fn fillSlot(slot: u32, parcel: ${parcels.type}) {
  ${storeKey}(slot, parcel);
  ${isCombined || onlyCounts ? '' : wgsl`${storeValue}(slot, parcel);`}
  ${copies.arrive}(slot);
  atomicAdd(&${added}, 1u);
}`;
  const update = wgsl`
fn updateSlot(slot: u32, parcel: ${parcels.type}) {
  ${onExisting === 'replace' ? wgsl`${storeValue}(slot, parcel);` : ''}
  ${copies.meet}(slot);
}`;
  const leave = wgsl`
fn leaveOut(parcel: ${parcels.type}) {
  let at = atomicAdd(&${counters}.left, 1u);
  ${listsLeft ? wgsl`if (at < arrayLength(&${leftItems})) { ${leftItems}[at] = ${parcels.number('parcel')}; }` : ''}
}`;
  /** What becomes of an item that tried to claim a slot. A tag that is there already is a copy if it tells the key, else perhaps. */
  const afterClaim = (ifFull: string): Wgsl => wgsl`
      if (claimed == ${FULL}) { ${ifFull} |= bit; }
      else if (claimed == ${UNDECIDED}) { undecided |= bit; }
      else if ((claimed & ${MET}) != 0u) { ${exact ? wgsl`${update}(claimed & ~${MET}, parcel);` : 'undecided |= bit;'} }
      else { ${fill}(claimed, parcel); }`;
  const claimHome = wgsl`
      let claimed = ${claim}(place.home, place.remainder << 1u);
      ${afterClaim('homeless')}`;
  const held = (mask: string, then: Wgsl): Wgsl => wgsl`
    for (var rest = ${mask}; rest != 0u; rest &= rest - 1u) {
      let bit = rest & (0u - rest);
      let item = start + firstTrailingBit(rest) * ${THREADS}u + thread;
      let parcel = ${parcels.buffer}[item];
      let place = ${placeOf}(parcel);
      ${then}
    }`;
  const makeRoomForStuck = wgsl`
fn makeRoomForStuck(count: u32) {
  for (var i = 0u; i < count; i++) {
    let parcel = ${parcels.buffer}[${stuckItems}[i]];
    let place = ${placeOf}(parcel);
    let there = ${find}(place, parcel);
    if (there != ${NONE}) {
      ${update}(there, parcel);
      continue;
    }
    var slot = ${NONE};
    if (${isCrowded} == 0u) { slot = ${makeRoom}(place); }
    if (slot == ${NONE}) {
      ${isCrowded} = 1u;
      ${leave}(parcel);
    } else { ${fill}(slot, parcel); }
  }
}`;
  const leaveAllOut = wgsl`
    if (total > ${MOST_STUCK}u) {
      if (thread == 0u) { ${isCrowded} = 1u; }
      ${held('stuck', wgsl`${leave}(parcel);`)}
    }`;
  return kernel({
    label: 'regionCuckoo/insert',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  ${enterRegion(header)}
  ${load}(region, thread);
  workgroupBarrier();
  for (var start = first; start < end; start += ${THREADS * HELD}u) {
    let stop = min(end, start + ${THREADS * HELD}u);
    var absent = 0u;
    var homeless = 0u;
    var stuck = 0u;
    var undecided = 0u;
    for (var item = start + thread; item < stop; item += ${THREADS}u) {
      let parcel = ${parcels.buffer}[item];
      let place = ${placeOf}(parcel);
      let bit = 1u << ((item - start) / ${THREADS}u);
      let slot = ${find}(place, parcel);
      if (slot != ${NONE}) {
        ${update}(slot, parcel);
        continue;
      }
      ${exact ? claimHome : 'absent |= bit;'}
    }
    // Keys that are only suspected by their tags are not looked for again before all claims are made.
    ${exact ? '' : wgsl`workgroupBarrier();`}
    ${exact ? '' : held('absent', claimHome)}
    workgroupBarrier();
    ${held(
      'homeless',
      wgsl`
      let kind = ${classOf}(place.remainder);
      let claimed = ${claim}(${awayFrom}(place.home, kind), (place.remainder << 1u) | 1u);
      ${afterClaim('stuck')}
      if (claimed < ${MET}) { ${setClass}(place.home, kind); }`,
    )}
    storageBarrier();
    workgroupBarrier();
    ${held(
      'undecided',
      wgsl`
      let slot = ${find}(place, parcel);
      if (slot == ${NONE}) { stuck |= bit; } else { ${update}(slot, parcel); }`,
    )}
    ${held(
      'stuck',
      wgsl`
      let at = atomicAdd(&${stuckCount}, 1u);
      if (at < ${MOST_STUCK}u) { ${stuckItems}[at] = item; }`,
    )}
    workgroupBarrier();
    if (thread == 0u) { ${stuckTotal} = atomicLoad(&${stuckCount}); }
    let total = workgroupUniformLoad(&${stuckTotal});
    ${onlyCounts ? '' : leaveAllOut}
    if (thread == 0u) {
      ${onlyCounts ? wgsl`atomicAdd(&${added}, total);` : wgsl`if (total <= ${MOST_STUCK}u) { ${makeRoomForStuck}(total); }`}
      atomicStore(&${stuckCount}, 0u);
    }
    storageBarrier();
    workgroupBarrier();
  }
  ${copies.decide}
  ${onlyCounts ? '' : wgsl`${save}(thread);`}
  if (thread == 0u) {
    let count = atomicLoad(&${added});
    if (count > 0u) { atomicAdd(&${counters}.${onlyCounts ? 'absent' : 'keys'}, count); }
  }`,
  });
}
