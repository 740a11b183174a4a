import { describe, expect, it } from 'vitest';
import {
  ABSENT,
  indexTwin,
  type Listed,
  PRESENT,
  type Queries,
  valueTwin,
  workloadSeeds,
} from '../../bench/generators.ts';
import { makerOf, WORKLOAD_KEYS } from '../../bench/keyMaker.ts';
import { orderTwin } from '../../bench/order.ts';
import { scrambleBitsTwin, scrambleTwin } from '../../bench/scramble.ts';
import { Workload } from '../../bench/workload.ts';
import { bytes, type KeyType, TooLargeError, u32, u64, utf8, valueTypes, vec3i, vec4i } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const read = async (buffer: GPUBuffer | undefined, byteCount = buffer?.size ?? 0): Promise<ArrayBuffer> => {
  if (!buffer) return new ArrayBuffer(0);
  const [read] = await gpu.run(() => {}, [{ buffer, bytes: byteCount }]);
  return read as ArrayBuffer;
};

const indices = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Keys that lie on the GPU, as a caller knows them. */
async function keysIn(type: KeyType, count: number, keys: GPUBuffer, context: GPUBuffer | undefined): Promise<unknown> {
  const words = new Uint32Array(await read(keys, count * type.words * 4));
  return type.decode(words, new Uint8Array(await read(context)));
}

describe('the workload on the GPU', () => {
  it.each(WORKLOAD_KEYS.flatMap((type) => [1, 257, 3000].map((items) => ({ type, items }))))(
    'has the items and queries of its twins: $items $type.name keys',
    async ({ type, items }) => {
      const seed = 77;
      const seeds = workloadSeeds(seed);
      const half: Queries = { absent: 0.5, order: 'shuffled' };
      const workload = await Workload.create(gpu, { items, key: type, seed, absent: [half.absent] });
      const twins = (listed: Listed) =>
        makerOf(type).twins(
          indices(items).map((i) => indexTwin(i, listed, { items, seeds })),
          seeds,
        );
      expect(await keysIn(type, items, workload.keys, workload.context)).toEqual(twins('items'));
      const values = new Uint32Array(await read(workload.values, items * 4));
      expect([...values]).toEqual(indices(items).flatMap((i) => valueTwin(i, 1, seeds)));
      for (const queries of [PRESENT, half, ABSENT]) {
        await workload.ask(queries);
        expect(await keysIn(type, items, workload.queries, workload.queryContext)).toEqual(twins(queries));
      }
      workload.destroy();
    },
  );

  it('has copies of keys, with the values of their twins in two words', async () => {
    const [items, seeds] = [1000, workloadSeeds(1)];
    const workload = await Workload.create(gpu, { items, key: utf8, value: valueTypes.u64, copies: 3 });
    const { distinct } = workload;
    expect(distinct).toBe(334);
    const listed = indices(items).map((i) => indexTwin(i, 'items', { items, distinct, seeds }));
    expect(Math.max(...listed)).toBe(distinct - 1);
    const strings = (await keysIn(utf8, items, workload.keys, workload.context)) as string[];
    expect(strings).toEqual(makerOf(utf8).twins(listed, seeds));
    expect(new Set(strings).size).toBe(distinct);
    const values = new Uint32Array(await read(workload.values, items * 8));
    expect([...values]).toEqual(listed.flatMap((index) => valueTwin(index, 2, seeds)));
    workload.destroy();
  });

  it('packs strings one behind the other', async () => {
    const items = 1000;
    const workload = await Workload.create(gpu, { items, key: utf8 });
    const words = new Uint32Array(await read(workload.keys, items * 8));
    let end = 0;
    for (let i = 0; i < items; i++) {
      expect(words[2 * i]).toBe(end);
      end += words[2 * i + 1] as number;
    }
    expect(workload.context?.size).toBe(Math.ceil(end / 4) * 4);
    workload.destroy();
  });

  it('says how many items would fit where there are too many', async () => {
    const most = Math.min(gpu.limits.maxBufferSize, gpu.limits.maxStorageBufferBindingSize) / 8;
    const create = Workload.create(gpu, { items: most + 1, key: u64 });
    await expect(create).rejects.toThrow(TooLargeError);
    await expect(create).rejects.toMatchObject({ largestItems: most });
    // Wider than the key.
    const wide = Workload.create(gpu, { items: most + 1, key: u32, value: valueTypes.u64 });
    await expect(wide).rejects.toMatchObject({ largestItems: most });
  });

  it('says which keys it does not have', async () => {
    await expect(Workload.create(gpu, { items: 1, key: bytes })).rejects.toThrow('has no bytes keys');
  });
});

describe('keys', () => {
  const seeds = workloadSeeds(5);
  const wordsOf = (type: KeyType, count: number): number[][] => {
    const { words } = type.encode(makerOf(type).twins(indices(count), seeds));
    return indices(count).map((i) => [...words.subarray(i * type.words, (i + 1) * type.words)]);
  };

  it.each([u32, u64, vec3i, vec4i])('of type $name are distinct', (type) => {
    const keys = wordsOf(type, 10_000).map(String);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([u64, vec3i, vec4i])('of type $name cannot be told apart by one word alone', (type) => {
    const keys = wordsOf(type, 1024);
    for (let word = 0; word < type.words; word++) expect(new Set(keys.map((key) => key[word])).size).toBe(512);
  });

  it('follow from the seed', () => {
    const first = makerOf(u32).twins(indices(100), workloadSeeds(1)) as Uint32Array;
    const second = makerOf(u32).twins(indices(100), workloadSeeds(2)) as Uint32Array;
    expect(first.filter((key) => second.includes(key))).toEqual(new Uint32Array());
  });

  it('spread evenly', () => {
    const buckets = new Array<number>(64).fill(0);
    for (const i of indices(64_000)) {
      const bucket = scrambleTwin(i, [1, 2]) >>> 26;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.max(...buckets)).toBeLessThan(1200);
    expect(Math.min(...buckets)).toBeGreaterThan(800);
  });
});

describe('strings', () => {
  const strings = makerOf(utf8).twins(indices(21_000), workloadSeeds(3)) as string[];

  it('are distinct by their first five characters', () => {
    expect(new Set(strings.map((string) => string.slice(0, 5))).size).toBe(strings.length);
  });

  it('have 5 to 25 characters, each length about as often', () => {
    const counts = new Map<number, number>();
    for (const { length } of strings) counts.set(length, (counts.get(length) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(indices(21).map((i) => i + 5));
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });

  it('have each of 64 characters about as often at every place', () => {
    for (const place of [0, 1, 4, 5, 9, 14, 24]) {
      const there = strings.filter(({ length }) => length > place).map((string) => string[place] as string);
      const counts = new Map<string, number>();
      for (const character of there) counts.set(character, (counts.get(character) ?? 0) + 1);
      expect(counts.size).toBe(64);
      // Six standard deviations.
      const mean = there.length / 64;
      for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean));
    }
  });

  it('come from a permutation of thirty bits', () => {
    const seed = [1, 2, 3, 4] as const;
    const mask = 2 ** 30 - 1;
    const images = [...indices(10_000), ...indices(10_000).map((i) => mask - i)].map((i) =>
      scrambleBitsTwin(i, mask, seed),
    );
    expect(new Set(images).size).toBe(images.length);
    expect(Math.max(...images)).toBeLessThanOrEqual(mask);
    expect(Math.min(...images)).toBeGreaterThanOrEqual(0);
  });
});

describe('sorted queries', () => {
  it.each([1, 2, 257, 3001])('are the shuffled ones in ascending order: %i', async (items) => {
    const workload = await Workload.create(gpu, { items, key: u32, copies: 2 });
    for (const absent of [0, 0.3, 1]) {
      await workload.ask({ absent, order: 'shuffled' });
      const shuffled = new Uint32Array(await read(workload.queries, items * 4));
      await workload.ask({ absent, order: 'sorted' });
      expect(new Uint32Array(await read(workload.queries, items * 4))).toEqual(shuffled.sort());
    }
    workload.destroy();
  });

  it('are of u32 keys alone', async () => {
    const workload = await Workload.create(gpu, { items: 1, key: u64 });
    await expect(workload.ask({ absent: 0, order: 'sorted' })).rejects.toThrow('sorted queries are for u32 keys');
    workload.destroy();
  });
});

describe('absent keys among queries', () => {
  const items = 10_000;
  const seeds = workloadSeeds(1);
  const absentAt = (absent: number) => indices(items).map((i) => indexTwin(i, { absent }, { items, seeds }) >= items);

  it.each([0, 0.1, 0.25, 0.5, 0.9, 1])('are exactly the share that was asked for: %d', (absent) => {
    expect(absentAt(absent).filter(Boolean)).toHaveLength(items * absent);
  });

  it('stand anywhere', () => {
    const isAbsent = absentAt(0.5);
    // In each tenth about as many, and about every second has a neighbour of its kind; both within six standard deviations.
    for (const tenth of indices(10)) {
      const there = isAbsent.slice(tenth * 1000, (tenth + 1) * 1000).filter(Boolean).length;
      expect(Math.abs(there - 500)).toBeLessThan(95);
    }
    const alike = indices(items - 1).filter((i) => isAbsent[i] === isAbsent[i + 1]).length;
    expect(Math.abs(alike - items / 2)).toBeLessThan(300);
  });
});

describe('the order of queries', () => {
  it.each([1, 2, 3, 4, 5, 63, 64, 65, 1000, 1025, 32_769])('is a permutation of [0, %i)', (count) => {
    for (const seed of [1, 2, 3]) {
      const { order } = workloadSeeds(seed);
      const places = indices(count).map((i) => orderTwin(i, count, order));
      expect(new Set(places).size).toBe(count);
      expect(Math.max(...places)).toBe(count - 1);
    }
  });

  it('is not that of the items', () => {
    const { order } = workloadSeeds(1);
    const inPlace = indices(10_000).filter((i) => orderTwin(i, 10_000, order) === i);
    const inRow = indices(9_999).filter((i) => orderTwin(i + 1, 10_000, order) === orderTwin(i, 10_000, order) + 1);
    expect(inPlace.length).toBeLessThan(20);
    expect(inRow.length).toBeLessThan(20);
  });
});
