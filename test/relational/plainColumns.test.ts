/** Columns of plain JavaScript, and calls that are given up. */
import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import { Aggregate, bytes, HashnestError, KeyIndex, MultiMap, vec3i } from '../../src/index.ts';
import { countBy, distinct, groupBy, JoinTable, join, NO_ROW, topK } from '../../src/relational.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const pairsOf = ({ left, right }: { left: Uint32Array; right: Uint32Array }) => [[...left], [...right]];

describe('columns of plain JavaScript', () => {
  it('are numbers, which are joined like those of a typed array', async () => {
    expect(pairsOf(await join(gpu, [1, 2, 3], [3, 2, 3]))).toEqual([
      [1, 2, 2],
      [1, 0, 2],
    ]);
    expect(pairsOf(await join(gpu, [3], new Uint32Array([3])))).toEqual([[0], [0]]);
    expect(pairsOf(await join(gpu, [2n ** 40n], new BigUint64Array([2n ** 40n])))).toEqual([[0], [0]]);
  });

  it('have nulls, which meet nothing in a join and are one group', async () => {
    expect(pairsOf(await join(gpu, [null, 5], [5, null], { how: 'full' }))).toEqual([
      [0, 1, NO_ROW],
      [NO_ROW, 0, 1],
    ]);
    const { size, counts, keys } = await countBy(gpu, [7, null, 7, null]);
    expect([size, [...counts]]).toEqual([2, [2, 2]]);
    expect(keys).toEqual({ values: new Uint32Array([7, 0]), valid: new Uint8Array([1]) });
  });

  it('that have no value are of the type of the other side', async () => {
    expect(pairsOf(await join(gpu, [1, 2], [], { how: 'left' }))).toEqual([
      [0, 1],
      [NO_ROW, NO_ROW],
    ]);
    expect(pairsOf(await join(gpu, [], [2n, 1n], { how: 'right' }))).toEqual([
      [NO_ROW, NO_ROW],
      [0, 1],
    ]);
    const both = { how: 'full' } as const;
    expect(pairsOf(await join(gpu, [null, null], new Float32Array([0]), both))).toEqual([
      [0, 1, NO_ROW],
      [NO_ROW, NO_ROW, 0],
    ]);
    expect(pairsOf(await join(gpu, ['a'], [null], both))).toEqual([
      [0, NO_ROW],
      [NO_ROW, 0],
    ]);
    const vectors = { values: new Int32Array([1, 2, 3]), key: vec3i };
    expect(pairsOf(await join(gpu, [[null], ['x']], [vectors, ['x']], both))).toEqual([
      [0, NO_ROW],
      [NO_ROW, 0],
    ]);
    const slices = { values: [new Uint8Array([7])], key: bytes };
    expect(pairsOf(await join(gpu, [null], slices, both))).toEqual([
      [0, NO_ROW],
      [NO_ROW, 0],
    ]);
    const table = await JoinTable.from(gpu, [5, 6]);
    expect(pairsOf(await table.join([null], { how: 'left' }))).toEqual([[0], [NO_ROW]]);
    expect(pairsOf(await table.join([]))).toEqual([[], []]);
    table.destroy();
    await expect(join(gpu, new Uint32Array(), ['a'])).rejects.toThrow(/u32 on the left, and utf8/);
  });

  it('that have no value make a JoinTable that takes columns of any type', async () => {
    const both = { how: 'full' } as const;
    const lefts = [[5], [5n], ['a'], [null], Float32Array.of(0.5), { values: Int32Array.of(1, 2, 3), key: vec3i }];
    {
      using nothing = await JoinTable.from(gpu, []);
      using noValues = await JoinTable.from(gpu, [null, null]);
      for (const left of lefts) {
        expect(pairsOf(await nothing.join(left, both))).toEqual([[0], [NO_ROW]]);
        expect(pairsOf(await noValues.join(left, both))).toEqual([
          [0, NO_ROW, NO_ROW],
          [NO_ROW, 0, 1],
        ]);
      }
    }
    using table = await JoinTable.from(gpu, [
      [null, null],
      [1, 2],
    ]);
    expect(pairsOf(await table.join([[5n], [2]], { how: 'left' }))).toEqual([[0], [NO_ROW]]);
    await expect(table.join([[5n], ['a']])).rejects.toThrow(/column 1 is utf8 on the left, and u32/);
  });

  it('have no value where an array has a hole', async () => {
    // biome-ignore lint/suspicious/noSparseArray: that is what is asked for
    const { counts, keys } = await countBy(gpu, [7, , 7, null, undefined] as number[]);
    expect([...counts]).toEqual([2, 3]);
    expect(keys).toEqual({ values: new Uint32Array([7, 0]), valid: new Uint8Array([1]) });
    // biome-ignore lint/suspicious/noSparseArray: that is what is asked for
    expect([...(await distinct(gpu, ['a', , 'a', null] as string[]))]).toEqual([0, 1]);
  });

  it('are several beside each other, also with strings and typed arrays among them', async () => {
    const left = [[1, 1, 2], ['a', 'b', null], new Int32Array([-1, -1, 4])];
    const right = [[1, 2], ['b', 'a'], new Int32Array([-1, 4])];
    expect(pairsOf(await join(gpu, left, right))).toEqual([[1], [0]]);
    expect([
      ...(await distinct(gpu, [
        [1, 1, 1],
        [2n, 2n, 3n],
      ])),
    ]).toEqual([0, 2]);
  });

  it('are what somebody makes on the way', async () => {
    function* numbers(): Generator<number> {
      for (let i = 0; i < 10; i++) yield i % 3;
    }
    expect([...(await distinct(gpu, numbers() as never))]).toEqual([0, 1, 2]);
    expect([...(await topK(gpu, new Set([3, 9, 4]) as never, 2))]).toEqual([1, 2]);
  });

  it('are grouped and ranked, and their values combined', async () => {
    const { keys, values } = await groupBy(gpu, [5, 6, 5], {
      values: { price: [1, 2, 3] },
      combine: { total: { of: 'price', combine: 'sum64' } },
    });
    expectTypeOf(keys).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expect([[...keys], [...values.total]]).toEqual([
      [5, 6],
      [4n, 2n],
    ]);
    const alone = await groupBy(gpu, ['x'], { values: [3] as never, combine: { low: 'min' } });
    expect([...(alone.values.low as Uint32Array)]).toEqual([3]);
    expect([...(await topK(gpu, [3, null, 9], 5))]).toEqual([2, 0]);
  });

  it('with a cell that has no place among them are an error that says which', async () => {
    await expect(join(gpu, [1, 'a'] as never, [1])).rejects.toThrow(/left\[1\]/);
    await expect(join(gpu, [1.5], [1])).rejects.toThrow(/left\[0\]/);
    await expect(join(gpu, [Number.NaN], [1])).rejects.toThrow(HashnestError);
    await expect(join(gpu, [1], [1n])).rejects.toThrow(/u32 on the left, and u64/);
    await expect(join(gpu, [1, 2n] as never, [1])).rejects.toThrow(/left\[1\] must be a whole number .*, not 2n/);
    await expect(groupBy(gpu, new Map([[1, 2]]) as never, { combine: { n: 'count' } })).rejects.toThrow(HashnestError);
    await expect(topK(gpu, [true] as never, 1)).rejects.toThrow(HashnestError);
  });
});

describe('a call that is given up', () => {
  const keys = Uint32Array.from({ length: 3000 }, (_, i) => i % 700);
  const input = { keys, values: keys };
  type Signalled = { readonly signal: AbortSignal };
  const CALLS: Readonly<Record<string, (options: Signalled) => Promise<unknown>>> = {
    join: (options) => join(gpu, keys, keys, options),
    'join of several columns': (options) => join(gpu, [keys, keys], [keys, keys], { how: 'full', ...options }),
    groupBy: (options) => groupBy(gpu, keys, { values: keys, combine: { s: 'sum' }, ...options }),
    countBy: (options) => countBy(gpu, keys, options),
    distinct: (options) => distinct(gpu, keys, options),
    topK: (options) => topK(gpu, keys, 9, options),
    'JoinTable.from': (options) => JoinTable.from(gpu, keys, options),
    'KeyIndex.from': (options) => KeyIndex.from(gpu, { keys }, options),
    'MultiMap.from': (options) => MultiMap.from(gpu, input, options),
    'Aggregate.from': (options) => Aggregate.from(gpu, input, { combine: 'sum', ...options }),
  };

  it.each(Object.entries(CALLS))('rejects with the reason, whenever that is: %s', async (_, call) => {
    const reason = new Error('enough');
    const settled = async () => {
      const control = new AbortController();
      const calls = [call({ signal: AbortSignal.abort(reason) }), call({ signal: control.signal })];
      control.abort(reason);
      const after = new AbortController();
      const going = call({ signal: after.signal });
      setTimeout(() => after.abort(reason), 1);
      const errors = await Promise.all([...calls, going].map((made) => made.catch((error: unknown) => error)));
      for (const error of errors.slice(0, 2)) expect(error).toBe(reason);
      (errors[2] as { destroy?(): void }).destroy?.();
    };
    await settled();
    const live = watchBuffers(gpu);
    await settled();
    // What was given up runs to its end, and is freed then.
    await expect.poll(() => live.labels(), { timeout: 20_000 }).toEqual([]);
    live.restore();
  });

  it('refuses what is no signal', async () => {
    for (const call of Object.values(CALLS)) {
      await expect(call({ signal: 5 } as never)).rejects.toThrow(/signal must be an AbortSignal/);
    }
  });

  it('leaves a table alone that is joined later', async () => {
    using table = await JoinTable.from(gpu, keys);
    await expect(table.join(keys, { signal: AbortSignal.timeout(0) })).rejects.toThrow();
    expect((await table.join(keys.subarray(0, 1))).left).toHaveLength(5);
  });
});
