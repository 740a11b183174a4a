import { join, Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashFamily } from './family.ts';
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
const firstRound = round('mixFirst', ...FIRST);
const secondRound = round('mixSecond', ...SECOND);

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
  reduce: multiplyHigh,
  reduceTwin: multiplyHighTwin,
};
