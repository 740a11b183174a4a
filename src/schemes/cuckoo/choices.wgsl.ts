/** The slots that a key may have, one for each hash function: its choices. */
import type { HashFamily } from '../../hashing/index.ts';
import type { KeyAccess, KeyType } from '../../keys/index.ts';
import { join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { FunctionCount } from './plan.ts';

/** What a scheme was made with, as far as kernels need it. */
export interface Cuckoo {
  readonly family: HashFamily;
  readonly functions: FunctionCount;
  readonly stashSlots: number;
}

/** The choices of keys that are read in one way. */
export interface Choices {
  /** WGSL: `(key, constants: vec4u) -> vec2u`, what all the functions below start from. */
  readonly first: Wgsl;
  /** WGSL: `(key, first: vec2u, index: u32, constants: vec4u, capacity: u32) -> u32`, the slot by function `index`. */
  readonly slotOf: Wgsl;
  /** WGSL: `(key, first: vec2u, constants: vec4u, capacity: u32) -> u32`, the slot in the stash. */
  readonly stashSlotOf: Wgsl;
  /** WGSL: `(key, left: u32, constants: vec4u, capacity: u32) -> u32`, the slot to try after having been driven from one. */
  readonly next: Wgsl;
}

export function choicesOf(cuckoo: Cuckoo, key: KeyType, access: KeyAccess): Choices {
  const { family, functions, stashSlots } = cuckoo;
  const first = key.hash(access, family);
  const functionOf = functionsOf(family, key, access);
  const slotOf = wgsl`
fn slotOf(key: ${access.type}, first: vec2u, index: u32, constants: vec4u, capacity: u32) -> u32 {
  return ${family.reduce}(${functionOf}(key, first, index, constants), capacity);
}`;
  const stashSlotOf = wgsl`
fn stashSlotOf(key: ${access.type}, first: vec2u, constants: vec4u, capacity: u32) -> u32 {
  return capacity + 1u + ${family.reduce}(${functionOf}(key, first, ${functions}u, constants), ${stashSlots}u);
}`;

  const numbers = Array.from({ length: functions }, (_, i) => i);
  const lets = numbers.map((i) => wgsl`let choice${i} = ${slotOf}(key, first, ${i}u, constants, capacity);`);
  // A slot that an earlier function gives too is not another choice.
  const isNew = (i: number) => numbers.slice(0, i).map((j) => `choice${i} != choice${j}`);
  const turns = numbers.toReversed().map((i) => {
    const fresh = i === 0 ? '' : `\n  after = select(after, choice${i}, ${isNew(i).join(' && ')});`;
    return `next = select(next, after, left == choice${i});${fresh}`;
  });
  const next = wgsl`
fn nextChoice(key: ${access.type}, left: u32, constants: vec4u, capacity: u32) -> u32 {
  let first = ${first}(key, constants);
  ${join(lets, '\n  ')}
  // Round robin over the different slots, from the last function to the first; after the last comes the first again.
  var after = choice0;
  var next = choice0;
  ${join(turns, '\n  ')}
  return next;
}`;

  return { first, slotOf, stashSlotOf, next };
}

/**
 * WGSL: `(key, first: vec2u, index: u32, constants: vec4u) -> u32`, 32 bits of function `index`; the one after the last is
 * that of the stash.
 *
 * A family whose two words are independent gives two functions a hash. The constants of further hashes are derived from the
 * table's by mixing. Keys of one word are hashed again with them. Wider keys are not: all 64 bits of their first hash are
 * hashed instead, so that keys that share one word of it still differ in the functions that follow.
 */
function functionsOf(family: HashFamily, key: KeyType, access: KeyAccess): Wgsl {
  const perHash = family.independentWords;
  const isCheap = key.isWord || perHash === 1;
  const rehash = isCheap
    ? wgsl`${key.hash(access, family)}(key, derived)`
    : wgsl`${family.hash(2)}(first.x, first.y, derived)`;
  const hashAgain = wgsl`
fn hashAgain(key: ${access.type}, first: vec2u, index: u32, constants: vec4u) -> vec2u {
  let derived = ${family.derive}(constants, index);
  return ${rehash};
}`;
  return wgsl`
fn functionOf(key: ${access.type}, first: vec2u, index: u32, constants: vec4u) -> u32 {
  var hash = first;
  if (index >= ${perHash}u) { hash = ${hashAgain}(key, first, index / ${perHash}u, constants); }
  return ${perHash === 2 ? 'select(hash.x, hash.y, index % 2u == 1u)' : 'hash.x'};
}`;
}
