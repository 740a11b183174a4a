/**
 * Copies: one item speaks for each key of a batch. All copies try the same seats in the same order, and a seat that is taken stays
 * with its key; so they meet at one. There the first or the last of them is found, and their values are folded if asked to.
 */
import { extentCount } from '../../../gpu/index.ts';
import { mix, multiplyHigh } from '../../../hashing/index.ts';
import type { KeysView, KeyType } from '../../../keys/index.ts';
import { type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import type { OnExisting } from '../../contract/index.ts';
import { NONE, THREADS, type Work } from './work.wgsl.ts';

export interface Speakers {
  /** Brings copies together. */
  readonly meet: Kernel;
  /** WGSL: `(item: u32) -> u32`, the item that speaks for the key of an item, or none. */
  readonly speaker: Wgsl;
  /** WGSL: `(item: u32) -> bool`, whether that is the item itself. Nearly all do, so this is told by a word of its own. */
  readonly isSpeaker: Wgsl;
  /** WGSL: `(item: u32) -> u32`, where the copies of an item meet, or none. Whoever meets another one leaves a note that there are copies. */
  readonly meetingOf?: Wgsl;
  /** The value that those of all copies of an item are folded into; undefined if they are not. */
  readonly folded?: (item: WgslPart) => Wgsl;
}

/** The items of a batch. */
export interface Copied {
  readonly owner: string;
  readonly key: KeyType;
  readonly keys: KeysView;
  /** The table's header: it has the constants of the hash. */
  readonly header: WgslPart;
  /** The value of an item. */
  valueAt(item: WgslPart): WgslPart;
  readonly work: Work;
}

/** Where each item speaks for itself. */
export const OWN_SPEAKERS: Omit<Speakers, 'meet'> = {
  speaker: wgsl`
fn speaker(item: u32) -> u32 {
  return item;
}`,
  isSpeaker: wgsl`
fn isSpeaker(item: u32) -> bool {
  return true;
}`,
};

export function speakersOf({ owner, key, keys, header, valueAt, work }: Copied, onExisting: OnExisting): Speakers {
  // The greatest rank speaks; 0 is nobody's.
  const [rankOf, itemOf] = onExisting === 'keep' ? ['~item', '~rank'] : ['item + 1u', 'rank - 1u'];
  const isSame = wgsl`${key.equals(keys.access, keys.access)}(${keys.at('other')}, ${keys.at('item')})`;
  const itemOfRank = wgsl`
fn itemOfRank(rank: u32) -> u32 {
  return ${itemOf};
}`;
  const seat = (at: string): Wgsl => work.of('seats', at);
  const meetingOf = wgsl`
fn meetingOf(item: u32) -> u32 {
  let rank = ${rankOf};
  let seats = ${work.sizeOf('seats')};
  var at = ${multiplyHigh}(${key.hash(keys.access, mix)}(${keys.at('item')}, ${header}.hash).y, seats);
  // There are more seats than items. A step that leads no further is a compare-exchange that failed for no reason.
  for (var step = 0u; step < 2u * seats; step++) {
    let result = atomicCompareExchangeWeak(&${seat('at')}, 0u, rank);
    if (result.exchanged) { return at; }
    let taken = result.old_value;
    if (taken == 0u) { continue; }
    let other = ${itemOfRank}(taken);
    if (${isSame}) {
      // The comparison spares the atomic to nearly all of a million copies.
      var least = rank;
      if (taken < rank) { least = min(rank, atomicMax(&${seat('at')}, rank)); }
      atomicStore(&${work.of('silent', wgsl`${itemOfRank}(least)`)}, 1u);
      atomicStore(&${work.hasCopies}, 1u);
      return at;
    }
    at = select(at + 1u, 0u, at + 1u == seats);
  }
  return ${NONE};
}`;
  const isFolded = typeof onExisting === 'object';
  const identity = isFolded ? onExisting.identity >>> 0 : 0;
  return {
    meetingOf,
    meet: kernel({
      label: `${owner}/meet`,
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  var meeting = ${meetingOf}(item);
  ${isFolded ? wgsl`if (meeting != ${NONE} && !${foldInto(work, onExisting.combine, identity)}(meeting, ${valueAt('item')})) { meeting = ${NONE}; }` : ''}
  if (meeting == ${NONE}) {
    atomicAdd(&${work.leftCount}, 1u);
    atomicStore(&${work.of('silent', 'item')}, 1u);
  }
  atomicStore(&${work.of('meeting', 'item')}, meeting);`,
    }),
    speaker: wgsl`
fn speaker(item: u32) -> u32 {
  let meeting = atomicLoad(&${work.of('meeting', 'item')});
  if (meeting == ${NONE}) { return ${NONE}; }
  return ${itemOfRank}(atomicLoad(&${seat('meeting')}));
}`,
    isSpeaker: wgsl`
fn isSpeaker(item: u32) -> bool {
  return atomicLoad(&${work.of('silent', 'item')}) == 0u;
}`,
    ...(isFolded && {
      folded: (item) =>
        wgsl`(atomicLoad(&${work.of('folded', wgsl`atomicLoad(&${work.of('meeting', item)})`)}) ^ ${identity}u)`,
    }),
  };
}

/**
 * WGSL: `(meeting: u32, value: u32) -> bool`, whether a value is folded into that of its key. What is folded is kept as its difference
 * from the identity, which is 0 at first. A step that does not end it follows somebody else's success, of whom there are no
 * more than items, or fails for no reason. Who gives up counts as left.
 */
const foldInto = (work: Work, combine: Wgsl, identity: number): Wgsl => wgsl`
fn foldInto(meeting: u32, value: u32) -> bool {
  for (var i = 0u; i < 2u * ${work.room} + 1000u; i++) {
    let old = atomicLoad(&${work.of('folded', 'meeting')});
    let folded = ${combine}(old ^ ${identity}u, value) ^ ${identity}u;
    if (atomicCompareExchangeWeak(&${work.of('folded', 'meeting')}, old, folded).exchanged) { return true; }
  }
  return false;
}`;
