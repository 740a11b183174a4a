/** Remainders of numbers of several words, the least significant first. WGSL has no 64-bit integers. */
import { join, kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { wordAt, wordsType } from '../words.wgsl.ts';

/**
 * WGSL: (rest · 2¹⁶ + digit) mod divisor, for a divisor whose first bit is set, and a rest below it. The quotient is first
 * taken by the upper half of the divisor alone, and is then too large by two at most (Knuth, The Art of Computer
 * Programming, volume 2, section 4.3.1, theorem B).
 */
const appendDigit = wgsl`
fn appendDigit(rest: u32, digit: u32, divisor: u32) -> u32 {
  let high = divisor >> 16u;
  let low = divisor & 0xffffu;
  var quotient = rest / high;
  var left = rest - quotient * high;
  for (var i = 0u; i < 2u; i++) {
    // From 2¹⁶ on, what is left makes the quotient right.
    if (left < 0x10000u && (quotient > 0xffffu || quotient * low > ((left << 16u) | digit))) {
      quotient -= 1u;
      left += high;
    }
  }
  // Modulo 2³²; the result is below the divisor.
  return (rest << 16u) + digit - quotient * divisor;
}`;

/** WGSL: (rest · 2³² + word) mod divisor, for a rest below the divisor. All is shifted until its first bit is set. */
const appendWord = wgsl`
fn appendWord(rest: u32, word: u32, divisor: u32) -> u32 {
  let shift = countLeadingZeros(divisor);
  let shifted = divisor << shift;
  let low = word << shift;
  // In two shifts, because one by 32 bits would be one by none.
  let high = (rest << shift) | ((word >> 1u) >> (31u - shift));
  return ${appendDigit}(${appendDigit}(high, low >> 16u, shifted), low & 0xffffu, shifted) >> shift;
}`;

/** WGSL: `(number: wordsType(words), divisor: u32) -> u32`, exact for every divisor but 0. */
export const remainderOf = kept((words: number): Wgsl => {
  const word = (i: number) => wordAt(words, 'number', i);
  const rest = Array.from(
    { length: words - 1 },
    (_, i) => wgsl`rest = ${appendWord}(rest, ${word(words - 2 - i)}, divisor);`,
  );
  return wgsl`
fn remainder(number: ${wordsType(words)}, divisor: u32) -> u32 {
  var rest = ${word(words - 1)} % divisor;
  ${join(rest, '\n  ')}
  return rest;
}`;
});

/** Bit-identical to `remainderOf`. */
export function remainderTwin(number: readonly number[], divisor: number): number {
  // Digits of 16 bits: what is divided stays below 2⁴⁸.
  return number.reduceRight((rest, word) => {
    const high = (rest * 0x10000 + (word >>> 16)) % divisor;
    return (high * 0x10000 + (word & 0xffff)) % divisor;
  }, 0);
}
