import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWords, remainderOf, remainderTwin } from '../../../src/keys/index.ts';
import { wgsl } from '../../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../../evaluate.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();

const exact = (number: readonly number[], divisor: number): number =>
  Number(number.reduce((all, word, i) => all + (BigInt(word) << BigInt(32 * i)), 0n) % BigInt(divisor));

const word = fc.oneof(fc.constantFrom(...awkwardWords), fc.integer({ min: 0, max: 0xffff_ffff }));
const divisor = word.filter((value) => value > 0);

/** Those that need every branch: tiny ones, powers of two and next to them, halves that are all ones or none. */
const DIVISORS = [...new Set([1, 2, 3, 0x8000_ffff, 0x8001_0000, 0xffff_0000, 0xffff_0001, ...awkwardWords])].filter(
  (value) => value > 0,
);

describe.each([1, 2, 3, 4, 6])('the remainder of a number of %i words', (words) => {
  const number = fc.array(word, { minLength: words, maxLength: words });

  it('is exact on the host', () => {
    fc.assert(
      fc.property(number, divisor, (all, by) => {
        expect(remainderTwin(all, by)).toBe(exact(all, by));
      }),
      { numRuns: 1000 },
    );
  });

  it('is exact in WGSL', async () => {
    const numbers = [Array<number>(words).fill(0), Array<number>(words).fill(0xffff_ffff), ...fc.sample(number, 60)];
    const rows = [
      ...DIVISORS.flatMap((by) => [
        ...numbers.map((all) => [...all, by]),
        // A multiple, and what is next to it.
        ...[-1n, 0n, 1n].map((next) => {
          const near = BigInt(by) * (2n ** BigInt(32 * words) / BigInt(by) / 2n + 1n) + next;
          return [...Array.from({ length: words }, (_, i) => Number(BigInt.asUintN(32, near >> BigInt(32 * i)))), by];
        }),
      ]),
      ...fc.sample(fc.tuple(number, divisor), 5000).map(([all, by]) => [...all, by]),
    ];
    const got = await evaluate(gpu, rows, (row) => ({
      results: [wgsl`${remainderOf(words)}(${fromWords(row.slice(0, -1))}, ${row[words] as string})`],
    }));
    const expected = rows.map((row) => [exact(row.slice(0, -1), row[words] as number)]);
    expect(got.filter((result, i) => result[0] !== expected[i]?.[0])).toEqual([]);
  });
});

it('is the same function every time, so that kernels are made once', () => {
  expect(remainderOf(2)).toBe(remainderOf(2));
  expect(remainderOf(3)).not.toBe(remainderOf(2));
});
