import { wgsl } from '../src/index.ts';

/** Four words that choose one order of many. */
export type OrderSeed = readonly [number, number, number, number];

/** Reaching it takes 128 misses in a row, each at even odds or better; then the order is off by one item, no more. */
const WALK_LIMIT = 128;

/** The permutation of the next power of two that the walk steps through: odd factors and xor-shifts, both reversible. */
const orderStep = wgsl`
fn orderStep(index: u32, mask: u32, seed: vec4u) -> u32 {
  let shift = max(countOneBits(mask) / 2u, 1u);
  var x = (index * (seed.x | 1u) + seed.y) & mask;
  x = ((x ^ (x >> shift)) * (seed.z | 1u) + seed.w) & mask;
  x = ((x ^ (x >> shift)) * 0x9e3779b1u) & mask;
  return x ^ (x >> shift);
}`;

/** A seeded permutation of [0, count), by cycle walking: steps that leave the range go on until they come back. */
export const orderOf = wgsl`
fn orderOf(index: u32, count: u32, mask: u32, seed: vec4u) -> u32 {
  var x = index;
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    x = ${orderStep}(x, mask, seed);
    if (x < count) { return x; }
  }
  return index;
}`;

/** The `mask` of a count: one less than the next power of two. */
export const orderMask = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(count, 1))) - 1;

/** Bit-identical to `orderOf`. */
export function orderTwin(index: number, count: number, seed: OrderSeed): number {
  const mask = orderMask(count);
  const shift = Math.max(Math.ceil(Math.log2(mask + 1)) >> 1, 1);
  const step = (from: number): number => {
    let x = (Math.imul(from, seed[0] | 1) + seed[1]) & mask;
    x = (Math.imul(x ^ (x >>> shift), seed[2] | 1) + seed[3]) & mask;
    x = Math.imul(x ^ (x >>> shift), 0x9e3779b1) & mask;
    return x ^ (x >>> shift);
  };
  let x = index;
  for (let i = 0; i < WALK_LIMIT; i++) {
    x = step(x);
    if (x < count) return x;
  }
  return index;
}
