import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  bytes,
  f32,
  Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
  perfectSpatial,
  sliceKeys,
  tuple,
  u32,
  u64,
  utf8,
  valueTypes,
  vec3i,
  wgsl,
} from '../../src/index.ts';

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
  expectTypeOf(await set.keys()).toEqualTypeOf<Uint32Array>();
  expectTypeOf(await set.has(words)).toEqualTypeOf<Uint8Array>();
  const opened = await HashMap.fromBytes<BigUint64Array, Float32Array>(gpu, new Uint8Array(1));
  expectTypeOf((await opened.entries()).values).toEqualTypeOf<Float32Array>();
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
  expectTypeOf((await counts.get(words)).values).toEqualTypeOf<Uint32Array>();
  const sums = await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'sum' });
  expectTypeOf((await sums.get(words)).values).toExtend<Float32Array>();
  const combine = { accumulator: 'vec2i', identity: [0, 0], combine: wgsl`fn add() {}` } as const;
  const pairs = await Aggregate.from(gpu, { keys: words, values: floats }, { combine });
  expectTypeOf((await pairs.get(words)).values).toEqualTypeOf<Int32Array>();
  // @ts-expect-error: there is no such combiner
  await Aggregate.from(gpu, { keys: words, values: floats }, { combine: 'median' });
}

describe('types', () => {
  it('are inferred from what is passed, as the compiler checks above', async () => {
    expect(inferredTypes).toBeTypeOf('function');
    expect(typesOnIndex).toBeTypeOf('function');
    using gpu = await Gpu.open();
    using map = await HashMap.from(gpu, { keys: new BigUint64Array([7n]), values: new Float32Array([0.5]) });
    expect(map.key).toBe(u64);
    expect(map.value).toBe(valueTypes.f32);
    expect(await map.entries()).toEqual({ keys: new BigUint64Array([7n]), values: new Float32Array([0.5]) });
  });
});
