import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  bytes,
  DynamicMap,
  f32,
  HashMap,
  HashnestError,
  HashSet,
  i32,
  KeyIndex,
  MultiMap,
  tuple,
  u32,
  utf8,
  valueTypes,
  vec3f,
  vec3i,
} from '../../src/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const sorted = <T>(list: readonly T[]): T[] => [...list].sort();

describe('plain JavaScript goes in', () => {
  it('as a Map of strings, whose values come back one by one', async () => {
    const prices = new Map([
      ['ada', 7],
      ['bob', 0xffff_ffff],
      ['', 0],
    ]);
    using map = await HashMap.from(gpu, prices);
    expect([map.size, map.key.name, map.value.name]).toEqual([3, 'utf8', 'u32']);
    for (const [name, price] of prices) expect(await map.getOne(name)).toBe(price);
    expect(await map.getOne('eve')).toBeUndefined();
    const back = new Map<string, number>();
    for await (const [name, price] of map) back.set(name, price);
    expect(back).toEqual(prices);
  });

  it('as pairs that somebody makes on the way, of which the last of a key counts', async () => {
    function* pairs(): Generator<[number, number]> {
      for (let i = 0; i < 1000; i++) yield [i % 700, i];
    }
    using map = await HashMap.from(gpu, pairs());
    const expected = new Map(pairs());
    expect(map.size).toBe(700);
    const { values } = await map.get([...expected.keys()]);
    expect([...values]).toEqual([...expected.values()]);
  });

  it('as arrays of numbers in the place of typed ones, into every collection', async () => {
    const [keys, values] = [
      [7, 9, 7],
      [1, 2, 3],
    ];
    using map = await HashMap.from(gpu, { keys, values });
    expectTypeOf(map).toEqualTypeOf<HashMap<Uint32Array, Uint32Array>>();
    expect([map.key, map.value, await map.getOne(7)]).toEqual([u32, valueTypes.u32, 3]);
    await map.rebuild({ keys: [1], values: [2] });
    expect(await map.getOne(1)).toBe(2);
    await expect(map.rebuild({ keys: [1], values: [0.5] })).rejects.toThrow(/values\[0\]/);
    using wide = await HashMap.from(gpu, { keys: [1n], values: [2n ** 63n] });
    expect(await wide.getOne(1n)).toBe(2n ** 63n);
    using named = await HashMap.from(gpu, { keys: [-1], values: [0.5] }, { key: i32, value: valueTypes.f32 });
    expect(await named.getOne(-1)).toBe(0.5);
    using set = await HashSet.from(gpu, { keys });
    expectTypeOf(set).toEqualTypeOf<HashSet<Uint32Array>>();
    expect([...(await set.has([9, 8]))]).toEqual([1, 0]);
    using index = await KeyIndex.from(gpu, { keys });
    expect(index.size).toBe(2);
    using multi = await MultiMap.from(gpu, { keys: ['a', 'b', 'a'], values });
    expectTypeOf(multi).toEqualTypeOf<MultiMap<readonly string[], Uint32Array>>();
    expect((await multi.get(['a'])).map((list) => [...list])).toEqual([[1, 3]]);
    await multi.rebuild({ keys: ['c'], values: [5] });
    expect([...(await multi.retrieve(['c'])).values]).toEqual([5]);
    using sums = await Aggregate.from(gpu, { keys, values }, { combine: 'sum' });
    expect([...(await sums.get([7])).values]).toEqual([4]);
    await sums.rebuild({ keys: [7], values: [9] as never });
    expect([...(await sums.get([7])).values]).toEqual([9]);
    const columns = { keys: new Uint32Array(keys), values: { price: [0.5, 1, 2] } };
    using means = await Aggregate.from(gpu, columns, {
      value: { price: valueTypes.f32 },
      combine: { mean: { of: 'price', combine: 'mean' } },
    });
    expect([...(await means.get([7])).values.mean]).toEqual([1.25]);
    using living = await DynamicMap.create(gpu, { key: u32 });
    expect([...(await living.insert(keys, values))]).toEqual([1, 1, 1]);
    expect([...(await living.getOrInsert([9, 1], [5, 6])).values]).toEqual([2, 6]);
  });

  it('as arrays of which one number has no place in its type, and is an error', async () => {
    await expect(HashMap.from(gpu, { keys: [1, -1], values: [1, 2] })).rejects.toThrow(/keys\[1\].*-1/);
    await expect(HashMap.from(gpu, { keys: [1], values: [2 ** 32] })).rejects.toThrow(/values\[0\]/);
    await expect(HashMap.from(gpu, { keys: [1, 2], values: [1] })).rejects.toThrow(/2 keys but 1 values/);
    await expect(HashSet.from(gpu, { keys: [1, 'a'] as never })).rejects.toThrow(/keys\[1\]/);
    await expect(
      Aggregate.from(
        gpu,
        { keys: ['a'], values: { a: [Number.NaN] } },
        { combine: { s: { of: 'a', combine: 'sum' } } },
      ),
    ).rejects.toThrow(/a\[0\]/);
  });

  it('as bigints, as numbers of a type that is named, and as vectors', async () => {
    using wide = await HashMap.from(gpu, new Map([[2n ** 63n, 2n ** 64n - 1n]]));
    expect(await wide.getOne(2n ** 63n)).toBe(2n ** 64n - 1n);
    using signed = await HashMap.from(gpu, new Map([[-1, 0.5]]), { key: i32, value: valueTypes.f32 });
    expect([await signed.getOne(-1), await signed.getOne(1)]).toEqual([0.5, undefined]);
    using voxels = await HashMap.from(
      gpu,
      [
        [
          [1, -2, 3],
          [4, 5],
        ] as const,
      ],
      { key: vec3i, value: valueTypes.vec2u },
    );
    expect((await voxels.get([1, -2, 3])).values).toEqual(new Uint32Array([4, 5]));
    using points = await HashMap.from(gpu, new Map([[[0.5, -0, 1], 3]]), { key: vec3f });
    expect(await points.getOne([0.5, 0, 1])).toBe(3);
    using floats = await HashSet.from(gpu, [0.1, Number.POSITIVE_INFINITY], { key: f32 });
    expect([...(await floats.has([0.1, 0.2, Number.POSITIVE_INFINITY]))]).toEqual([1, 0, 1]);
  });

  it('as a Set, a list, or nothing at all', async () => {
    using set = await HashSet.from(gpu, new Set([3, 1, 2]));
    expect([...(await set.has([1, 4]))]).toEqual([1, 0]);
    const keys: number[] = [];
    for await (const key of set) keys.push(key);
    expect(sorted(keys)).toEqual([1, 2, 3]);
    using names = await HashSet.from(gpu, ['a', 'b', 'a']);
    expect(names.size).toBe(2);
    using none = await HashMap.from(gpu, new Map<number, number>());
    expect([none.size, await none.getOne(0)]).toEqual([0, undefined]);
    for await (const entry of none) expect(entry).toBe('never');
    using own = await HashSet.from(gpu, [Uint8Array.of(1), Uint8Array.of(2)] as never, { key: bytes });
    expect(own.size).toBe(2);
  });

  it('and comes out of a map that lives', async () => {
    using map = await DynamicMap.create(gpu, { key: i32, value: valueTypes.f32 });
    await map.insert([-1, 7], new Float32Array([0.5, 2]));
    expect([await map.getOne(7), await map.getOne(8)]).toEqual([2, undefined]);
    const entries: [number, number][] = [];
    for await (const entry of map) entries.push(entry);
    expect(new Map(entries)).toEqual(
      new Map([
        [-1, 0.5],
        [7, 2],
      ]),
    );
  });

  it('as one key in an array, where it cannot be a number', async () => {
    const keys = [Uint32Array.of(1, 2), Uint32Array.of(3, 4)] as const;
    using map = await HashMap.from(gpu, { keys, values: Uint32Array.of(7, 8) }, { key: tuple(u32, u32) });
    expect(await map.getOne([Uint32Array.of(2), Uint32Array.of(4)])).toBe(8);
    await expect(map.getOne(keys)).rejects.toThrow('key: there are 2 keys');
  });

  it('like a Map of JavaScript, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.nat(0xffff_ffff)), { maxLength: 50 }), async (pairs) => {
        const expected = new Map(pairs);
        using map = await HashMap.from(gpu, expected);
        const got = new Map<string, number>();
        for await (const [key, value] of map) got.set(key, value);
        expect(sorted([...got])).toEqual(sorted([...expected]));
      }),
      { numRuns: 15 },
    );
  });

  it('as it was when the call was made', async () => {
    const pairs = new Map([[1, 2]]);
    const building = HashMap.from(gpu, pairs);
    pairs.set(3, 4);
    using map = await building;
    const keys = [1, 3];
    const asking = map.has(keys);
    keys[0] = 9;
    expect([map.size, ...(await asking)]).toEqual([1, 1, 0]);
  });
});

describe('plain JavaScript that cannot go in', async () => {
  const map = await HashMap.from(gpu, new Map([[1, 2]]));
  const vectors = await HashMap.from(gpu, [[1, [1, 2]] as const], { value: valueTypes.vec2f });
  const voxels = await HashSet.from(gpu, [[1, 2, 3]], { key: vec3i });
  const texts = await KeyIndex.from(gpu, ['a']);
  const any = (value: unknown) => value as never;
  const iterated = async (collection: AsyncIterable<unknown>) => {
    for await (const one of collection) expect(one).toBe('never');
  };

  it.each<readonly [() => Promise<unknown>, RegExp]>([
    [() => HashMap.from(gpu, any([1, 2])), /^HashMap\.from: entries\[0\] must be an array \[key, value\], not 1/],
    [() => HashMap.from(gpu, any([[1, 2, 3]])), /entries\[0\] must be an array \[key, value\]/],
    [
      () => HashMap.from(gpu, new Map([[1, 0.5]])),
      /values\[0\] must be a whole number in the range of a Uint32Array, not 0.5/,
    ],
    [
      () =>
        HashMap.from(
          gpu,
          any([
            [1, 2],
            [3, 'a'],
          ]),
        ),
      /values\[1\] must be a whole number .*, not 'a'/,
    ],
    [
      () => HashMap.from(gpu, new Map([[-1, 2]])),
      /keys\[0\] must be a whole number in the range of a Uint32Array, not -1/,
    ],
    [
      () =>
        HashMap.from(
          gpu,
          any([
            [1, 2],
            ['a', 2],
          ]),
        ),
      /keys\[1\] must be .*, not 'a'/,
    ],
    [
      () =>
        HashMap.from(
          gpu,
          any([
            ['a', 2],
            [1, 2],
          ]),
        ),
      /keys must be an array of strings/,
    ],
    [
      () => HashMap.from(gpu, any([[{}, 2]])),
      /keys\[0\] must be a number, a bigint or a string, or come with the option/,
    ],
    [() => HashMap.from(gpu, new Map([[1, 2]]), any({ valeu: 1 })), /options have no valeu; did you mean value/],
    [
      () => HashMap.from(gpu, new Map([[1, 1e39]]), { value: valueTypes.f32 }),
      /values\[0\] must be a number of a Float32Array/,
    ],
    [() => HashMap.from(gpu, new Map([[2n ** 64n, 1n]])), /keys\[0\] must be a bigint in the range/],
    [() => HashSet.from(gpu, [[1, 2]], { key: vec3i }), /keys\[0\] must be an array of 3 numbers, not Array\(2\)/],
    [() => HashSet.from(gpu, any([1, 2]), { key: vec3i }), /keys has 2 numbers; each item takes 3/],
    // Rows of holes are not rows of nothing.
    [() => HashSet.from(gpu, any([Array(3), Array(3)]), { key: vec3i }), /keys\[0\] must be/],
    [() => map.get([1.5]), /^HashMap\.get: keys\[0\] must be a whole number/],
    [() => map.get(any([1n])), /keys\[0\] must be/],
    [() => map.getOne(any('a')), /^HashMap\.getOne: key\[0\] must be a whole number/],
    [() => map.rebuild(any(new Map([[1, 2]]))), /^HashMap\.rebuild: input must be an object { keys, .*, not Map$/],
    [() => voxels.rebuild(any([[1, 2, 3]])), /^HashSet\.rebuild: input must be an object { keys, .*, not Array\(1\)$/],
    [() => voxels.rebuild(any(new Set([1]))), /input must be an object { keys, .*, not Set$/],
    [() => texts.rebuild(any(null)), /^KeyIndex\.rebuild: input must be an object { keys, .*, not null$/],
    [() => texts.getOne(any(1)), /^KeyIndex\.getOne: key must be one key of the type utf8, not 1$/],
    [() => vectors.getOne(1), /getOne is for values of one number, and vec2f has more: use get/],
    [() => iterated(vectors), /u32 keys with vec2f values do not come one by one/],
    [() => iterated(voxels), /vec3i keys do not come one by one/],
  ])('%#', async (call, message) => {
    const { error, live } = await liveBuffers(gpu, call);
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(message);
    expect(live).toEqual([]);
  });

  it('throws what an iterable throws', async () => {
    function* broken(): Generator<number> {
      yield 1;
      throw new RangeError('broken');
    }
    await expect(HashSet.from(gpu, broken())).rejects.toThrow(RangeError);
  });
});

describe('plain JavaScript goes into the collections for keys that repeat', () => {
  const pair = fc.tuple(fc.constantFrom('ada', 'bob', ''), fc.nat(9));

  it('as it goes into a Map', async () => {
    const property = fc.asyncProperty(fc.array(pair, { maxLength: 30 }), async (pairs) => {
      const byKey = new Map<string, number[]>();
      for (const [key, value] of pairs) byKey.set(key, [...(byKey.get(key) ?? []), value]);
      const names = [...byKey.keys(), 'eve'];
      const keys = pairs.map(([key]) => key);
      const own = { key: utf8 };

      using index = await KeyIndex.from(gpu, new Set(keys), own);
      expect(sorted(await index.keys())).toEqual(sorted([...byKey.keys()]));
      using map = await MultiMap.from(gpu, pairs.values(), own);
      expect((await map.get(names)).map((values) => [...values])).toEqual(names.map((name) => byKey.get(name) ?? []));
      using counts = await Aggregate.from(gpu, keys, { ...own, combine: 'count' });
      expect([...(await counts.get(names)).values]).toEqual(names.map((name) => byKey.get(name)?.length ?? 0));
      using both = await Aggregate.from(gpu, pairs, { ...own, combine: { n: 'count', total: 'sum' } });
      const { values } = await both.get(names);
      expect([...values.n]).toEqual(names.map((name) => byKey.get(name)?.length ?? 0));
      const sum = (name: string) => byKey.get(name)?.reduce((a, b) => a + b, 0) ?? 0;
      expect([...values.total]).toEqual(names.map(sum));
    });
    await fc.assert(property, { numRuns: 5, examples: [[[]]] });
  });

  it('with the types that were named, or that follow from the kind of the first', async () => {
    using index = await KeyIndex.from(gpu, [5n, 7n, 5n]);
    expectTypeOf(index).toEqualTypeOf<KeyIndex<BigUint64Array>>();
    expect([index.key.name, index.size]).toEqual(['u64', 2]);
    using signed = await KeyIndex.from(gpu, [-1, -1], { key: i32, keepItems: true });
    expectTypeOf(signed).toEqualTypeOf<KeyIndex<Int32Array>>();
    expect([...(await signed.idsOfItems())]).toEqual([0, 0]);
    using map = await MultiMap.from(gpu, new Map([[7, 0.5]]), { value: valueTypes.f32 });
    const halves: Float32Array[] = await map.get([7]);
    expect(halves).toEqual([new Float32Array([0.5])]);
    using greatest = await Aggregate.from(gpu, [[7, 1] as const, [7, 9] as const], { combine: 'max' });
    expectTypeOf(greatest).toEqualTypeOf<Aggregate<Uint32Array, Uint32Array>>();
    expect([...(await greatest.get([7])).values]).toEqual([9]);
  });

  it.each([
    ['pairs where keys are wanted', () => KeyIndex.from(gpu, new Map([[1, 2]]) as never)],
    ['pairs that are to be counted', () => Aggregate.from(gpu, new Map([[1, 2]]) as never, { combine: 'count' })],
    ['keys where pairs are wanted', () => MultiMap.from(gpu, [1, 2] as never)],
    ['keys that are to be added', () => Aggregate.from(gpu, [1, 2] as never, { combine: 'sum' })],
    ['a number that is no key', () => KeyIndex.from(gpu, [1, -1])],
    ['a misspelt option', () => KeyIndex.from(gpu, [1], { constructoin: 'sort' } as never)],
    ['no options where some are needed', () => Aggregate.from(gpu, [[1, 2]] as never, undefined as never)],
  ])('but not %s, and nothing is allocated', async (_, call) => {
    const { error, madeBytes } = await liveBuffers<unknown>(gpu, call);
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as HashnestError).code).toBe('invalid-input');
    expect(madeBytes).toBe(0);
  });
});
