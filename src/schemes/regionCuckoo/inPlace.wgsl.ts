/**
 * Small batches, item by item, in the table itself: what their kernels share. One item speaks for each key, so that nobody else brings
 * it, or it is seen later that several do. First keys are looked for, and those that are absent take an empty slot
 * (`arriveInPlace.wgsl.ts`); those that find both buckets full wait for room (`waitInPlace.wgsl.ts`).
 */
import { kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { itemWork, type Work } from '../kit/batch/work.wgsl.ts';
import type { SlotsInPlace } from './lookInPlace.wgsl.ts';

/** Locks of buckets; what an item that waits wants to move, and items that wait once more. */
export const work = itemWork('regionCuckoo', { locks: 1 }, { steps: 2, again: 1 });

/** What waiting for room needs of the words of a batch. */
export type WaitingWork = Work<'slot' | 'waiting' | 'again' | 'steps' | 'locks'>;

/** What becomes of items of an insertion. */
export interface Inserted {
  readonly work: WaitingWork;
  readonly slots: SlotsInPlace;
  readonly onExisting: OnExisting;
  readonly copies: Omit<Speakers, 'meet' | 'meetingOf'>;
  /** Where it is hoped that there are no copies: how those meet nevertheless. */
  readonly meetingOf?: Wgsl | undefined;
}

/** WGSL: `(slot: u32, item: u32)`: the key of an item is in that slot. It is all that a copy does whose key was absent at first. */
export const remember = kept(
  (work: WaitingWork): Wgsl => wgsl`
fn remember(slot: u32, item: u32) {
  atomicStore(&${work.of('slot', 'item')}, slot);
}`,
);

/** WGSL: `(slot: u32, parcel, item: u32)`: the key of an item is there, or it has taken the slot. Both remember it. */
export function changing({ work, slots, onExisting, copies: { folded } }: Inserted) {
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
  ${remember(work)}(slot, item);
}`,
    fill: wgsl`
fn fill${arguments_} {
  ${storeKey}(slot, parcel);
  ${hasValues ? store : ''}
  ${remember(work)}(slot, item);
  ${newKeys.count}
}`,
  };
}
