/**
 * Which of several items of a batch with one key has the last word. A bit for every slot tells whether an item has come to it; the second
 * one to come reveals that there are copies, and only then their order is looked at. It is done for a part of the slots at a time,
 * as many as there is memory for.
 */
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { OnExisting } from '../contract/index.ts';
import { NONE, type Region, THREADS } from './region.wgsl.ts';

/** Workgroup memory of a kernel of regions: the least that a device has, less some words for counters and lists. */
const MEMORY_WORDS = 4096 - 320;

export interface Copies {
  /** WGSL: `(slot: u32)`, an item has come to a slot that has its key. */
  readonly meet: Wgsl;
  /** WGSL: `(slot: u32)`, an item has taken a slot that was empty. */
  readonly arrive: Wgsl;
  /** WGSL: `(origin: u32, goal: u32)`, the key of a slot has gone to another, which was empty. */
  readonly move: Wgsl;
  /** Statements that give every slot its value; they see `thread`, `first` and `end`. */
  readonly decide: Wgsl;
}

/** Where copies make no difference. */
const IGNORED: Copies = {
  meet: wgsl`
fn meet(slot: u32) {
}`,
  arrive: wgsl`
fn arrive(slot: u32) {
}`,
  move: wgsl`
fn moveFlags(origin: u32, goal: u32) {
}`,
  decide: wgsl``,
};

/** How copies are told apart: by their numbers, or not at all because their values are combined. */
export function copiesOf(region: Region, onExisting: OnExisting, matters: boolean): Copies {
  if (!matters) return IGNORED;
  const { shape, parcels, header, perBucket, find, placeOf, storeValue, wordOf } = region;
  const { layout } = shape;
  const most = layout.regionBuckets * layout.slots;
  const flagWords = Math.ceil(most / 32);
  const windowSlots = Math.min(most, MEMORY_WORDS - layout.regionBuckets * layout.metaWords - 2 * flagWords - 16);
  const touched = wgsl`var<workgroup> touched: array<atomic<u32>, ${flagWords}>;`;
  const fresh = wgsl`var<workgroup> fresh: array<atomic<u32>, ${flagWords}>;`;
  const window = wgsl`var<workgroup> window: array<atomic<u32>, ${windowSlots}>;`;
  const copiesMet = wgsl`var<workgroup> copiesMet: atomic<u32>;`;
  const verdict = wgsl`var<workgroup> copiesVerdict: u32;`;
  const has = (flags: Wgsl, slot: WgslPart): Wgsl =>
    wgsl`(((atomicLoad(&${flags}[${slot} / 32u]) >> (${slot} % 32u)) & 1u) == 1u)`;
  const isCombined = typeof onExisting === 'object';
  const isKept = onExisting === 'keep';
  // The greatest has the last word; 0 is nobody.
  const claimOf = (parcel: WgslPart): Wgsl =>
    isKept ? wgsl`~${parcels.number(parcel)}` : wgsl`(${parcels.number(parcel)} + 1u)`;
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
    ? wgsl`${combineInto}(slot - low, ${parcels.value('parcel')});`
    : wgsl`atomicMax(&${window}[slot - low], ${claimOf('parcel')});`;
  const eachItem = (then: Wgsl): Wgsl => wgsl`
    for (var i = first + thread; i < end; i += ${THREADS}u) {
      let parcel = ${parcels.buffer}[i];
      let slot = ${find}(${placeOf}(parcel), parcel);
      // Those that found no room have none.
      if (slot == ${NONE} || slot < low || slot >= low + ${windowSlots}u) { continue; }
      ${isKept ? wgsl`if (!${has(fresh, 'slot')}) { continue; }` : ''}
      ${then}
    }`;
  const writeWinners = isCombined
    ? wgsl`
    for (var i = thread; i < min(${windowSlots}u, slotCount - low); i += ${THREADS}u) {
      let slot = low + i;
      if (!${has(touched, 'slot')}) { continue; }
      var value = atomicLoad(&${window}[i]);
      if (!${has(fresh, 'slot')}) { value = ${onExisting.combine}(${wordOf('slot')}, value); }
      ${wordOf('slot')} = value;
    }`
    : eachItem(wgsl`if (atomicLoad(&${window}[slot - low]) == ${claimOf('parcel')}) { ${storeValue}(slot, parcel); }`);
  const moveFlag = (flags: Wgsl): Wgsl => wgsl`
  {
    let flag = u32(${has(flags, 'origin')});
    atomicAnd(&${flags}[origin / 32u], ~(1u << (origin % 32u)));
    atomicOr(&${flags}[goal / 32u], flag << (goal % 32u));
  }`;
  return {
    meet: wgsl`
fn meet(slot: u32) {
  let bit = 1u << (slot % 32u);
  if ((atomicOr(&${touched}[slot / 32u], bit) & bit) != 0u) { atomicStore(&${copiesMet}, 1u); }
}`,
    arrive: wgsl`
fn arrive(slot: u32) {
  let bit = 1u << (slot % 32u);
  atomicOr(&${fresh}[slot / 32u], bit);
  // Somebody may have met it here before.
  if ((atomicOr(&${touched}[slot / 32u], bit) & bit) != 0u) { atomicStore(&${copiesMet}, 1u); }
}`,
    move: wgsl`
fn moveFlags(origin: u32, goal: u32) {
  ${moveFlag(touched)}
  ${moveFlag(fresh)}
}`,
    decide: wgsl`
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) { ${verdict} = ${isCombined ? '1u' : wgsl`atomicLoad(&${copiesMet})`}; }
  if (workgroupUniformLoad(&${verdict}) == 1u) {
    let slotCount = ${perBucket}u << ${header}.bucketBits;
    for (var low = 0u; low < slotCount; low += ${windowSlots}u) {
      for (var i = thread; i < ${windowSlots}u; i += ${THREADS}u) { atomicStore(&${window}[i], ${isCombined ? `${onExisting.identity}u` : '0u'}); }
      workgroupBarrier();
      ${eachItem(contend)}
      workgroupBarrier();
      ${writeWinners}
      workgroupBarrier();
    }
  }`,
  };
}
