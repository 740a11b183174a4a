/**
 * Probe sequences. `header.hash.x` is the size of the table, a prime that is drawn with the rest of the function; the other three
 * words are random.
 *
 * A search has a state of two words. One-word keys can be told from the slot, the age and the quotient that stands there: a key
 * that is evicted goes on from there (`resume`), and nothing else of it is ever stored.
 */
import { mix } from '../../hashing/index.ts';
import type { KeyAccess, KeyType, PlaceOrder } from '../../keys/index.ts';
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
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

/** WGSL: `(slot: u32, offset: u32, size: u32) -> u32`, modulo the size. Sizes are below 2³¹. */
const add = wgsl`
fn addOffset(slot: u32, offset: u32, size: u32) -> u32 {
  let sum = slot + offset;
  return select(sum, sum - size, sum >= size);
}`;

/** WGSL: `(age: u32, hash: vec4u) -> u32`: at each age the whole table is shifted by a random offset, by none at the first. */
const coherentOffset = wgsl`
fn offsetAt(age: u32, hash: vec4u) -> u32 {
  if (age == 1u) { return 0u; }
  return ${mix.hash(1)}(age, hash.yzwy).x % hash.x;
}`;

/** The same stride at every age: at most 2²², so that no product of it and an age is too great. */
const strideOffset = wgsl`
fn offsetAt(age: u32, hash: vec4u) -> u32 {
  return ((age - 1u) * (1u + (hash.y >> 10u) % (hash.x - 1u))) % hash.x;
}`;

/** WGSL: `(age: u32, hash: vec4u) -> vec4u`: the constants of a function for every age. */
const constantsAt = wgsl`
fn constantsAt(age: u32, hash: vec4u) -> vec4u {
  return vec4u(hash.y + age * 0x9e3779b9u, hash.zwy);
}`;

/** WGSL: `(odd: u32) -> u32`, what undoes a multiplication modulo 2³²: Newton's iteration doubles the bits that are right. */
const inverse = wgsl`
fn inverseOf(odd: u32) -> u32 {
  var x = odd;
  for (var i = 0; i < 4; i++) { x *= 2u - odd * x; }
  return x;
}`;

/** The offsets of a sequence that shifts all keys alike. */
const offsetsOf = (name: 'coherent' | 'stride'): Wgsl => (name === 'coherent' ? coherentOffset : strideOffset);

/** Sequences of keys that are one word: the key is found again from what stands in its slot. */
export function wordSequence(name: SequenceName, header: Binding): WordSequence {
  const size = wgsl`${header}.hash.x`;
  const toMark = wgsl`<< ${header}.maximumBits`;
  const fromMark = wgsl`>> ${header}.maximumBits`;
  if (name === 'random') {
    return {
      begin: () => wgsl`
fn begin(key: u32) -> vec2u {
  return vec2u(key, 0u);
}`,
      probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  let spread = ${mix.hash(1)}(state.x, ${constantsAt}(age, ${header}.hash)).x;
  return vec2u(spread % ${size}, (spread / ${size}) ${toMark});
}`,
      resume: wgsl`
fn resume(slot: u32, age: u32, mark: u32) -> vec2u {
  return vec2u(${mix.unhash as Wgsl}((mark ${fromMark}) * ${size} + slot, ${constantsAt}(age, ${header}.hash)), 0u);
}`,
      keyOf: wgsl`
fn keyOf(state: vec2u) -> u32 {
  return state.x;
}`,
    };
  }
  const isStride = name === 'stride';
  const multiplier = wgsl`(${header}.hash.z | 1u)`;
  const offset = offsetsOf(name);
  return {
    begin: () => wgsl`
fn begin(key: u32) -> vec2u {
  let number = ${isStride ? wgsl`key * ${multiplier} + ${header}.hash.w` : 'key'};
  return vec2u(number % ${size}, number / ${size});
}`,
    probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  return vec2u(${add}(state.x, ${offset}(age, ${header}.hash), ${size}), state.y ${toMark});
}`,
    resume: wgsl`
fn resume(slot: u32, age: u32, mark: u32) -> vec2u {
  return vec2u(${add}(slot, ${size} - ${offset}(age, ${header}.hash), ${size}), mark ${fromMark});
}`,
    keyOf: wgsl`
fn keyOf(state: vec2u) -> u32 {
  let number = state.y * ${size} + state.x;
  return ${isStride ? wgsl`(number - ${header}.hash.w) * ${inverse}(${multiplier})` : 'number'};
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
  const size = wgsl`${header}.hash.x`;
  const place = remainderOfPlace(key, order);
  const hashOf = (access: KeyAccess) => wgsl`${key.hash(access, mix)}(key, ${header}.hash.yzwy)`;
  const mark = wgsl`((state.y >> (32u - ${header}.ageShift)) >> ${header}.maximumBits) << ${header}.maximumBits`;
  if (name === 'random') {
    return {
      begin: (access) => wgsl`
fn begin(key: ${access.type}) -> vec2u {
  return ${hashOf(access)};
}`,
      probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  return vec2u(${mix.hash(1)}(state.x ^ age, vec4u(state.y, ${header}.hash.zwy)).x % ${size}, ${mark});
}`,
    };
  }
  const number = (hash: WgslPart): WgslPart => (place ? wgsl`${place}(key, ${size})` : wgsl`${hash}.x % ${size}`);
  const first =
    name === 'stride'
      ? wgsl`(${number('hash')} * (${header}.hash.z | 1u) + ${header}.hash.w) % ${size}`
      : number('hash');
  return {
    begin: (access) => wgsl`
fn begin(key: ${access.type}) -> vec2u {
  let hash = ${hashOf(access)};
  return vec2u(${first}, hash.y);
}`,
    probe: wgsl`
fn probe(state: vec2u, age: u32) -> vec2u {
  return vec2u(${add}(state.x, ${offsetsOf(name)}(age, ${header}.hash), ${size}), ${mark});
}`,
  };
}
