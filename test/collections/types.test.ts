import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  bytes,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  f32,
  type Gpu,
  HashMap,
  HashSet,
  type KeyArray,
  KeyIndex,
  type KeyType,
  MultiMap,
  perfectSpatial,
  sliceKeys,
  tuple,
  u32,
  u64,
  utf8,
  type ValueArray,
  valueTypes,
  vec3i,
  wgsl,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** Only compiled: what it would need is not there. */
async function inferredTypes(gpu: Gpu, buffer: GPUBuffer, words: Uint32Array, floats: Float32Array): Promise<void> {
  const plain = await HashMap.from(gpu, { keys: words, values: words });
  expectTypeOf(plain).toEqualTypeOf<HashMap<Uint32Array, Uint32Array>>();
  const wide = await HashMap.from(gpu, { keys: new BigUint64Array(1), values: new Float32Array(1) });
  expectTypeOf(wide).toExtend<HashMap<BigUint64Array, Float32Array>>();
  expectTypeOf((await wide.get(new BigUint64Array(1))).values).toExtend<Float32Array>();
  expectTypeOf((await wide.entries()).keys).toExtend<BigUint64Array>();
  // @ts-expect-error: keys of another type
  await wide.get(words);
  // @ts-expect-error: values of another type
  await wide.rebuild({ keys: new BigUint64Array(1), values: words });

  const names = await HashMap.from(gpu, { keys: ['ada', 'bob'], values: words });
  expectTypeOf(names).toExtend<HashMap<readonly string[], Uint32Array>>();
  expectTypeOf((await names.keys())[0]).toExtend<string | undefined>();
  const named = await HashSet.from(gpu, { keys: ['ada'] }, { key: utf8 });
  expectTypeOf(named).toExtend<HashSet<readonly string[]>>();
  const slices = sliceKeys(utf8, { bytes: new Uint8Array(4), offsets: words });
  const sliced = await HashSet.from(gpu, { keys: slices });
  expectTypeOf(sliced).toEqualTypeOf<HashSet<readonly string[]>>();
  expectTypeOf(sliced.has).toBeCallableWith(slices);
  expectTypeOf(sliced.has).toBeCallableWith(['ada']);
  // @ts-expect-error: numbers are no strings
  await names.get(words);
  // @ts-expect-error: keys of another type, prepared
  await names.get(sliceKeys(bytes, { bytes: new Uint8Array(4), offsets: words }));
  const edges = await HashSet.from(gpu, { keys: [words, floats] }, { key: tuple(u32, f32) });
  expectTypeOf(edges).toEqualTypeOf<HashSet<readonly [Uint32Array, Float32Array]>>();
  // @ts-expect-error: strings have no fixed size, so they are no part of a tuple
  tuple(u32, utf8);
  await HashSet.from(gpu, { keys: new Int32Array(3) }, { key: vec3i, scheme: perfectSpatial() });
  // @ts-expect-error: a scheme for points only
  await HashSet.from(gpu, { keys: words }, { scheme: perfectSpatial() });

  const narrow = await HashMap.from(gpu, { keys: new Uint32Array(1), values: new Int32Array(1) });
  // Whoever builds from one kind of buffer may search with any.
  expectTypeOf(narrow.get).toBeCallableWith(words);
  expectTypeOf(narrow.has).toBeCallableWith(words);
  expectTypeOf(narrow).toExtend<HashMap<Uint32Array, Int32Array>>();

  const buffers = await HashMap.from(gpu, { keys: buffer, values: buffer, count: 1 }, { key: u64 });
  expectTypeOf(buffers).toEqualTypeOf<HashMap<BigUint64Array, Uint32Array>>();
  const typed = await HashMap.from(
    gpu,
    { keys: buffer, values: buffer, count: 1 },
    { key: u32, value: valueTypes.f32 },
  );
  expectTypeOf(typed).toExtend<HashMap<Uint32Array, Float32Array>>();
  const encoded = HashMap.encodeBuild(
    gpu,
    gpu.device.createCommandEncoder(),
    { keys: buffer, values: buffer, count: 1 },
    { key: u32 },
  );
  expectTypeOf(encoded).toEqualTypeOf<HashMap<Uint32Array, Uint32Array>>();
  // @ts-expect-error: an encoded build has to name its key type
  HashMap.encodeBuild(gpu, gpu.device.createCommandEncoder(), { keys: buffer, values: buffer, count: 1 }, {});

  const longs = await HashMap.from(gpu, { keys: words, values: new BigInt64Array(1) });
  expectTypeOf((await longs.get(words, { missing: -1n })).values).toExtend<BigInt64Array>();
  const vectors = await HashMap.from(gpu, { keys: words, values: floats }, { value: valueTypes.vec4f });
  expectTypeOf((await vectors.get(words, { missing: [0, 0, 0, 1] })).values).toExtend<Float32Array>();
  expectTypeOf((await vectors.entries()).values).toExtend<Float32Array>();
  const points = await HashMap.from(
    gpu,
    { keys: buffer, values: buffer, count: 1 },
    { key: u32, value: valueTypes.vec3i },
  );
  expectTypeOf(points).toExtend<HashMap<Uint32Array, Int32Array>>();
  // @ts-expect-error: values of another type than is named
  await HashMap.from(gpu, { keys: words, values: floats }, { value: valueTypes.vec4u });
  // @ts-expect-error: a bigint among floats
  await vectors.get(words, { missing: 1n });
  // @ts-expect-error: 64-bit integers have no components
  await longs.get(words, { missing: [1, 2] });

  const set = await HashSet.from(gpu, { keys: words });
  expectTypeOf(set).toEqualTypeOf<HashSet<Uint32Array>>();
}

/** Only compiled: what the run time refuses does not compile either. */
async function refusedTypes(gpu: Gpu, buffer: GPUBuffer, words: Uint32Array, own: KeyType<readonly number[]>) {
  // @ts-expect-error: 64-bit floats
  await HashSet.from(gpu, { keys: new Float64Array(1) });
  // @ts-expect-error: bytes
  await HashSet.from(gpu, { keys: new Uint8Array(1) });
  // @ts-expect-error: bytes
  await HashSet.from(gpu, { keys: new Uint8ClampedArray(1) });
  // @ts-expect-error: bytes
  await HashSet.from(gpu, { keys: new Int8Array(1) });
  // @ts-expect-error: half words
  await HashSet.from(gpu, { keys: new Int16Array(1) });
  // @ts-expect-error: half words
  await HashSet.from(gpu, { keys: new Uint16Array(1) });
  // @ts-expect-error: arrays of bytes need a key type
  await HashSet.from(gpu, { keys: [new Uint8Array(1)] });
  // @ts-expect-error: nobody knows what is in a buffer
  await HashSet.from(gpu, { keys: buffer, count: 1 });
  // @ts-expect-error: other options do not tell the type
  await HashSet.from(gpu, { keys: new Float64Array(1) }, { seed: 1 });
  // @ts-expect-error: a type argument does not make it another array
  await HashSet.from<BigUint64Array>(gpu, { keys: words });
  // @ts-expect-error: keys of another type than is named
  await HashSet.from(gpu, { keys: words }, { key: u64 });

  // @ts-expect-error: in a map
  await HashMap.from(gpu, { keys: new Float64Array(1), values: words });
  // @ts-expect-error: in a map of values on the GPU
  await HashMap.from(gpu, { keys: [1], values: buffer });
  // @ts-expect-error: in a map that is on the GPU altogether
  await HashMap.from(gpu, { keys: buffer, values: buffer, count: 1 });
  // @ts-expect-error: in an index
  await KeyIndex.from(gpu, { keys: new Uint8Array(1) });
  // @ts-expect-error: in a multi-map
  await MultiMap.from(gpu, { keys: [1], values: words });
  // @ts-expect-error: in an aggregate that counts
  await Aggregate.from(gpu, { keys: new Float64Array(1) }, { combine: 'count' });
  // @ts-expect-error: in an aggregate
  await Aggregate.from(gpu, { keys: new Int16Array(1), values: words }, { combine: 'sum' });

  // @ts-expect-error: values that are numbers of no particular type
  await HashMap.from(gpu, { keys: words, values: [1] });
  // @ts-expect-error: values that are 64-bit floats
  await HashMap.from(gpu, { keys: words, values: new Float64Array(1) });
  // @ts-expect-error: values that are bytes
  await HashMap.from(gpu, { keys: words, values: new Uint8Array(1) });
  // @ts-expect-error: many values that are bytes
  await MultiMap.from(gpu, { keys: words, values: new Uint8Array(1) });
  // @ts-expect-error: values to combine that are 64-bit floats
  await Aggregate.from(gpu, { keys: words, values: new Float64Array(1) }, { combine: 'sum' });

  const map = await HashMap.from(gpu, { keys: words, values: words });
  // @ts-expect-error: a search for numbers that are no keys of that map
  await map.get([1n]);
  // @ts-expect-error: a search for 64-bit floats
  await map.has(new Float64Array(1));
  // @ts-expect-error: a rebuild from bytes
  await map.rebuild({ keys: new Uint8Array(1), values: words });
  // @ts-expect-error: a rebuild with values that are no numbers of that map
  await map.rebuild({ keys: words, values: [1n] });
  const index = await KeyIndex.from(gpu, { keys: words });
  // @ts-expect-error: ids of bytes
  await index.ids(new Uint8Array(1));
  // @ts-expect-error: an index of half words
  await index.rebuild({ keys: new Int16Array(1) });
  const multi = await MultiMap.from(gpu, { keys: words, values: words });
  // @ts-expect-error: how many values bytes have
  await multi.count(new Uint8Array(1));
  // @ts-expect-error: the values of strings
  await multi.retrieve(['1']);

  // Whatever the key type that is named takes, and keys that bring their type along.
  const numbers = await HashSet.from(gpu, { keys: [1, 2] }, { key: own });
  expectTypeOf(numbers).toEqualTypeOf<HashSet<readonly number[]>>();
  expectTypeOf(numbers.has).toBeCallableWith([3]);
  const prepared = sliceKeys(bytes, { bytes: new Uint8Array(4), offsets: words });
  expectTypeOf(await HashSet.from(gpu, { keys: prepared })).toEqualTypeOf<HashSet<readonly Uint8Array[]>>();
  const wrapped = <K>(keys: K, key: KeyType<K>) => HashMap.from(gpu, { keys, values: words }, { key });
  expectTypeOf(wrapped<Uint32Array>).returns.resolves.toEqualTypeOf<HashMap<Uint32Array, Uint32Array>>();
  const inferred = <K extends KeyArray>(keys: K) => KeyIndex.from(gpu, { keys });
  expectTypeOf(inferred<Int32Array>).returns.resolves.toEqualTypeOf<KeyIndex<Int32Array>>();
  const either = await HashSet.from(gpu, { keys: words as Uint32Array | BigUint64Array });
  expectTypeOf(either).toEqualTypeOf<HashSet<Uint32Array | BigUint64Array>>();
}

/** Only compiled: what plain JavaScript has, and what becomes of it. */
async function plainTypes(gpu: Gpu): Promise<void> {
  const names = await HashMap.from(gpu, new Map([['ada', 7]]));
  expectTypeOf(names).toExtend<HashMap<readonly string[], Uint32Array>>();
  expectTypeOf(await names.getOne('ada')).toEqualTypeOf<number | undefined>();
  // @ts-expect-error: keys of another type
  await names.getOne(7);
  for await (const [key, value] of names)
    expectTypeOf([key, value] as const).toEqualTypeOf<readonly [string, number]>();
  const prices = await HashMap.from(gpu, [[7, 0.5] as const], { value: valueTypes.f32 });
  expectTypeOf(prices).toExtend<HashMap<Uint32Array, Float32Array>>();
  expectTypeOf((await prices.get([7, 8])).values).toExtend<Float32Array>();
  const wide = await HashMap.from(gpu, new Map([[7n, 9n]]));
  expectTypeOf(wide).toExtend<HashMap<BigUint64Array, BigUint64Array>>();
  expectTypeOf(await wide.getOne(7n)).toEqualTypeOf<bigint | undefined>();
  expectTypeOf(await HashSet.from(gpu, new Set([1, 2]))).toEqualTypeOf<HashSet<Uint32Array>>();
  expectTypeOf(await HashSet.from(gpu, ['a'])).toEqualTypeOf<HashSet<readonly string[]>>();
  const voxels = await HashSet.from(gpu, [[1, 2, 3]], { key: vec3i });
  expectTypeOf(voxels).toExtend<HashSet<Int32Array>>();
  expectTypeOf(voxels.has).toBeCallableWith([[1, 2, 3]]);
  expectTypeOf(voxels.has).toBeCallableWith([1, 2, 3]);
  expectTypeOf(voxels.rebuild).toBeCallableWith({ keys: [[1, 2, 3]] });
  // @ts-expect-error: numbers and vectors by turns
  await voxels.has([1, [1, 2, 3]]);
  const boxes = await DynamicMap.create(gpu, { key: vec3i, value: valueTypes.vec2u });
  expectTypeOf(boxes.insert).toBeCallableWith([[1, 2, 3]], [[4, 5]]);
  for await (const key of await HashSet.from(gpu, [1n])) expectTypeOf(key).toEqualTypeOf<bigint>();
  const index = await KeyIndex.from(gpu, ['ada']);
  expectTypeOf(await index.getOne('ada')).toEqualTypeOf<number | undefined>();
  // @ts-expect-error: keys of another type
  await index.getOne(7);
  for await (const entry of index) expectTypeOf(entry).toEqualTypeOf<[string, number]>();
  const lists = await MultiMap.from(gpu, [[7n, 0.5] as const], { value: valueTypes.f32 });
  expectTypeOf(await lists.getOne(7n)).toEqualTypeOf<Float32Array<ArrayBuffer>>();
  for await (const entry of lists) expectTypeOf(entry).toEqualTypeOf<[bigint, Float32Array<ArrayBuffer>]>();
  const counts = await Aggregate.from(gpu, ['ada'], { combine: 'count' });
  expectTypeOf(await counts.getOne('ada')).toEqualTypeOf<number | undefined>();
  const several = await Aggregate.from(gpu, [['ada', 7] as const], { combine: { n: 'count', total: 'sum64' } });
  for await (const [, { n, total }] of several)
    expectTypeOf([n, total] as const).toEqualTypeOf<readonly [number, bigint]>();
  const ids = await DynamicIndex.create(gpu, { key: utf8 });
  expectTypeOf(await ids.getOne('ada')).toEqualTypeOf<number | undefined>();
  for await (const entry of ids) expectTypeOf(entry).toEqualTypeOf<[string, number]>();
  for await (const key of await DynamicSet.create(gpu, { key: u64 })) expectTypeOf(key).toEqualTypeOf<bigint>();
  // @ts-expect-error: objects are no keys
  await HashSet.from(gpu, [{}]);
  // @ts-expect-error: strings are no values
  await HashMap.from(gpu, new Map([[1, 'a']]));
}

/** Only compiled: bytes do not tell the compiler what is in them. */
async function openedTypes(gpu: Gpu, saved: Uint8Array): Promise<void> {
  const map = await HashMap.fromBytes(gpu, saved);
  expectTypeOf(map).toEqualTypeOf<HashMap<unknown, ValueArray>>();
  expectTypeOf(await map.keys()).toBeUnknown();
  expectTypeOf(map.get).toBeCallableWith(new Uint32Array(1));
  expectTypeOf(await HashMap.fromBytes(gpu, saved, { key: u64 })).toEqualTypeOf<HashMap<BigUint64Array, ValueArray>>();
  const named = await HashMap.fromBytes(gpu, saved, { key: utf8, value: valueTypes.vec4f });
  expectTypeOf(named).toExtend<HashMap<readonly string[], Float32Array>>();
  expectTypeOf((await named.entries()).values).toEqualTypeOf<Float32Array<ArrayBuffer>>();
  expectTypeOf(await HashMap.fromBytes(gpu, saved, named)).toEqualTypeOf(named);
  expectTypeOf(await HashSet.fromBytes(gpu, saved)).toEqualTypeOf<HashSet<unknown>>();
  expectTypeOf(await HashSet.fromBytes(gpu, saved, { scheme: perfectSpatial() })).toEqualTypeOf<HashSet<unknown>>();
  expectTypeOf(await KeyIndex.fromBytes(gpu, saved, { key: vec3i })).toEqualTypeOf<KeyIndex<Int32Array>>();
  expectTypeOf(await MultiMap.fromBytes(gpu, saved)).toEqualTypeOf<MultiMap<unknown, ValueArray>>();
  // @ts-expect-error: types that nobody checks
  await HashMap.fromBytes<BigUint64Array, Float32Array>(gpu, saved);
  // @ts-expect-error: sets have no values
  await HashSet.fromBytes(gpu, saved, { value: valueTypes.u32 });
}

/** Only compiled: what comes back is new, whatever kind of buffer the caller's arrays are over. */
async function freshTypes(gpu: Gpu, words: Uint32Array, floats: Float32Array): Promise<void> {
  const map = await HashMap.from(gpu, { keys: words, values: floats });
  expectTypeOf(await map.toBytes()).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  expectTypeOf(await map.has(words)).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  type Found = { values: Float32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> };
  expectTypeOf(await map.get(words)).toEqualTypeOf<Found>();
  expectTypeOf(await map.keys()).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  expectTypeOf(await map.values()).toEqualTypeOf<Float32Array<ArrayBuffer>>();
  type Entries = { keys: Uint32Array<ArrayBuffer>; values: Float32Array<ArrayBuffer> };
  expectTypeOf(await map.entries()).toEqualTypeOf<Entries>();
  const edges = await HashSet.from(gpu, { keys: [words, floats] }, { key: tuple(u32, f32) });
  type Edges = readonly [Uint32Array<ArrayBuffer>, Float32Array<ArrayBuffer>];
  expectTypeOf(await edges.keys()).toEqualTypeOf<Edges>();
  const blobs = await HashSet.from(gpu, { keys: [new Uint8Array(1)] }, { key: bytes });
  expectTypeOf(await blobs.keys()).toEqualTypeOf<readonly Uint8Array<ArrayBuffer>[]>();
  const index = await KeyIndex.from(gpu, { keys: words });
  expectTypeOf(await index.ids(words)).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  expectTypeOf(await index.keysOf(words)).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  const multi = await MultiMap.from(gpu, { keys: words, values: floats });
  expectTypeOf(await multi.get(words)).toEqualTypeOf<Float32Array<ArrayBuffer>[]>();
  expectTypeOf(await multi.count(words)).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  expectTypeOf((await multi.retrieve(words)).offsets).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  const sums = await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'sum' });
  expectTypeOf(await sums.get(words)).toEqualTypeOf<Found>();
}

/** Only compiled, like the one above. */
async function typesOnIndex(gpu: Gpu, buffer: GPUBuffer, words: Uint32Array, floats: Float32Array): Promise<void> {
  const index = await KeyIndex.from(gpu, { keys: new BigUint64Array(1) });
  expectTypeOf(await index.keysOf(words)).toExtend<BigUint64Array>();
  const map = await MultiMap.from(gpu, { keys: words, values: floats });
  expectTypeOf(await map.get(words)).toExtend<Float32Array[]>();
  const wideMap = await MultiMap.from(gpu, { keys: words, values: new BigUint64Array(1) });
  expectTypeOf((await wideMap.retrieve(words)).values).toExtend<BigUint64Array>();
  const points = await MultiMap.from(gpu, { keys: words, values: floats }, { value: valueTypes.vec3f });
  expectTypeOf(await points.get(words)).toExtend<Float32Array[]>();
  const plain = await MultiMap.from(gpu, { keys: buffer, values: buffer, count: 1 }, { key: u64 });
  expectTypeOf(plain).toEqualTypeOf<MultiMap<BigUint64Array, Uint32Array>>();

  const counts = await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'count' });
  expectTypeOf((await counts.get(words)).values).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
  const sums = await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'sum' });
  expectTypeOf((await sums.get(words)).values).toExtend<Float32Array>();
  const combine = { accumulator: 'vec2i', identity: [0, 0], combine: wgsl`fn add() {}` } as const;
  const pairs = await Aggregate.from(gpu, { keys: words, values: floats }, { combine });
  expectTypeOf((await pairs.get(words)).values).toEqualTypeOf<Int32Array<ArrayBuffer>>();
  // @ts-expect-error: there is no such combiner
  await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'median' });
}

describe('types', () => {
  it('are inferred from what is passed, as the compiler checks above', async () => {
    for (const compiled of [inferredTypes, typesOnIndex, refusedTypes, openedTypes, freshTypes, plainTypes]) {
      expect(compiled).toBeTypeOf('function');
    }
    using map = await HashMap.from(gpu, { keys: new BigUint64Array([7n]), values: new Float32Array([0.5]) });
    expect(map.key).toBe(u64);
    expect(map.value).toBe(valueTypes.f32);
    expect(await map.entries()).toEqual({ keys: new BigUint64Array([7n]), values: new Float32Array([0.5]) });
  });
});
