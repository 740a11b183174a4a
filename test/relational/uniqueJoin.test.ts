import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Column, type Columns, type How, JoinTable, join } from '../../src/relational.ts';
import { cuckoo, linearProbing } from '../../src/schemes/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { type Cell, columnOf } from '../oracles/columns.ts';
import { joinLike } from '../oracles/join.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

const HOWS: readonly How[] = ['inner', 'left', 'right', 'full', 'semi', 'anti'];

/** Joins, and tells whether it took the way for keys that are on the right more than once. */
async function joined(left: Columns, right: Columns, options: Parameters<typeof join>[3], on = gpu) {
  const general = vi.spyOn(JoinTable, 'built');
  const rows = await join(on, left, right, options);
  const isGeneral = general.mock.calls.length > 0;
  general.mockRestore();
  return { rows, isGeneral };
}

const numbers = (cells: readonly Cell[]): Column => columnOf('u32', cells);

describe.each(HOWS)('a join (%s) with a right side without copies', (how) => {
  it('pairs rows like nested loops, with rows on the left that have no value', async () => {
    const cell = fc.oneof(fc.nat(40), fc.constant(null), fc.constant(0xffff_ffff));
    const sides = fc.tuple(fc.array(cell, { maxLength: 60 }), fc.uniqueArray(fc.nat(40), { maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(sides, async ([left, right]) => {
        const { rows, isGeneral } = await joined(numbers(left), numbers(right), { how });
        expect(rows).toEqual(joinLike([left], [right], how));
        expect(isGeneral).toBe(false);
      }),
      { numRuns: 8 },
    );
  });

  it('of strings, and of several columns of numbers, with the default limits of WebGPU', async () => {
    for (const [leftRows, rightRows] of [
      [0, 3],
      [3, 0],
      [1, 1],
      [257, 2],
      [700, 256],
    ] as const) {
      const ids = Array.from({ length: leftRows }, (_, i) => (i * 7) % 300);
      const others = Array.from({ length: rightRows }, (_, i) => 2 * i);
      const name = (id: number) => `name ${id}`;
      const ofStrings = await joined(ids.map(name), others.map(name), { how }, small);
      expect(ofStrings).toEqual({ rows: joinLike([ids], [others], how), isGeneral: false });
      const pair = (all: readonly number[]): Columns => [
        Uint32Array.from(all, (id) => id % 4),
        BigUint64Array.from(all, (id) => BigInt(id >> 2) << 40n),
      ];
      const ofPairs = await joined(pair(ids), pair(others), { how }, small);
      expect(ofPairs).toEqual({ rows: joinLike([ids], [others], how), isGeneral: false });
    }
  });
});

describe('a join', () => {
  it.each([0, 1, 50_000, 99_999])(
    'notices a key that is on the right twice, the second time as row %d',
    async (twice) => {
      const left = Uint32Array.from({ length: 1000 }, (_, i) => i * 150);
      const right = Uint32Array.from({ length: 100_000 }, (_, i) => Math.imul(i, 0x9e37_79b1));
      right[twice] = right[777] as number;
      const { rows, isGeneral } = await joined(left, right, { how: 'full' });
      expect(rows).toEqual(joinLike([[...left]], [[...right]], 'full'));
      expect(isGeneral).toBe(true);
    },
  );

  it('finds rows without a value on the right equal to nothing, though they are there twice', async () => {
    const [left, right] = [
      [1, null, 2],
      [null, 2, null],
    ];
    const { rows } = await joined(numbers(left), numbers(right), { how: 'full' });
    expect(rows).toEqual(joinLike([left], [right], 'full'));
  });

  it.each([linearProbing(), cuckoo()])('of a named scheme: $name', async (scheme) => {
    const left = Uint32Array.of(5, 6, 7, 0xffff_ffff, 5);
    for (const [right, isGeneral] of [
      [[7, 5, 0xffff_ffff], false],
      [[7, 5, 7], true],
    ] as const) {
      expect(await joined(left, Uint32Array.from(right), { how: 'left', scheme })).toEqual({
        rows: joinLike([[...left]], [right], 'left'),
        isGeneral,
      });
    }
  });

  it('of more rows than are read before they are counted', async () => {
    const count = 2 ** 21 + 5;
    const left = Uint32Array.from({ length: count }, (_, row) => row % 1000);
    const { rows } = await joined(left, Uint32Array.of(999, 5000), {});
    const pairs = Array.from({ length: Math.floor(count / 1000) }, (_, i) => i * 1000 + 999);
    expect(rows).toEqual({ left: Uint32Array.from(pairs), right: new Uint32Array(pairs.length) });
  });

  it('leaves no buffer behind, whichever way it takes', async () => {
    for (const right of [Uint32Array.of(2, 3), Uint32Array.of(2, 2), ['a', 'b'], ['a', 'a']]) {
      const { live } = await liveBuffers(gpu, () =>
        join(gpu, typeof right[0] === 'string' ? ['a'] : Uint32Array.of(1, 2), right),
      );
      expect(live).toEqual([]);
    }
  });
});
