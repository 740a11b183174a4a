import { join, Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashConstants, HashFamily } from './family.ts';
import { multiplyHigh, multiplyHighTwin } from './multiply.ts';

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

const roundTwin = (input: number, multiplier: number, before: number, after: number): number => {
  let x = input;
  x = Math.imul(x ^ (x >>> 16), before);
  x = Math.imul(x ^ (x >>> 15), multiplier | 1);
  x = Math.imul(x ^ (x >>> 16), after);
  return (x ^ (x >>> 15)) >>> 0;
};

const FIRST = [0x7feb352d, 0x846ca68b] as const;
const SECOND = [0x21f0aaad, 0x735a2d97] as const;
/** 2³² over the golden ratio: its multiples differ in many bits. */
const DERIVE_STEP = 0x9e3779b9;
const firstRound = round('mixFirst', ...FIRST);
const secondRound = round('mixSecond', ...SECOND);

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

/** The number that undoes a multiplication by an odd number, modulo 2³²: Newton's iteration doubles the right bits. */
const inverse = wgsl`
fn inverse(odd: u32) -> u32 {
  var x = (odd * 3u) ^ 2u; // 5 bits are right
  x *= 2u - odd * x;
  x *= 2u - odd * x;
  return x * (2u - odd * x);
}`;

/** WGSL: `(hash: u32, constants: vec4u) -> u32`, the one-word key whose hash has this first word. */
export const unmix: Wgsl = wgsl`
fn unmix(hash: u32, constants: vec4u) -> u32 {
  var x = hash;
  x = (x ^ (x >> 15u) ^ (x >> 30u)) * ${inverse}(${FIRST[1]}u);
  x = (x ^ (x >> 16u)) * ${inverse}(constants.y | 1u);
  x = (x ^ (x >> 15u) ^ (x >> 30u)) * ${inverse}(${FIRST[0]}u);
  return x ^ (x >> 16u) ^ constants.x;
}`;

/**
 * The default family: two independent lanes, each absorbing the key word by word. For one-word keys each lane is a
 * bijection, so distinct keys never share all 32 bits of it.
 */
export const mix: HashFamily = {
  name: 'mix',
  maxWords: 16,
  draw: (random) => [random(), random(), random(), random()],
  hash: (words) => {
    const names = Array.from({ length: words }, (_, i) => `w${i}`);
    const absorb = (lane: string, roundOf: Wgsl, multiplier: string) =>
      join(
        names.map((w) => wgsl`${lane} = ${roundOf}(${lane} ^ ${w}, constants.${multiplier});`),
        '\n  ',
      );
    return wgsl`
fn mix(${names.map((w) => `${w}: u32`).join(', ')}, constants: vec4u) -> vec2u {
  var a = constants.x;
  ${absorb('a', firstRound, 'y')}
  var b = constants.z;
  ${absorb('b', secondRound, 'w')}
  return vec2u(a, b);
}`;
  },
  hashTwin: (words, [x, y, z, w]) => [
    words.reduce((lane, word) => roundTwin(lane ^ word, y, ...FIRST), x),
    words.reduce((lane, word) => roundTwin(lane ^ word, w, ...SECOND), z),
  ],
  independentWords: 2,
  derive: wgsl`
fn deriveMix(constants: vec4u, index: u32) -> vec4u {
  if (index == 0u) { return constants; }
  return ${deriveWords}(constants, index);
}`,
  deriveTwin: (constants, index) => (index === 0 ? constants : deriveWordsTwin(constants, index)),
  reduce: multiplyHigh,
  reduceTwin: multiplyHighTwin,
};
