/** Answers in arrays of the caller's. */
import { describe, expect, it } from 'vitest';
import {
  Aggregate,
  DynamicMap,
  HashMap,
  HashSet,
  InvalidInputError,
  KeyIndex,
  linearProbing,
  u32,
  valueTypes,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const keys = Uint32Array.of(1, 2, 3);
const queries = Uint32Array.of(3, 9, 1);
const map = await HashMap.from(gpu, { keys, values: Float32Array.of(0.5, 1.5, 2.5) }, { scheme });

describe('into', () => {
  it('gets the answers, and is what comes back', async () => {
    const values = new Float32Array(5).fill(7);
    const found = new Uint8Array(4).fill(7);
    const answers = await map.get(queries, { missing: -1, into: { values, found } });
    expect(answers.values).toBe(values);
    expect(answers.found).toBe(found);
    expect([...values]).toEqual([2.5, -1, 0.5, 7, 7]);
    expect([...found]).toEqual([1, 0, 1, 7]);
  });

  it('may be one of the two, or a part of a larger array', async () => {
    const all = new Float32Array(8);
    const { values, found } = await map.get(queries, { into: { values: all.subarray(2, 5) } });
    expect([...all]).toEqual([0, 0, 2.5, 0, 0.5, 0, 0, 0]);
    expect([...values]).toEqual([2.5, 0, 0.5]);
    expect([...found]).toEqual([1, 0, 1]);
    const flags = new Uint8Array(7);
    expect((await map.get(queries, { into: { found: flags.subarray(3, 6) } })).values.length).toBe(3);
    expect([...flags]).toEqual([0, 0, 0, 1, 0, 1, 0]);
  });

  it('may be the array of the keys itself', async () => {
    using numbers = await HashMap.from(gpu, { keys, values: Uint32Array.of(10, 20, 30) }, { scheme });
    const both = queries.slice();
    await numbers.get(both, { into: { values: both } });
    expect([...both]).toEqual([30, 0, 10]);
  });

  it('is there for sets, indexes, aggregates and tables that live', async () => {
    using set = await HashSet.from(gpu, { keys }, { scheme });
    const found = new Uint8Array(3);
    expect(await set.has(queries, { into: found })).toBe(found);
    expect([...found]).toEqual([1, 0, 1]);
    using index = await KeyIndex.from(gpu, { keys }, { scheme });
    const ids = new Uint32Array(3);
    expect(await index.ids(queries, { into: ids })).toBe(ids);
    expect([...ids]).toEqual([...(await index.ids(queries))]);
    using sums = await Aggregate.from(gpu, { keys: queries, values: keys }, { scheme, combine: 'sum' });
    const values = new Uint32Array(3);
    expect((await sums.get(keys, { into: { values, found } })).values).toBe(values);
    expect([...values]).toEqual([3, 0, 1]);
    expect([...found]).toEqual([1, 0, 1]);
    using living = await DynamicMap.create(gpu, { key: u32 });
    await living.insert(keys, keys);
    await living.get(queries, { into: { values } });
    expect([...values]).toEqual([3, 0, 1]);
  });

  it('is left alone once the call was given up', async () => {
    const values = new Float32Array(3).fill(7);
    const found = new Uint8Array(3).fill(7);
    const giveUp = new AbortController();
    const call = map.get(queries, { into: { values, found }, signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toBe(giveUp.signal.reason);
    // A call that comes later ends later.
    await map.get(queries);
    expect([...values, ...found]).toEqual(Array(6).fill(7));
  });

  it('has an array for each of several results', async () => {
    const combine = {
      n: 'count',
      total: { of: 'price', combine: 'sum64' },
      mean: { of: 'weight', combine: 'mean' },
    } as const;
    const columns = { price: Uint32Array.of(10, 20, 30), weight: Float32Array.of(0.5, 1.5, 2.5) };
    using several = await Aggregate.from(gpu, { keys: Uint32Array.of(1, 3, 3), values: columns }, { scheme, combine });
    const n = new Uint32Array(4).fill(7);
    const total = new BigUint64Array(3);
    const found = new Uint8Array(3);
    const answers = await several.get(queries, { into: { values: { n, total }, found } });
    expect(answers.values.n).toBe(n);
    expect(answers.values.total).toBe(total);
    expect(answers.found).toBe(found);
    expect([...n]).toEqual([2, 0, 1, 7]);
    expect([...total]).toEqual([50n, 0n, 10n]);
    expect([...answers.values.mean]).toEqual([2, 0, 0.5]);
    expect([...found]).toEqual([1, 0, 1]);
    const wrong: readonly [into: unknown, message: string][] = [
      [{ values: n }, 'into.values must be an object { n, total, mean }'],
      [{ values: { n: new Int32Array(3) } }, 'into.values.n must be a Uint32Array, not Int32Array(3)'],
      [{ values: { total: new BigUint64Array(2) } }, 'into.values.total has room for 2 numbers, but there will be 3'],
      [{ values: { totals: total } }, 'did you mean total?'],
      [{ values: { n, total: new BigUint64Array(n.buffer) } }, 'into.values.total has room for 2'],
      [{ values: { n, mean: new Float32Array(n.buffer, 4) } }, 'into.values.n and into.values.mean overlap'],
      [{ values: { n }, found: new Uint8Array(n.buffer) }, 'into.values.n and into.found overlap'],
      [null, 'into must be an object { values, found }'],
    ];
    for (const [into, message] of wrong) {
      const error = await several.get(queries, { into } as never).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message).toContain(message);
    }
    expect([...n]).toEqual([2, 0, 1, 7]);
  });

  it('has several numbers a key where values are vectors', async () => {
    const vectors = Float32Array.of(1, 2, 3, 4, 5, 6);
    using wide = await HashMap.from(gpu, { keys, values: vectors }, { scheme, value: valueTypes.vec2f });
    const values = new Float32Array(6);
    await wide.get(queries, { into: { values } });
    expect([...values]).toEqual([5, 6, 0, 0, 1, 2]);
    await expect(wide.get(queries, { into: { values: new Float32Array(5) } })).rejects.toThrow(
      /room for 5 numbers.* 6/,
    );
  });

  it.each([
    [{ values: new Uint32Array(3) }, 'into.values must be a Float32Array, not Uint32Array(3)'],
    [{ values: new Float32Array(2) }, 'into.values has room for 2 numbers, but there will be 3'],
    [{ found: new Uint32Array(3) }, 'into.found must be a Uint8Array, not Uint32Array(3)'],
    [{ found: new Uint8Array(2) }, 'into.found has room for 2 numbers, but there will be 3'],
    [{ value: new Float32Array(3) }, 'did you mean values?'],
    [new Float32Array(3), 'into must be an object { values, found }'],
    [null, 'into must be an object { values, found }'],
  ])('is refused before anything happens: %o', async (into, message) => {
    const error = await map.get(queries, { into } as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toContain('HashMap.get: ');
  });

  it('is refused where answers would be written over each other', async () => {
    const memory = new ArrayBuffer(16);
    const into = { values: new Float32Array(memory, 0, 3), found: new Uint8Array(memory, 8, 3) };
    await expect(map.get(queries, { into })).rejects.toThrow('into.values and into.found overlap');
    await map.get(queries, { into: { ...into, found: new Uint8Array(memory, 12, 3) } });
    expect([...new Float32Array(memory, 0, 3)]).toEqual([2.5, 0, 0.5]);
  });

  it('that loses its memory meanwhile is an error, and the next call is fine', async () => {
    const values = new Float32Array(3);
    const call = map.get(queries, { into: { values } });
    structuredClone(values.buffer, { transfer: [values.buffer] });
    await expect(call).rejects.toThrow(InvalidInputError);
    expect([...(await map.get(queries)).values]).toEqual([2.5, 0, 0.5]);
  });
});
