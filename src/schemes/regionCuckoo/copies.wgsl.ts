/**
 * Which of several items of a batch with one key has the last word. While a region is filled, a bit for every slot tells whether an item
 * has come to it; the second one to come reveals that there are copies. Only such regions are listed and gone through again
 * by a kernel of its own, which orders all items of a key: for a part of the slots at a time, as many as there is memory for.
 */
import { type Binding, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { NONE, type Region, regionEnds, THREADS } from './region.wgsl.ts';

/** Workgroups that go through the list of regions with copies. */
export const DECIDING_GROUPS = 1024;

/** The least workgroup memory that a device has. */
const MEMORY_WORDS = 4096;

/** Set in the number of an item that took a slot: its key was absent. */
export const CLAIMED = '0x80000000u';

/** Regions with copies: how many, and which. */
const CrowdedList = wgsl`
struct CrowdedList {
  count: atomic<u32>,
  regions: array<u32>,
}`;
export const crowdedOut: Binding = storage('crowded', CrowdedList, 'read_write');
export const crowded: Binding = storage('crowded', 'array<u32>');

/** What an insertion does about copies while it fills a region. */
export interface Copies {
  /** WGSL: `(slot: u32)`, an item has come to the slot of its key. */
  readonly meet: Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, the key of a slot has gone to another, which was empty. */
  readonly move: Wgsl;
  /** Statements that list the region if it has copies; they see `region` and `thread`. */
  readonly list: Wgsl;
}

/** Where copies make no difference. */
const IGNORED: Copies = {
  meet: wgsl`
fn meet(slot: u32) {
}`,
  move: wgsl`
fn moveFlags(origin: u32, goal: u32) {
}`,
  list: wgsl``,
};

const hasFlag = (flags: Wgsl, slot: WgslPart): Wgsl =>
  wgsl`(((atomicLoad(&${flags}[${slot} / 32u]) >> (${slot} % 32u)) & 1u) == 1u)`;

const flagWordsOf = ({ shape: { layout } }: Region): number => Math.ceil((layout.regionBuckets * layout.slots) / 32);

/** Whether copies in a batch have to be told apart. */
export const copiesMatter = (onExisting: OnExisting, unique: boolean, valueWords: number): boolean =>
  valueWords > 0 && (typeof onExisting === 'object' || !unique);

export function copiesOf(region: Region, matters: boolean, isCombined: boolean): Copies {
  if (!matters) return IGNORED;
  const touched = wgsl`var<workgroup> touched: array<atomic<u32>, ${flagWordsOf(region)}>;`;
  const copiesMet = wgsl`var<workgroup> copiesMet: atomic<u32>;`;
  return {
    meet: wgsl`
fn meet(slot: u32) {
  let bit = 1u << (slot % 32u);
  if ((atomicOr(&${touched}[slot / 32u], bit) & bit) != 0u) { atomicStore(&${copiesMet}, 1u); }
}`,
    move: wgsl`
fn moveFlags(origin: u32, goal: u32) {
  let flag = u32(${hasFlag(touched, 'origin')});
  atomicAnd(&${touched}[origin / 32u], ~(1u << (origin % 32u)));
  atomicOr(&${touched}[goal / 32u], flag << (goal % 32u));
}`,
    // Values that are combined are all written in the end.
    list: wgsl`
  if (thread == 0u && ${isCombined ? 'true' : wgsl`atomicLoad(&${copiesMet}) == 1u`}) {
    ${crowdedOut}.regions[atomicAdd(&${crowdedOut}.count, 1u)] = region;
  }`,
  };
}

/** The kernel that gives every slot of the listed regions its value. */
export function decideKernel(region: Region, onExisting: OnExisting): Kernel {
  const { shape, parcels, header, perBucket, load, find, placeOf, storeValue, wordOf } = region;
  const { layout } = shape;
  const most = layout.regionBuckets * layout.slots;
  const flagWords = flagWordsOf(region);
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
    for (var i = first + thread; i < end; i += ${THREADS}u) {
      let parcel = ${parcels.buffer}[i];
      let slot = ${find}(${placeOf}(parcel), parcel);
      // Those that found no room have none.
      if (slot == ${NONE} || slot < low || slot >= low + ${windowSlots}u) { continue; }
      ${then}
    }`;
  const writeCombined = (combine: Wgsl): Wgsl => wgsl`
    for (var i = thread; i < min(${windowSlots}u, slotCount - low); i += ${THREADS}u) {
      let slot = low + i;
      if (!${hasFlag(touched, 'slot')}) { continue; }
      var value = atomicLoad(&${window}[i]);
      if (!${hasFlag(fresh, 'slot')}) { value = ${combine}(${wordOf('slot')}, value); }
      ${wordOf('slot')} = value;
    }`;
  const writeWinner = wgsl`
      if (atomicLoad(&${window}[slot - low]) == ${rankOf('parcel')}${isKept ? wgsl` && ${hasFlag(fresh, 'slot')}` : ''}) {
        ${storeValue}(slot, parcel);
      }`;
  return kernel({
    label: 'regionCuckoo/decide',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  for (var n = group; n < ${crowded}[0]; n += groups) {
    let region = ${crowded}[1u + n];
    var first = 0u;
    if (region > 0u) { first = ${regionEnds}[region - 1u]; }
    let end = ${regionEnds}[region];
    ${load}(region, thread);
    for (var i = thread; i < ${flagWords}u; i += ${THREADS}u) {
      atomicStore(&${touched}[i], 0u);
      atomicStore(&${fresh}[i], 0u);
    }
    workgroupBarrier();
    let slotCount = ${perBucket}u << ${header}.bucketBits;
    for (var low = 0u; low < slotCount; low += ${windowSlots}u) {
      for (var i = thread; i < ${windowSlots}u; i += ${THREADS}u) { atomicStore(&${window}[i], ${isCombined ? `${onExisting.identity}u` : '0u'}); }
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
