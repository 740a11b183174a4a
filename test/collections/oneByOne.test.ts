/** One key at a time, and all of them one by one, against plain maps. */
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  bytes,
  DestroyedError,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  f32,
  HashMap,
  HashnestError,
  HashSet,
  KeyIndex,
  type KeyType,
  MultiMap,
  tuple,
  u32,
  u64,
  utf8,
  valueTypes,
  vec3i,
  wgsl,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

type One = number | bigint | string;

/** Keys of each kind that is one number or string, by their number. */
const KINDS: Readonly<Record<string, { key: KeyType; one: (i: number) => One }>> = {
  u32: { key: u32, one: (i) => (i * 0x9e37_79b1) >>> 0 },
  f32: { key: f32, one: (i) => i / 4 },
  u64: { key: u64, one: (i) => BigInt(i) << 33n },
  utf8: { key: utf8, one: (i) => 'é'.repeat(i % 5) + i },
};

const SIZES: Readonly<Record<string, readonly number[]>> = { u32: [0, 1, 2, 257, 5000], utf8: [0, 257] };
const CASES = Object.entries(KINDS).flatMap(([name, kind]) =>
  (SIZES[name] ?? [300]).map((items) => ({ name, items, ...kind })),
);

describe.each(CASES)('$items keys that are $name', ({ key, items, one }) => {
  const list = Array.from({ length: items }, (_, i) => one(i % Math.ceil(items * 0.7)));
  const values = list.map((_, i) => i);
  const expected = new Map<One, number[]>();
  for (const [i, own] of list.entries()) expected.set(own, [...(expected.get(own) ?? []), i]);
  const absent = one(items + 1) as never;
  const some = [...expected].slice(-2) as [never, number[]][];
  const from = { key: key as KeyType<never> };

  it('come from a KeyIndex with their ids', async () => {
    using index = await KeyIndex.from(gpu, list as never, from);
    const { keys, ids } = await index.entries();
    expect(await all(index)).toEqual([...(keys as Iterable<One>)].map((own, i) => [own, ids[i]]));
    const pairs = new Map((await all(index)) as [One, number][]);
    expect(new Set(pairs.keys())).toEqual(new Set(expected.keys()));
    for (const [own] of some) expect(await index.getOne(own)).toBe(pairs.get(own));
    expect(await index.getOne(absent)).toBeUndefined();
  });

  it('come from a MultiMap with their values', async () => {
    using map = await MultiMap.from(gpu, list.map((own, i) => [own, i] as const) as never, from);
    const back = (await all(map)) as unknown as [One, Uint32Array][];
    expect(new Map(back.map(([own, its]) => [own, [...its]]))).toEqual(expected);
    for (const [own, its] of some) expect([...(await map.getOne(own))]).toEqual(its);
    expect(await map.getOne(absent)).toEqual(new Uint32Array());
  });

  it('come from an Aggregate with their results', async () => {
    using counts = await Aggregate.from(gpu, list as never, { ...from, combine: 'count' });
    expect(new Map(await all(counts))).toEqual(new Map([...expected].map(([own, its]) => [own, its.length])));
    for (const [own, its] of some) expect(await counts.getOne(own)).toBe(its.length);
    expect(await counts.getOne(absent)).toBeUndefined();
    const combine = { n: 'count', total: 'sum64' } as const;
    using both = await Aggregate.from(gpu, list.map((own, i) => [own, i] as const) as never, { ...from, combine });
    const results = (its: number[]) => ({ n: its.length, total: BigInt(its.reduce((a, b) => a + b, 0)) });
    expect(new Map(await all(both))).toEqual(new Map([...expected].map(([own, its]) => [own, results(its)])));
    for (const [own, its] of some) expect(await both.getOne(own)).toEqual(results(its));
    expect(await both.getOne(absent)).toBeUndefined();
  });

  it('come from collections that live', async () => {
    using set = await DynamicSet.create(gpu, from);
    using index = await DynamicIndex.create(gpu, from);
    using map = await DynamicMap.create(gpu, from);
    const keys = (key.collect ? key.collect(list, 'keys') : list) as never;
    await set.insert(keys);
    const { ids } = await index.activate(keys);
    await map.insert(keys, values);
    const given = await all(set);
    expect([given.length, new Set<One>(given)]).toEqual([expected.size, new Set(expected.keys())]);
    const byKey = new Map(list.map((own, i) => [own, ids[i]]));
    expect(new Map(await all(index))).toEqual(byKey);
    for (const [own] of some) expect(await index.getOne(own)).toBe(byKey.get(own));
    expect(await index.getOne(absent)).toBeUndefined();
    expect(new Map(await all(map))).toEqual(new Map([...expected].map(([own, its]) => [own, its.at(-1)])));
  });
});

const words = new Uint32Array([3, 1, 3]);
const input = { keys: words, values: words };

describe('one by one', () => {
  it('come values that are vectors from a MultiMap, an array for each key', async () => {
    const values = Float32Array.from({ length: 6 }, (_, i) => i);
    using map = await MultiMap.from(gpu, { keys: words, values }, { value: valueTypes.vec2f });
    expect([...(await map.getOne(3))]).toEqual([0, 1, 4, 5]);
    const pairs = (await all(map)).map(([key, its]): [number, number[]] => [key, [...its]]);
    expect(new Map(pairs)).toEqual(
      new Map([
        [1, [2, 3]],
        [3, [0, 1, 4, 5]],
      ]),
    );
  });

  it('are looked up keys of several words, which getOne takes', async () => {
    using voxels = await KeyIndex.from(gpu, { keys: new Int32Array([1, -2, 3]) }, { key: vec3i });
    expect([await voxels.getOne([1, -2, 3]), await voxels.getOne([0, 0, 0])]).toEqual([0, undefined]);
    using edges = await KeyIndex.from(gpu, { keys: [words, words] }, { key: tuple(u32, u32) });
    expect(await edges.getOne([new Uint32Array([1]), new Uint32Array([1])])).toBeTypeOf('number');
    using raw = await MultiMap.from(gpu, { keys: [Uint8Array.of(7)], values: new Uint32Array([5]) }, { key: bytes });
    expect([...(await raw.getOne([Uint8Array.of(7)]))]).toEqual([5]);
  });

  it('are given out the entries that there were when the first was asked for', async () => {
    using index = await KeyIndex.from(gpu, { keys: words });
    const entries = index[Symbol.asyncIterator]();
    const first = await entries.next();
    await index.rebuild({ keys: [8, 9] });
    const second = await entries.next();
    expect([first.value, second.value].map((entry) => entry?.[0]).sort()).toEqual([1, 3]);
    expect((await entries.next()).done).toBe(true);
    expect((await all(index)).map(([key]) => key).sort()).toEqual([8, 9]);
  });
});

describe('what cannot be given one by one', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'keys of several words',
      async () => all(await KeyIndex.from(gpu, { keys: new Int32Array(3) }, { key: vec3i })),
      /vec3i keys do not come one by one/,
    ],
    [
      'keys of several words in a MultiMap',
      async () =>
        all(await MultiMap.from(gpu, { keys: new Int32Array(3), values: new Uint32Array(1) }, { key: vec3i })),
      /vec3i keys/,
    ],
    [
      'keys of several words in a DynamicSet',
      async () => all(await DynamicSet.create(gpu, { key: vec3i })),
      /vec3i keys/,
    ],
    [
      'keys of several words in a DynamicIndex',
      async () => all(await DynamicIndex.create(gpu, { key: vec3i })),
      /vec3i keys/,
    ],
    [
      'a key of another type',
      async () => (await KeyIndex.from(gpu, input)).getOne('a' as never),
      /^KeyIndex\.getOne: key\[0\] must be/,
    ],
    [
      'no key',
      async () => (await MultiMap.from(gpu, input)).getOne(undefined as never),
      /^MultiMap\.getOne: key\[0\] must be/,
    ],
    [
      'several keys',
      async () => (await Aggregate.from(gpu, input, { combine: 'sum' })).getOne(words as never),
      /^Aggregate\.getOne: key: there are 3 keys/,
    ],
    [
      'a key of another type in a DynamicIndex',
      async () => (await DynamicIndex.create(gpu, { key: u32 })).getOne(-1),
      /^DynamicIndex\.getOne: key\[0\] must be/,
    ],
  ])('is refused: %s', async (_, call, message) => {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(message);
  });

  it('is refused: results of several numbers', async () => {
    const vector = {
      accumulator: 'vec2f',
      identity: [0, 0],
      lift: wgsl`fn lift(value: f32) -> vec2f { return vec2f(value); }`,
      combine: wgsl`fn add(a: vec2f, b: vec2f) -> vec2f { return a + b; }`,
    } as const;
    using sums = await Aggregate.from(gpu, { keys: words, values: new Float32Array(3) }, { combine: vector });
    await expect(sums.getOne(3)).rejects.toThrow(/vec2f results do not come one by one/);
    await expect(all(sums)).rejects.toThrow(/vec2f results do not come one by one/);
  });

  it.each<[string, () => Promise<AsyncIterable<unknown> & { destroy(): void }>]>([
    ['HashMap', () => HashMap.from(gpu, input)],
    ['HashSet', () => HashSet.from(gpu, { keys: words })],
    ['KeyIndex', () => KeyIndex.from(gpu, { keys: words })],
    ['MultiMap', () => MultiMap.from(gpu, input)],
    ['Aggregate', () => Aggregate.from(gpu, input, { combine: 'sum' })],
    ['DynamicSet', () => DynamicSet.create(gpu, { key: u32 })],
    ['DynamicIndex', () => DynamicIndex.create(gpu, { key: u32 })],
    ['DynamicMap', () => DynamicMap.create(gpu, { key: u32 })],
  ])('is what a %s had that was destroyed', async (_, make) => {
    const made = await make();
    made.destroy();
    await expect(all(made)).rejects.toThrow(DestroyedError);
    if ('getOne' in made)
      await expect((made.getOne as (key: number) => Promise<unknown>)(3)).rejects.toThrow(DestroyedError);
  });
});
