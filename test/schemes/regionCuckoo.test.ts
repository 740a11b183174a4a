/** Tables of regionCuckoo as they lie in memory, after batches that grow, fill, empty and mend them. */
import { describe, expect, it } from 'vitest';
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';
import { DynamicMap, DynamicSet, type KeyType, u32, u64, utf8 } from '../../src/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { encodeKeys } from '../../src/table/source.ts';
import { expectSound, type Grid, placeTwin } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

type Living = DynamicMap<unknown> | DynamicSet<unknown>;

interface Raw {
  readonly hash: HashConstants;
  readonly grid: Grid;
  readonly words: Uint32Array;
}

/** A table as it lies in memory. */
async function readRaw({ table }: Living): Promise<Raw> {
  const { plan, buffers } = table;
  const layout = HeaderLayout.of(plan.fields);
  const buckets = buffers.get('buckets');
  const [header, bytes] = await gpu.run(() => {}, [
    { buffer: buffers.header, bytes: layout.bytes },
    { buffer: buckets, bytes: buckets.size },
  ]);
  const { hash, own } = layout.read(header as ArrayBuffer);
  return { hash: hash as HashConstants, grid: own as unknown as Grid, words: new Uint32Array(bytes as ArrayBuffer) };
}

function hashesOf(key: KeyType, keys: unknown, hash: HashConstants): [number, number][] {
  const encoded = encodeKeys(key, keys);
  return Array.from({ length: encoded.count }, (_, i) => key.hashTwin?.(encoded, i, mix, hash) as [number, number]);
}

/** Compares it with what should be in it. */
async function expectKeys(living: Living, keys: unknown, count: number): Promise<void> {
  const { hash, grid, words } = await readRaw(living);
  const key = living.key as KeyType;
  expectSound(words, living.table.plan.format, grid, hashesOf(key, keys, hash), key.isWord);
  expect(living.size).toBe(count);
}

const hostKeys = {
  u32: (ids: readonly number[]) => Uint32Array.from(ids),
  u64: (ids: readonly number[]) => BigUint64Array.from(ids, (id) => (BigInt(id) << 32n) | BigInt(id)),
  utf8: (ids: readonly number[]) => ids.map((id) => `key ${id}`),
};

describe('a table of regionCuckoo', () => {
  it.each([
    { name: 'u32', key: u32, isSet: false },
    { name: 'u32', key: u32, isSet: true },
    { name: 'u64', key: u64, isSet: false },
    { name: 'utf8', key: utf8, isSet: false },
  ] as const)('of $name (set: $isSet) has each key once, and exact class bits, after every batch', async (kind) => {
    const { key, isSet, name } = kind;
    const options = { key: key as KeyType, seed: 3, highest: 0.9, lowest: 0.3 };
    const table: Living = isSet
      ? await DynamicSet.create(gpu, options)
      : ((await DynamicMap.create(gpu, options)) as DynamicMap<unknown>);
    const random = randomWords(5);
    const live = new Set<number>();
    // Sequential keys, then others; some batches are gone through region by region, the others item by item.
    const sizes = [1, 3000, 20, 900, 64, 2500, 10];
    for (const [round, size] of sizes.entries()) {
      const ids = Array.from({ length: size }, (_, i) => (round % 2 === 0 ? live.size + i : random() >>> 12));
      const keys = hostKeys[name](ids);
      if (table instanceof DynamicSet) await table.insert(keys as never);
      else await table.insert(keys as never, Uint32Array.from(ids));
      for (const id of ids) live.add(id);
      await expectKeys(table, hostKeys[name]([...live]), live.size);
      const gone = [...live].filter((_, i) => i % 5 !== round % 5).slice(0, round % 2 === 0 ? 15 : 2200);
      await table.delete(hostKeys[name](gone) as never);
      for (const id of gone) live.delete(id);
      await expectKeys(table, hostKeys[name]([...live]), live.size);
    }
    table.destroy();
  });

  it('takes keys that all have one home, as far as two buckets go, and lists the others', async () => {
    const map = await DynamicMap.create(gpu, { key: u32, seed: 1 });
    const { hash, grid } = await readRaw(map as never);
    const same: number[] = [];
    for (let id = 0; same.length < 40; id++) {
      const [own] = hashesOf(u32 as KeyType, Uint32Array.of(id), hash) as [[number, number]];
      if (placeTwin(own, true, grid).home === 5) same.push(id);
    }
    const keys = Uint32Array.from(same);
    const [keyBuffer, values, left] = ['keys', 'values', 'left'].map((label) => gpu.upload(label, keys)) as [
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
    ];
    await gpu.run((encoder) => map.encodeInsert(encoder, { keys: keyBuffer, values, count: keys.length, left }));
    const { left: missed } = await map.settle();
    expect(map.size + missed).toBe(40);
    // Four at home, and at most four in each bucket of a class.
    expect(map.size).toBeGreaterThanOrEqual(8);
    const [listed] = await gpu.run(() => {}, [{ buffer: left, bytes: missed * 4 }]);
    const absent = new Set(new Uint32Array(listed as ArrayBuffer));
    const there = same.filter((_, i) => !absent.has(i));
    expect([...(await map.has(keys))]).toEqual(same.map((_, i) => Number(!absent.has(i))));
    await expectKeys(map as never, Uint32Array.from(there), there.length);
    // On the host face the table grows for them.
    await map.insert(keys, keys);
    expect([...(await map.get(keys)).values]).toEqual(same);
    for (const buffer of [keyBuffer, values, left]) buffer.destroy();
    map.destroy();
  });

  // Few items are inserted in place, many region by region.
  it.each([0, 2100])('tells keys apart that have one home and one tag, among %i others', async (others) => {
    const map = await DynamicMap.create(gpu, { key: u64, seed: 2 });
    const { hash, grid } = await readRaw(map as never);
    const firstAt = new Map<number, bigint>();
    const twins: bigint[] = [];
    for (let id = 1n; twins.length < 4; id++) {
      const [own] = hashesOf(u64 as KeyType, BigUint64Array.of(id), hash) as [[number, number]];
      const { home, remainder } = placeTwin(own, false, grid);
      const name = remainder * 2 ** 20 + home;
      const other = firstAt.get(name);
      if (other !== undefined) twins.push(other, id);
      firstAt.set(name, id);
    }
    const [first, second, third, fourth] = twins as [bigint, bigint, bigint, bigint];
    const more = Array.from({ length: others }, (_, i) => BigInt(i) + 2n ** 40n);
    const insert = (keys: readonly bigint[], values: readonly number[]) =>
      map.insert(BigUint64Array.from([...keys, ...more]), Uint32Array.from([...values, ...more.map(() => 7)]));
    expect([...(await insert([first, second, first, third], [1, 2, 3, 4]))].slice(0, 4)).toEqual([1, 1, 1, 1]);
    expect([...(await insert([fourth, third], [5, 6]))].slice(0, 2)).toEqual([1, 0]);
    const all = BigUint64Array.from(twins);
    expect([...(await map.get(all)).values]).toEqual([3, 2, 6, 5]);
    await expectKeys(map as never, BigUint64Array.from([...twins, ...more]), 4 + others);
    expect([...(await map.delete(BigUint64Array.from([second, ...more])))][0]).toBe(1);
    expect([...(await map.has(all))]).toEqual([1, 0, 1, 1]);
    map.destroy();
  });
});

describe('a table of regionCuckoo that has several tags in a word', () => {
  const ROOM = 2_600_000;
  const SLOTS = 5 * 512;
  // Batches beyond this are gone through region by region.
  const MANY = 80_000;

  it.each([0, MANY])('keeps the keys of a crowded region, with batches of %i others', async (others) => {
    using map = await DynamicMap.create(gpu, { key: u32, seed: 4, reserve: ROOM, lowest: 0.0001 });
    expect(map.table.plan.format).toBe('regionCuckoo/1/5x14');
    const { hash, grid } = await readRaw(map as never);
    expect(SLOTS).toBe(5 * 2 ** grid.bucketBits);
    const crowd: number[] = [];
    for (let id = 0; crowd.length < 0.9 * SLOTS; id++) {
      const [x] = mix.hashTwin([id], hash);
      if (Math.floor((x * grid.regions) / 2 ** 32) === 3) crowd.push(id);
    }
    const random = randomWords(8);
    const more = Array.from({ length: others }, () => random() | 0x8000_0000);
    const live = new Map<number, number>();
    const expectLive = async (): Promise<void> => {
      await expectKeys(map as never, Uint32Array.from(live.keys()), live.size);
      const asked = Uint32Array.from(crowd);
      const { values, found } = await map.get(asked, { missing: 0 });
      expect([...found]).toEqual(crowd.map((key) => Number(live.has(key))));
      expect([...values]).toEqual(crowd.map((key) => live.get(key) ?? 0));
    };
    const insert = async (keys: readonly number[], factor: number): Promise<void> => {
      const all = Uint32Array.from([...keys, ...more]);
      const values = all.map((key) => Math.imul(key, factor));
      await map.insert(all, values);
      all.forEach((key, i) => {
        live.set(key, values[i] as number);
      });
      await expectLive();
    };
    await insert(crowd, 3);
    // Some keys are away from home: two buckets are read for them.
    const { present } = await map.stats();
    expect(present.average).toBeGreaterThan(1);
    expect(present.within[100]).toBe(2);
    const gone = Uint32Array.from([...crowd.filter((_, i) => i % 3 !== 0), ...more]);
    await map.delete(gone);
    for (const key of gone) live.delete(key);
    await expectLive();
    await insert([...crowd].reverse(), 5);
  });
});
