/**
 * Copies of a key in a region. They meet in their home bucket or in their other one, so they are found when the buckets
 * are written. Where the policy forbids them, that is the end of the build. Otherwise the region is built again from one
 * item of each key.
 */
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { noteWitness } from './example.wgsl.ts';
import { NONE, type RegionState } from './regionState.wgsl.ts';
import type { Spills } from './walk.wgsl.ts';

/** If more than one in so many finds its home full, there are copies: in the fullest tables of distinct keys one in five does. */
const CROWD_SHARE = 4;

/** How items with the same key are met. */
export interface Meetings {
  /** Statements for an `item` that has met a copy. */
  readonly onCopy: Wgsl;
  /** WGSL: `(item: u32, bucket: u32)`, looks for copies of an item in a bucket where the item itself is not. */
  readonly reportCopy: Wgsl;
  /** WGSL: `(item: u32)`, looks for copies of an item that is in neither of its buckets. */
  readonly reportCopies: Wgsl;
}

export function meetings(state: RegionState): Meetings {
  const { shape, view, slots, copiesMet, start, isSameKey, addressOf, awayFrom } = state;
  const { slots: perBucket } = shape.layout;
  const onCopy = forbidsCopies(shape.request.duplicates)
    ? noteWitness(view.header, wgsl`${start} + item`)
    : wgsl`atomicStore(&${copiesMet}, 1u);`;
  const reportCopy = wgsl`
fn reportCopy(item: u32, bucket: u32) {
  for (var s = 0u; s < ${perBucket}u; s++) {
    let other = atomicLoad(&${slots}[bucket * ${perBucket}u + s]);
    if (other != ${NONE} && ${isSameKey('item', 'other')}) { ${onCopy} }
  }
}`;
  const reportCopies = wgsl`
fn reportCopies(item: u32) {
  let address = ${addressOf}(item);
  ${reportCopy}(item, address.home);
  ${reportCopy}(item, ${awayFrom}(address));
}`;
  return { onCopy, reportCopy, reportCopies };
}

/** Statements that leave one item of each key in `held` and nothing in the slots; they see `thread` and `count`. */
export function chooseOneOfEachKey(state: RegionState, { leaveBehind, spill }: Spills): Wgsl {
  const { view, threads, heldItems, slots, held, kept, clear } = state;
  const { header } = view;
  return wgsl`
    for (var i = thread; i < count; i += ${threads}u) {
      if (!${keepOne(state)}(i)) {
        ${leaveBehind}(i);
        ${spill}(i);
        atomicAdd(&${kept}, 1u);
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < ${heldItems}u; k++) {
      ${held}[k] = atomicLoad(&${slots}[k * ${threads}u + thread]);
      if (${held}[k] != ${NONE}) { atomicAdd(&${kept}, 1u); }
    }
    workgroupBarrier();
    ${clear}(thread, 0xffff0000u);
    if (thread == 0u) {
      atomicAdd(&${header}.copies, count - atomicLoad(&${kept}));
      atomicAdd(&${header}.restarts, 1u);
    }`;
}

/**
 * WGSL: `(item: u32) -> bool`, keeps one item of each key in the slots, as in a table with linear probing. False if there
 * are too many keys.
 */
function keepOne({ shape, view, parcels, slots, parcelOf, isSameKey, addressOf }: RegionState): Wgsl {
  const { slots: perBucket } = shape.layout;
  return wgsl`
fn keepOne(item: u32) -> bool {
  let slotCount = ${view.header}.bucketsPerRegion * ${perBucket}u;
  var slot = ${addressOf}(item).home * ${perBucket}u;
  var visited = 0u;
  // A step either moves on or follows somebody else's success at this slot.
  for (var i = 0u; i < slotCount + 100000u && visited < slotCount; i++) {
    let old = atomicLoad(&${slots}[slot]);
    if (old == ${NONE} || ${isSameKey('item', 'old')}) {
      if (old != ${NONE} && !${parcels.isPreferred(parcelOf('item'), parcelOf('old'))}) { return true; }
      if (atomicCompareExchangeWeak(&${slots}[slot], old, item).exchanged) { return true; }
    } else {
      slot = select(slot + 1u, 0u, slot + 1u == slotCount);
      // Only who has seen all slots knows that no copy is there: steps that were repeated do not count.
      visited++;
    }
  }
  return false;
}`;
}

/**
 * Statements that begin again if too many are homeless. Copies crowd in one bucket, and evicting one for another would be
 * in vain until every walk has reached its limit.
 */
export const beginAgainIfCrowded = ({ crowd, verdict }: RegionState): Wgsl => wgsl`
    if (!chosen) {
      if (homeless != 0u) { atomicAdd(&${crowd}, countOneBits(homeless)); }
      workgroupBarrier();
      if (thread == 0u) { ${verdict} = u32(atomicLoad(&${crowd}) > count / ${CROWD_SHARE}u); }
      if (workgroupUniformLoad(&${verdict}) == 1u) {
        chosen = true;
        continue;
      }
    }`;
