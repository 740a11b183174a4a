import { describe, expect, it } from 'vitest';
import { doubleHash, linear, multiplyHigh, multiplyHighTwin, quadratic } from '../../src/hashing/index.ts';
import { join, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** Up to the greatest probe limit. */
const ATTEMPTS = [1, 2, 3, 10, 41, 100, 999, 9999, 10_000];

describe.each([linear, quadratic, doubleHash])('the probe sequence $name', (probes) => {
  it('steps like its twin, bit by bit', async () => {
    const rows = ATTEMPTS.flatMap((attempt) => awkwardWords.map((secondHash) => [attempt, secondHash]));
    const got = await evaluate(gpu, rows, (row) => ({ results: [wgsl`${probes.step}(${join(row, ', ')})`] }));
    expect(got).toEqual(rows.map(([attempt, hash]) => [probes.stepTwin(attempt as number, hash as number)]));
  });

  it('keeps slot plus step below 2³² for any table', () => {
    for (const attempt of ATTEMPTS) {
      for (const hash of awkwardWords) expect(probes.stepTwin(attempt, hash)).toBeLessThan(2 ** 31);
    }
  });
});

describe('Listing 3.1', () => {
  it('adds 1, then attempt², then attempt times the jump plus one', () => {
    expect([1, 2, 3].map((attempt) => linear.stepTwin(attempt, 99))).toEqual([1, 1, 1]);
    expect([1, 2, 3].map((attempt) => quadratic.stepTwin(attempt, 99))).toEqual([1, 4, 9]);
    // jump(99) = 1 + 99 mod 41 = 18
    expect([1, 2, 3].map((attempt) => doubleHash.stepTwin(attempt, 99))).toEqual([19, 38, 57]);
  });
});

describe('multiplyHigh', () => {
  it('is the high word of the 64-bit product', async () => {
    const rows = awkwardWords.flatMap((a) => awkwardWords.map((b) => [a, b]));
    const exact = rows.map(([a, b]) => [Number((BigInt(a as number) * BigInt(b as number)) >> 32n)]);
    expect(await evaluate(gpu, rows, (row) => ({ results: [wgsl`${multiplyHigh}(${join(row, ', ')})`] }))).toEqual(
      exact,
    );
    expect(rows.map(([a, b]) => [multiplyHighTwin(a as number, b as number)])).toEqual(exact);
  });
});
