/** The rounds that mix words, and the words that are derived by them from the few that are drawn. */
import { Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashConstants } from './family.ts';

/**
 * One round: a bijection of 32 bits. Xor-shifts and multiplications by turns carry every input bit to every output bit;
 * the middle multiplier is a secret of the table, so nobody can prepare keys that collide.
 */
const round = (name: string, before: number, after: number) =>
  new Wgsl(
    [
      `
fn ${name}(input: u32, multiplier: u32) -> u32 {
  var x = input;
  x = (x ^ (x >> 16u)) * ${before}u;
  x = (x ^ (x >> 15u)) * (multiplier | 1u);
  x = (x ^ (x >> 16u)) * ${after}u;
  return x ^ (x >> 15u);
}`,
    ],
    [],
  );

export const roundTwin = (input: number, multiplier: number, before: number, after: number): number => {
  let x = input;
  x = Math.imul(x ^ (x >>> 16), before);
  x = Math.imul(x ^ (x >>> 15), multiplier | 1);
  x = Math.imul(x ^ (x >>> 16), after);
  return (x ^ (x >>> 15)) >>> 0;
};

/** The fixed multipliers of the two kinds of rounds. */
export const FIRST = [0x7feb352d, 0x846ca68b] as const;
export const SECOND = [0x21f0aaad, 0x735a2d97] as const;
/** 2³² over the golden ratio: its multiples differ in many bits. */
const DERIVE_STEP = 0x9e3779b9;
/** WGSL: `(input: u32, multiplier: u32) -> u32`. */
export const firstRound: Wgsl = round('mixFirst', ...FIRST);
export const secondRound: Wgsl = round('mixSecond', ...SECOND);

/** WGSL: `(constants: vec4u, index: u32) -> vec4u`, four words that look drawn anew; each is a bijection of the old one. */
export const deriveWords: Wgsl = wgsl`
fn deriveWords(constants: vec4u, index: u32) -> vec4u {
  let step = index * ${DERIVE_STEP}u;
  return vec4u(
    ${firstRound}(constants.x ^ step, constants.y),
    ${secondRound}(constants.y ^ step, constants.z),
    ${firstRound}(constants.z ^ step, constants.w),
    ${secondRound}(constants.w ^ step, constants.x),
  );
}`;

/** Bit-identical to `deriveWords`. */
export function deriveWordsTwin([x, y, z, w]: HashConstants, index: number): HashConstants {
  const step = Math.imul(index, DERIVE_STEP);
  return [
    roundTwin(x ^ step, y, ...FIRST),
    roundTwin(y ^ step, z, ...SECOND),
    roundTwin(z ^ step, w, ...FIRST),
    roundTwin(w ^ step, x, ...SECOND),
  ];
}
