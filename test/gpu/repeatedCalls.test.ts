/** Who makes the same call over and over leaves nothing behind: no buffer at all, not even a small one for the garbage collector. */
import { expect, it } from 'vitest';
import { Aggregate, DynamicIndex, DynamicMap, HashMap, KeyIndex, MultiMap, u32, utf8 } from '../../src/index.ts';
import { groupBy, JoinTable, join, topK } from '../../src/relational.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const keys = Uint32Array.from({ length: 300 }, (_, i) => i % 100);
const values = keys.map((key) => key + 1);
const names = Array.from(keys, (key) => `name ${key}`);
const points = Float32Array.from({ length: 300 }, (_, i) => (i * 7) % 13);

/** A call by its name, of what is made for it once. */
const CALLS: readonly (readonly [name: string, make: () => Promise<() => Promise<unknown>>])[] = [
  ['HashMap.from', async () => async () => (await HashMap.from(gpu, { keys, values })).destroy()],
  ['HashMap.from of strings', async () => async () => (await HashMap.from(gpu, { keys: names, values })).destroy()],
  ['KeyIndex.from', async () => async () => (await KeyIndex.from(gpu, { keys })).destroy()],
  ['MultiMap.from', async () => async () => (await MultiMap.from(gpu, { keys, values })).destroy()],
  [
    'Aggregate.from',
    async () => async () => (await Aggregate.from(gpu, { keys, values }, { combine: 'sum' })).destroy(),
  ],
  ['SpatialGrid.from', async () => async () => (await SpatialGrid.from(gpu, { points }, { radius: 1 })).destroy()],
  ['weld', async () => () => weld(gpu, points, { tolerance: 0.5 })],
  ['join', async () => () => join(gpu, keys, values)],
  ['join of a right side without copies', async () => () => join(gpu, keys, keys.subarray(0, 100))],
  ['groupBy', async () => () => groupBy(gpu, names, { combine: { n: 'count' } })],
  ['topK', async () => () => topK(gpu, keys, 7)],
  [
    'get',
    async () => {
      const map = await HashMap.from(gpu, { keys, values });
      return () => map.get(keys);
    },
  ],
  [
    'rebuild of a MultiMap',
    async () => {
      const map = await MultiMap.from(gpu, { keys, values });
      return () => map.rebuild({ keys, values });
    },
  ],
  [
    'JoinTable.join',
    async () => {
      const table = await JoinTable.from(gpu, names);
      return () => table.join(names, { how: 'full' });
    },
  ],
  [
    'insert and delete of a DynamicMap',
    async () => {
      const map = await DynamicMap.create(gpu, { key: u32, reserve: 1000 });
      return async () => {
        await map.insert(keys, values);
        await map.delete(keys);
      };
    },
  ],
  [
    'activate and release of a DynamicIndex of strings',
    async () => {
      const index = await DynamicIndex.create(gpu, { key: utf8, reserve: 1000 });
      return async () => {
        await index.activate(names);
        await index.release(names);
        await index.compact();
      };
    },
  ],
  [
    'pairs',
    async () => {
      const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
      return () => grid.pairs();
    },
  ],
];

it.each(CALLS)('%s', async (_, make) => {
  const call = await make();
  // A thousand calls share a buffer of rows; whoever makes the next one is no leak.
  const watched = watchBuffers(gpu, ['hashnest/constants/rows']);
  try {
    // The first calls make what later ones use again.
    for (let i = 0; i < 4; i++) await call();
    const before = watched.count();
    for (let i = 0; i < 3; i++) await call();
    expect(watched.count(), watched.labels().join()).toBe(before);
  } finally {
    watched.restore();
  }
});
