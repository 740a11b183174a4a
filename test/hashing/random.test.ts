import { describe, expect, it } from 'vitest';
import { drawSeed, randomWords, secretWords } from '../../src/hashing/index.ts';

const isWord = (value: unknown): boolean => Number.isInteger(value) && (value as number) >>> 0 === value;

describe('words that nobody can guess', () => {
  it('are words, however many are drawn, and new ones', () => {
    const draw = secretWords();
    const words = Array.from({ length: 500 }, draw);
    expect(words.filter((word) => !isWord(word))).toEqual([]);
    // Of 500 words, two are equal with a chance of one in 34,000; a list that comes again has hundreds.
    expect(new Set(words).size).toBeGreaterThan(490);
  });

  it('are drawn for seeds too', () => {
    const seeds = Array.from({ length: 20 }, drawSeed);
    expect(seeds.filter((seed) => !isWord(seed))).toEqual([]);
    expect(new Set(seeds).size).toBeGreaterThan(15);
  });
});

describe('words by a seed', () => {
  it('are the same for the same seed, for ever', () => {
    const draw = randomWords(7);
    expect(Array.from({ length: 4 }, draw)).toEqual([3533496745, 662202283, 68371995, 2764346699]);
    expect(Array.from({ length: 3 }, randomWords(2 ** 32 - 1))).toEqual([3529970764, 2960805443, 3134456587]);
  });

  it('are spread over all bits', () => {
    const words = Array.from({ length: 2000 }, randomWords(0));
    for (let bit = 0; bit < 32; bit++) {
      const ones = words.filter((word) => (word >>> bit) & 1).length;
      expect(Math.abs(ones - 1000), `bit ${bit}`).toBeLessThan(150);
    }
    expect(new Set(words).size).toBe(2000);
  });
});
