import { describe, expect, it } from 'vitest';
import { Aggregate, MultiMap, type ValueArray, type ValueType, valueTypes } from '../../src/collections/index.ts';
import { type Gpu, InvalidInputError, TooLargeError, UnsupportedError } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { throwsCode } from '../conformance/expect.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { runShader } from '../conformance/userShader.ts';
import { sharedGpu } from '../sharedGpu.ts';

const scheme = linearProbing();
const gpu = await sharedGpu();

const keys = Uint32Array.from([7, 9, 7, 0xffff_ffff, 9, 7]);
const queries = Uint32Array.from([9, 8, 7, 0xffff_ffff]);
/** Which items the queries find, query after query, and where those of each begin. */
const FOUND = [1, 4, 0, 2, 5, 3];
const OFFSETS = [0, 2, 2, 5, 6];

const wideTypes: readonly ValueType[] = [
  valueTypes.u64,
  valueTypes.i64,
  valueTypes.vec2f,
  valueTypes.vec3i,
  valueTypes.vec4f,
];
const cases = wideTypes.map((value) => [value.name, value] as const);
const someWords = (count: number, { words }: ValueType) =>
  Uint32Array.from({ length: count * words }, (_, i) => Math.imul(i + 1, 0x0100_0193));
const wordsIn = (values: ValueArray) => new Uint32Array(values.slice().buffer);
const ofItems = (all: Uint32Array, items: readonly number[], { words }: ValueType) =>
  Uint32Array.from(items.flatMap((item) => [...all.subarray(item * words, (item + 1) * words)]));

describe('a MultiMap of values of several words', () => {
  it.each(cases)('%s: host, rebuilt and saved', async (_, value) => {
    const all = someWords(keys.length, value);
    using map = await MultiMap.from(
      gpu,
      { keys: keys.slice(1), values: new value.array(5 * value.components) },
      {
        scheme,
        value,
      },
    );
    await map.rebuild({ keys, values: new value.array(all.buffer) });
    using opened = await MultiMap.fromBytes(gpu, await map.toBytes(), { scheme: map.scheme });
    expect(opened.value).toBe(value);
    for (const table of [map, opened]) {
      const { values, offsets } = await table.retrieve(queries);
      expect(values).toBeInstanceOf(value.array);
      expect([...offsets]).toEqual(OFFSETS);
      expect(wordsIn(values)).toEqual(ofItems(all, FOUND, value));
      const lists = await table.get(queries);
      expect(lists.map((list) => list.length / value.components)).toEqual([2, 0, 3, 1]);
      expect(wordsIn(lists[2] as ValueArray)).toEqual(ofItems(all, [0, 2, 5], value));
      expect(table.valueCount).toBe(keys.length);
    }
  });

  it.each(cases)('%s: encoder', async (_, value) => {
    const all = someWords(keys.length, value);
    using buffers = new TestBuffers(gpu);
    const encoder = gpu.device.createCommandEncoder();
    const count = { buffer: buffers.upload(Uint32Array.of(keys.length)) };
    const input = { keys: buffers.upload(keys), values: buffers.upload(all), count };
    using map = MultiMap.encodeBuild(gpu, encoder, input, { key: u32, scheme, value });
    const total = { buffer: buffers.words(4) };
    const asked = { queries: buffers.upload(queries), count: queries.length, offsets: buffers.words(4), total };
    // Room for four values and a word more.
    const values = buffers.words(4 * value.words + 1);
    map.encodeRetrieve(encoder, { ...asked, values });
    const fewer = buffers.words(4 * value.words);
    map.encodeRetrieve(encoder, { ...asked, values: fewer, capacity: 1 });
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    expect(await buffers.read(total.buffer, 1)).toEqual(Uint32Array.of(6));
    expect(await buffers.read(values, 4 * value.words)).toEqual(ofItems(all, FOUND.slice(0, 4), value));
    const one = [...ofItems(all, [1], value), ...Array(3 * value.words).fill(0)];
    expect([...(await buffers.read(fewer, 4 * value.words))]).toEqual(one);
    const call = { ...asked, values: fewer, capacity: 5 };
    expect(() => map.encodeRetrieve(encoder, call)).toThrow(/there is room for 4/);
  });

  it.each(cases)('%s: shader', async (_, value) => {
    const { words, shaderType } = value;
    const all = someWords(keys.length, value);
    using map = await MultiMap.from(gpu, { keys, values: new value.array(all.buffer) }, { scheme, value });
    const face = map.wgsl({ name: 'map', group: 1 });
    const four = ['x', 'y', 'z', 'w'].map((part, i) => (i < words ? `bitcast<u32>(v.${part})` : '0u'));
    const answers = await runShader(gpu, {
      kind: keyKinds.u32,
      queries: keyKinds.u32.numbers(queries),
      tables: [face],
      code: face.code,
      statements: `
        let hit = map_find(key);
        let v: ${shaderType} = map_value(hit.start + max(hit.count, 1u) - 1u);`,
      answer: `select(vec4u(), vec4u(${four.join(', ')}), hit.found)`,
    });
    const lasts = [4, undefined, 5, 3];
    const expected = lasts.flatMap((item) =>
      [0, 1, 2, 3].map((i) => (item !== undefined && i < words ? all[item * words + i] : 0)),
    );
    expect([...answers]).toEqual(expected);
  });

  it('refuses values that do not fit their keys, or the device', async () => {
    const value = valueTypes.vec3f;
    for (const length of [17, 15]) {
      const values = new Float32Array(length);
      await expect(MultiMap.from(gpu, { keys, values }, { scheme, value })).rejects.toThrow(InvalidInputError);
    }
    using map = await MultiMap.from(gpu, { keys, values: new Float32Array(18) }, { scheme, value });
    await expect(map.rebuild({ keys, values: new Float32Array(17) })).rejects.toThrow(/whole number of vec3f/);
    const limits = { ...gpu.limits, maxBufferSize: 2 ** 20, maxStorageBufferBindingSize: 2 ** 20 };
    const small = Object.create(gpu, { limits: { value: limits } }) as Gpu;
    const many = { keys: new Uint32Array(90_000), values: new Float32Array(270_000) };
    await expect(MultiMap.from(small, many, { scheme, value })).rejects.toThrow(TooLargeError);
  });
});

describe('an Aggregate of values of several words', () => {
  const floats = Float32Array.from({ length: 3 * keys.length }, (_, i) => i);
  const length = {
    accumulator: 'f32',
    identity: 0,
    lift: wgsl`fn lift(v: vec3f) -> f32 { return v.x + 100.0 * v.z; }`,
    combine: wgsl`fn add(a: f32, b: f32) -> f32 { return a + b; }`,
  } as const;

  it('gives a combiner of your own whole values', async () => {
    using sums = await Aggregate.from(
      gpu,
      { keys, values: floats },
      { scheme, combine: length, value: valueTypes.vec3f },
    );
    const sumOf = (items: number[]) => items.reduce((sum, i) => sum + 3 * i + 100 * (3 * i + 2), 0);
    const expected = new Float32Array([sumOf([1, 4]), 0, sumOf([0, 2, 5]), sumOf([3])]);
    expect((await sums.get(queries)).values).toEqual(expected);
    await sums.rebuild({ keys: keys.slice(1), values: floats.slice(3) });
    expect((await sums.get(queries)).values[2]).toBe(sumOf([2, 5]));
  });

  it('combines vectors and 64-bit integers without a lift, if the accumulator is their type in shaders', async () => {
    const add64 = wgsl`fn add(a: vec2u, b: vec2u) -> vec2u {
      let low = a.x + b.x;
      return vec2u(low, a.y + b.y + u32(low < a.x));
    }`;
    const combine = { accumulator: 'vec2u', identity: [0, 0], combine: add64 } as const;
    const values = BigUint64Array.from(keys, (_, i) => 0xffff_fff0n + BigInt(i));
    using sums = await Aggregate.from(gpu, { keys, values }, { scheme, combine });
    const { values: words } = await sums.get(queries.slice(2, 3));
    expect(new BigUint64Array(words.buffer)).toEqual(BigUint64Array.of(3n * 0xffff_fff0n + 7n));
  });

  it('has no sum, least and greatest of them, but counts them', async () => {
    const input = { keys, values: floats };
    for (const combine of ['sum', 'min', 'max'] as const) {
      const made = Aggregate.from(gpu, input, { scheme, combine, value: valueTypes.vec3f });
      await expect(made).rejects.toThrow(UnsupportedError);
      await throwsCode(Aggregate.from(gpu, { keys, values: new BigInt64Array(6) }, { scheme, combine }), 'unsupported');
    }
    using counts = await Aggregate.from(gpu, input, { scheme, combine: 'count', value: valueTypes.vec3f });
    expect((await counts.get(queries)).values).toEqual(Uint32Array.of(2, 0, 3, 1));
  });
});
