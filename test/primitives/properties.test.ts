import fc from 'fast-check';
import { describe, it } from 'vitest';
import { compact, exclusiveScan, histogram, sort } from '../../src/primitives/index.ts';
import { equal, equalWords } from '../conformance/expect.ts';
import { compactOracle, exclusiveScanOracle, histogramOracle, pick, sortedOrder } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const RUNS = { numRuns: 25 };
const words = fc.uint32Array({ maxLength: 600 });
const bitRange = fc
  .tuple(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 32 }))
  .map(([a, b]) => ({ firstBit: Math.min(a, b), bits: Math.abs(a - b) }));

describe('for any words', () => {
  it('exclusiveScan returns the sums before each word', () =>
    fc.assert(
      fc.asyncProperty(words, async (input) => {
        const expected = exclusiveScanOracle(input);
        const { output, total } = await exclusiveScan(gpu, input);
        equalWords(output, expected.output, 'sums');
        equal(total, expected.total, 'total');
      }),
      RUNS,
    ));

  it('sort returns a stable order by the bits', () =>
    fc.assert(
      fc.asyncProperty(words, bitRange, async (keys, range) => {
        const order = sortedOrder(keys, range.firstBit, range.bits);
        const sorted = await sort(gpu, keys, { values: Uint32Array.from(keys.keys()), ...range });
        equalWords(sorted.keys, pick(keys, order), 'keys');
        equalWords(sorted.values as Uint32Array, order, 'values');
      }),
      RUNS,
    ));

  it('sort by no bits leaves all where it is', async () => {
    const keys = Uint32Array.of(3, 1, 2);
    const values = Uint32Array.of(7, 8, 9);
    const sorted = await sort(gpu, keys, { values, bits: 0 });
    equalWords(sorted.keys, keys, 'keys');
    equalWords(sorted.values as Uint32Array, values, 'values');
  });

  it('compact returns what is flagged', () =>
    fc.assert(
      fc.asyncProperty(words, fc.infiniteStream(fc.nat({ max: 2 })), async (values, chosen) => {
        const flags = Uint32Array.from(chosen.take(values.length));
        equalWords(await compact(gpu, values, flags), compactOracle(values, flags), 'kept');
      }),
      RUNS,
    ));

  it('histogram returns how often each value occurs', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint32Array({ max: 3000, maxLength: 600 }),
        fc.integer({ min: 1, max: 2500 }),
        async (values, bins) => {
          equalWords(await histogram(gpu, values, bins), histogramOracle(values, bins), 'counts');
        },
      ),
      RUNS,
    ));
});
