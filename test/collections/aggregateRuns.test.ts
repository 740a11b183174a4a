import { describe, expect, it } from 'vitest';
import { Aggregate, type CombinerName } from '../../src/collections/index.ts';
import { i32, type KeyType, u32 } from '../../src/keys/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { awkwardWords, indices, wordsBelow } from '../conformance/primitiveWords.ts';
import { positionsOf } from '../conformance/repeatedKeys.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

type Combine = Exclude<CombinerName, 'mean'>;
const COMBINERS: readonly Combine[] = ['count', 'sum', 'sum64', 'min', 'max'];

/** What the values of a key become. */
const ORACLES: Readonly<Record<Combine, (values: readonly number[]) => number | bigint>> = {
  count: (values) => values.length,
  sum: (values) => Number(BigInt.asIntN(32, sumOf(values))),
  sum64: (values) => sumOf(values),
  min: (values) => values.reduce((a, b) => Math.min(a, b)),
  max: (values) => values.reduce((a, b) => Math.max(a, b)),
};

const sumOf = (values: readonly number[]): bigint => values.reduce((sum, value) => sum + BigInt(value), 0n);

/** Wrong results of all keys, by every combiner, for keys that are sorted before they are combined. */
async function wrongResults(key: KeyType, keys: Uint32Array | Int32Array, values: Int32Array): Promise<number> {
  const groups = [...positionsOf(keys as Uint32Array)].map(([, at]) => at);
  const queries = keys.filter((_, i) => groups.some(([first]) => first === i));
  let wrong = 0;
  for (const combine of COMBINERS) {
    using made = await Aggregate.from(gpu, { keys, values } as never, { key, combine, construction: 'sort' } as never);
    const { values: found } = (await made.get(queries as never)) as unknown as { values: ArrayLike<number | bigint> };
    for (const [i, at] of groups.entries()) {
      wrong += Number(found[i] !== ORACLES[combine](at.map((item) => values[item] as number)));
    }
    wrong += Number(made.size !== groups.length);
  }
  return wrong;
}

const signed = (length: number): Int32Array => new Int32Array(wordsBelow(length, 2 ** 32, 77).buffer);

describe('values that are combined as they lie after a sort', () => {
  it.each([0, 1, 2, 7, 8, 9, 255, 2047, 2049])('%i items of few keys', async (count) => {
    const keys = wordsBelow(count, Math.max(1, count >> 2));
    expect(await wrongResults(u32 as KeyType, keys, signed(count))).toBe(0);
  });
  it.each(Object.entries(awkwardWords(300)))('keys that are %s', async (_, keys) => {
    expect(await wrongResults(u32 as KeyType, keys, signed(keys.length))).toBe(0);
  });
  it('keys whose order is not that of their words', async () => {
    const keys = Int32Array.from(wordsBelow(500, 90), (word) => word - 45);
    expect(await wrongResults(i32 as KeyType, keys, signed(keys.length))).toBe(0);
  });
  it('one key a hundred thousand times, among others', async () => {
    const keys = indices(100_000).map((i) => (i % 100 === 0 ? i : 0xffffffff));
    using made = await Aggregate.from(gpu, { keys, values: indices(keys.length) }, { combine: 'sum64' });
    const { values } = await made.get(new Uint32Array([0xffffffff, 500, 7]), { missing: 3 });
    // All numbers below 100,000, but for the thousand multiples of 100.
    expect([...values]).toEqual([(100_000n * 99_999n) / 2n - 100n * ((1000n * 999n) / 2n), 500n, 3n]);
  });
  it('more keys than a recorded rebuild has room for: those that fit have their results', async () => {
    using buffers = new TestBuffers(gpu);
    const few = wordsBelow(400, 20);
    using made = await Aggregate.from(gpu, { keys: few, values: few }, { combine: 'sum' });
    const room = made.keyCapacity;
    expect(room).toBeLessThan(400);
    const all = buffers.upload(indices(400));
    const input = { keys: all, values: buffers.upload(indices(400)), count: 400 };
    const [values, found] = [buffers.words(400), buffers.words(400)];
    await gpu.run((encoder) => {
      made.encodeRebuild(encoder, input);
      made.encodeGet(encoder, { queries: all, values, found, count: 400 });
    });
    await expect(made.settle()).rejects.toThrow();
    const [sums, isFound] = [await buffers.read(values, 400), await buffers.read(found, 400)];
    expect(isFound.filter((flag) => flag === 1).length).toBe(room);
    expect(sums.filter((sum, i) => isFound[i] === 1 && sum !== i).length).toBe(0);
  });
});
