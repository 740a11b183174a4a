import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { u32 } from '../../src/index.ts';
import { topK } from '../../src/relational.ts';
import { throwsCode } from '../conformance/expect.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { validOf } from '../oracles/columns.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

/** The rows in the order of their values, equal ones in their own order. */
const topLike = (cells: readonly (number | null)[], k: number, order: 'greatest' | 'least'): number[] =>
  cells
    .flatMap((cell, row) => (cell === null ? [] : [{ cell, row }]))
    .sort((a, b) => (order === 'least' ? a.cell - b.cell : b.cell - a.cell) || a.row - b.row)
    .slice(0, k)
    .map(({ row }) => row);

describe.each(['greatest', 'least'] as const)('topK (%s)', (order) => {
  it('gives the rows that a stable sort gives, of numbers of any type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(4), fc.constantFrom(1000, 99_999)), { maxLength: 90 }),
        fc.nat(12),
        async (cells, k) => {
          const expected = topLike(cells, k, order);
          const columns = [
            Uint32Array.from(cells),
            Int32Array.from(cells, (cell) => cell - 3),
            Float32Array.from(cells, (cell) => cell / 2 - 1),
            BigInt64Array.from(cells, (cell) => BigInt(cell - 2) << 33n),
            cells.map((cell) => String(cell).padStart(6, '0')),
          ];
          for (const column of columns) expect([...(await topK(gpu, column, k, { order }))]).toEqual(expected);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('leaves out rows without a value', async () => {
    const cells = Array.from({ length: 500 }, (_, i) => (i % 3 === 0 ? null : Math.imul(i, 0x9e37_79b1) >>> 20));
    const column = { values: Uint32Array.from(cells, (cell) => cell ?? 0xffff_ffff), valid: validOf(cells) };
    for (const k of [1, 50, 400])
      expect([...(await topK(small, column, k, { order }))]).toEqual(topLike(cells, k, order));
    expect([...(await topK(gpu, ['b', null, 'a', 'b'], 2, { order }))]).toEqual(order === 'least' ? [2, 0] : [0, 3]);
  });

  it.each([0, 1, 2, 255, 257, 65_537])('of %i rows', async (count) => {
    const cells = Array.from({ length: count }, (_, i) => Math.imul(i, 0x9e37_79b1) >>> 22);
    for (const k of [0, 1, 300])
      expect([...(await topK(gpu, Uint32Array.from(cells), k, { order }))]).toEqual(topLike(cells, k, order));
  });
});

describe('topK', () => {
  it('refuses what makes no sense, and frees what it makes', async () => {
    const words = Uint32Array.of(3, 1);
    await throwsCode(topK(gpu, words, -1), 'invalid-input');
    await throwsCode(topK(gpu, words, 1, { order: 'up' as never }), 'invalid-input');
    await throwsCode(topK(gpu, words, 1, { ordre: 'least' } as never), 'invalid-input');
    await throwsCode(topK(gpu, [words] as never, 1), 'invalid-input');
    const unordered = { ...u32, name: 'unordered', order: undefined };
    await throwsCode(topK(gpu, { values: words, key: unordered as never }, 1), 'unsupported');
    const { result, live } = await liveBuffers(gpu, () => topK(gpu, words, 5));
    expect([...(result ?? [])]).toEqual([0, 1]);
    expect(live).toEqual([]);
  });
});
