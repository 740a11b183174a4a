/** Every call with its first, second, third … step at the device failing: what was made for it is freed, and nothing else. */
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  compact,
  exclusiveScan,
  fill,
  gatherRows,
  HashMap,
  HashnestError,
  HashSet,
  histogram,
  KeyIndex,
  linearProbing,
  MultiMap,
  sort,
  sortedArray,
} from '../../src/index.ts';
import { distinct, groupBy, join, topK } from '../../src/relational.ts';
import { injecting, leaksOf } from '../injecting.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const { steps, failing } = injecting(gpu);
const scheme = linearProbing();
const keys = Uint32Array.of(1, 2, 3, 2);
const texts = ['a', 'bc', 'def'];

const floats = Float32Array.of(1, 2, 3, 4);
const COLUMNS = { n: 'count', mean: { of: 'price', combine: 'mean' } } as const;

const input = { keys, values: keys };
const map = await HashMap.from(gpu, input, { scheme });
const names = await HashSet.from(gpu, { keys: texts }, { scheme });
const index = await KeyIndex.from(gpu, { keys }, { scheme, construction: 'table' });
const multi = await MultiMap.from(gpu, input, { scheme, construction: 'table' });
const sums = await Aggregate.from(gpu, input, { scheme, construction: 'table', combine: 'sum' });

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  'HashMap.from': () => HashMap.from(gpu, input, { scheme }),
  'HashSet.from with strings': () => HashSet.from(gpu, { keys: texts }, { scheme }),
  'KeyIndex.from': () => KeyIndex.from(gpu, { keys }, { scheme, construction: 'table' }),
  'MultiMap.from': () => MultiMap.from(gpu, input, { scheme, construction: 'table' }),
  'Aggregate.from': () => Aggregate.from(gpu, input, { scheme, construction: 'table', combine: 'sum' }),
  'KeyIndex.from with its items': () => KeyIndex.from(gpu, { keys }, { scheme, construction: 'sort', keepItems: true }),
  'Aggregate.from of columns': () =>
    Aggregate.from(gpu, { keys, values: { price: floats } }, { scheme, combine: COLUMNS }),
  join: () => join(gpu, [texts, [1, null, 2].map(String)], [texts, texts], { scheme, how: 'full' }),
  groupBy: () => groupBy(gpu, [keys, ['a', null, 'b', 'a']], { scheme, values: { price: floats }, combine: COLUMNS }),
  distinct: () => distinct(gpu, keys, { scheme }),
  topK: () => topK(gpu, floats, 2),
  get: () => map.get(keys),
  'has with strings': () => names.has(texts),
  entries: () => map.entries(),
  stats: () => names.stats({ absent: texts }),
  toBytes: () => map.toBytes(),
  ids: () => index.ids(keys),
  keysOf: () => index.keysOf(Uint32Array.of(0, 1)),
  retrieve: () => multi.retrieve(keys),
  'Aggregate.get': () => sums.get(keys),
  sort: () => sort(gpu, keys, { values: keys, bits: 4 }),
  exclusiveScan: () => exclusiveScan(gpu, keys),
  compact: () => compact(gpu, keys, keys),
  histogram: () => histogram(gpu, keys, 4),
  gatherRows: () => gatherRows(gpu, { rows: keys, rowWords: 1, indices: keys }),
  fill: () => fill(gpu, 10, 1),
};

/** The labels of buffers that a call makes where nobody would hear that there is no memory for them. */
async function madeUnheard(call: () => Promise<unknown>): Promise<readonly string[]> {
  const { device } = gpu;
  const { createBuffer, pushErrorScope, popErrorScope } = device;
  const unheard: string[] = [];
  let scopes = 0;
  device.pushErrorScope = (filter) => {
    scopes++;
    return pushErrorScope.call(device, filter);
  };
  device.popErrorScope = () => {
    scopes--;
    return popErrorScope.call(device);
  };
  device.createBuffer = (descriptor) => {
    if (scopes === 0) unheard.push(descriptor.label ?? '');
    return createBuffer.call(device, descriptor);
  };
  try {
    await failing('submit', Number.POSITIVE_INFINITY, call);
    return unheard;
  } finally {
    Object.assign(device, { createBuffer, pushErrorScope, popErrorScope });
  }
}

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  it('makes every buffer where an error would be heard', async () => {
    gpu.trim();
    expect(await madeUnheard(call)).toEqual([]);
  });

  it.each(steps)('frees all when %s fails', async (step) => {
    expect(await leaksOf(gpu, step, call)).toEqual([]);
  });
});

describe('a rebuild', () => {
  const wider = { keys: Uint32Array.from({ length: 40 }, (_, i) => i % 9), values: new Uint32Array(40).fill(1) };
  const subjects = {
    HashMap: () => HashMap.from(gpu, input, { scheme }),
    'HashMap of a scheme with scratch': () => HashMap.from(gpu, input, { scheme: sortedArray() }),
    HashSet: () => HashSet.from(gpu, input, { scheme }),
    KeyIndex: () => KeyIndex.from(gpu, input, { scheme, construction: 'table' }),
    'KeyIndex by sort': () => KeyIndex.from(gpu, input, { scheme, construction: 'sort' }),
    MultiMap: () => MultiMap.from(gpu, input, { scheme, construction: 'table' }),
    'MultiMap by sort': () => MultiMap.from(gpu, input, { scheme, construction: 'sort' }),
    Aggregate: () => Aggregate.from(gpu, input, { scheme, construction: 'table', combine: 'sum' }),
  };

  it.each(steps)('that fails because %s does is followed by one that succeeds', async (step) => {
    for (const [name, make] of Object.entries(subjects)) {
      for (let nth = 1, error: unknown = name; error !== undefined; nth++) {
        const live = watchBuffers(gpu);
        using made = await make();
        const what = `${name}: ${step} ${nth}`;
        error = await failing(step, nth, () => made.rebuild(wider).then(() => undefined));
        live.restore();
        await made.has(keys).catch((again) => {
          expect(again, what).toBeInstanceOf(HashnestError);
          // Neither scratch nor arrays are left that answer nothing any more. The keys are the index's, which may still be good.
          const kept = live.labels().filter((label) => /^hashnest\/scratch\/(?!keyIndex\/keys)/.test(label));
          expect(kept, what).toEqual([]);
        });
        await made.rebuild(wider);
        expect([...(await made.has(Uint32Array.of(8, 9)))], what).toEqual([1, 0]);
        expect(made.size, what).toBe(9);
      }
    }
  });
});

describe('afterwards', () => {
  it('every collection answers as before', async () => {
    expect([...(await map.get(keys)).values]).toEqual([1, 2, 3, 2]);
    expect([...(await names.has(texts))]).toEqual([1, 1, 1]);
    expect((await index.ids(keys)).every((id) => id < 3)).toBe(true);
    expect([...(await multi.count(keys))]).toEqual([1, 2, 1, 2]);
    expect([...(await sums.get(keys)).values]).toEqual([1, 4, 3, 4]);
    for (const collection of [map, names, index, multi, sums]) collection.destroy();
  });
});
