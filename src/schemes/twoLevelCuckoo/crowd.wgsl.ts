/**
 * Buckets with more items than slots. As long as these are copies, and the policy allows them, the bucket is built all the
 * same: its threads take on more than their share (Alcantara et al. 2009, section 4.2) and keep one item of each key, which the
 * cuckoo table is then made of. That takes the table's place in workgroup memory for the time.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { itemIn, keyInParcel } from './parcel.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';
import { NOBODY } from './rounds.wgsl.ts';

/** Items of a bucket that a workgroup takes where some of them may be copies. */
const CROWD_LIMIT = 16_384;

/** Items that a bucket may have; more make the attempt fail, and the next one sorts. */
export const mostItems = ({ request, shape }: Pick<BuildParts, 'request' | 'shape'>): number =>
  forbidsCopies(request.duplicates) ? shape.capacity : CROWD_LIMIT;

/** What a workgroup does with a crowd. */
export interface Crowd {
  /** For each item of a thread: its number in the bucket, or `NOBODY`. */
  readonly locals: Wgsl;
  /**
   * WGSL: `(start: u32, size: u32, thread: u32) -> u32`: fills `locals` with one item of each key, and returns how many keys
   * there are, or more than a bucket holds if there are too many. The same for the whole workgroup.
   */
  readonly keepOneOfEach: Wgsl;
}

export function crowdOf(parts: BuildParts): Crowd {
  const { shape, rounds } = parts;
  const { threads, itemsPerThread, subtableSlots, capacity } = shape;
  const { table } = rounds;
  const slots = 3 * subtableSlots;
  const slotsPerThread = Math.ceil(slots / threads);
  const locals = wgsl`var<private> locals: array<u32, ${itemsPerThread}>;`;
  const kept = wgsl`var<workgroup> kept: atomic<u32>;`;
  const keptInAll = wgsl`var<workgroup> keptInAll: u32;`;
  const keepOneOfEach = wgsl`
fn keepOneOfEach(start: u32, size: u32, thread: u32) -> u32 {
  for (var slot = thread; slot < ${slots}u; slot += ${threads}u) { atomicStore(&${table}[slot], ${NOBODY}u); }
  workgroupBarrier();
  for (var local = thread; local < size; local += ${threads}u) {
    if (!${keepOne(parts, slots)}(start, local)) { atomicAdd(&${kept}, ${slots}u); }
  }
  workgroupBarrier();
  // Those that were kept move to the front.
  var own: array<u32, ${slotsPerThread}>;
  for (var k = 0u; k < ${slotsPerThread}u; k++) {
    let slot = k * ${threads}u + thread;
    own[k] = ${NOBODY}u;
    if (slot < ${slots}u) { own[k] = atomicLoad(&${table}[slot]); }
  }
  workgroupBarrier();
  for (var k = 0u; k < ${slotsPerThread}u; k++) {
    if (own[k] == ${NOBODY}u) { continue; }
    let slot = atomicAdd(&${kept}, 1u);
    if (slot < ${slots}u) { atomicStore(&${table}[slot], own[k]); }
  }
  workgroupBarrier();
  if (thread == 0u) { ${keptInAll} = atomicLoad(&${kept}); }
  let keys = workgroupUniformLoad(&${keptInAll});
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    let slot = k * ${threads}u + thread;
    ${locals}[k] = ${NOBODY}u;
    if (slot < min(keys, ${capacity}u)) { ${locals}[k] = atomicLoad(&${table}[slot]); }
  }
  workgroupBarrier();
  return keys;
}`;
  return { locals, keepOneOfEach };
}

/** WGSL: `(start: u32, local: u32) -> bool`, keeps one item of each key, by linear probing. False if there are too many keys. */
function keepOne({ request, view, rounds, rank, hashes, parcels }: BuildParts, slots: number): Wgsl {
  const { key } = request;
  const { header, keys } = view;
  const { table } = rounds;
  const areEqual = key.equals(keys.access, keys.access);
  const storedKey = (parcel: WgslPart) => keyInParcel(key, keys, parcel);
  const rankIn = (parcel: WgslPart) => wgsl`${rank}(${itemIn(key, parcel)})`;
  // Spread anew: the keys of a bucket have something in common.
  const word = key.isWord ? 'stored' : wgsl`${hashes.hashed(keys.access.of('stored'), wgsl`${header}.hash`)}.y`;
  return wgsl`
fn keepOne(start: u32, local: u32) -> bool {
  let parcel = ${parcels}[start + local];
  let stored = ${storedKey('parcel')};
  var slot = ${multiplyHigh}(${word} * 0x9e3779b1u, ${slots}u);
  var visited = 0u;
  // A step either moves on, or follows somebody else's success at this slot.
  for (var i = 0u; i < ${slots + CROWD_LIMIT}u && visited < ${slots}u; i++) {
    let old = atomicLoad(&${table}[slot]);
    if (old == ${NOBODY}u) {
      if (atomicCompareExchangeWeak(&${table}[slot], old, local).exchanged) { return true; }
      continue;
    }
    let other = ${parcels}[start + old];
    let otherStored = ${storedKey('other')};
    if (${areEqual}(${keys.access.of('stored')}, ${keys.access.of('otherStored')})) {
      if (${rankIn('other')} <= ${rankIn('parcel')}) { return true; }
      if (atomicCompareExchangeWeak(&${table}[slot], old, local).exchanged) { return true; }
    } else {
      slot = select(slot + 1u, 0u, slot + 1u == ${slots}u);
      visited++;
    }
  }
  return false;
}`;
}
