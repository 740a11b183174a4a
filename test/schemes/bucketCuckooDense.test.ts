/**
 * Buckets of six slots, filled as far as they are in the densest tables. Six are for 2²⁴ buckets and more, where eight bits tell the rest of a hash.
 * Here the layout is had by tables of any size, and keys are chosen whose rest is of eight bits anyway.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { DuplicateKeyError } from '../../src/gpu/index.ts';
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { type BucketCuckooOptions, bucketCuckoo } from '../../src/schemes/bucketCuckoo/index.ts';
import { layoutsFor, MIN_BUCKETS } from '../../src/schemes/bucketCuckoo/layout.wgsl.ts';
import { chooseShape } from '../../src/schemes/bucketCuckoo/shape.ts';
import type { Duplicates, PlanRequest } from '../../src/schemes/contract/index.ts';
import { inFull } from '../inFull.ts';
import { type Grid, hashesOfBucket, locateTwin, unmixTwin, widen } from '../oracles/bucketCuckooTwin.ts';
import { findsLikeMap } from '../oracles/likeMap.ts';
import { sharedGpu } from '../sharedGpu.ts';

const [six] = layoutsFor(u32 as KeyType, 1) as unknown as [{ minBuckets: number }];
const { minBuckets } = six;
beforeAll(() => {
  six.minBuckets = MIN_BUCKETS;
});
afterAll(() => {
  six.minBuckets = minBuckets;
});

const gpus = { 'a device of many threads': await sharedGpu(), 'the least device': await sharedGpu('default') };
const gpu = gpus['a device of many threads'];

const SEED = 5;
const REST_BITS = 8;
type Words = Uint32Array<ArrayBuffer>;
type Load = NonNullable<BucketCuckooOptions['loadFactor']>;

const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

const shapeOf = (items: number, loadFactor: Load, request: Partial<PlanRequest> = {}) =>
  chooseShape(
    { loadFactor },
    { items, key: u32 as KeyType, valueWords: 1, duplicates: 'unique', growth: 0, ...request },
  );

const constants: HashConstants = mix.draw(randomWords(SEED));

/** Distinct hashes at home in these regions, whose rest is of eight bits. */
function hashesFor(grid: Grid, count: number, seed: number, [from, end] = [0, grid.regions]): ReadonlySet<number> {
  const random = randomWords(seed);
  const buckets = (end - from) * grid.bucketsPerRegion;
  const hashes = new Set<number>();
  while (hashes.size < count) {
    const bucket = from * grid.bucketsPerRegion + Math.floor((random() / 2 ** 32) * buckets);
    const hash = hashesOfBucket(bucket, grid)[0] + (random() >>> (32 - REST_BITS));
    if (locateTwin(hash, grid).remainder < 2 ** REST_BITS) hashes.add(hash);
  }
  return hashes;
}

/** The keys of such hashes. */
const keysFor = (...wanted: Parameters<typeof hashesFor>): Words =>
  Uint32Array.from(hashesFor(...wanted), (hash) => unmixTwin(hash, constants));

const optionsFor = (loadFactor: Load, duplicates: Duplicates) =>
  ({ key: u32, scheme: bucketCuckoo({ loadFactor }), duplicates, seed: SEED }) as const;

const mapOf = (keys: Words, loadFactor: Load, duplicates: Duplicates, on = gpu) =>
  HashMap.from(on, { keys, values: numbered(keys.length) }, optionsFor(loadFactor, duplicates));

/** Everything that is there is found and nothing else is, by searches and by visiting all slots. */
async function isLikeMap(map: HashMap<unknown>, keys: Words, absent: Words, duplicates: Duplicates) {
  const oracle = await findsLikeMap(map, keys, duplicates);
  expect((await map.has(absent)).indexOf(1)).toBe(-1);
  const stored = (await map.keys()) as Words;
  expect(new Set(stored).size).toBe(oracle.size);
  expect(stored.length).toBe(oracle.size);
}

/** Keys for a table, and others that are not in it. */
function keysAndOthers(items: number, loadFactor: Load) {
  const shape = shapeOf(items, loadFactor);
  const all = keysFor(shape, items + 20_000, 11);
  return { shape, keys: all.slice(0, items), absent: all.slice(items) };
}

/** One table has regions that gather what their bin has no room for, the other has not. */
const SIZES = inFull ? [110_000, 360_000] : [110_000];
const LOADS: readonly Load[] = [4 / 3, 1.4, 'densest'];

it('is the layout of six slots, filled to 0.93 and more', () => {
  for (const [loadFactor, least] of [
    [4 / 3, 0.88],
    [1.4, 0.925],
    ['densest', 0.93],
  ] as const) {
    const { layout, buckets, isQuick, isRoomy } = shapeOf(360_000, loadFactor);
    expect(layout).toMatchObject({ slots: 6, tagBits: 9 });
    expect(360_000 / (buckets * 6)).toBeGreaterThan(least);
    expect([isQuick, isRoomy]).toEqual([true, false]);
  }
  expect(SIZES.map((items) => shapeOf(items, 1.4).way?.gathers)).toEqual(['crowded', 'none'].slice(0, SIZES.length));
});

describe.each(Object.entries(gpus))('on %s', (_, on) => {
  it.each(SIZES.flatMap((items) => LOADS.map((load) => [items, load] as const)))(
    '%d items, load %s: holds them all',
    async (items, loadFactor) => {
      const { keys, absent } = keysAndOthers(items, loadFactor);
      using map = await mapOf(keys, loadFactor, 'unique', on);
      expect(map.report).toMatchObject({ attempts: 1, growths: 0, copies: 0 });
      expect(map.report.stashed).toBeLessThanOrEqual(48 + items / 2000);
      if (typeof loadFactor === 'number') expect(map.loadFactor).toBeLessThanOrEqual(loadFactor);
      expect(map.loadFactor).toBeGreaterThan(1.3);
      await isLikeMap(map, keys, absent, 'unique');
      // Most are at home, and a search for an absent key seldom goes on.
      const stats = await map.stats({ absent });
      expect(stats.present.average).toBeLessThan(loadFactor === 4 / 3 ? 1.14 : 1.2);
      expect(stats.absent.average).toBeLessThan(loadFactor === 4 / 3 ? 1.1 : 1.14);
    },
  );

  it('by the encoder face, with fewer items than there was room for', async () => {
    const { keys, absent } = keysAndOthers(110_000, 1.4);
    const made: GPUBuffer[] = [];
    const upload = (label: string, words: Words) => {
      const buffer = on.upload(label, words);
      made.push(buffer);
      return buffer;
    };
    for (const count of [keys.length, keys.length - 1234]) {
      const encoder = on.device.createCommandEncoder();
      const items = {
        keys: upload('keys', keys),
        values: upload('values', numbered(keys.length)),
        count: { buffer: upload('count', Uint32Array.of(count)) },
      };
      using map = HashMap.encodeBuild(on, encoder, items, optionsFor(1.4, 'unique'));
      on.device.queue.submit([encoder.finish()]);
      await map.settle();
      await isLikeMap(map, keys.slice(0, count), absent, 'unique');
      if (count < keys.length) expect((await map.has(keys.slice(count))).indexOf(1)).toBe(-1);
    }
    for (const buffer of made) buffer.destroy();
  });
});

it('sets of u64, whose tags tell half of the key', async () => {
  const items = 110_000;
  const shape = shapeOf(items, 1.4, { key: u64 as KeyType, valueWords: 0 });
  expect(shape).toMatchObject({ layout: { slots: 6 }, isQuick: true, isRoomy: false });
  const random = randomWords(17);
  const all = BigUint64Array.from(hashesFor(shape, items + 20_000, 14), (hash) => widen(random(), hash, constants));
  const [keys, absent] = [all.slice(0, items), all.slice(items)];
  using set = await HashSet.from(gpu, { keys }, { ...optionsFor(1.4, 'unique'), key: u64 });
  expect(set.report).toMatchObject({ attempts: 1, growths: 0 });
  expect((await set.has(keys)).indexOf(0)).toBe(-1);
  expect((await set.has(absent)).indexOf(1)).toBe(-1);
  expect(new Set(await set.keys())).toEqual(new Set(keys));
});

it.each(['first', 'last', 'any'] as const)('every key twice (%s): half of the table is empty', async (duplicates) => {
  const { keys, absent } = keysAndOthers(110_000, 1.4);
  const twice = Uint32Array.from(keys, (_, i) => keys[i >> 1] as number);
  using map = await mapOf(twice, 1.4, duplicates);
  await isLikeMap(map, twice, absent, duplicates);
});

it('a single copy is found out in a full table, by its item', async () => {
  const { keys } = keysAndOthers(110_000, 'densest');
  const last = keys.length - 1;
  for (const [one, other] of [
    [0, last],
    [last - 1, last],
    [777, 50_000],
  ] as const) {
    const copied = keys.slice();
    copied[other] = copied[one] as number;
    const error = await mapOf(copied, 'densest', 'error').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DuplicateKeyError);
    expect([one, other]).toContain((error as DuplicateKeyError).index);
    using map = await mapOf(copied, 'densest', 'last');
    await findsLikeMap(map, copied, 'last');
  }
});

it('a region with more items than slots leaves some to the overflow', async () => {
  const items = 110_000;
  const shape = shapeOf(items, 1.4);
  const surplus = 10;
  const crowd = shape.bucketsPerRegion * 6 + surplus;
  const inFirst = keysFor(shape, crowd + 2000, 12, [0, 1]);
  const keys = Uint32Array.of(...inFirst.slice(0, crowd), ...keysFor(shape, items - crowd, 13, [1, shape.regions]));
  using map = await mapOf(keys, 1.4, 'unique');
  expect(map.report.attempts).toBe(1);
  expect(map.report.stashed).toBeGreaterThanOrEqual(surplus);
  await isLikeMap(map, keys, inFirst.slice(crowd), 'unique');
});

it('is saved and opened, and can be made larger', async () => {
  const { keys, absent } = keysAndOthers(110_000, 'densest');
  using map = await mapOf(keys, 'densest', 'unique');
  using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { value: map.value });
  expect(opened.capacitySlots).toBe(map.capacitySlots);
  await isLikeMap(opened, keys, absent, 'unique');
  const { plan } = bucketCuckoo({ loadFactor: 'densest' });
  const planned = plan({ items: 110_000, key: u32 as KeyType, valueWords: 1, duplicates: 'unique', growth: 0 });
  expect((planned.larger?.().capacitySlots ?? 0) / planned.capacitySlots).toBeCloseTo(1.05, 2);
});
