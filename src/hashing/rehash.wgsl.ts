/**
 * Further functions of a hash, for schemes that try one after the other: multiply-shift for two words (Thorup 2015, "High
 * speed hashing for integers and strings", on vectors), with multipliers that are derived for each function.
 */
import { wgsl } from '../wgsl/index.ts';
import type { HashConstants } from './family.ts';
import { multiplyAdd } from './multiply.wgsl.ts';
import { deriveWords, deriveWordsTwin } from './rounds.wgsl.ts';

/** Far from the indices that families derive their constants by. */
const FIRST_INDEX = 0x4000_0000;

/** WGSL: `(hash: vec2u, constants: vec4u, index: u32) -> u32`, a word of function number `index` of all 64 bits. */
export const rehash = wgsl`
fn rehash(hash: vec2u, constants: vec4u, index: u32) -> u32 {
  let drawn = ${deriveWords}(constants, ${FIRST_INDEX}u + index);
  return ${multiplyAdd}(${multiplyAdd}(vec2u(0u), drawn.xy, hash.x), drawn.zw, hash.y).y;
}`;

/** Bit-identical to `rehash`. */
export function rehashTwin([x, y]: readonly [number, number], constants: HashConstants, index: number): number {
  const [a, b, c, d] = deriveWordsTwin(constants, FIRST_INDEX + index).map(BigInt) as [bigint, bigint, bigint, bigint];
  const sum = (a | (b << 32n)) * BigInt(x) + (c | (d << 32n)) * BigInt(y);
  return Number(BigInt.asUintN(64, sum) >> 32n);
}
