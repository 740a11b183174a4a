/** What calls make that were made before: nothing. Who renders sixty frames a second would feed the garbage collector. */
import { afterAll, describe, expect, it } from 'vitest';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap, u32, wgsl } from '../../src/index.ts';
import { groupBy, JoinTable, join, topK } from '../../src/relational.ts';
import { madeObjects } from '../madeObjects.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const ITEMS = 1000;
const words = Uint32Array.from({ length: ITEMS }, (_, i) => (i * 7) % 300);
const distinctWords = Uint32Array.from({ length: ITEMS }, (_, i) => i);
const names = Array.from(words, (word) => `name ${word}`);

const buffers = {
  keys: gpu.upload('test', words),
  values: gpu.upload('test', words),
  queries: gpu.upload('test', words),
  found: gpu.createBuffer('test', ITEMS * 4),
  output: gpu.createBuffer('test', ITEMS * 4),
  counts: gpu.createBuffer('test', ITEMS * 4),
  offsets: gpu.createBuffer('test', ITEMS * 4),
  total: gpu.createBuffer('test', 4),
  floats: gpu.upload('test', Float32Array.from(words)),
  means: gpu.createBuffer('test', ITEMS * 4),
  pairs: gpu.createBuffer('test', ITEMS * 4),
  count: gpu.upload('test', Uint32Array.of(ITEMS)),
};
afterAll(() => {
  for (const buffer of Object.values(buffers)) buffer.destroy();
});
const { keys, values, queries, found, output, counts, offsets } = buffers;

interface Frame {
  rebuild(encoder: GPUCommandEncoder, count: number | { buffer: GPUBuffer }): void;
  search(encoder: GPUCommandEncoder, count: number | { buffer: GPUBuffer }): void;
  settle(): Promise<unknown>;
  destroy(): void;
}

const ownSum = {
  accumulator: 'u32',
  identity: 0,
  combine: wgsl`fn add(a: u32, b: u32) -> u32 { return a + b; }`,
} as const;
const host = { keys: words, values: words };
const SUBJECTS: Readonly<Record<string, () => Promise<Frame>>> = {
  HashMap: async () => {
    const map = await HashMap.from(gpu, host);
    return {
      rebuild: (encoder, count) => map.encodeRebuild(encoder, { keys, values, count }),
      search: (encoder, count) => map.encodeGet(encoder, { queries, values: output, found, count }),
      settle: () => map.settle(),
      destroy: () => map.destroy(),
    };
  },
  HashSet: async () => {
    const set = await HashSet.from(gpu, host);
    return {
      rebuild: (encoder, count) => set.encodeRebuild(encoder, { keys, count }),
      search: (encoder, count) => set.encodeHas(encoder, { queries, found, count }),
      settle: () => set.settle(),
      destroy: () => set.destroy(),
    };
  },
  ...Object.fromEntries(
    (['table', 'sort'] as const).flatMap((construction) => [
      [
        `KeyIndex by ${construction}`,
        async () => {
          const index = await KeyIndex.from(gpu, host, { construction });
          return {
            rebuild: (encoder, count) => index.encodeRebuild(encoder, { keys, count }),
            search: (encoder, count) => index.encodeIds(encoder, { queries, ids: output, count }),
            settle: () => index.settle(),
            destroy: () => index.destroy(),
          } satisfies Frame;
        },
      ],
      ...(['any', 'input'] as const).map((order) => [
        `MultiMap by ${construction}, order ${order}`,
        async () => {
          const map = await MultiMap.from(gpu, host, { construction, order });
          return {
            rebuild: (encoder, count) => map.encodeRebuild(encoder, { keys, values, count }),
            search: (encoder, count) => {
              map.encodeCount(encoder, { queries, counts, count });
              const total = { buffer: buffers.total };
              map.encodeRetrieve(encoder, { queries, offsets, values: output, capacity: ITEMS, count, total });
            },
            settle: () => map.settle(),
            destroy: () => map.destroy(),
          } satisfies Frame;
        },
      ]),
      [
        `KeyIndex by ${construction} that keeps its items`,
        async () => {
          const index = await KeyIndex.from(gpu, host, { construction, keepItems: true });
          return {
            rebuild: (encoder, count) => index.encodeRebuild(encoder, { keys, count }),
            search: (encoder, count) => index.encodeKeysOf(encoder, { ids: index.itemsOnGpu.ids, keys: output, count }),
            settle: () => index.settle(),
            destroy: () => index.destroy(),
          } satisfies Frame;
        },
      ],
      [
        `Aggregate of several columns, index by ${construction}`,
        async () => {
          const combine = {
            n: 'count',
            total: { of: 'price', combine: 'sum' },
            own: { of: 'price', combine: ownSum },
            weight: { of: 'weight', combine: 'mean' },
          } as const;
          const columns = { price: words, weight: Float32Array.from(words) };
          const several = await Aggregate.from(gpu, { keys: words, values: columns }, { construction, combine });
          const given = { price: values, weight: buffers.floats };
          const results = { n: counts, total: output, own: offsets, weight: buffers.means };
          return {
            rebuild: (encoder, count) => several.encodeRebuild(encoder, { keys, values: given, count }),
            search: (encoder, count) => several.encodeGet(encoder, { queries, values: results, found, count }),
            settle: () => several.settle(),
            destroy: () => several.destroy(),
          } satisfies Frame;
        },
      ],
      ...Object.entries({ atomics: 'sum', folds: ownSum } as const).map(([way, combine]) => [
        `Aggregate by ${way}, index by ${construction}`,
        async () => {
          const sums = await Aggregate.from(gpu, host, { construction, combine: combine as 'sum' });
          return {
            rebuild: (encoder, count) => sums.encodeRebuild(encoder, { keys, values, count }),
            search: (encoder, count) => sums.encodeGet(encoder, { queries, values: output, found, count }),
            settle: () => sums.settle(),
            destroy: () => sums.destroy(),
          } satisfies Frame;
        },
      ]),
    ]),
  ),
  ...Object.fromEntries(
    (['inner', 'full', 'semi'] as const).map((how) => [
      `JoinTable, ${how} joins by two columns`,
      async () => {
        const table = await JoinTable.from(gpu, [words, words]);
        const columns = [
          { values: keys, key: u32 },
          { values, key: u32 },
        ];
        const pairs = how === 'semi' ? { leftRows: output } : { leftRows: output, rightRows: buffers.pairs };
        return {
          rebuild: (encoder, count) => table.encodeRebuild(encoder, { columns, count }),
          search: (encoder, count) =>
            table.encodeJoin(encoder, { columns, count, how, ...pairs, total: { buffer: buffers.total } }),
          settle: () => table.settle(),
          destroy: () => table.destroy(),
        } satisfies Frame;
      },
    ]),
  ),
};

describe.each(Object.entries(SUBJECTS))('%s', (_, make) => {
  it.each([
    ['known here', ITEMS],
    ['on the GPU', { buffer: buffers.count }],
  ])('is rebuilt and searched every frame without making anything, with a count %s', async (_, count) => {
    const subject = await make();
    const frame = () => {
      const encoder = gpu.device.createCommandEncoder();
      subject.rebuild(encoder, count);
      subject.search(encoder, count);
      gpu.device.queue.submit([encoder.finish()]);
    };
    frame();
    frame();
    const made = () =>
      madeObjects(gpu, () => {
        for (let i = 0; i < 5; i++) frame();
      });
    // Once in hundreds of builds the rows for the words of their hash functions are used up.
    expect([await made(), await made()]).toContainEqual({});
    await subject.settle();
    subject.destroy();
  });
});

describe('the host face', () => {
  it('searches without making anything, whatever the number of keys', async () => {
    using map = await HashMap.from(gpu, host);
    await map.get(words);
    await map.has(words);
    const made = await madeObjects(gpu, async () => {
      for (const count of [1, 2, 3, 100, 999, 1000]) {
        const { values: got } = await map.get(words.subarray(0, count));
        expect([...got]).toEqual([...words.subarray(0, count)]);
        expect((await map.has(words.subarray(0, count))).every((flag) => flag === 1)).toBe(true);
      }
    });
    expect(made).toEqual({});
  });

  it('builds with the table alone as new buffers, and compiles nothing', async () => {
    const build = () => HashMap.from(gpu, host);
    for (let i = 0; i < 2; i++) (await build()).destroy();
    const made = await madeObjects(gpu, async () => {
      (await build()).destroy();
    });
    expect(Object.keys(made).sort()).toEqual(['createBindGroup', 'createBuffer']);
  });

  it.each([
    ['groups', 4, () => groupBy(gpu, words, { values: words, combine: { n: 'count', sum: 'sum' } })],
    // Bytes of strings are in the input and in the table.
    ['groups by strings', 4 + 2, () => groupBy(gpu, names, { combine: { n: 'count' } })],
    ['joins without copies on the right', 3, () => join(gpu, words, distinctWords)],
    // A gate is three small buffers, and there are two. A table without copies is tried first.
    ['joins', 4 + 6 + 2, () => join(gpu, words, words)],
    ['ranks', 0, () => topK(gpu, words, 10)],
  ])('%s rows with the buffers of a table alone as new ones', async (_, most, call) => {
    for (let i = 0; i < 2; i++) await call();
    const { createBuffer = 0, ...others } = await madeObjects(gpu, call);
    expect(createBuffer).toBeLessThanOrEqual(most);
    expect(Object.keys(others)).toEqual(['createBindGroup'].filter(() => createBuffer > 0));
  });
});
