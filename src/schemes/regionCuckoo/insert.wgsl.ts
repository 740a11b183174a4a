/**
 * Insertion into a region by the workgroup that owns it. Every item first looks for its key in both buckets. If it is absent, it
 * takes an empty slot at home; behind a barrier, those who found none take one of their other bucket; behind another, room is
 * made for the few that are left (`stuck.wgsl.ts`). Items for which there is no room change nothing and are listed.
 */

import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters, type OnExisting } from '../contract/index.ts';
import { absentKeys, leftItems, newKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { CLAIMED, copiesMatter, copiesOf } from './copies.wgsl.ts';
import type { Entry, Region } from './region.wgsl.ts';
import { FULL, MET, UNDECIDED } from './slots.wgsl.ts';
import { settleStuck } from './stuck.wgsl.ts';
import { beginToWait } from './waitOutside.wgsl.ts';

/** What an insertion is asked for. */
export interface InsertKind {
  readonly onExisting: OnExisting;
  readonly unique: boolean;
  /** Whether items without room are listed. */
  readonly listsLeft: boolean;
  /** Whether keys are only counted: everything is done but what would last. */
  readonly onlyCounts: boolean;
  /** Whether items for which room has to be made wait outside of the region. */
  readonly waitsOutside?: boolean;
}

/** How absent keys are counted. */
export const COUNTING: InsertKind = { onExisting: 'keep', unique: true, listsLeft: false, onlyCounts: true };

/** Whether parcels carry the numbers of their items. */
export const isNumbered = ({ onExisting, unique, listsLeft }: InsertKind, valueWords: number): boolean =>
  listsLeft || copiesMatter(onExisting, unique, valueWords);

/**
 * Whether it may be hoped that there are no copies: numbers make parcels wider and a partition much slower. If there are any, the items
 * of their regions are partitioned again with their numbers.
 */
export const mayHope = ({ onExisting, unique, listsLeft }: InsertKind, valueWords: number): boolean =>
  onExisting === 'replace' && !listsLeft && copiesMatter(onExisting, unique, valueWords);

/** Whether items that took a slot are marked: who decides between copies has to know which keys were absent. */
export const marksClaims = ({ onExisting, unique }: InsertKind, valueWords: number): boolean =>
  onExisting !== 'replace' && copiesMatter(onExisting, unique, valueWords);

/**
 * The parcels are written to if `onExisting` has to know which keys were absent.
 * @param enter statements that tell which parcels are those of the workgroup
 */
export function insertKernel(region: Region, kind: InsertKind, entry: Entry): Kernel {
  const { shape, parcels, store, find, claim, storeKey, storeValue, classOf, setClass, eachItem, heldItems, awayOf } =
    region;
  const { exact, request } = shape;
  const { threads, itemsHeld } = store;
  const atOnce = threads * itemsHeld;
  const { onExisting, unique, listsLeft, onlyCounts, waitsOutside = false } = kind;
  const isCombined = typeof onExisting === 'object';
  const matters = copiesMatter(onExisting, unique, request.valueWords);
  const copies = copiesOf(region, matters, isCombined);
  const marks = marksClaims(kind, request.valueWords);
  const counted = onlyCounts ? absentKeys : newKeys;
  // Also where keys are only counted: a slot whose tag does not last stays empty.
  const fill = wgsl`
fn fillSlot(slot: u32, parcel: ${parcels.type}, item: u32) {
  ${storeKey}(slot, parcel);
  ${isCombined || onlyCounts ? '' : wgsl`${storeValue}(slot, parcel);`}
  ${marks ? wgsl`${parcels.setNumber('item', wgsl`${parcels.number('parcel')} | ${CLAIMED}`)}` : ''}
  ${copies.meet}(slot);
  ${counted.count}
}`;
  const leave = wgsl`
fn leaveOut(parcel: ${parcels.type}) {
  let at = atomicAdd(&${counters}.left, 1u);
  ${listsLeft ? wgsl`if (at < arrayLength(&${leftItems})) { ${leftItems}[at] = ${parcels.number('parcel')}; }` : ''}
}`;
  // Whose key is there only now is a copy, and writes nothing: keys may be on the move. If copies matter, their order is found later.
  const outcomes = { fill, meet: copies.meet, leave, moveFlags: copies.move };
  /** What becomes of an item that tried to claim a slot. A tag that is there already is a copy if it tells the key, else perhaps. */
  const afterClaim = (ifFull: string): Wgsl => wgsl`
      if (claimed == ${FULL}) { ${ifFull} |= bit; }
      else if (claimed == ${UNDECIDED}) { ${exact ? 'stuck' : 'undecided'} |= bit; }
      else if ((claimed & ${MET}) != 0u) { ${exact ? wgsl`${copies.meet}(claimed & ~${MET});` : 'undecided |= bit;'} }
      else { ${fill}(claimed, parcel, item); }`;
  const claimHome = wgsl`
      let claimed = ${claim}(address.home, address.remainder << 1u);
      ${afterClaim('homeless')}`;
  const lookAgain = heldItems(
    'undecided',
    wgsl`
      let slot = ${find}(address, parcel);
      if (slot == ${NONE}) { stuck |= bit; } else { ${copies.meet}(slot); }`,
  );
  return kernel({
    label: 'regionCuckoo/insert',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  ${region.open(entry)}
  for (var start = first; start < end; start += ${atOnce}u) {
    let stop = min(end, start + ${atOnce}u);
    workgroupBarrier();
    var absent = 0u;
    var homeless = 0u;
    var stuck = 0u;
    ${exact ? '' : 'var undecided = 0u;'}
    ${eachItem(
      entry,
      wgsl`
      let bit = 1u << ((item - start) / ${threads}u);
      let slot = ${find}(address, parcel);
      if (slot != ${NONE}) {
        ${onExisting === 'replace' ? wgsl`${storeValue}(slot, parcel);` : ''}
        ${copies.meet}(slot);
        continue;
      }
      ${exact ? claimHome : 'absent |= bit;'}`,
    )}
    // Keys that are only suspected by their tags are not looked for again before all claims are made.
    ${exact ? '' : wgsl`workgroupBarrier();`}
    ${exact ? '' : heldItems('absent', claimHome)}
    workgroupBarrier();
    ${heldItems(
      'homeless',
      wgsl`
      let kind = ${classOf}(address.remainder);
      let claimed = ${claim}(${awayOf}, (address.remainder << 1u) | 1u);
      ${afterClaim('stuck')}
      if (claimed < ${MET}) { ${setClass}(address.home, kind); }`,
    )}
    storageBarrier();
    workgroupBarrier();
    ${exact ? '' : lookAgain}
    ${onlyCounts ? counted.add('countOneBits(stuck)') : waitsOutside ? beginToWait(region) : settleStuck(region, outcomes)}
  }
  ${copies.list}
  ${onlyCounts ? '' : store.save}
  ${counted.flush}`,
  });
}
