import { wgsl } from '../src/index.ts';

/** Two words that choose one permutation of many. */
export type ScrambleSeed = readonly [number, number];
/** Four words that do. */
export type WideSeed = readonly [number, number, number, number];

/**
 * A seeded permutation of the 32-bit words. It shares nothing with the hash families of the library: a table must not
 * do well because its keys were made by its own hash function.
 */
export const scramble = wgsl`
fn scramble(input: u32, seed: vec2u) -> u32 {
  var x = input ^ seed.x;
  x = (x ^ (x >> 17u)) * 0xed5ad4bbu;
  x = ((x ^ (x >> 11u)) + seed.y) * 0xac4c1b51u;
  x = (x ^ (x >> 15u)) * 0x31848babu;
  return x ^ (x >> 14u);
}`;

/** Bit-identical to `scramble`. */
export function scrambleTwin(input: number, [first, second]: ScrambleSeed): number {
  let x = input ^ first;
  x = Math.imul(x ^ (x >>> 17), 0xed5ad4bb);
  x = Math.imul((x ^ (x >>> 11)) + second, 0xac4c1b51);
  x = Math.imul(x ^ (x >>> 15), 0x31848bab);
  return (x ^ (x >>> 14)) >>> 0;
}

/** A seeded permutation of the words up to a mask, one less than a power of two: odd factors and xor-shifts, both reversible. */
export const scrambleBits = wgsl`
fn scrambleBits(input: u32, mask: u32, seed: vec4u) -> u32 {
  let shift = max(countOneBits(mask) / 2u, 1u);
  var x = (input * (seed.x | 1u) + seed.y) & mask;
  x = ((x ^ (x >> shift)) * (seed.z | 1u) + seed.w) & mask;
  x = ((x ^ (x >> shift)) * 0x9e3779b1u) & mask;
  return x ^ (x >> shift);
}`;

/** Bit-identical to `scrambleBits`. */
export function scrambleBitsTwin(input: number, mask: number, seed: WideSeed): number {
  const shift = Math.max(Math.ceil(Math.log2(mask + 1)) >> 1, 1);
  let x = (Math.imul(input, seed[0] | 1) + seed[1]) & mask;
  x = (Math.imul(x ^ (x >>> shift), seed[2] | 1) + seed[3]) & mask;
  x = Math.imul(x ^ (x >>> shift), 0x9e3779b1) & mask;
  return x ^ (x >>> shift);
}
