/**
 * Probe sequences. `header.hash.x` is the size of the table, a prime, another one for each attempt; the other three words are
 * random.
 *
 * A search has a state of two words. One-word keys can be told from the slot, the age and the quotient that stands there: a key
 * that is evicted goes on from there (`resume`), and nothing else of it is ever stored.
 */
import { inverse, mix, unmix } from '../../hashing/index.ts';
import type { KeyAccess, KeyType, PlaceOrder } from '../../keys/index.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { remainderOfPlace } from './place.wgsl.ts';

/** The sequences. */
export type SequenceName = 'coherent' | 'random' | 'stride';
export const SEQUENCES: readonly SequenceName[] = ['coherent', 'random', 'stride'];

/** The probes of keys. */
export interface Sequence {
  /** WGSL: `(key: access.type) -> vec2u`, the state. */
  begin(access: KeyAccess): Wgsl;
  /** WGSL: `(state: vec2u, age: u32) -> vec2u`, the slot of that age and the mark of the key there. */
  readonly probe: Wgsl;
}

/** The probes of one-word keys. */
export interface WordSequence extends Sequence {
  /** WGSL: `(slot: u32, age: u32, mark: u32) -> vec2u`, the state of the key that has this mark there. */
  readonly resume: Wgsl;
  /** WGSL: `(state: vec2u) -> u32`. */
  readonly keyOf: Wgsl;
}

/** WGSL: `(age: u32, hash: vec4u) -> vec4u`: the constants of a function for every age. */
const constantsAt = wgsl`
fn constantsAt(age: u32, hash: vec4u) -> vec4u {
  return vec4u(hash.y + age * 0x9e3779b9u, hash.zwy);
}`;

/** WGSL: `(number: u32, age: u32, hash: vec4u) -> u32`, a bijection of words for every age; and its inverse. */
const PERMUTATIONS = {
  /** A hash function for each age. */
  random: {
    permute: wgsl`
fn permuteAt(number: u32, age: u32, hash: vec4u) -> u32 {
  return ${mix.hash(1)}(number, ${constantsAt}(age, hash)).x;
}`,
    restore: wgsl`
fn restoreAt(permuted: u32, age: u32, hash: vec4u) -> u32 {
  return ${unmix(1)}(permuted, ${constantsAt}(age, hash));
}`,
  },
  /** The paper's random sequence as it is printed, in words that wrap (section 4). */
  stride: {
    permute: wgsl`
fn permuteAt(number: u32, age: u32, hash: vec4u) -> u32 {
  return hash.y + number * (hash.z | 1u) + age * hash.w;
}`,
    restore: wgsl`
fn restoreAt(permuted: u32, age: u32, hash: vec4u) -> u32 {
  return (permuted - age * hash.w - hash.y) * ${inverse}(hash.z | 1u);
}`,
  },
} as const;

/** WGSL: `(age: u32, hash: vec4u) -> u32`: at each age the whole table is shifted by a random offset, by none at the first. */
const offsetAt = wgsl`
fn offsetAt(age: u32, hash: vec4u) -> u32 {
  if (age == 1u) { return 0u; }
  return ${mix.hash(1)}(age, hash.yzwy).x % hash.x;
}`;

/** WGSL: `(slot: u32, offset: u32, size: u32) -> u32`, modulo the size. Sizes are below 2³¹. */
const shift = wgsl`
fn shiftSlot(slot: u32, offset: u32, size: u32) -> u32 {
  let sum = slot + offset;
  return select(sum, sum - size, sum >= size);
}`;

/** Sequences of keys that are one word: the key is found again from what stands in its slot. */
export function wordSequence(name: SequenceName, header: Binding): WordSequence {
  const hash = wgsl`${header}.hash`;
  const toMark = wgsl`<< ${header}.maximumBits`;
  const fromMark = wgsl`>> ${header}.maximumBits`;
  if (name !== 'coherent') {
    const { permute, restore } = PERMUTATIONS[name];
    return {
      begin: () => wgsl`
fn begin(key: u32) -> vec2u {
  return vec2u(key, 0u);
}`,
      probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  let number = ${permute}(state.x, age, ${hash});
  return vec2u(number % ${hash}.x, (number / ${hash}.x) ${toMark});
}`,
      resume: wgsl`
fn resume(slot: u32, age: u32, mark: u32) -> vec2u {
  return vec2u(${restore}((mark ${fromMark}) * ${hash}.x + slot, age, ${hash}), 0u);
}`,
      keyOf: wgsl`
fn keyOf(state: vec2u) -> u32 {
  return state.x;
}`,
    };
  }
  return {
    begin: () => wgsl`
fn begin(key: u32) -> vec2u {
  return vec2u(key % ${hash}.x, key / ${hash}.x);
}`,
    probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  return vec2u(${shift}(state.x, ${offsetAt}(age, ${hash}), ${hash}.x), state.y ${toMark});
}`,
    resume: wgsl`
fn resume(slot: u32, age: u32, mark: u32) -> vec2u {
  return vec2u(${shift}(slot, ${hash}.x - ${offsetAt}(age, ${hash}), ${hash}.x), mark ${fromMark});
}`,
    keyOf: wgsl`
fn keyOf(state: vec2u) -> u32 {
  return state.y * ${hash}.x + state.x;
}`,
  };
}

/** Sequences of keys that stand in their slots. The second word of the state is a hash of the whole key; a part of it is the mark. */
export function keySequence(
  name: SequenceName,
  key: KeyType,
  order: PlaceOrder | undefined,
  header: Binding,
): Sequence {
  const hash = wgsl`${header}.hash`;
  const place = remainderOfPlace(key, order);
  const slot =
    name === 'coherent'
      ? wgsl`${shift}(state.x, ${offsetAt}(age, ${hash}), ${hash}.x)`
      : wgsl`${PERMUTATIONS[name].permute}(state.x, age, ${hash}) % ${hash}.x`;
  // Only the coherent sequence begins at the place of a key; the others need no place to be.
  const first =
    name === 'coherent' ? (place ? wgsl`${place}(key, ${hash}.x)` : wgsl`hashed.x % ${hash}.x`) : 'hashed.x';
  return {
    begin: (access) => wgsl`
fn begin(key: ${access.type}) -> vec2u {
  let hashed = ${key.hash(access, mix)}(key, ${hash}.yzwy);
  return vec2u(${first}, hashed.y);
}`,
    probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  return vec2u(${slot}, ((state.y >> (32u - ${header}.ageShift)) >> ${header}.maximumBits) << ${header}.maximumBits);
}`,
  };
}
