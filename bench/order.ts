import { wgsl } from '../src/index.ts';
import { scrambleBits, scrambleBitsTwin, type WideSeed } from './scramble.ts';

/** Reaching it takes 128 misses in a row, each at even odds or better; then the order is off by one item, no more. */
const WALK_LIMIT = 128;

/**
 * A seeded permutation of [0, count), by cycle walking through one of the next power of two: steps that leave the range
 * go on until they come back.
 */
export const orderOf = wgsl`
fn orderOf(index: u32, count: u32, mask: u32, seed: vec4u) -> u32 {
  var x = index;
  for (var step = 0u; step < ${WALK_LIMIT}u; step++) {
    x = ${scrambleBits}(x, mask, seed);
    if (x < count) { return x; }
  }
  return index;
}`;

/** The `mask` of a count: one less than the next power of two. */
export const orderMask = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(count, 1))) - 1;

/** Bit-identical to `orderOf`. */
export function orderTwin(index: number, count: number, seed: WideSeed): number {
  const mask = orderMask(count);
  let x = index;
  for (let i = 0; i < WALK_LIMIT; i++) {
    x = scrambleBitsTwin(x, mask, seed);
    if (x < count) return x;
  }
  return index;
}
