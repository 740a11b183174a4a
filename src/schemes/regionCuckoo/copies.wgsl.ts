/**
 * Which of several items of a batch with one key has the last word. While a region is filled, a bit for every slot tells whether an item
 * has come to it; the second one to come reveals that there are copies. Only such regions are listed and gone through again
 * by a kernel of its own, which orders all items of a key: for a part of the slots at a time, as many as there is memory for.
 */

import { type Binding, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { type Region, regionEnds } from './region.wgsl.ts';

/** Workgroups that go through the list of regions with copies. */
export const DECIDING_GROUPS = 1024;

/** The least workgroup memory that a device has. */
const MEMORY_WORDS = 4096;

/** Set in the number of an item that took a slot: its key was absent. */
export const CLAIMED = '0x80000000u';

/** Regions with copies: how many, which, and a bit for every region. */
export const crowdedOut: Binding = storage('crowded', 'array<atomic<u32>>', 'read_write');
export const crowded: Binding = storage('crowded', 'array<u32>');
export const crowdedWords = (regions: number): number => 1 + regions + Math.ceil(regions / 32);

/** Statements for as many threads as there are regions: none of them has copies so far. */
export const clearCrowded = (header: Binding): Wgsl => wgsl`
  if (item == 0u) { atomicStore(&${crowdedOut}[0], 0u); }
  if (item * 32u < ${header}.regions) { atomicStore(&${crowdedOut}[1u + ${header}.regions + item], 0u); }`;

/** Whether a region has copies. */
export const isCrowdedRegion = (region: WgslPart, header: Binding): Wgsl =>
  wgsl`(((${crowded}[1u + ${header}.regions + ${region} / 32u] >> (${region} % 32u)) & 1u) == 1u)`;

/** What an insertion does about copies while it fills a region. */
export interface Copies {
  /** WGSL: `(slot: u32)`, an item has come to the slot of its key. */
  readonly meet: Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, the key of a slot has gone to another, which was empty. */
  readonly move?: Wgsl;
  /** Statements that list the region if it has copies; they see `group`, `thread`, `first` and `end`. */
  readonly list: Wgsl;
}

/** Where copies make no difference. */
const IGNORED: Copies = {
  meet: wgsl`
fn meet(slot: u32) {
}`,
  list: wgsl``,
};

const hasFlag = (flags: Wgsl, slot: WgslPart): Wgsl =>
  wgsl`(((atomicLoad(&${flags}[${slot} / 32u]) >> (${slot} % 32u)) & 1u) == 1u)`;

/** Whether copies in a batch have to be told apart. */
export const copiesMatter = (onExisting: OnExisting, unique: boolean, valueWords: number): boolean =>
  valueWords > 0 && (typeof onExisting === 'object' || !unique);

export function copiesOf(region: Region, matters: boolean, isCombined: boolean): Copies {
  if (!matters) return IGNORED;
  const { header, perBucket, store } = region;
  // Four buckets to a word: the less memory a workgroup takes, the more of them are at work.
  const perWord = 4 * perBucket;
  const touched = wgsl`var<workgroup> touched: array<atomic<u32>, ${store.capacity / 4}>;`;
  const hasCopies = wgsl`var<workgroup> hasCopies: atomic<u32>;`;
  const flagsOf = (slot: string): Wgsl => wgsl`${touched}[${slot} / ${perWord}u]`;
  const flagAt = (slot: string): Wgsl => wgsl`(${slot} % ${perWord}u)`;
  // Values that are combined are all written in the end.
  const isListed = isCombined ? wgsl`true` : wgsl`atomicLoad(&${hasCopies}) != 0u`;
  return {
    meet: wgsl`
fn meet(slot: u32) {
  let bit = 1u << ${flagAt('slot')};
  if ((atomicOr(&${flagsOf('slot')}, bit) & bit) != 0u) { atomicStore(&${hasCopies}, 1u); }
}`,
    move: wgsl`
fn moveFlags(origin: u32, goal: u32) {
  let flag = (atomicLoad(&${flagsOf('origin')}) >> ${flagAt('origin')}) & 1u;
  atomicAnd(&${flagsOf('origin')}, ~(1u << ${flagAt('origin')}));
  atomicOr(&${flagsOf('goal')}, flag << ${flagAt('goal')});
}`,
    list: wgsl`
  workgroupBarrier();
  if (thread == 0u && ${isListed}) {
    atomicStore(&${crowdedOut}[1u + atomicAdd(&${crowdedOut}[0], 1u)], group);
    atomicOr(&${crowdedOut}[1u + ${header}.regions + group / 32u], 1u << (group % 32u));
  }`,
  };
}

/** The kernel that gives every slot of the listed regions its value. It has whole regions. */
export function decideKernel(region: Region, onExisting: OnExisting): Kernel {
  const { shape, parcels, header, perBucket, store, find, addressOf, storeValue, wordOf, setWord } = region;
  const { threads } = store;
  const { layout } = shape;
  const most = layout.regionBuckets * layout.slots;
  const flagWords = Math.ceil(most / 32);
  // Some words are left for what is small.
  const windowSlots = Math.min(most, MEMORY_WORDS - layout.regionBuckets * layout.metaWords - 2 * flagWords - 64);
  const touched = wgsl`var<workgroup> touched: array<atomic<u32>, ${flagWords}>;`;
  const fresh = wgsl`var<workgroup> fresh: array<atomic<u32>, ${flagWords}>;`;
  const window = wgsl`var<workgroup> window: array<atomic<u32>, ${windowSlots}>;`;
  const isCombined = typeof onExisting === 'object';
  const isKept = onExisting === 'keep';
  const number = (parcel: WgslPart): Wgsl => wgsl`(${parcels.number(parcel)} & ~${CLAIMED})`;
  // The greatest has the last word; 0 is nobody.
  const rankOf = (parcel: WgslPart): Wgsl => (isKept ? wgsl`~${number(parcel)}` : wgsl`(${number(parcel)} + 1u)`);
  const combineInto = isCombined
    ? wgsl`
fn combineInto(at: u32, value: u32) {
  for (var i = 0u; i < 1000000u; i++) {
    let old = atomicLoad(&${window}[at]);
    if (atomicCompareExchangeWeak(&${window}[at], old, ${onExisting.combine}(old, value)).exchanged) { return; }
  }
}`
    : undefined;
  const contend = combineInto
    ? wgsl`
      atomicOr(&${touched}[slot / 32u], 1u << (slot % 32u));
      ${combineInto}(slot - low, ${parcels.value('parcel')});`
    : wgsl`atomicMax(&${window}[slot - low], ${rankOf('parcel')});`;
  const noteFresh = wgsl`
      if (${parcels.number('parcel')} >= ${CLAIMED}) { atomicOr(&${fresh}[slot / 32u], 1u << (slot % 32u)); }`;
  const eachItem = (then: Wgsl): Wgsl => wgsl`
    for (var i = first + thread; i < end; i += ${threads}u) {
      let parcel = ${parcels.buffer}[i];
      let address = ${addressOf}(parcel);
      let slot = ${find}(address, parcel);
      // Those that found no room have none.
      if (slot == ${NONE} || slot < low || slot >= low + ${windowSlots}u) { continue; }
      ${then}
    }`;
  const writeCombined = (combine: Wgsl): Wgsl => wgsl`
    for (var i = thread; i < min(${windowSlots}u, slotCount - low); i += ${threads}u) {
      let slot = low + i;
      if (!${hasFlag(touched, 'slot')}) { continue; }
      var value = atomicLoad(&${window}[i]);
      if (!${hasFlag(fresh, 'slot')}) { value = ${combine}(${wordOf('slot')}, value); }
      ${setWord('slot', 'value')}
    }`;
  const writeWinner = wgsl`
      if (atomicLoad(&${window}[slot - low]) == ${rankOf('parcel')}${isKept ? wgsl` && ${hasFlag(fresh, 'slot')}` : ''}) {
        ${storeValue}(slot, parcel);
      }`;
  return kernel({
    label: 'regionCuckoo/decide',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  for (var n = group; n < ${crowded}[0]; n += groups) {
    let region = ${crowded}[1u + n];
    var first = 0u;
    if (region > 0u) { first = ${regionEnds}[region - 1u]; }
    let end = ${regionEnds}[region];
    let firstBucket = region << ${header}.bucketBits;
    ${store.load}
    ${store.keep}
    for (var i = thread; i < ${flagWords}u; i += ${threads}u) {
      atomicStore(&${touched}[i], 0u);
      atomicStore(&${fresh}[i], 0u);
    }
    workgroupBarrier();
    let slotCount = ${perBucket}u << ${header}.bucketBits;
    for (var low = 0u; low < slotCount; low += ${windowSlots}u) {
      for (var i = thread; i < ${windowSlots}u; i += ${threads}u) { atomicStore(&${window}[i], ${isCombined ? `${onExisting.identity}u` : '0u'}); }
      workgroupBarrier();
      ${eachItem(wgsl`${onExisting === 'replace' ? '' : noteFresh}
      ${contend}`)}
      workgroupBarrier();
      ${isCombined ? writeCombined(onExisting.combine) : eachItem(writeWinner)}
      workgroupBarrier();
    }
  }`,
  });
}
