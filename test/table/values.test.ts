import { describe, expect, it, vi } from 'vitest';
import { HashMap, type ValueArray, type ValueType, valueTypes } from '../../src/collections/index.ts';
import { InvalidInputError } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { valueTypeOf, wordsOfValue } from '../../src/table/values.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { runShader } from '../conformance/userShader.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const scheme = linearProbing();
const names = Object.keys(valueTypes) as ValueType['name'][];
const typeOf = (name: ValueType['name']): ValueType => valueTypes[name];

/** Values whose words are all different: 1, 2, 3, … times an odd number. */
const someWords = (words: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: words }, (_, i) => Math.imul(i + 1, 0x0100_0193));
const wordsIn = (values: ValueArray): Uint32Array => new Uint32Array(values.slice().buffer);

describe('the type of values', () => {
  it('follows from a typed array of numbers', () => {
    for (const name of ['u32', 'i32', 'f32', 'u64', 'i64'] as const) {
      expect(valueTypeOf(new valueTypes[name].array(0))).toBe(valueTypes[name]);
    }
  });

  it('is none for other arrays', () => {
    for (const other of [new Float64Array(), new Uint16Array(), [], undefined, 'text']) {
      expect(() => valueTypeOf(other as never)).toThrow(InvalidInputError);
    }
  });

  it('has as many words as its components need', () => {
    for (const name of names) {
      const { words, components, array } = typeOf(name);
      expect(components * array.BYTES_PER_ELEMENT, name).toBe(words * 4);
    }
  });
});

describe('one value as words', () => {
  it.each([
    ['u32', 7, [7]],
    ['u32', 0xffff_ffff, [0xffff_ffff]],
    ['i32', -1, [0xffff_ffff]],
    ['i32', -(2 ** 31), [0x8000_0000]],
    ['f32', 1, [0x3f80_0000]],
    ['f32', -0, [0x8000_0000]],
    ['f32', Number.POSITIVE_INFINITY, [0x7f80_0000]],
    ['u64', 0x1_0000_0002n, [2, 1]],
    ['u64', 2 ** 32, [0, 1]],
    ['i64', -2n, [0xffff_fffe, 0xffff_ffff]],
    ['i64', -1, [0xffff_ffff, 0xffff_ffff]],
    ['vec2u', 5, [5, 5]],
    ['vec3f', [1, 0, -0], [0x3f80_0000, 0, 0x8000_0000]],
    ['vec4i', [1, 2, 3, -1], [1, 2, 3, 0xffff_ffff]],
  ] as const)('%s %s', (name, value, words) => {
    expect(wordsOfValue(value, valueTypes[name])).toEqual(words);
  });

  it.each([
    ['u32', 1n, 'missing must be a whole number in its range (u32), not 1'],
    ['u32', -1, 'not -1'],
    ['u32', 1.5, 'not 1.5'],
    ['u32', 2 ** 32, 'not 4294967296'],
    ['u32', Number.NaN, 'not NaN'],
    ['u32', Number.POSITIVE_INFINITY, 'not Infinity'],
    ['i32', 2 ** 31, 'not 2147483648'],
    ['i32', -(2 ** 31) - 1, 'not -2147483649'],
    ['i32', 0.5, '(i32), not 0.5'],
    ['f32', [1], 'missing must be a number (f32), not Array(1)'],
    ['f32', 1e39, 'not 1e+39'],
    ['u64', 0.5, 'a whole number in its range (u64), not 0.5'],
    ['u64', -1n, 'not -1'],
    ['u64', 2n ** 64n, 'not 18446744073709551616'],
    ['i64', 2n ** 63n, '(i64)'],
    ['i64', -(2n ** 63n) - 1n, '(i64)'],
    ['i64', 2 ** 60, 'whole number'],
    ['u64', [1, 2], '(u64), not Array(2)'],
    ['vec3f', [1, 2], 'a number (vec3f) or 3 of them, not Array(2)'],
    ['vec3f', new Array(3), 'not Array(3)'],
    ['vec2u', [1, 2n], '(vec2u) or 2 of them'],
    ['vec2u', [1, -1], '(vec2u) or 2 of them'],
    ['vec4f', 1n, '(vec4f) or 4 of them'],
    ['vec2i', 1.5, 'not 1.5'],
    ['u32', 'text', "not 'text'"],
    ['u32', Symbol('s'), 'not Symbol(s)'],
    ['u32', {}, 'not Object'],
    ['vec2f', null, 'not null'],
  ] as const)('%s cannot be %s', (name, value, message) => {
    const make = () => wordsOfValue(value as never, valueTypes[name]);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

describe('a HashMap with values of every type', () => {
  const COUNT = 5;
  const keys = Uint32Array.from([3, 0xffff_ffff, 0, 77, 12]);
  const absent = Uint32Array.from([3, 4]);

  it.each(names)('%s: host, rebuilt and saved', async (name) => {
    const value = typeOf(name);
    const { words, array } = value;
    const first = someWords(COUNT * words);
    using map = await HashMap.from(gpu, { keys, values: new array(first.buffer) }, { scheme, value });
    expect(map.value).toBe(value);
    const second = first.slice().reverse();
    await map.rebuild({ keys, values: new array(second.buffer) });
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: map.scheme });
    expect(opened.value).toBe(value);
    for (const table of [map, opened]) {
      const { values, found } = await table.get(absent, { missing: 7 });
      expect(values).toBeInstanceOf(array);
      expect([...found]).toEqual([1, 0]);
      expect([...wordsIn(values)]).toEqual([...second.subarray(0, words), ...wordsOfValue(7, value)]);
      const entries = await table.entries();
      expect(wordsIn((await table.get(entries.keys)).values)).toEqual(wordsIn(entries.values));
    }
  });

  it.each(names)('%s: encoder', async (name) => {
    const value = typeOf(name);
    const { words } = value;
    using buffers = new TestBuffers(gpu);
    const encoder = gpu.device.createCommandEncoder();
    const all = someWords(COUNT * words);
    const count = { buffer: buffers.upload(Uint32Array.of(99)) };
    const input = { keys: buffers.upload(keys), values: buffers.upload(all), count: COUNT };
    using map = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme, value });
    map.encodeRebuild(encoder, { ...input, count: 4 });
    // Room for three values and a word: a count from the GPU is cut down to three.
    const values = buffers.words(3 * words + (words > 1 ? 1 : 0));
    map.encodeGet(encoder, { queries: input.keys, values, count, missing: 1 });
    const last = buffers.words(COUNT * words);
    map.encodeGet(encoder, { queries: input.keys, values: last, count: COUNT, missing: 1 });
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    expect(await buffers.read(values, 3 * words)).toEqual(all.subarray(0, 3 * words));
    const expected = [...all.subarray(0, 4 * words), ...wordsOfValue(1, value)];
    expect([...(await buffers.read(last, COUNT * words))]).toEqual(expected);
    const tooFew = buffers.words(COUNT * words - 1);
    const search = { queries: input.keys, values: tooFew, count: COUNT };
    // Buffers have no fewer than four words.
    if (COUNT * words - 1 >= 4) expect(() => map.encodeGet(encoder, search)).toThrow(/there is room for 4/);
  });

  it.each(names)('%s: shader', async (name) => {
    const value = typeOf(name);
    const { words, shaderType, array } = value;
    const all = someWords(COUNT * words);
    using map = await HashMap.from(gpu, { keys, values: new array(all.buffer) }, { scheme, value });
    const face = map.wgsl({ name: 'map', group: 1 });
    const parts = words === 1 ? ['v'] : ['v.x', 'v.y', 'v.z', 'v.w'].slice(0, words);
    const four = [0, 1, 2, 3].map((i) => (i < words ? `bitcast<u32>(${parts[i]})` : '0u'));
    const answers = await runShader(gpu, {
      kind: keyKinds.u32,
      queries: keyKinds.u32.numbers(keys),
      tables: [face],
      code: face.code,
      statements: `let v: ${shaderType} = map_find(key).value;`,
      answer: `vec4u(${four.join(', ')})`,
    });
    const expected = Array.from({ length: 4 * COUNT }, (_, i) => (i % 4 < words ? all[(i >> 2) * words + (i % 4)] : 0));
    expect([...answers]).toEqual(expected);
  });

  it('refuses values that do not fit, before anything is allocated', async () => {
    const made = vi.spyOn(gpu.device, 'createBuffer');
    const wrong: [ValueArray, ValueType | undefined, RegExp][] = [
      [new Float32Array(4 * COUNT - 1), valueTypes.vec4f, /19 numbers are not a whole number of vec4f/],
      [new Float32Array(4 * COUNT - 4), valueTypes.vec4f, /5 keys but 4 values/],
      [new Float32Array(COUNT), valueTypes.vec3f, /not a whole number of vec3f/],
      [new BigUint64Array(COUNT + 1), undefined, /5 keys but 6 values/],
      [new Int32Array(4 * COUNT), valueTypes.vec4f, /must be vec4f values in a Float32Array, not Int32Array\(20\)/],
      [new BigInt64Array(COUNT), valueTypes.u64, /must be u64 values/],
      [new Float32Array(4 * COUNT), 'vec4f' as never, /must be one of valueTypes: u32, /],
    ];
    for (const [values, value, message] of wrong) {
      const built = HashMap.from(gpu, { keys, values }, { scheme, ...(value && { value }) });
      await expect(built).rejects.toThrow(message);
      await expect(built).rejects.toThrow(InvalidInputError);
    }
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  it('refuses a missing value of another kind', async () => {
    using map = await HashMap.from(gpu, { keys, values: new Float32Array(15) }, { scheme, value: valueTypes.vec3f });
    await expect(map.get(keys, { missing: [1, 2] })).rejects.toThrow(
      /HashMap.get: missing must be a number \(vec3f\) or 3 of them/,
    );
    await expect(map.rebuild({ keys, values: new Float32Array(14) })).rejects.toThrow(InvalidInputError);
    expect((await map.get(absent, { missing: [1, 2, 3] })).values).toEqual(new Float32Array([0, 0, 0, 1, 2, 3]));
  });
});
