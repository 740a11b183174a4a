/** Multiply-shift for a fixed number of words (Thorup 2015, "High speed hashing for integers and strings", on vectors). */
import { join, type Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashConstants, HashFamily } from './family.ts';
import { mix } from './mix.wgsl.ts';
import { multiplyAdd, multiplyHigh, multiplyHighTwin } from './multiply.wgsl.ts';
import { polynomialStream } from './polynomialStream.wgsl.ts';
import { deriveWords, deriveWordsTwin, FIRST, firstRound, roundTwin, SECOND, secondRound } from './rounds.wgsl.ts';

/** Derived multipliers begin at this index: far from the members that schemes derive, whose indices are small. */
const MULTIPLIERS = 0x8000_0000;

/**
 * A fixed bijection after the shift. It changes no collision and no independence, but sums of products keep the pattern of
 * keys in arithmetic progression, and their high bits would fill some slots far more often than others.
 */
const FINISH = 0x2c1b3c6d;

/** Which of all numbers of 64 bits a lane takes: a multiplier for each word, and what is added. */
const laneIndices = (words: number, lane: 0 | 1): readonly number[] =>
  Array.from({ length: words + 1 }, (_, i) => lane * (words + 1) + i);

const hash = (words: number): Wgsl => {
  const names = Array.from({ length: words }, (_, i) => `w${i}`);
  const number = (index: number) => `c${index >> 1}.${index % 2 === 0 ? 'xy' : 'zw'}`;
  const derived = names.map((_, i) => wgsl`let c${i + 1} = ${deriveWords}(constants, ${MULTIPLIERS + i + 1}u);`);
  const sum = (lane: 0 | 1): Wgsl => {
    const indices = laneIndices(words, lane);
    return names.reduce(
      (before: Wgsl, word, i) => wgsl`${multiplyAdd}(${before}, ${number(indices[i] as number)}, ${word})`,
      wgsl`${number(indices[words] as number)}`,
    );
  };
  return wgsl`
fn universal(${names.map((name) => `${name}: u32`).join(', ')}, constants: vec4u) -> vec2u {
  let c0 = constants;
  ${join(derived, '\n  ')}
  let a = ${sum(0)};
  let b = ${sum(1)};
  return vec2u(${firstRound}(a.y, ${FINISH}u), ${secondRound}(b.y, ${FINISH}u));
}`;
};

function hashTwin(words: readonly number[], constants: HashConstants): [number, number] {
  const blocks = words.map((_, i) => deriveWordsTwin(constants, MULTIPLIERS + i + 1));
  const all = [constants, ...blocks].flat();
  const number = (index: number) => BigInt(all[2 * index] as number) | (BigInt(all[2 * index + 1] as number) << 32n);
  const high = (lane: 0 | 1): number => {
    const numbers = laneIndices(words.length, lane).map(number);
    const sum = words.reduce(
      (before, word, i) => before + (numbers[i] as bigint) * BigInt(word),
      numbers.at(-1) as bigint,
    );
    return Number(BigInt.asUintN(64, sum) >> 32n);
  };
  return [roundTwin(high(0), FINISH, ...FIRST), roundTwin(high(1), FINISH, ...SECOND)];
}

/**
 * Hash functions with a proof. Each of the two words of a hash is the high half of a₀ + Σ aᵢ·xᵢ modulo 2⁶⁴, with 64-bit
 * numbers aᵢ: were they all drawn, the family would be strongly universal (Thorup 2015): two different keys
 * have the same word with probability 2⁻³², the same 64 bits with 2⁻⁶⁴. Four words are drawn. They are the multipliers of
 * the first word of the hash for keys of one and two words, which bounds its collisions by 2⁻³¹ whatever the keys; for
 * keys of one word they are a₀ as well, and it is strongly universal. All other numbers are derived from the four by mixing.
 *
 * Strings are polynomials over the integers modulo 2⁶¹ − 1, at a secret point, and then keys of two words: strings of up to
 * L words have the same polynomial with probability at most (L + 1) / 2⁶¹.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: linearProbing({ hash: universal }) });
 */
export const universal: HashFamily = {
  name: 'universal',
  maxWords: 16,
  draw: mix.draw,
  hash,
  hashTwin,
  stream: polynomialStream(hash(2), hashTwin),
  independentWords: 2,
  derive: mix.derive,
  deriveTwin: mix.deriveTwin,
  reduce: multiplyHigh,
  reduceKeepsOrder: true,
  reduceTwin: multiplyHighTwin,
};
