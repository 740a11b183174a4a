/** Batches so large that regions have rooms for their items instead of counting them: enough for keys that differ, too small for crowds of copies. */
import { describe, expect, it } from 'vitest';
import { DynamicMap, DynamicSet, u32, u64 } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const ITEMS = 70_000;

/** Keys that differ, or a crowd of copies of few among them. */
const KEYS = {
  'keys that differ': (i: number) => i * 77_777,
  'a few keys': (i: number) => (i * 31) % 23,
  'one key and others': (i: number) => (i % 3 === 0 ? 5 : i),
  'a key that a tenth are copies of': (i: number) => (i % 10 === 0 ? 0xffffffff : i * 3),
  'a key with copies for less than another room': (i: number) => (i % 60 === 0 ? 77 : i * 5),
} as const;

describe.each(Object.entries(KEYS))('a large batch of %s', (_, keyOf) => {
  const keys = Uint32Array.from({ length: ITEMS }, (_, i) => keyOf(i));
  const values = Uint32Array.from({ length: ITEMS }, (_, i) => i);

  it.each([500, 0])('leaves the last value of each beside %i others, and is deleted again', async (before) => {
    const others = Uint32Array.from({ length: before }, (_, i) => 0x80000000 + i);
    const map = await DynamicMap.create(gpu, { key: u32, seed: 11, reserve: ITEMS });
    await map.insert(others, others);
    const keyBuffer = gpu.upload('keys', keys);
    for (const round of [1, 2, 3]) {
      const now = values.map((value) => value * round);
      const valueBuffer = gpu.upload('values', now);
      // Numbers of items are needed to list those without room, so that batches of the host face are counted.
      const how = { keys: keyBuffer, values: valueBuffer, count: ITEMS };
      if (round < 3) await gpu.run((encoder) => map.encodeInsert(encoder, how));
      else await map.insert(keys, now);
      expect((await map.settle()).left).toBe(0);
      valueBuffer.destroy();
      const expected = new Map(
        [...others, ...keys].map((key, i) => [key, i < before ? key : (now[i - before] as number)]),
      );
      expect(map.size).toBe(expected.size);
      const asked = Uint32Array.from(expected.keys());
      expect([...(await map.get(asked)).values]).toEqual([...expected.values()]);
    }
    const gone = await map.delete(keys);
    expect(gone.every((was) => was === 1)).toBe(true);
    const kept = [...others].filter((key) => !keys.includes(key));
    expect(map.size).toBe(kept.length);
    expect([...(await map.get(Uint32Array.from(kept))).values]).toEqual(kept);
    keyBuffer.destroy();
    map.destroy();
  });

  it('has any value of each if it was promised that they differ, and each key once', async () => {
    const map = await DynamicMap.create(gpu, { key: u32, seed: 12, reserve: ITEMS });
    const [keyBuffer, valueBuffer] = [gpu.upload('keys', keys), gpu.upload('values', values)];
    await gpu.run((encoder) =>
      map.encodeInsert(encoder, { keys: keyBuffer, values: valueBuffer, count: ITEMS }, { unique: true }),
    );
    expect((await map.settle()).left).toBe(0);
    const distinct = new Set(keys);
    expect(map.size).toBe(distinct.size);
    const { values: found } = await map.get(keys);
    expect(found.every((value, i) => keys[value] === keys[i])).toBe(true);
    for (const buffer of [keyBuffer, valueBuffer]) buffer.destroy();
    map.destroy();
  });

  it('is a set of wide keys', async () => {
    const set = await DynamicSet.create(gpu, { key: u64, seed: 13, reserve: ITEMS });
    const wide = BigUint64Array.from(keys, (key) => (BigInt(key) << 32n) | 7n);
    await set.insert(wide);
    expect(set.size).toBe(new Set(keys).size);
    expect((await set.has(wide)).every((has) => has === 1)).toBe(true);
    await set.delete(wide);
    expect(set.size).toBe(0);
    set.destroy();
  });
});
