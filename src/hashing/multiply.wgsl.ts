import { wgsl } from '../wgsl/index.ts';

/** The high word of a 32 × 32-bit product; WGSL has no 64-bit integers, so by 16-bit halves. */
export const multiplyHigh = wgsl`
fn multiplyHigh(a: u32, b: u32) -> u32 {
  let aLow = a & 0xffffu;
  let aHigh = a >> 16u;
  let bLow = b & 0xffffu;
  let bHigh = b >> 16u;
  let middle = aHigh * bLow + ((aLow * bLow) >> 16u);
  let rest = aLow * bHigh + (middle & 0xffffu);
  return aHigh * bHigh + (middle >> 16u) + (rest >> 16u);
}`;

/** Twin of the WGSL function of the same name. */
export function multiplyHighTwin(a: number, b: number): number {
  return Number((BigInt(a) * BigInt(b)) >> 32n);
}

/**
 * WGSL: `(sum: vec2u, a: vec2u, word: u32) -> vec2u`, sum + a · word modulo 2⁶⁴. Numbers of 64 bits are pairs here, the low
 * word first.
 */
export const multiplyAdd = wgsl`
fn multiplyAdd(sum: vec2u, a: vec2u, word: u32) -> vec2u {
  let low = a.x * word;
  let total = sum.x + low;
  return vec2u(total, sum.y + ${multiplyHigh}(a.x, word) + a.y * word + u32(total < low));
}`;
