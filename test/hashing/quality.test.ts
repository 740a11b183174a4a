import { describe, expect, it } from 'vitest';
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';

const random = randomWords(11);
const members: readonly HashConstants[] = Array.from({ length: 8 }, () => mix.draw(random));

/** How often each output bit flips when one input bit flips, over many keys; 0.5 is perfect. */
function flipRates(constants: HashConstants, words: number, lane: 0 | 1): number[] {
  const KEYS = 400;
  const rates: number[] = [];
  for (let bit = 0; bit < 32 * words; bit++) {
    const flips = new Uint32Array(32);
    for (let n = 0; n < KEYS; n++) {
      const key = Array.from({ length: words }, random);
      const flipped = key.map((word, i) => (i === bit >> 5 ? (word ^ (1 << (bit & 31))) >>> 0 : word));
      const changed = mix.hashTwin(key, constants)[lane] ^ mix.hashTwin(flipped, constants)[lane];
      for (let out = 0; out < 32; out++) if ((changed >>> out) & 1) flips[out] = (flips[out] as number) + 1;
    }
    for (const count of flips) rates.push(count / KEYS);
  }
  return rates;
}

describe('mix', () => {
  it.each([1, 2])('carries every bit of a key of %i words to every bit of both results', (words) => {
    for (const constants of members.slice(0, 3)) {
      for (const lane of [0, 1] as const) {
        const rates = flipRates(constants, words, lane);
        const average = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
        expect(Math.abs(average - 0.5)).toBeLessThan(0.01);
        // Six standard deviations of 400 tosses are 0.15; a bit that is carried badly is far off.
        for (const rate of rates) expect(Math.abs(rate - 0.5)).toBeLessThan(0.2);
      }
    }
  });

  const BINS = 1024;
  const COUNT = 16 * BINS;
  const patterns: [string, (i: number) => number[]][] = [
    ['sequential', (i) => [i]],
    ['equal low bits', (i) => [(i << 16) >>> 0]],
    ['equal high bits', (i) => [(0xabcd_0000 + i) >>> 0]],
    ['multiples of 2¹⁷', (i) => [i * 2 ** 17]],
    ['two words, low one sequential', (i) => [i, 7]],
    ['two words, high one sequential', (i) => [7, i]],
    ['two equal words', (i) => [i, i]],
  ];

  it.each(patterns)('spreads keys that are %s like random ones over the slots', (_, keyOf) => {
    for (const constants of members) {
      for (const lane of [0, 1] as const) {
        const counts = new Uint32Array(BINS);
        for (let i = 0; i < COUNT; i++) {
          const bin = mix.reduceTwin(mix.hashTwin(keyOf(i), constants)[lane] as number, BINS);
          counts[bin] = (counts[bin] as number) + 1;
        }
        // 16 a bin on average: random keys stay below 45, and their chi-square within 1023 ± 6 · √2046.
        expect(Math.max(...counts)).toBeLessThan(45);
        const chiSquare = counts.reduce((sum, n) => sum + (n - 16) ** 2 / 16, 0);
        expect(Math.abs(chiSquare - 1023)).toBeLessThan(280);
      }
    }
  });

  it('gives distinct one-word keys distinct words, in both lanes', () => {
    for (const constants of members) {
      for (const lane of [0, 1] as const) {
        const seen = new Set(Array.from({ length: 20_000 }, (_, i) => mix.hashTwin([i * 77], constants)[lane]));
        expect(seen.size).toBe(20_000);
      }
    }
  });

  it('gives other results for other constants', () => {
    const results = members.map((constants) => mix.hashTwin([1, 2], constants).join());
    expect(new Set(results).size).toBe(members.length);
  });
});

describe('randomWords', () => {
  it('is the same for the same seed and another for another', () => {
    const take = (seed: number) => Array.from({ length: 20 }, randomWords(seed)).join();
    expect(take(3)).toBe(take(3));
    expect(new Set([0, 1, 2, 0xffff_ffff].map(take)).size).toBe(4);
  });

  it('has no short cycle and no stuck bit', () => {
    for (const seed of [0, 1, 0xffff_ffff]) {
      const next = randomWords(seed);
      const drawn = Array.from({ length: 50_000 }, next);
      // 50,000 of 2³² words: 0.3 pairs expected by chance.
      expect(new Set(drawn).size).toBeGreaterThan(49_990);
      for (let bit = 0; bit < 32; bit++) {
        const ones = drawn.filter((word) => (word >>> bit) & 1).length;
        expect(Math.abs(ones / 50_000 - 0.5)).toBeLessThan(0.02);
      }
    }
  });
});
