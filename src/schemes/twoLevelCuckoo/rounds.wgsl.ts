/**
 * Parallel cuckoo hashing with three subtables in workgroup memory (Alcantara 2011, Listing 5.2). All items without a
 * slot write into the same subtable, the last one of each slot stays, and those that were overwritten go on to the next
 * subtable. The listing lets plain writes race; WGSL does not allow that, so the table consists of atomics.
 */
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { BucketShape } from './plan.ts';

/** Bits of a slot's index in its subtable, of which the largest has 768 slots. */
const SLOT_BITS = 10;
const SUBTABLE_SHIFT = 3 * SLOT_BITS;
/** The subtable of an item that has no slot. */
const NOWHERE = 3;

/** The home of an item that needs none, and of the key that goes to the extra slot, which no other wants. */
export const NOBODY = 0xffff_ffff;
export const EXTRA = 0xffff_fffe;

/** The state of a workgroup that builds a bucket, and the functions on it. */
export interface Rounds {
  /** One word for each slot of the three subtables, and one for the extra slot. */
  readonly table: Wgsl;
  /** For each item of a thread: its number in the input. */
  readonly items: Wgsl;
  /** For each item of a thread: what stands in the table for its key (the same for copies of a key). */
  readonly tokens: Wgsl;
  /** For each item of a thread: its slot in every subtable, and which of them it is in. */
  readonly homes: Wgsl;
  /** `homeOf(slots: vec3u) -> u32`: the home of an item that is in no subtable yet. */
  readonly homeOf: Wgsl;
  /** `localSlotOf(home: u32) -> u32`: which slot of the bucket an item is in that has one. */
  readonly localSlotOf: Wgsl;
  /** `runRounds(limit: u32, thread: u32) -> Outcome { rounds: u32, leftOver: u32 }`; the same for the whole workgroup. */
  readonly runRounds: Wgsl;
}

export function roundsOf({ subtableSlots, itemsPerThread }: BucketShape): Rounds {
  const table = wgsl`var<workgroup> table: array<atomic<u32>, ${3 * subtableSlots + 1}>;`;
  const evicted = wgsl`var<workgroup> evicted: atomic<u32>;`;
  const leftOver = wgsl`var<workgroup> leftOver: u32;`;
  const items = wgsl`var<private> items: array<u32, ${itemsPerThread}>;`;
  const tokens = wgsl`var<private> tokens: array<u32, ${itemsPerThread}>;`;
  const homes = wgsl`var<private> homes: array<u32, ${itemsPerThread}>;`;
  const Outcome = wgsl`
struct Outcome {
  rounds: u32,
  leftOver: u32,
}`;

  const homeOf = wgsl`
fn homeOf(slots: vec3u) -> u32 {
  return slots.x | (slots.y << ${SLOT_BITS}u) | (slots.z << ${2 * SLOT_BITS}u) | ${(NOWHERE << SUBTABLE_SHIFT) >>> 0}u;
}`;
  const localSlotIn = wgsl`
fn localSlotIn(subtable: u32, home: u32) -> u32 {
  return subtable * ${subtableSlots}u + ((home >> (${SLOT_BITS}u * subtable)) & ${2 ** SLOT_BITS - 1}u);
}`;
  const localSlotOf = wgsl`
fn localSlotOf(home: u32) -> u32 {
  return select(${localSlotIn}(home >> ${SUBTABLE_SHIFT}u, home), ${3 * subtableSlots}u, home == ${EXTRA}u);
}`;

  const mustLeave = wgsl`
fn mustLeave(subtable: u32, k: u32) -> bool {
  let home = ${homes}[k];
  if (home >= ${EXTRA}u || (home >> ${SUBTABLE_SHIFT}u) != subtable) { return false; }
  return subtable == ${NOWHERE}u || atomicLoad(&${table}[${localSlotIn}(subtable, home)]) != ${tokens}[k];
}`;
  const moveTo = wgsl`
fn moveTo(subtable: u32, k: u32) {
  ${homes}[k] = (${homes}[k] & ${2 ** SUBTABLE_SHIFT - 1}u) | (subtable << ${SUBTABLE_SHIFT}u);
}`;

  const runRounds = wgsl`
fn runRounds(limit: u32, thread: u32) -> ${Outcome} {
  for (var round = 1u; round <= limit; round++) {
    for (var subtable = 0u; subtable < 3u; subtable++) {
      let previous = (subtable + 3u) % 4u;
      for (var k = 0u; k < ${itemsPerThread}u; k++) {
        if (${mustLeave}(previous, k)) {
          ${moveTo}(subtable, k);
          atomicStore(&${table}[${localSlotIn}(subtable, ${homes}[k])], ${tokens}[k]);
        }
      }
      workgroupBarrier();
    }
    for (var k = 0u; k < ${itemsPerThread}u; k++) {
      if (${mustLeave}(2u, k)) {
        ${moveTo}(${NOWHERE}u, k);
        atomicAdd(&${evicted}, 1u);
      }
    }
    workgroupBarrier();
    if (thread == 0u) { ${leftOver} = atomicExchange(&${evicted}, 0u); }
    let left = workgroupUniformLoad(&${leftOver});
    if (left == 0u || round == limit) { return ${Outcome}(round, left); }
  }
  return ${Outcome}(0u, 0u);
}`;
  return { table, items, tokens, homes, homeOf, localSlotOf, runRounds };
}
