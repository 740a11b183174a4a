/**
 * Strings as polynomials over a Mersenne prime, by Horner's rule (Thorup 2015, "High speed hashing for integers and
 * strings", on strings of any length): the length is the first coefficient, then the words. Distinct strings are distinct polynomials,
 * because words are below the prime and the first coefficient of all strings but the empty one is not zero.
 */
import { type Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashConstants, HashStream } from './family.ts';
import { multiplyHigh } from './multiply.wgsl.ts';
import { deriveWords, deriveWordsTwin } from './rounds.wgsl.ts';

/** 2⁶¹ − 1, and the bits of it that are in the high word. */
const PRIME = 2n ** 61n - 1n;
const HIGH_BITS = 29;
const HIGH_MASK = 2 ** HIGH_BITS - 1;

/** The constants of the function behind the polynomial: derived, because the drawn ones are the secret point. */
const FINISH_INDEX = 0xc000_0000;

const secretPoint = wgsl`
fn secretPoint(constants: vec4u) -> vec2u {
  return vec2u(constants.x, constants.y & ${HIGH_MASK}u);
}`;

/** Whatever leaves the low 61 bits comes back at their lower end, since 2⁶¹ ≡ 1. */
const fold = wgsl`
fn fold(number: vec2u) -> vec2u {
  let low = number.x + (number.y >> ${HIGH_BITS}u);
  return vec2u(low, (number.y & ${HIGH_MASK}u) + u32(low < number.x));
}`;

/** `multiplyModulo(a, b, word)`: a · b + word modulo the prime, for a and b up to 2⁶¹ + 1; so is the result. */
const multiplyModulo = wgsl`
fn multiplyModulo(a: vec2u, b: vec2u, word: u32) -> vec2u {
  // The product in four words. The high words are below 2²⁹ + 1, so the middle ones do not overflow 64 bits.
  let crossLow = a.x * b.y;
  let middleLow = crossLow + a.y * b.x;
  let middleHigh = ${multiplyHigh}(a.x, b.y) + ${multiplyHigh}(a.y, b.x) + u32(middleLow < crossLow);
  let p0 = a.x * b.x;
  let p1 = ${multiplyHigh}(a.x, b.x) + middleLow;
  let high = a.y * b.y;
  let carried = middleHigh + u32(p1 < middleLow);
  let p2 = high + carried;
  let p3 = ${multiplyHigh}(a.y, b.y) + u32(p2 < high);
  // The low 61 bits, and all bits above them.
  let above = vec2u((p1 >> ${HIGH_BITS}u) | (p2 << 3u), (p2 >> ${HIGH_BITS}u) | (p3 << 3u));
  let x = p0 + above.x;
  let y = (p1 & ${HIGH_MASK}u) + above.y + u32(x < p0);
  let sum = x + word;
  return ${fold}(vec2u(sum, y + u32(sum < x)));
}`;

/** The least number that is the same modulo the prime. */
const reduced = wgsl`
fn reduced(number: vec2u) -> vec2u {
  let folded = ${fold}(number);
  let isPrime = folded.x == 0xffffffffu && folded.y == ${HIGH_MASK}u;
  return select(folded, vec2u(0u), isPrime);
}`;

/** @param hash of the number as two words, with its twin */
export function polynomialStream(
  hash: Wgsl,
  hashTwin: (words: readonly number[], constants: HashConstants) => [number, number],
): HashStream {
  return {
    begin: wgsl`
fn beginPolynomial(length: u32, constants: vec4u) -> vec2u {
  return vec2u(length, 0u);
}`,
    absorb: wgsl`
fn absorbInPolynomial(state: vec2u, word: u32, constants: vec4u) -> vec2u {
  return ${multiplyModulo}(state, ${secretPoint}(constants), word);
}`,
    end: wgsl`
fn endPolynomial(state: vec2u, constants: vec4u) -> vec2u {
  let number = ${reduced}(state);
  return ${hash}(number.x, number.y, ${deriveWords}(constants, ${FINISH_INDEX}u));
}`,
    twin: (length, words, constants) => {
      const [x, y] = constants;
      const point = BigInt(x) | (BigInt(y & HIGH_MASK) << 32n);
      let number = BigInt(length);
      for (const word of words) number = (number * point + BigInt(word)) % PRIME;
      const halves = [Number(number & 0xffff_ffffn), Number(number >> 32n)];
      return hashTwin(halves, deriveWordsTwin(constants, FINISH_INDEX));
    },
  };
}
