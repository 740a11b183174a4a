import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyTwin, queryTwin, valueTwin, workloadSeeds } from '../../bench/generators.ts';
import { orderTwin } from '../../bench/order.ts';
import { scrambleTwin } from '../../bench/scramble.ts';
import { Workload } from '../../bench/workload.ts';
import { Gpu, TooLargeError, u32, u64 } from '../../src/index.ts';

let gpu: Gpu;
beforeAll(async () => {
  gpu = await Gpu.open();
});
afterAll(() => gpu.destroy());

const read = async (buffer: GPUBuffer, words: number): Promise<number[]> => {
  const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: words * 4 }]);
  return [...new Uint32Array(bytes as ArrayBuffer)];
};

const indices = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('the workload on the GPU', () => {
  it.each([u32, u64].flatMap((key) => [1, 2, 3, 255, 257, 5000].map((items) => ({ key, items }))))(
    'has the items and queries of its twins: $items $key.name keys',
    async ({ key, items }) => {
      const seed = 77;
      const seeds = workloadSeeds(seed);
      const workload = await Workload.create(gpu, { items, key, seed });
      const words = items * key.words;
      const keys = indices(items).map((i) => keyTwin(i, key.words, seeds));
      expect(await read(workload.keys, words)).toEqual(keys.flat());
      expect(await read(workload.values, items)).toEqual(keys.map((k) => valueTwin(k, seeds)));
      for (const kind of ['present', 'absent'] as const) {
        await workload.ask(kind);
        const expected = indices(items).flatMap((i) => queryTwin(i, kind, { items, words: key.words, seeds }));
        expect(await read(workload.queries, words)).toEqual(expected);
      }
      workload.destroy();
    },
  );

  it('says how many items would fit where there are too many', async () => {
    const most = Math.min(gpu.limits.maxBufferSize, gpu.limits.maxStorageBufferBindingSize) / 8;
    const create = Workload.create(gpu, { items: most + 1, key: u64 });
    await expect(create).rejects.toThrow(TooLargeError);
    await expect(create).rejects.toMatchObject({ largestItems: most });
  });
});

describe('keys', () => {
  const seeds = workloadSeeds(5);

  it.each([1, 2])('are distinct for present and absent indices, in %i words', (words) => {
    const keys = indices(40_000).map((i) => keyTwin(i, words, seeds).join());
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('of two words cannot be told apart by either word alone', () => {
    const keys = indices(1000).map((i) => keyTwin(i, 2, seeds));
    for (const word of [0, 1]) expect(new Set(keys.map((key) => key[word])).size).toBe(500);
  });

  it('follow from the seed', () => {
    const first = indices(100).map((i) => keyTwin(i, 1, workloadSeeds(1))[0]);
    const second = indices(100).map((i) => keyTwin(i, 1, workloadSeeds(2))[0]);
    expect(first.filter((key) => second.includes(key))).toEqual([]);
  });

  it('spread evenly', () => {
    const buckets = new Array<number>(64).fill(0);
    for (const i of indices(64_000)) {
      const bucket = scrambleTwin(i, [1, 2]) >>> 26;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.max(...buckets)).toBeLessThan(1200);
    expect(Math.min(...buckets)).toBeGreaterThan(800);
  });
});

describe('the order of queries', () => {
  it.each([1, 2, 3, 4, 5, 63, 64, 65, 1000, 1025, 32_769])('is a permutation of [0, %i)', (count) => {
    for (const seed of [1, 2, 3]) {
      const { order } = workloadSeeds(seed);
      const places = indices(count).map((i) => orderTwin(i, count, order));
      expect(new Set(places).size).toBe(count);
      expect(Math.max(...places)).toBe(count - 1);
    }
  });

  it('is not that of the items', () => {
    const { order } = workloadSeeds(1);
    const inPlace = indices(10_000).filter((i) => orderTwin(i, 10_000, order) === i);
    const inRow = indices(9_999).filter((i) => orderTwin(i + 1, 10_000, order) === orderTwin(i, 10_000, order) + 1);
    expect(inPlace.length).toBeLessThan(20);
    expect(inRow.length).toBeLessThan(20);
  });
});
