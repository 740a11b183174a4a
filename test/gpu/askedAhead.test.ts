/** A first call asks for all of its pipelines before the first of them is there, also for those of its later submissions. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import { SparseImage } from '../../src/apps.ts';
import {
  Aggregate,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  Gpu,
  HashMap,
  KeyIndex,
  MultiMap,
  perfectSpatial,
  u32,
  utf8,
  vec2i,
} from '../../src/index.ts';
import { distinct, groupBy, JoinTable, join, topK } from '../../src/relational.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { wgsl } from '../../src/wgsl/index.ts';

const opened = await Gpu.open();
afterAll(() => opened.destroy());

const ITEMS = 600;
const keys = Uint32Array.from({ length: ITEMS }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 0);
const values = keys.map((_, i) => i);
const names = Array.from(keys, String);
const points = Float32Array.from({ length: 3 * ITEMS }, (_, i) => i);
const pixels = Uint32Array.from({ length: 400 }, (_, i) => 0xff000000 + i);

const CALLS: Readonly<Record<string, (gpu: Gpu) => Promise<unknown>>> = {
  KeyIndex: async (gpu) => (await KeyIndex.from(gpu, { keys })).size,
  'KeyIndex of strings': async (gpu) => (await KeyIndex.from(gpu, { keys: names })).size,
  MultiMap: async (gpu) => (await MultiMap.from(gpu, { keys, values })).size,
  'MultiMap by its table': async (gpu) => (await MultiMap.from(gpu, { keys, values }, { construction: 'table' })).size,
  Aggregate: async (gpu) => (await Aggregate.from(gpu, { keys, values }, { combine: 'sum' })).size,
  'Aggregate of two results': async (gpu) =>
    (await Aggregate.from(gpu, { keys, values }, { combine: { n: 'count', total: 'sum64' } })).size,
  JoinTable: async (gpu) => (await JoinTable.from(gpu, [keys, names])).destroy(),
  join: (gpu) => join(gpu, keys, keys),
  'join of two columns': (gpu) => join(gpu, [keys, values], [keys, values]),
  groupBy: (gpu) => groupBy(gpu, keys, { values, combine: { total: 'sum' } }),
  'groupBy of dense keys': (gpu) => groupBy(gpu, values, { values, combine: { total: 'sum' } }),
  'groupBy of strings': (gpu) => groupBy(gpu, names, { values, combine: { total: 'sum' } }),
  distinct: (gpu) => distinct(gpu, keys),
  topK: (gpu) => topK(gpu, keys, 5),
  SparseImage: async (gpu) => (await SparseImage.from(gpu, { width: 20, height: 20, pixels })).size,
  SpatialGrid: async (gpu) => (await SpatialGrid.from(gpu, { points }, { radius: 1 })).destroy(),
  weld: (gpu) => weld(gpu, points, { tolerance: 0.1 }),
};

/** The first batches of collections that are there already. */
const BATCHES: Readonly<Record<string, (gpu: Gpu) => Promise<() => Promise<unknown>>>> = {
  'DynamicMap without room': async (gpu) => {
    const map = await DynamicMap.create(gpu, { key: u32 });
    return () => map.insert(keys, values);
  },
  'DynamicMap with room': async (gpu) => {
    const map = await DynamicMap.create(gpu, { key: u32, reserve: ITEMS });
    return () => map.getOrInsert(keys, values);
  },
  'DynamicSet of strings': async (gpu) => {
    const set = await DynamicSet.create(gpu, { key: utf8, scheme: dyCuckoo() });
    return () => set.insert(names);
  },
};

/** Makes a call with a `Gpu` that has compiled nothing. No pipeline is there before all of these were asked for. */
async function called(ready: (gpu: Gpu) => Promise<() => Promise<unknown>>, wanted?: readonly string[]) {
  const { device } = opened;
  const gpu = Gpu.from(device);
  const call = await ready(gpu);
  const { createComputePipelineAsync } = device;
  let go = () => {};
  const isTime = new Promise<void>((resolve) => {
    go = resolve;
  });
  const asked: string[] = [];
  device.createComputePipelineAsync = async (descriptor) => {
    asked.push(descriptor.label as string);
    await isTime;
    return createComputePipelineAsync.call(device, descriptor);
  };
  try {
    const made = call();
    made.catch(() => {});
    if (wanted) await vi.waitFor(() => expect(asked.toSorted()).toEqual(wanted), 5000);
    go();
    return { answer: await made, asked: asked.toSorted() };
  } finally {
    go();
    device.createComputePipelineAsync = createComputePipelineAsync;
    gpu.destroy();
  }
}

describe('a first call asks for all of its pipelines at its beginning', () => {
  const all = Object.entries(CALLS).map(([name, call]) => [name, async (gpu: Gpu) => () => call(gpu)] as const);
  it.each([...all, ...Object.entries(BATCHES)])('%s', async (_, ready) => {
    const { answer, asked } = await called(ready);
    expect(asked.length).toBeGreaterThan(0);
    const again = await called(ready, asked);
    expect(again).toEqual({ answer, asked });
  });
});

describe('a scheme that works on the host', () => {
  const points = Int32Array.from({ length: 2 * ITEMS }, (_, i) => i);
  const column = { values: points, key: vec2i };
  type Works = (gpu: Gpu, scheme: ReturnType<typeof perfectSpatial>) => Promise<unknown>;
  it.each<[string, Works]>([
    ['KeyIndex', (gpu, scheme) => KeyIndex.from(gpu, { keys: points }, { key: vec2i, construction: 'sort', scheme })],
    ['distinct', (gpu, scheme) => distinct(gpu, column, { scheme: scheme as never })],
    ['join', (gpu, scheme) => join(gpu, column, column, { scheme: scheme as never })],
    ['JoinTable', (gpu, scheme) => JoinTable.from(gpu, column, { scheme: scheme as never })],
  ])('does so for the items alone, not for a rehearsal: %s', async (_, call) => {
    const gpu = Gpu.from(opened.device);
    const original = perfectSpatial();
    let builds = 0;
    const scheme: typeof original = {
      ...original,
      plan: (request) => {
        const plan = original.plan(request);
        const { build } = plan;
        if (build.on !== 'host') return plan;
        const run: typeof build.run = (items, random) => {
          builds++;
          return build.run(items, random);
        };
        return { ...plan, build: { ...build, run } };
      },
    };
    await call(gpu, scheme);
    await new Promise((resume) => setTimeout(resume, 50));
    // Larger plans are not counted.
    expect(builds).toBe(1);
    gpu.destroy();
  });
});

describe('a function of the caller’s that WebGPU refuses', () => {
  it('is refused with the reason, also where the rehearsal has found it first', async () => {
    const { device } = opened;
    const gpu = Gpu.from(device);
    const { createComputePipelineAsync } = device;
    // The first submission waits until the rehearsal has come to the last one.
    device.createComputePipelineAsync = async (descriptor) => {
      const made = createComputePipelineAsync.call(device, descriptor);
      made.catch(() => {});
      await new Promise((resume) => setTimeout(resume, 200));
      return made;
    };
    try {
      const lift = wgsl`fn lift(value: u32) -> u32 { return value; }`;
      const sum = wgsl`fn combine(a: u32, b: u32) -> u32 { return a + nowhere; }`;
      const combine = { accumulator: 'u32', identity: 0, lift, combine: sum } as const;
      const made = Aggregate.from(gpu, { keys, values }, { combine, construction: 'table' });
      await expect(made).rejects.toThrow(/WebGPU refused a call: .*nowhere/s);
    } finally {
      device.createComputePipelineAsync = createComputePipelineAsync;
      gpu.destroy();
    }
  });

  it('is refused with the reason by every call: at once, one after the other, and by one that is not rehearsed', async () => {
    const gpu = Gpu.from(opened.device);
    const sum = wgsl`fn combine(a: u32, b: u32) -> u32 { return a + somewhere; }`;
    const combine = { accumulator: 'u32', identity: 0, combine: sum } as const;
    const made = () => Aggregate.from(gpu, { keys, values }, { combine }).catch(String);
    const many = new Uint32Array(2 ** 17 + 1);
    const outcomes = await Promise.all([made(), made()]);
    outcomes.push(await made());
    for (let i = 0; i < 2; i++) {
      outcomes.push((await groupBy(gpu, many, { values: many, combine: { total: combine } }).catch(String)) as string);
    }
    for (const outcome of outcomes) expect(outcome).toMatch(/WebGPU refused a call: .*somewhere/s);
    gpu.destroy();
  });
});

describe('small tables of all policies', () => {
  it('are built by the same pipelines', async () => {
    const gpu = Gpu.from(opened.device);
    (await HashMap.from(gpu, { keys, values })).destroy();
    const made: string[] = [];
    gpu.listeners.add(({ label }) => made.push(label));
    for (const duplicates of ['first', 'last', 'any', 'error', 'unique'] as const) {
      (await HashMap.from(gpu, { keys, values }, { duplicates })).destroy();
    }
    expect(made).toEqual([]);
    // Its values are ids, in a table of its distinct keys.
    (await KeyIndex.from(gpu, { keys })).destroy();
    expect(made.filter((label) => /bucketCuckoo|attempt/.test(label))).toEqual([]);
    expect(made.length).toBeGreaterThan(0);
    gpu.destroy();
  });
});

describe('a call whose pipelines are there', () => {
  it('is not rehearsed', async () => {
    const gpu = Gpu.from(opened.device);
    const build = async () => (await MultiMap.from(gpu, { keys, values })).destroy();
    await build();
    const rehearsing = vi.spyOn(Gpu, 'rehearsing');
    await build();
    expect(rehearsing).not.toHaveBeenCalled();
    await (await MultiMap.from(gpu, { keys: names, values })).destroy();
    expect(rehearsing).toHaveBeenCalledTimes(1);
    rehearsing.mockRestore();
    gpu.destroy();
  });
});
