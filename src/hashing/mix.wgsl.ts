import { join, type Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashFamily, HashStream } from './family.ts';
import { multiplyHigh, multiplyHighTwin } from './multiply.wgsl.ts';
import { deriveWords, deriveWordsTwin, FIRST, firstRound, roundTwin, SECOND, secondRound } from './rounds.wgsl.ts';

/** The number that undoes a multiplication by an odd number, modulo 2³²: Newton's iteration doubles the right bits. */
export const inverse: Wgsl = wgsl`
fn inverse(odd: u32) -> u32 {
  var x = (odd * 3u) ^ 2u; // 5 bits are right
  x *= 2u - odd * x;
  x *= 2u - odd * x;
  return x * (2u - odd * x);
}`;

/** By the number of words: kernels that use one twice have it once. */
const unmixers: Wgsl[] = [];

/**
 * WGSL: `(hash: u32, w0: u32, …, constants: vec4u) -> u32`, the last word of a key of so many, from the first word of its hash and all
 * words but the last.
 */
export function unmix(words: number): Wgsl {
  unmixers[words] ??= unmixer(words);
  return unmixers[words];
}

/** The first lane is a bijection of every word, given the others: the last one is found by going back one round. */
function unmixer(words: number): Wgsl {
  const others = wordNames(words - 1);
  return wgsl`
fn unmix(${['hash', ...others].map((name) => `${name}: u32, `).join('')}constants: vec4u) -> u32 {
  var x = hash;
  x = (x ^ (x >> 15u) ^ (x >> 30u)) * ${inverse}(${FIRST[1]}u);
  x = (x ^ (x >> 16u)) * ${inverse}(constants.y | 1u);
  x = (x ^ (x >> 15u) ^ (x >> 30u)) * ${inverse}(${FIRST[0]}u);
  x = x ^ (x >> 16u);
  var a = constants.x;
  ${absorb('a', others, firstRound, 'y')}
  return x ^ a;
}`;
}

const wordNames = (words: number): string[] => Array.from({ length: words }, (_, i) => `w${i}`);

/** Statements by which a lane absorbs words. */
const absorb = (lane: string, words: readonly string[], round: Wgsl, multiplier: string): Wgsl =>
  join(
    words.map((w) => wgsl`${lane} = ${round}(${lane} ^ ${w}, constants.${multiplier});`),
    '\n  ',
  );

/** Both lanes in step. The length goes first, so that strings that end in zero bytes differ from shorter ones. */
const stream: HashStream = {
  begin: wgsl`
fn beginMix(length: u32, constants: vec4u) -> vec2u {
  return vec2u(${firstRound}(constants.x ^ length, constants.y), ${secondRound}(constants.z ^ length, constants.w));
}`,
  absorb: wgsl`
fn absorbMix(state: vec2u, word: u32, constants: vec4u) -> vec2u {
  return vec2u(${firstRound}(state.x ^ word, constants.y), ${secondRound}(state.y ^ word, constants.w));
}`,
  end: wgsl`
fn endMix(state: vec2u, constants: vec4u) -> vec2u {
  return state;
}`,
  twin: (length, words, [x, y, z, w]) => {
    let a = roundTwin(x ^ length, y, ...FIRST);
    let b = roundTwin(z ^ length, w, ...SECOND);
    for (const word of words) {
      a = roundTwin(a ^ word, y, ...FIRST);
      b = roundTwin(b ^ word, w, ...SECOND);
    }
    return [a, b];
  },
};

/**
 * The default family: two independent lanes, each absorbing the key word by word. For one-word keys each lane is a
 * bijection, so distinct keys never share all 32 bits of it. For wider ones it is a bijection of each word, given the others.
 */
export const mix: HashFamily = {
  name: 'mix',
  maxWords: 16,
  draw: (random) => [random(), random(), random(), random()],
  hash: (words) => {
    const names = wordNames(words);
    return wgsl`
fn mix(${names.map((w) => `${w}: u32`).join(', ')}, constants: vec4u) -> vec2u {
  var a = constants.x;
  ${absorb('a', names, firstRound, 'y')}
  var b = constants.z;
  ${absorb('b', names, secondRound, 'w')}
  return vec2u(a, b);
}`;
  },
  hashTwin: (words, [x, y, z, w]) => [
    words.reduce((lane, word) => roundTwin(lane ^ word, y, ...FIRST), x),
    words.reduce((lane, word) => roundTwin(lane ^ word, w, ...SECOND), z),
  ],
  unhash: unmix,
  stream,
  independentWords: 2,
  derive: wgsl`
fn deriveMix(constants: vec4u, index: u32) -> vec4u {
  if (index == 0u) { return constants; }
  return ${deriveWords}(constants, index);
}`,
  deriveTwin: (constants, index) => (index === 0 ? constants : deriveWordsTwin(constants, index)),
  reduce: multiplyHigh,
  reduceKeepsOrder: true,
  reduceTwin: multiplyHighTwin,
};
