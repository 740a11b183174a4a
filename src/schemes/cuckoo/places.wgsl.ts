/** Where a key may be: the slots that its hash functions give. */
import type { HashFamily } from '../../hashing/index.ts';
import type { KeyAccess, KeyType } from '../../keys/index.ts';
import { join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { CuckooSettings } from './plan.ts';

/** The scheme's settings, and the family that its functions come from. */
export interface Cuckoo extends CuckooSettings {
  readonly family: HashFamily;
}

/** The functions for keys of one side; function number `functions` is that of the stash. */
export interface Places {
  /** WGSL: `(key, constants: vec4u) -> vec2u`, what all the functions below start from. */
  readonly first: Wgsl;
  /** WGSL: `(key, first: vec2u, index: u32, constants: vec4u) -> u32`, 32 bits of function `index`. */
  readonly functionOf: Wgsl;
  /** WGSL: `(key, left: u32, constants: vec4u, capacity: u32) -> u32`, the slot to try after having been driven from one. */
  readonly next: Wgsl;
}

/**
 * A family whose two words are independent gives two functions a hash; the constants of further hashes are derived from
 * the table's by mixing. One word is hashed anew for them. Wider keys are not read again: all 64 bits of their first hash
 * are, so keys that share one of its words still differ in every other function.
 */
export function placesOf(cuckoo: Cuckoo, key: KeyType, access: KeyAccess): Places {
  const { family, functions } = cuckoo;
  const perHash = family.independentWords;
  const hash = key.hash(access, family);
  const isCheap = (key.words === 1 && !access.context) || perHash === 1;
  const rehash = isCheap ? wgsl`${hash}(key, derived)` : wgsl`${family.hash(2)}(first.x, first.y, derived)`;
  const again = wgsl`
fn hashAgain(key: ${access.type}, first: vec2u, index: u32, constants: vec4u) -> vec2u {
  let derived = ${family.derive}(constants, index);
  return ${rehash};
}`;

  const functionOf = wgsl`
fn functionOf(key: ${access.type}, first: vec2u, index: u32, constants: vec4u) -> u32 {
  var hash = first;
  if (index >= ${perHash}u) { hash = ${again}(key, first, index / ${perHash}u, constants); }
  return ${perHash === 2 ? 'select(hash.x, hash.y, index % 2u == 1u)' : 'hash.x'};
}`;

  const numbers = Array.from({ length: functions }, (_, i) => i);
  const lets = numbers.map(
    (i) => wgsl`let place${i} = ${family.reduce}(${functionOf}(key, first, ${i}u, constants), capacity);`,
  );
  // A slot that an earlier function gives too is not another choice.
  const isNew = (i: number) => numbers.slice(0, i).map((j) => `place${i} != place${j}`);
  const turns = numbers.toReversed().map((i) => {
    const fresh = i === 0 ? '' : `\n  after = select(after, place${i}, ${isNew(i).join(' && ')});`;
    return `next = select(next, after, left == place${i});${fresh}`;
  });

  const next = wgsl`
fn nextPlace(key: ${access.type}, left: u32, constants: vec4u, capacity: u32) -> u32 {
  let first = ${hash}(key, constants);
  ${join(lets, '\n  ')}
  // Round robin over the different slots, from the last function to the first; after the last comes the first again.
  var after = place0;
  var next = place0;
  ${join(turns, '\n  ')}
  return next;
}`;

  return { first: hash, functionOf, next };
}
