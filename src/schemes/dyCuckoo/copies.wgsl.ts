/**
 * Copies: one item goes on for each key of a batch. All copies try the same places in the same order, and a place that is taken stays
 * so; so they meet at one. The item that took it speaks for the key, or, where order matters, the first or last of all copies.
 */
import { extentCount } from '../../gpu/index.ts';
import { mix, multiplyHigh } from '../../hashing/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { type Items, THREADS } from './items.wgsl.ts';
import { meetingPlaces, NONE, rooms, workOf } from './scratch.wgsl.ts';

export interface Copies {
  /** Brings copies together. */
  readonly meet: Kernel;
  /** WGSL: `(item: u32) -> u32`, the item that speaks for the key of an item, or none. */
  readonly speaker: Wgsl;
  /** Whether the values of copies are folded into one. */
  readonly areFolded: boolean;
  /** Whether it matters which of several copies wins. */
  readonly areRanked: boolean;
}

/** @param hasValues whether items have values, so that it matters which of several copies wins */
export function copiesOf(items: Items, onExisting: OnExisting, hasValues: boolean): Copies {
  const { shape, header, keys, valueAt } = items;
  const { key } = shape.request;
  const areFolded = typeof onExisting === 'object';
  const areRanked = !areFolded && hasValues;
  // The greatest rank wins; 0 is nobody's.
  const [rankOf, itemOf] = onExisting === 'keep' ? ['~item', '~rank'] : ['item + 1u', 'rank - 1u'];
  const isSame = wgsl`${key.equals(keys.access, keys.access)}(${keys.at('other')}, ${keys.at('item')})`;
  const meetingOf = wgsl`
fn meetingOf(item: u32) -> u32 {
  var at = ${multiplyHigh}(${key.hash(keys.access, mix)}(${keys.at('item')}, ${header}.hash).y, ${rooms}.y);
  // There are more places than items. A step that leads no further is a compare-exchange that failed for no reason.
  for (var step = 0u; step < 2u * ${rooms}.y; step++) {
    var taken = atomicLoad(&${meetingPlaces}[at]);
    if (taken == 0u) {
      let result = atomicCompareExchangeWeak(&${meetingPlaces}[at], 0u, item + 1u);
      if (result.exchanged) { return item; }
      taken = result.old_value;
    }
    if (taken == 0u) { continue; }
    let other = taken - 1u;
    if (${isSame}) { return other; }
    at = select(at + 1u, 0u, at + 1u == ${rooms}.y);
  }
  return ${NONE};
}`;
  const rank = wgsl`
    let rank = ${rankOf};
    // The load spares the atomic to nearly all of a million copies.
    if (atomicLoad(&${workOf('winner', 'meeting')}) < rank) { atomicMax(&${workOf('winner', 'meeting')}, rank); }`;
  return {
    areFolded,
    areRanked,
    meet: kernel({
      label: 'dyCuckoo/meet',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  var meeting = ${meetingOf}(item);
  if (meeting != ${NONE}) {
    ${areRanked ? rank : ''}
    ${areFolded ? wgsl`if (!${foldInto(onExisting.combine)}(meeting, ${valueAt('item')})) { meeting = ${NONE}; }` : ''}
  }
  atomicStore(&${workOf('meeting', 'item')}, meeting);`,
    }),
    speaker: wgsl`
fn speaker(item: u32) -> u32 {
  let meeting = atomicLoad(&${workOf('meeting', 'item')});
  ${
    areRanked
      ? wgsl`if (meeting != ${NONE}) {
    let rank = atomicLoad(&${workOf('winner', 'meeting')});
    return ${itemOf};
  }`
      : ''
  }
  return meeting;
}`,
  };
}

/**
 * WGSL: `(meeting: u32, value: u32) -> bool`, whether a value is folded into that of its key. A step that does not end it follows
 * somebody else's success, of whom there are no more than items, or fails for no reason. Who gives up counts as left.
 */
const foldInto = (combine: Wgsl): Wgsl => wgsl`
fn foldInto(meeting: u32, value: u32) -> bool {
  for (var i = 0u; i < 2u * ${rooms}.x + 1000u; i++) {
    let old = atomicLoad(&${workOf('folded', 'meeting')});
    if (atomicCompareExchangeWeak(&${workOf('folded', 'meeting')}, old, ${combine}(old, value)).exchanged) { return true; }
  }
  return false;
}`;
