import { describe, expect, it } from 'vitest';
import { type HashConstants, type HashFamily, mix, randomWords, universal } from '../../src/hashing/index.ts';

const random = randomWords(11);
const drawMembers = (family: HashFamily): readonly HashConstants[] =>
  Array.from({ length: 8 }, () => family.draw(random));

/** How often each output bit flips when one input bit flips, over many keys; 0.5 is perfect. */
function flipRates(family: HashFamily, constants: HashConstants, words: number, lane: 0 | 1): number[] {
  const KEYS = 400;
  const rates: number[] = [];
  for (let bit = 0; bit < 32 * words; bit++) {
    const flips = new Uint32Array(32);
    for (let n = 0; n < KEYS; n++) {
      const key = Array.from({ length: words }, random);
      const flipped = key.map((word, i) => (i === bit >> 5 ? (word ^ (1 << (bit & 31))) >>> 0 : word));
      const changed = family.hashTwin(key, constants)[lane] ^ family.hashTwin(flipped, constants)[lane];
      for (let out = 0; out < 32; out++) if ((changed >>> out) & 1) flips[out] = (flips[out] as number) + 1;
    }
    for (const count of flips) rates.push(count / KEYS);
  }
  return rates;
}

describe.each([mix, universal])('$name', (family) => {
  const members = drawMembers(family);

  it.each([1, 2])('carries every bit of a key of %i words to every bit of both results', (words) => {
    for (const constants of members.slice(0, 2)) {
      for (const lane of [0, 1] as const) {
        const rates = flipRates(family, constants, words, lane);
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
    for (const constants of members.slice(0, 4)) {
      const lanes = [new Uint32Array(BINS), new Uint32Array(BINS)];
      for (let i = 0; i < COUNT; i++) {
        const hash = family.hashTwin(keyOf(i), constants);
        for (const [lane, counts] of lanes.entries()) {
          const bin = family.reduceTwin(hash[lane] as number, BINS);
          counts[bin] = (counts[bin] as number) + 1;
        }
      }
      for (const counts of lanes) {
        // 16 a bin on average: random keys stay below 45, and their chi-square within 1023 ± 6 · √2046.
        expect(Math.max(...counts)).toBeLessThan(45);
        const chiSquare = counts.reduce((sum, n) => sum + (n - 16) ** 2 / 16, 0);
        expect(Math.abs(chiSquare - 1023)).toBeLessThan(280);
      }
    }
  });

  it('gives other results for other constants', () => {
    const results = members.map((constants) => family.hashTwin([1, 2], constants).join());
    expect(new Set(results).size).toBe(members.length);
  });

  it('gives derived members other results, in both lanes', () => {
    // A lane of one member must not be a lane of another: 32 hash words of one key are all different.
    const [constants] = members as [HashConstants];
    for (const key of [[7], [7, 9], [7, 9, 11]]) {
      const results = Array.from({ length: 16 }, (_, i) => family.hashTwin(key, family.deriveTwin(constants, i)));
      expect(new Set(results.flat()).size).toBe(32);
    }
  });
});

describe('mix', () => {
  it('gives distinct one-word keys distinct words, in both lanes', () => {
    for (const constants of drawMembers(mix)) {
      for (const lane of [0, 1] as const) {
        const seen = new Set(Array.from({ length: 20_000 }, (_, i) => mix.hashTwin([i * 77], constants)[lane]));
        expect(seen.size).toBe(20_000);
      }
    }
  });
});

describe('universal', () => {
  /** How many of 2,000 members give two keys the same slot of so many. */
  const collisions = (a: readonly number[], b: readonly number[], slots: number): number =>
    drawMany.filter((constants) => {
      const [x, y] = [a, b].map((key) => universal.reduceTwin(universal.hashTwin(key, constants)[0], slots));
      return x === y;
    }).length;
  const drawMany = Array.from({ length: 2000 }, () => universal.draw(random));

  it('lets any two keys meet in one of 10 slots for about a tenth of its members', () => {
    const pairs: [number[], number[]][] = [
      [[0], [1]],
      [[0], [0xffff_ffff]],
      [[5], [5 + 2 ** 31]],
      [
        [0, 0],
        [0, 1],
      ],
      [
        [1, 0],
        [0, 1],
      ],
      [
        [3, 2 ** 31],
        [3 + 2 ** 31, 2 ** 31],
      ],
    ];
    // 200 expected, standard deviation 13.4.
    for (const [a, b] of pairs) expect(Math.abs(collisions(a, b, 10) - 200)).toBeLessThan(80);
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
