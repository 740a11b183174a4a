import { describe, expect, it } from 'vitest';
import { HashMap, HashSet, valueTypes } from '../../src/collections/index.ts';
import { InvalidInputError, UnsupportedError, USAGE } from '../../src/gpu/index.ts';
import { doubleHashing, type KeyType, linearProbing, polynomial64, u32, u64, xorPrime } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const keys = new Uint32Array([1, 2, 3]);
const values = new Uint32Array([4, 5, 6]);
const STORAGE = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;

/** What a caller without a type checker might write. */
const from = (input: unknown, options?: unknown) => HashMap.from(gpu, input as never, options as never);
const setFrom = (input: unknown, options?: unknown) => HashSet.from(gpu, input as never, options as never);

describe('a build is refused', () => {
  it.each([
    ['fewer values than keys', { keys, values: new Uint32Array(2) }],
    ['more values than keys', { keys, values: new Uint32Array(4) }],
    ['no values', { keys }],
    ['values that are no whole numbers', { keys, values: [4, 5.5, 6] }],
    ['values of a type that is not supported', { keys, values: new Float64Array(3) }],
    ['values of bytes', { keys, values: new Uint8Array(12) }],
    ['no keys', { values }],
    ['keys of several kinds', { keys: [1, '2', 3], values }],
    ['keys of a type that is not supported', { keys: new Uint16Array(3), values }],
    ['a count beyond the arrays', { keys, values, count: 4 }],
    ['a count below zero', { keys, values, count: -1 }],
    ['a count that is not whole', { keys, values, count: 1.5 }],
    ['a count that is no number', { keys, values, count: Number.NaN }],
  ])('with %s', async (_, input) => {
    await expect(from(input)).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('with keys of another type than the option says', async () => {
    await expect(from({ keys, values }, { key: u64 })).rejects.toThrow(/u64/);
    await expect(from({ keys, values }, { key: u64 })).rejects.toBeInstanceOf(InvalidInputError);
    await expect(setFrom({ keys: new BigUint64Array(3) }, { key: u32 })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('with an unknown policy for duplicates', async () => {
    await expect(from({ keys, values }, { duplicates: 'newest' })).rejects.toThrow(/first, last, any, error, unique/);
    await expect(from({ keys, values }, { duplicates: 'newest' })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('with two-word keys and a hash family for one word', async () => {
    for (const scheme of [linearProbing({ hash: polynomial64 }), doubleHashing({ hash: xorPrime })]) {
      const build = HashSet.from(gpu, { keys: new BigUint64Array([1n]) }, { scheme });
      await expect(build).rejects.toBeInstanceOf(UnsupportedError);
    }
  });

  describe('with a GPUBuffer', () => {
    const buffer = (bytes: number, usage: number = STORAGE) => gpu.createBuffer('test', bytes, usage);

    it('of keys without a key type or a count', async () => {
      const input = { keys: buffer(64), values: buffer(64) };
      await expect(from({ ...input, count: 3 })).rejects.toThrow(/key/);
      await expect(from({ ...input, count: 3 })).rejects.toBeInstanceOf(InvalidInputError);
      await expect(from(input, { key: u32 })).rejects.toThrow(/count/);
      await expect(from(input, { key: u32 })).rejects.toBeInstanceOf(InvalidInputError);
    });

    it.each([17, -1, 0.5, Number.NaN])('that has no room for a count of %d', async (count) => {
      const wide = { keys: buffer(64), values: buffer(640), count };
      await expect(from(wide, { key: u32 })).rejects.toBeInstanceOf(InvalidInputError);
      const narrow = { keys: buffer(640), values: buffer(64), count };
      await expect(from(narrow, { key: u32 })).rejects.toBeInstanceOf(InvalidInputError);
      await expect(setFrom({ keys: buffer(64), count }, { key: u32 })).rejects.toBeInstanceOf(InvalidInputError);
    });

    it('that is too small for keys of two words', async () => {
      const input = { keys: buffer(64), count: 9 };
      await expect(setFrom(input, { key: u64 })).rejects.toThrow(/8/);
      using set = await HashSet.from(gpu, { keys: buffer(64), count: 8 }, { key: u64 });
      expect(set.size).toBe(1);
    });

    it('that was not made for storage', async () => {
      const uniform = buffer(64, USAGE.UNIFORM | USAGE.COPY_DST);
      const good = buffer(64);
      await expect(from({ keys: uniform, values: good, count: 3 }, { key: u32 })).rejects.toThrow(/keys.*STORAGE/);
      await expect(from({ keys: good, values: uniform, count: 3 }, { key: u32 })).rejects.toThrow(/values.*STORAGE/);
    });
  });
});

describe('an encoded call is refused', () => {
  const encoderOf = () => gpu.device.createCommandEncoder();

  it('with a count on the GPU that is no word of a storage buffer', () => {
    const input = { keys: gpu.upload('test', keys), values: gpu.upload('test', values) };
    const build = (count: { buffer: GPUBuffer; offset?: number }) =>
      HashMap.encodeBuild(gpu, encoderOf(), { ...input, count }, { key: u32 });
    const word = gpu.createBuffer('test', 16);
    for (const offset of [-4, 2, 16, 20, 0.5, Number.NaN]) {
      expect(() => build({ buffer: word, offset }), `offset ${offset}`).toThrow(InvalidInputError);
    }
    expect(() => build({ buffer: gpu.createBuffer('test', 16, USAGE.UNIFORM) })).toThrow(/STORAGE/);
  });

  it('with buffers of queries or results that are too small or not made for storage', async () => {
    using map = await HashMap.from(gpu, { keys, values });
    const buffer = (words: number, usage: number = STORAGE) => gpu.createBuffer('test', words * 4, usage);
    const good = { queries: buffer(8), values: buffer(8), found: buffer(8), count: 8 };
    expect(() => map.encodeGet(encoderOf(), good)).not.toThrow();
    for (const name of ['queries', 'values', 'found'] as const) {
      expect(() => map.encodeGet(encoderOf(), { ...good, [name]: buffer(7) }), name).toThrow(InvalidInputError);
      const uniform = buffer(8, USAGE.UNIFORM);
      expect(() => map.encodeGet(encoderOf(), { ...good, [name]: uniform }), name).toThrow(/STORAGE/);
    }
    for (const count of [-1, 1.5, Number.NaN]) {
      expect(() => map.encodeGet(encoderOf(), { ...good, count }), `${count}`).toThrow(InvalidInputError);
    }
  });

  it('with a buffer that is to be read and written at once', async () => {
    using map = await HashMap.from(gpu, { keys, values });
    const buffer = gpu.createBuffer('test', 32);
    const [a, b] = [gpu.createBuffer('test', 32), gpu.createBuffer('test', 32)];
    for (const io of [
      { queries: buffer, values: buffer, found: a },
      { queries: buffer, values: a, found: buffer },
      { queries: a, values: buffer, found: buffer },
    ]) {
      expect(() => map.encodeGet(encoderOf(), { count: 8, ...io })).toThrow(InvalidInputError);
    }
    expect(() => map.encodeGet(encoderOf(), { queries: a, values: b, count: { buffer: a } })).not.toThrow();
  });
});

describe('a search is refused', () => {
  it('with keys of another type', async () => {
    using map = await HashMap.from(gpu, { keys, values });
    for (const other of [new BigUint64Array(2), [1n, 2n], [1.5], new Int32Array(2), undefined]) {
      await expect(map.get(other as never)).rejects.toBeInstanceOf(InvalidInputError);
      await expect(map.has(other as never)).rejects.toBeInstanceOf(InvalidInputError);
    }
    await expect(map.stats({ absent: [-1] as never })).rejects.toBeInstanceOf(InvalidInputError);
  });
});

describe('a part of the input', () => {
  it('is used if a count says so, of arrays and of buffers', async () => {
    using fromArrays = await HashMap.from(gpu, { keys, values, count: 2 });
    const input = { keys: gpu.upload('test', keys), values: gpu.upload('test', values), count: 2 };
    using fromBuffers = await HashMap.from(gpu, input, { key: u32, value: valueTypes.i32 });
    for (const map of [fromArrays, fromBuffers]) {
      expect(map.size).toBe(2);
      expect([...(await map.has(keys))]).toEqual([1, 1, 0]);
    }
  });

  it('may lie in the middle of a larger array', async () => {
    const large = new Uint32Array([9, 9, 1, 2, 3, 9]);
    using map = await HashMap.from(gpu, { keys: large.subarray(2, 5), values: large.subarray(1, 4) });
    expect([...(await map.get(large.subarray(1, 5), { missing: 77 })).values]).toEqual([77, 9, 1, 2]);
  });
});

describe('a key type of the caller', () => {
  it('is used as it is, also if it is not built in', async () => {
    const own: KeyType<Uint32Array> = { ...u32, name: 'own' };
    using map = await HashMap.from(gpu, { keys, values }, { key: own });
    expect(map.key).toBe(own);
    const bytes = await map.toBytes();
    await expect(HashMap.fromBytes(gpu, bytes)).rejects.toThrow(/own/);
    using opened = await HashMap.fromBytes(gpu, bytes, { key: own });
    expect([...(await opened.get(keys)).values]).toEqual([4, 5, 6]);
  });
});
