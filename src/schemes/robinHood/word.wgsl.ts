/**
 * The first word of a slot, from its highest bits to its lowest: the age of the key that is there, its mark, and the maximum age.
 *
 * - The **age** is the number of the probe that found the slot, from 1; 0 means that the slot is empty.
 * - The **mark** tells the key from others that could be here at this age. That of a one-word key is a quotient, and nothing else
 *   is needed to know the key; that of a wider one is a part of its hash, and the key stands behind the word.
 * - The **maximum age** is the greatest age of all keys whose first probe is this slot (García et al. 2011, equation 1), less one.
 *
 * Age and mark together are a key's seniority at a slot: the most senior key takes it.
 */
import type { Binding, Wgsl } from '../../wgsl/index.ts';
import { kept, wgsl } from '../../wgsl/index.ts';

/** How the bits of the word are shared, as fields of the header. */
export interface WordFields extends Readonly<Record<string, number>> {
  /** Bits below the age. */
  readonly ageShift: number;
  /** Bits of the maximum age: the lowest. */
  readonly maximumBits: number;
  /** The greatest age that a key may have. */
  readonly mostAge: number;
}

/** Bits of an age: four are too few at a load of 0.99 with 32 million keys. Without evictions some keys become old. */
const LEAST_AGE_BITS = 5;
const AGE_BITS_WITHOUT_EVICTION = 10;

/** Bits of a maximum age where there is room for all of them. */
const MAXIMUM_BITS = 5;

const share = (ageBits: number, maximumBits: number): WordFields => ({
  ageShift: 32 - ageBits,
  maximumBits,
  mostAge: 2 ** ageBits - 1,
});

/** For one-word keys whose quotients have so many bits. Where there is no room for maximum ages, they are cut off. */
export function quotientFields(quotientBits: number, evict: boolean): WordFields {
  const room = 32 - quotientBits;
  const ageBits = Math.min(evict ? LEAST_AGE_BITS : AGE_BITS_WITHOUT_EVICTION, room);
  return share(ageBits, Math.min(MAXIMUM_BITS, room - ageBits));
}

/** For wider keys: while the table is built, the number of an item, of so many bits, stands beside the age. */
export const itemFields = (itemBits: number, evict: boolean): WordFields =>
  share(evict ? LEAST_AGE_BITS : Math.min(AGE_BITS_WITHOUT_EVICTION, 32 - itemBits), MAXIMUM_BITS);

/** WGSL functions over words, for the header of one view. */
export interface WordFunctions {
  /** WGSL: `(word: u32) -> u32`, the seniority of the key in it. */
  readonly seniorityIn: Wgsl;
  /** WGSL: `(word: u32) -> u32`. */
  readonly ageIn: Wgsl;
  /** WGSL: `(word: u32) -> u32`, the mark as it stands in the word. */
  readonly markIn: Wgsl;
  /** WGSL: `(age: u32, mark: u32) -> u32`, a seniority. */
  readonly seniorityOf: Wgsl;
  /** WGSL: `(word: u32, limit: u32) -> u32`, the age up to which keys have to be looked for that begin in the slot of this word. */
  readonly limitIn: Wgsl;
  /** WGSL: `(age: u32) -> u32`, what stands for a maximum age. The greatest that there is room for means: this, or any greater one. */
  readonly maximumOf: Wgsl;
}

export const wordFunctions = kept((header: Binding): WordFunctions => {
  const maximumMask = wgsl`
fn maximumMask() -> u32 {
  return (1u << ${header}.maximumBits) - 1u;
}`;
  return {
    seniorityIn: wgsl`
fn seniorityIn(word: u32) -> u32 {
  return word & ~${maximumMask}();
}`,
    ageIn: wgsl`
fn ageIn(word: u32) -> u32 {
  return word >> ${header}.ageShift;
}`,
    markIn: wgsl`
fn markIn(word: u32) -> u32 {
  return word & ((1u << ${header}.ageShift) - 1u) & ~${maximumMask}();
}`,
    seniorityOf: wgsl`
fn seniorityOf(age: u32, mark: u32) -> u32 {
  return (age << ${header}.ageShift) | mark;
}`,
    limitIn: wgsl`
fn limitIn(word: u32, limit: u32) -> u32 {
  let maximum = word & ${maximumMask}();
  return select(min(maximum + 1u, limit), limit, maximum == ${maximumMask}());
}`,
    maximumOf: wgsl`
fn maximumOf(age: u32) -> u32 {
  return min(age - 1u, ${maximumMask}());
}`,
  };
});
