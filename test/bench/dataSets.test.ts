import { afterAll, describe, expect, it } from 'vitest';
import { DATA_SETS, DataSet, SET_NAMES } from '../../bench/living/dataSets.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('data like that of Li et al.', () => {
  const room = 120_000;
  const io = { keys: gpu.createBuffer('keys', room * 4), values: gpu.createBuffer('values', room * 4) };
  afterAll(() => {
    for (const buffer of Object.values(io)) buffer.destroy();
  });

  it.each(SET_NAMES)('has as many pairs and unique keys as Table I says: %s', async (name) => {
    const set = await DataSet.create(gpu, name, { scale: 0.001, seed: 7 });
    const all = { first: 0, count: set.pairs };
    set.write(all, io);
    const [bytes] = await gpu.run(() => {}, [{ buffer: io.keys, bytes: set.pairs * 4 }]);
    const keys = new Uint32Array(bytes as ArrayBuffer);
    const unique = new Set(keys).size;
    expect(set.pairs).toBe(Math.round(DATA_SETS[name].pairs * 0.001));
    expect(unique / (DATA_SETS[name].uniqueKeys * 0.001)).toBeCloseTo(1, 1.7);
    expect(keys.reduce((most, key) => Math.max(most, key), 0)).toBeLessThan(2 ** 31);
    // Different ranks have different keys: the truth counts ranks.
    set.inserted(all);
    expect(await set.size()).toBe(unique);
    set.deleted({ first: 0, count: 1000, below: set.pairs, salt: 3 });
    expect(unique - (await set.size())).toBeGreaterThan(700);
    // All of them are drawn, whatever the salt.
    set.deleted({ first: 0, count: set.pairs, below: set.pairs, salt: 4 });
    expect(await set.size()).toBe(0);
    set.destroy();
  });

  it.each(SET_NAMES)('has every key once if that is wanted: %s', async (name) => {
    const set = await DataSet.create(gpu, name, { scale: 0.0005, seed: 8, unique: true });
    set.write({ first: 0, count: set.pairs }, io);
    const [bytes] = await gpu.run(() => {}, [{ buffer: io.keys, bytes: set.pairs * 4 }]);
    expect(set.pairs).toBe(Math.round(DATA_SETS[name].uniqueKeys * 0.0005));
    expect(new Set(new Uint32Array(bytes as ArrayBuffer)).size).toBe(set.pairs);
    set.destroy();
  });

  it('draws RAND from a normal distribution', async () => {
    const set = await DataSet.create(gpu, 'RAND', { scale: 0.001, seed: 7 });
    set.write({ first: 0, count: set.pairs }, io);
    const [bytes] = await gpu.run(() => {}, [{ buffer: io.keys, bytes: set.pairs * 4 }]);
    const keys = new Uint32Array(bytes as ArrayBuffer);
    const mean = keys.reduce((sum, key) => sum + key, 0) / keys.length;
    const deviation = Math.sqrt(keys.reduce((sum, key) => sum + (key - mean) ** 2, 0) / keys.length);
    const within = keys.filter((key) => Math.abs(key - mean) < deviation).length / keys.length;
    expect(mean / 2 ** 30).toBeCloseTo(1, 2);
    expect(within).toBeCloseTo(0.6827, 2);
    set.destroy();
  });
});
