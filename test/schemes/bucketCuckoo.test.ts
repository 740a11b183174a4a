/** Tables built by bucketCuckoo: full ones, their overflow, copies, and keys chosen for the buckets they belong to. */
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet, KeyIndex } from '../../src/collections/index.ts';
import { DuplicateKeyError } from '../../src/gpu/index.ts';
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { bucketCuckoo } from '../../src/schemes/bucketCuckoo/index.ts';
import { chooseShape } from '../../src/schemes/bucketCuckoo/shape.ts';
import type { Duplicates, ValueWords } from '../../src/schemes/contract/index.ts';
import { binsFor } from '../../src/schemes/kit/partition/partition.wgsl.ts';
import { inFull } from '../inFull.ts';
import { buildAndSearch, keyOfWords } from '../oracles/anyWidth.ts';
import { type Grid, keysOfPair, keysOfRegion } from '../oracles/bucketCuckooTwin.ts';
import { findsLikeMap } from '../oracles/likeMap.ts';
import { sharedGpu } from '../sharedGpu.ts';

type Keys = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;
type Key = number | bigint;
type Kind = 'u32' | 'u64';

const gpu = await sharedGpu('default');

const random = randomWords(1979);
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const drawn = new Set<number>();
/** Words that nobody got before. */
const distinctWords = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, () => {
    let word = random();
    while (drawn.has(word)) word = random();
    drawn.add(word);
    return word;
  });
const wide = (low: ArrayLike<number>): BigUint64Array<ArrayBuffer> =>
  BigUint64Array.from(low as number[], (word) => BigInt(word) * 0x9e37_79b9_7f4a_7c15n);
const distinctKeys = (kind: Kind, count: number): Keys =>
  kind === 'u32' ? distinctWords(count) : wide(distinctWords(count));
const typeOf = (keys: Keys) => (keys instanceof Uint32Array ? u32 : u64) as KeyType;
const concat = (...parts: readonly ArrayLike<Key>[]): Keys => {
  const all = parts.flatMap((part) => Array.from(part));
  return typeof all[0] === 'bigint' ? BigUint64Array.from(all as bigint[]) : Uint32Array.from(all as number[]);
};
/** In another order, the same for everybody. */
const shuffled = (keys: Keys): Keys => {
  const mixed = Array.from(keys as ArrayLike<Key>);
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [mixed[i], mixed[j]] = [mixed[j] as Key, mixed[i] as Key];
  }
  return concat(mixed);
};

const halves = (keys: Keys, at: number): readonly [Keys, Keys] => [keys.slice(0, at), keys.slice(at)];

const mapOf = (keys: Keys, loadFactor: number | 'densest', duplicates: Duplicates, seed: number) =>
  HashMap.from(
    gpu,
    { keys, values: numbered(keys.length) },
    { key: typeOf(keys), scheme: bucketCuckoo({ loadFactor }), duplicates, seed },
  );

/** Every key leads to the item that a `Map` would keep, none is missing or too many, and absent keys are absent. */
async function isLikeMap(map: HashMap<unknown>, keys: Keys, duplicates: Duplicates, absent: Keys): Promise<void> {
  const oracle = await findsLikeMap(map, keys, duplicates);
  const others = concat(Array.from(absent as ArrayLike<Key>).filter((key) => !oracle.has(key)));
  expect((await map.has(others)).indexOf(1)).toBe(-1);
  const entries = await map.entries();
  const entryKeys = entries.keys as Keys;
  expect(entryKeys.length).toBe(oracle.size);
  expect(new Set<Key>(entryKeys as Iterable<Key>).size).toBe(oracle.size);
  expect(entries.values.findIndex((at, i) => keys[at as number] !== entryKeys[i])).toBe(-1);
}

/** The grid and the first hash constants of a table that is not built yet: what is needed to choose keys for it. */
function ahead(kind: Kind, items: number, options: { loadFactor: number; valueWords?: ValueWords; seed: number }) {
  const { loadFactor, valueWords = 1, seed } = options;
  const key = (kind === 'u32' ? u32 : u64) as KeyType;
  const shape = chooseShape({ loadFactor }, { items, key, valueWords, duplicates: 'unique', growth: 0 });
  const constants: HashConstants = mix.draw(randomWords(seed));
  return { shape, grid: shape satisfies Grid, constants, slots: shape.layout.slots };
}

describe('the highest loads', () => {
  const everyday = [
    ['u32', 1000, 'unique'],
    ['u32', 1900, 'first'],
    ['u32', 30_000, 'any'],
    ['u64', 9000, 'last'],
  ] as const;
  const others = [
    ['u32', 7001, 'last'],
    ['u64', 3000, 'unique'],
  ] as const;
  it.each([...everyday, ...(inFull ? others : [])])('%s: %d items (%s)', async (kind, items, duplicates) => {
    for (const [seed, loadFactor] of ([0.95, 1, 'densest'] as const).entries()) {
      const keys = distinctKeys(kind, items);
      using map = await mapOf(keys, loadFactor, duplicates, seed);
      await isLikeMap(map, keys, duplicates, distinctKeys(kind, 1000));
      expect(map.report).toMatchObject({ attempts: 1, growths: 0, copies: 0 });
      expect(map.report.stashed).toBeLessThanOrEqual(48 + items / 100);
    }
  });

  // Buckets of two slots and, in large tables, of three and five.
  it.each([
    ['u64', 'u64', 30_000, 1.05],
    ...(inFull
      ? ([
          ['u64', 'u32', 800_000, 1.13],
          ['u32', 'u32', 1_300_000, 1.14],
        ] as const)
      : []),
  ] as const)('%s to %s: %d items are as dense as they can be', async (kind, value, items, least) => {
    const keys = distinctKeys(kind, items);
    const values = value === 'u64' ? BigUint64Array.from(keys as Iterable<never>) : numbered(items);
    const options = { key: typeOf(keys), scheme: bucketCuckoo({ loadFactor: 'densest' }), seed: 1 } as const;
    using map = await HashMap.from(gpu, { keys, values }, options);
    expect(map.report).toMatchObject({ attempts: 1, growths: 0, copies: 0 });
    expect(map.loadFactor).toBeGreaterThan(least);
    const { values: found, found: isFound } = await map.get(keys);
    expect(isFound.indexOf(0)).toBe(-1);
    expect((found as ArrayLike<unknown> as unknown[]).findIndex((word, i) => word !== values[i])).toBe(-1);
    expect((await map.has(distinctKeys(kind, 1000))).indexOf(1)).toBe(-1);
  });

  it('is rebuilt from fewer and from more items', async () => {
    const all = distinctKeys('u64', 40_000) as BigUint64Array<ArrayBuffer>;
    for (const loadFactor of [1.05, 'densest'] as const) {
      const options = { key: u64, scheme: bucketCuckoo({ loadFactor }), seed: 1 };
      const mostKeys = all.slice(0, 30_000);
      using map = await HashMap.from(gpu, { keys: mostKeys, values: mostKeys }, options);
      for (const items of [300, 40_000]) {
        const keys = all.slice(0, items);
        await map.rebuild({ keys, values: keys });
        const { values, found } = await map.get(all);
        expect(found.findIndex((isFound, i) => isFound !== Number(i < items))).toBe(-1);
        expect(values.slice(0, items)).toEqual(keys);
      }
      expect(map.loadFactor).toBeGreaterThan(1.03);
    }
  });

  it.each(['u32', 'u64'] as const)('sets of %s', async (kind) => {
    const keys = distinctKeys(kind, 5000);
    const scheme = bucketCuckoo({ loadFactor: 1 });
    using set = await HashSet.from(gpu, { keys }, { key: typeOf(keys), scheme, seed: 1 });
    expect((await set.has(keys)).indexOf(0)).toBe(-1);
    expect((await set.has(distinctKeys(kind, 1000))).indexOf(1)).toBe(-1);
    expect(new Set<Key>((await set.keys()) as Iterable<Key>)).toEqual(new Set<Key>(keys as Iterable<Key>));
    expect(set.report.attempts).toBe(1);
  });
});

describe('the overflow', () => {
  for (const kind of ['u32', 'u64'] as const) {
    it(`${kind}: takes exactly what two buckets cannot hold, and is searched`, async () => {
      for (const seed of [1, 2]) {
        const { grid, constants, slots } = ahead(kind, 300, { loadFactor: 0.8, seed });
        const [present, absent] = halves(keysOfPair(kind, grid, constants, [5, 40], 100), 50);
        const keys = shuffled(concat(present, distinctKeys(kind, 250)));
        using map = await mapOf(keys, 0.8, 'unique', seed);
        expect(map.report.attempts).toBe(1);
        // Others may be at home in these buckets too.
        expect(map.report.stashed).toBeGreaterThanOrEqual(50 - 2 * slots);
        expect(map.report.stashed).toBeLessThan(50);
        await isLikeMap(map, keys, 'unique', absent);
        expect((await map.stats()).present.within[100]).toBeGreaterThan(2);

        using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { value: map.value });
        await isLikeMap(opened, keys, 'unique', absent);
      }
    });
  }

  it('is searched in sets', async () => {
    for (const kind of ['u32', 'u64'] as const) {
      const { grid, constants, slots } = ahead(kind, 300, { loadFactor: 0.8, valueWords: 0, seed: 4 });
      const [present, absent] = halves(keysOfPair(kind, grid, constants, [0, 30], 100), 50);
      const keys = shuffled(concat(present, distinctKeys(kind, 250)));
      const options = { key: typeOf(keys), scheme: bucketCuckoo({ loadFactor: 0.8 }), seed: 4 };
      using set = await HashSet.from(gpu, { keys }, options);
      expect(set.report.stashed).toBeGreaterThanOrEqual(50 - 2 * slots);
      expect((await set.has(keys)).indexOf(0)).toBe(-1);
      expect((await set.has(absent)).indexOf(1)).toBe(-1);
      expect(new Set<Key>((await set.keys()) as Iterable<Key>)).toEqual(new Set<Key>(keys as Iterable<Key>));
    }
  });

  it('has ids in indexes', async () => {
    // The table is planned for the keys, of which there are 250.
    const { grid, constants } = ahead('u32', 250, { loadFactor: 0.8, seed: 4 });
    const crowd = keysOfPair('u32', grid, constants, [0, 30], 50);
    const keys = shuffled(concat(crowd, crowd, distinctWords(200)));
    using index = await KeyIndex.from(
      gpu,
      { keys },
      { key: typeOf(keys), scheme: bucketCuckoo({ loadFactor: 0.8 }), seed: 4 },
    );
    expect(index.report.stashed).toBeGreaterThan(30);
    const ids = await index.ids(keys);
    const distinct = new Set<Key>(keys as Iterable<Key>).size;
    expect([index.size, new Set(ids).size, Math.max(...ids)]).toEqual([distinct, distinct, distinct - 1]);
    expect(await index.keysOf(ids)).toEqual(keys);
  });

  it('that is too small is a failed attempt, and the next seed works', async () => {
    const { grid, constants } = ahead('u32', 300, { loadFactor: 0.8, seed: 5 });
    const keys = keysOfPair('u32', grid, constants, [1, 2], 300);
    using map = await mapOf(keys, 0.8, 'last', 5);
    expect(map.report).toMatchObject({ attempts: 2, growths: 0 });
    await isLikeMap(map, keys, 'last', distinctWords(100));
  });

  it.each(['unique', 'last'] as const)('takes what an overfull region cannot hold (%s)', async (duplicates) => {
    for (const kind of ['u32', 'u64'] as const) {
      const { shape, grid, constants, slots } = ahead(kind, 7000, { loadFactor: 0.86, seed: 6 });
      const room = grid.bucketsPerRegion * slots;
      expect(shape.regions).toBeGreaterThan(1);
      const crowd = keysOfRegion(kind, grid, constants, grid.regions - 1, room + 20);
      const each = Math.ceil((7000 - crowd.length) / (grid.regions - 1));
      const calm = Array.from({ length: grid.regions - 1 }, (_, r) => keysOfRegion(kind, grid, constants, r, each));
      const keys = shuffled(concat(crowd, ...calm).slice(0, 7000));
      using map = await mapOf(keys, 0.86, duplicates, 6);
      expect(map.report.attempts).toBe(1);
      expect(map.report.stashed).toBeGreaterThanOrEqual(20);
      await isLikeMap(map, keys, duplicates, distinctKeys(kind, 500));
    }
  });
});

describe('more regions than one pass can tell apart, five pairs a bucket', () => {
  // As many buckets as large tables have, and few items: what is crowded is chosen by hand.
  const items = 12_000;
  const loadFactor = items / (4 * 1025 * 512);
  const seed = 7;
  it('two partition passes bring every item to its region', async () => {
    const { shape, grid, constants, slots } = ahead('u32', items, { loadFactor, seed });
    expect(binsFor(shape.regions).coarseBins).toBeGreaterThan(1);
    expect(slots).toBe(5);
    const room = grid.bucketsPerRegion * slots;
    const full = keysOfRegion('u32', grid, constants, 300, Math.floor(room * 0.96));
    const last = keysOfRegion('u32', grid, constants, grid.regions - 1, Math.floor(room * 0.9));
    const pair = keysOfPair('u32', grid, constants, [100, 400], 14);
    const crowd = concat(full, last, pair);
    const rest = distinctWords(items - crowd.length - 500);
    const copies = rest.slice(0, 500);
    const keys = shuffled(concat(crowd, rest, copies));
    using map = await mapOf(keys, loadFactor, 'first', seed);
    expect(map.report.attempts).toBe(1);
    expect(map.report.stashed).toBeGreaterThanOrEqual(14 - 2 * slots);
    const absent = keysOfRegion('u32', grid, constants, 300, 3000);
    await isLikeMap(map, keys, 'first', concat(absent, distinctWords(1000)));
  });
});

describe('copies of a key', () => {
  const outcomeOf = (keys: Keys, loadFactor: number, duplicates: Duplicates, seed: number) =>
    mapOf(keys, loadFactor, duplicates, seed).then(
      (map) => map.destroy(),
      (reason: unknown) => reason,
    );
  /** The build fails and names an item whose key occurs elsewhere too. */
  async function isFoundOut(keys: Keys, loadFactor: number, seed: number): Promise<void> {
    for (const duplicates of ['error', 'unique'] as const) {
      const error = await outcomeOf(keys, loadFactor, duplicates, seed);
      expect(error).toBeInstanceOf(DuplicateKeyError);
      const copied = keys[(error as DuplicateKeyError).index];
      expect(Array.from(keys as ArrayLike<Key>).filter((key) => key === copied).length).toBeGreaterThan(1);
    }
  }

  it.each([
    ['u32', 'first'],
    ['u32', 'last'],
    ['u32', 'any'],
    ['u64', 'last'],
  ] as const)('%s: one key 20,000 times, among others and alone (%s)', async (kind, duplicates) => {
    const some = distinctKeys(kind, 3000);
    const many = Array<Key>(20_000).fill(some[7] as Key);
    for (const keys of [shuffled(concat(some, many)), concat(many)]) {
      using map = await mapOf(keys, 0.8, duplicates, 8);
      expect(map.report).toMatchObject({ attempts: 1, stashed: 0, restarts: 1 });
      await isLikeMap(map, keys, duplicates, distinctKeys(kind, 100));
    }
  });

  it('one key 20,000 times is found out', async () => {
    const some = distinctWords(3000);
    const many = Array<Key>(20_000).fill(some[7] as Key);
    await isFoundOut(shuffled(concat(some, many)), 0.8, 9);
    await isFoundOut(concat(many), 0.8, 9);
  });

  it.each(['u32', 'u64'] as const)('%s: resolves those that meet only in the overflow', async (kind) => {
    let onlyThere = 0;
    for (const duplicates of kind === 'u32' ? (['first', 'last', 'any'] as const) : (['last'] as const)) {
      for (let seed = 20; seed < 28; seed++) {
        const { grid, constants } = ahead(kind, 241, { loadFactor: 0.8, seed });
        const crowd = keysOfPair(kind, grid, constants, [63, 0], 40 + (kind === 'u64' ? 15 : 0));
        const keys = shuffled(concat(crowd, crowd.slice(0, 1), distinctKeys(kind, 240 - crowd.length)));
        using map = await mapOf(keys, 0.8, duplicates, seed);
        await isLikeMap(map, keys, duplicates, distinctKeys(kind, 100));
        expect(map.report).toMatchObject({ attempts: 1, copies: 1 });
        if (map.report.restarts === 0) onlyThere++;
      }
    }
    expect(onlyThere).toBeGreaterThan(0);
  });

  it('finds out those that meet only in the overflow', async () => {
    for (let seed = 30; seed < 38; seed++) {
      const { grid, constants } = ahead('u32', 241, { loadFactor: 0.8, seed });
      const crowd = keysOfPair('u32', grid, constants, [63, 0], 40);
      await isFoundOut(shuffled(concat(crowd, crowd.slice(0, 1), distinctWords(200))), 0.8, seed);
    }
  });

  it('in an overfull region are resolved and found out', async () => {
    const items = 7000;
    const loadFactor = 0.86;
    for (const [seed, duplicates] of (['first', 'last', 'any'] as const).entries()) {
      const { grid, constants, slots } = ahead('u32', items, { loadFactor, seed });
      const room = grid.bucketsPerRegion * slots;
      // More different keys than slots, and copies of some of them.
      const crowd = keysOfRegion('u32', grid, constants, 1, room + 5);
      const others = keysOfRegion('u32', grid, constants, 2, 1500);
      const rest = keysOfRegion('u32', grid, constants, 0, items - 2 * 1500 - 700 - crowd.length);
      const twice = shuffled(concat(crowd, crowd.slice(0, 700), others, others, rest));
      expect(twice.length).toBe(items);
      using map = await mapOf(twice, loadFactor, duplicates, seed);
      expect(map.report.stashed).toBeGreaterThanOrEqual(5);
      expect(map.report.restarts).toBeGreaterThanOrEqual(2);
      await isLikeMap(map, twice, duplicates, keysOfRegion('u32', grid, constants, 1, 4000));

      const once = shuffled(concat(crowd, crowd.slice(3, 4), rest));
      const padded = concat(once, distinctWords(items - once.length));
      await isFoundOut(padded, loadFactor, seed);
    }
  });
});

describe('keys and values of any width', () => {
  it.each([
    [1, 2, 'last'],
    [3, 1, 'first'],
  ] as const)('keys of %d words, values of %d (%s)', async (keyWords, valueWords, duplicates) => {
    const half = Uint32Array.from({ length: 400 * keyWords }, (_, i) => (i < keyWords ? 0xffff_ffff : random()));
    const keys = Uint32Array.from([...half, ...half]);
    const values = Uint32Array.from({ length: 800 * valueWords }, (_, i) => Math.floor(i / valueWords));
    const key = (keyWords === 1 ? u32 : keyOfWords(keyWords)) as KeyType;
    const answers = await buildAndSearch(gpu, bucketCuckoo(), { key, keys, valueWords, values, duplicates });
    expect(answers.size).toBe(400);
    expect(answers.found.indexOf(0)).toBe(-1);
    const kept = (i: number) => (Math.floor(i / valueWords) % 400) + (duplicates === 'last' ? 400 : 0);
    expect(answers.values.findIndex((item, i) => item !== kept(i))).toBe(-1);
  });
});

describe('the format of a set that grows', () => {
  const many = Uint32Array.from({ length: 60_000 }, (_, i) => i * 3);

  it.each([
    [true, 'bucketCuckoo/1/8x27'],
    [false, 'bucketCuckoo/1/8x27/256'],
  ])('with a shader face: %s, is %s', async (withFace, format) => {
    using set = await HashSet.from(gpu, { keys: Uint32Array.of(1, 2) }, { scheme: bucketCuckoo() });
    const options = { name: 'few', group: 0 };
    const code = withFace ? set.wgsl(options).code : undefined;
    await set.rebuild({ keys: many });
    expect(set.table.plan.format).toBe(format);
    if (withFace) expect(set.wgsl(options).code).toBe(code);
    const asked = [...many].flatMap((key, i) => (i % 50 === 0 ? [key, key + 1] : []));
    expect([...(await set.has(Uint32Array.from(asked)))]).toEqual(asked.map((key) => Number(key % 3 === 0)));
  });
});
