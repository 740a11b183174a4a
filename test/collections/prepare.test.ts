/** Compiling ahead: the first call compiles nothing, and nothing was compiled while everybody waited. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Aggregate,
  bytes,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  Gpu,
  HashMap,
  HashSet,
  InvalidInputError,
  KeyIndex,
  linearProbing,
  MultiMap,
  perfectSpatial,
  sortedArray,
  UnsupportedError,
  u32,
  u64,
  utf8,
  valueTypes,
  vec2i,
} from '../../src/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { madeObjects } from '../madeObjects.ts';

const ITEMS = 600;
const keys = Uint32Array.from({ length: ITEMS }, (_, i) => i * 3);
const values = keys.map((key) => key + 1);
const names = Array.from(keys, String);
const input = { keys, values };
const scheme = linearProbing();

/** A collection is prepared, then built and asked; tells whether the answers are right. */
interface Subject {
  prepare(gpu: Gpu): Promise<void>;
  use(gpu: Gpu): Promise<boolean>;
}

const COLUMNS = {
  n: 'count',
  total: { of: 'price', combine: 'sum64' },
  weight: { of: 'weight', combine: 'mean' },
} as const;

const isEveryKeyIn = (found: Uint8Array) => found.every((flag) => flag === 1);

const SUBJECTS: Readonly<Record<string, Subject>> = {
  'HashMap of the default scheme': {
    prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS }),
    use: async (gpu) => isEveryKeyIn((await (await HashMap.from(gpu, input)).get(keys)).found),
  },
  'HashMap of vectors': {
    prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS / 2, key: u32, value: valueTypes.vec2u, scheme }),
    use: async (gpu) => {
      const half = keys.subarray(0, ITEMS / 2);
      const map = await HashMap.from(gpu, { keys: half, values }, { scheme, value: valueTypes.vec2u });
      return isEveryKeyIn((await map.get(half)).found);
    },
  },
  'HashMap of strings, by a sort': {
    prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS, key: utf8, scheme: sortedArray() }),
    use: async (gpu) => {
      const map = await HashMap.from(gpu, { keys: names, values }, { scheme: sortedArray() });
      return isEveryKeyIn((await map.get(names)).found);
    },
  },
  'HashMap that is built on the host': {
    prepare: (gpu) => HashMap.prepare(gpu, { items: 9, key: vec2i, scheme: perfectSpatial() }),
    use: async (gpu) => {
      const points = Int32Array.from({ length: 18 }, (_, i) => i);
      const options = { key: vec2i, scheme: perfectSpatial() };
      const map = await HashMap.from(gpu, { keys: points, values: values.subarray(0, 9) }, options);
      return isEveryKeyIn((await map.get(points)).found);
    },
  },
  HashSet: {
    prepare: (gpu) => HashSet.prepare(gpu, { items: ITEMS, key: u64, scheme }),
    use: async (gpu) => {
      const wide = BigUint64Array.from(keys, BigInt);
      return isEveryKeyIn(await (await HashSet.from(gpu, { keys: wide }, { scheme })).has(wide));
    },
  },
  KeyIndex: {
    prepare: (gpu) => KeyIndex.prepare(gpu, { items: ITEMS, scheme }),
    use: async (gpu) => {
      const ids = await (await KeyIndex.from(gpu, { keys }, { scheme })).ids(keys);
      return new Set(ids).size === ITEMS;
    },
  },
  'MultiMap by a sort': {
    prepare: (gpu) => MultiMap.prepare(gpu, { items: ITEMS, scheme, construction: 'sort' }),
    use: async (gpu) => {
      const map = await MultiMap.from(gpu, input, { scheme, construction: 'sort' });
      return (await map.retrieve(keys)).values.every((value, i) => value === values[i]);
    },
  },
  'MultiMap by its table': {
    prepare: (gpu) => MultiMap.prepare(gpu, { items: ITEMS, scheme, construction: 'table', order: 'any' }),
    use: async (gpu) => {
      const map = await MultiMap.from(gpu, input, { scheme, construction: 'table', order: 'any' });
      return (await map.retrieve(keys)).values.every((value, i) => value === values[i]);
    },
  },
  Aggregate: {
    prepare: (gpu) => Aggregate.prepare(gpu, { items: ITEMS, scheme, combine: 'sum' }),
    use: async (gpu) => {
      const sums = await Aggregate.from(gpu, input, { scheme, combine: 'sum' });
      return (await sums.get(keys)).values.every((value, i) => value === values[i]);
    },
  },
  'Aggregate of several results of one array': {
    prepare: (gpu) => {
      const combine = { n: 'count', mean: 'mean', low: 'min' } as const;
      return Aggregate.prepare(gpu, { items: ITEMS, scheme, combine, value: valueTypes.f32 });
    },
    use: async (gpu) => {
      const combine = { n: 'count', mean: 'mean', low: 'min' } as const;
      const several = await Aggregate.from(gpu, { keys, values: Float32Array.from(values) }, { scheme, combine });
      const { n, mean, low } = (await several.get(keys)).values;
      return keys.every((_, i) => n[i] === 1 && mean[i] === values[i] && low[i] === values[i]);
    },
  },
  'Aggregate of several columns': {
    prepare: (gpu) =>
      Aggregate.prepare(gpu, {
        items: ITEMS,
        scheme,
        combine: COLUMNS,
        value: { weight: valueTypes.f32, unused: valueTypes.f32 },
      }),
    use: async (gpu) => {
      const columns = { price: values, weight: Float32Array.from(values) };
      const several = await Aggregate.from(gpu, { keys, values: columns }, { scheme, combine: COLUMNS });
      const { n, total, weight } = (await several.get(keys)).values;
      return keys.every((_, i) => n[i] === 1 && total[i] === BigInt(values[i] as number) && weight[i] === values[i]);
    },
  },
};

const LIVING: typeof SUBJECTS = {
  DynamicMap: {
    prepare: (gpu) => DynamicMap.prepare(gpu, { items: ITEMS, key: u32, scheme: dyCuckoo() }),
    use: async (gpu) => {
      const map = await DynamicMap.create(gpu, { key: u32, scheme: dyCuckoo() });
      await map.insert(keys, values);
      const { values: got } = await map.get(keys);
      return got.every((value, i) => value === values[i]) && isEveryKeyIn(await map.delete(keys.subarray(0, 9)));
    },
  },
  DynamicSet: {
    prepare: (gpu) => DynamicSet.prepare(gpu, { items: ITEMS, key: u32, scheme: dyCuckoo() }),
    use: async (gpu) => {
      const set = await DynamicSet.create(gpu, { key: u32, scheme: dyCuckoo() });
      await set.insert(keys);
      return isEveryKeyIn(await set.has(keys));
    },
  },
  DynamicIndex: {
    prepare: (gpu) => DynamicIndex.prepare(gpu, { items: ITEMS, key: u32 }),
    use: async (gpu) => {
      const index = await DynamicIndex.create(gpu, { key: u32 });
      const { ids } = await index.activate(keys);
      return new Set(ids).size === ITEMS && (await index.ids(keys)).every((id, i) => id === ids[i]);
    },
  },
};

describe('prepare', () => {
  let gpu: Gpu;
  beforeEach(async () => {
    gpu = await Gpu.open();
  });
  afterEach(() => gpu.destroy());

  it.each(Object.entries({ ...SUBJECTS, ...LIVING }))(
    'compiles all that the first calls need: %s',
    async (_, { prepare, use }) => {
      const ahead = await madeObjects(gpu, () => prepare(gpu));
      expect(ahead.createComputePipelineAsync).toBeGreaterThan(0);
      expect(ahead.createComputePipeline).toBeUndefined();
      expect(ahead.createBuffer).toBeUndefined();
      let isRight = false;
      const made = await madeObjects(gpu, async () => {
        isRight = await use(gpu);
      });
      expect(isRight).toBe(true);
      expect(Object.keys(made).filter((name) => /Pipeline|Shader/.test(name))).toEqual([]);
    },
  );

  it('is good for recorded builds too', async () => {
    await HashMap.prepare(gpu, { items: ITEMS, scheme });
    const [keyBuffer, valueBuffer] = [gpu.upload('test', keys), gpu.upload('test', values)];
    const buffers = { keys: keyBuffer, values: valueBuffer, count: ITEMS };
    const encoder = gpu.device.createCommandEncoder();
    const made = await madeObjects(gpu, () => HashMap.encodeBuild(gpu, encoder, buffers, { key: u32, scheme }));
    expect(made.createComputePipeline).toBeUndefined();
  });

  it('without being called: what a first build needs is compiled side by side all the same', async () => {
    const made = await madeObjects(gpu, () => HashMap.from(gpu, input));
    expect(made.createComputePipelineAsync).toBeGreaterThan(1);
    expect(made.createComputePipeline).toBeUndefined();
  });

  it('refuses what the collection would refuse, and leaves nothing behind', async () => {
    const wrong: readonly [call: () => Promise<void>, type: typeof InvalidInputError | typeof UnsupportedError][] = [
      [() => HashMap.prepare(gpu, {} as never), InvalidInputError],
      [() => HashMap.prepare(gpu, { items: -1 }), InvalidInputError],
      [() => HashMap.prepare(gpu, { items: 9, schema: scheme } as never), InvalidInputError],
      [() => HashMap.prepare(gpu, { items: 9, value: 'f32' } as never), InvalidInputError],
      [() => HashMap.prepare(gpu.device as never, { items: 9 }), InvalidInputError],
      [() => HashSet.prepare(gpu, { items: 9, key: bytes, scheme: perfectSpatial() as never }), UnsupportedError],
      [() => Aggregate.prepare(gpu, { items: 9, combine: 'product' } as never), InvalidInputError],
      [
        () => Aggregate.prepare(gpu, { items: 9, combine: COLUMNS, value: { weight: 'f32' } } as never),
        InvalidInputError,
      ],
    ];
    for (const [call, type] of wrong) {
      const { error, live } = await liveBuffers(gpu, call);
      expect(error, String(call)).toBeInstanceOf(type);
      expect(live).toEqual([]);
    }
  });

  it('is rejected when the device goes away', async () => {
    const preparing = HashMap.prepare(gpu, { items: ITEMS });
    gpu.destroy();
    await expect(preparing).rejects.toMatchObject({ code: 'destroyed' });
  });
});
