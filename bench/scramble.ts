import { wgsl } from '../src/index.ts';

/** Two words that choose one permutation of many. */
export type ScrambleSeed = readonly [number, number];

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
