import { describe, expect, it } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import { BuildError } from '../../src/gpu/index.ts';
import {
  type HashConstants,
  type HashFamily,
  mix,
  polynomial32,
  polynomial64,
  randomWords,
  xorPrime,
} from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { chainLimitFor } from '../../src/schemes/cuckoo/plan.ts';
import { cuckoo } from '../../src/schemes/index.ts';
import { isLikeMap, mapOf, wide, wordsOf } from '../oracles/cuckooMaps.ts';
import { readCuckoo } from '../oracles/cuckooTwin.ts';
import { distinctWords, numbered } from '../oracles/words.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const random = randomWords(2011);

describe('where keys are', () => {
  const cases: readonly (readonly [HashFamily, KeyType, readonly (2 | 3 | 4 | 5)[]])[] = [
    [mix, u32 as KeyType, [2, 3, 5]],
    [mix, u64 as KeyType, [4, 5]],
    [polynomial32, u32 as KeyType, [4]],
    [polynomial64, u32 as KeyType, [3]],
    [xorPrime, u32 as KeyType, [5]],
  ];
  for (const [hash, key, counts] of cases) {
    it(`${hash.name}, ${key.name}: in a slot of a function of theirs, behind no empty one; probes are counted`, async () => {
      for (const functions of counts) {
        const low = distinctWords(random, 1500);
        const keys = key.words === 1 ? low : wide(low);
        using map = await mapOf(gpu, keys, { functions, hash }, 'unique');
        const table = await readCuckoo(map);
        const searches = [...numbered(keys.length)].map((i) => table.find(wordsOf(keys, i)));
        expect(searches.every(({ slot, emptyBefore }) => slot >= 0 && !emptyBefore)).toBe(true);
        expect(Math.max(...searches.map(({ probes }) => probes))).toBeLessThanOrEqual(functions + 1);
        const { present } = await map.stats();
        expect(present.searches).toBe(keys.length);
        const sum = searches.reduce((total, { probes }) => total + probes, 0);
        expect(present.average).toBeCloseTo(sum / keys.length, 9);
      }
    });
  }

  it('derived constants of the papers’ families are in range, and functions differ', () => {
    for (const [family, prime] of [
      [polynomial32, 334_214_459],
      [xorPrime, 4_294_967_291],
    ] as const) {
      const drawn = family.draw(random);
      expect(family.deriveTwin(drawn, 0)).toEqual(drawn);
      const members = [0, 1, 2, 3, 4, 5].map((i) => family.deriveTwin(drawn, i));
      for (const [a, b] of members) {
        expect(a >= 1 && a < prime && b >= 0 && b < prime).toBe(true);
      }
      expect(new Set(members.map(String)).size).toBe(6);
    }
  });

  it('keys that share 32 bits of their hash are told apart by the other functions', async () => {
    const seed = 99;
    const constants = mix.draw(randomWords(seed));
    // Lane a absorbs both words by turns, so the second word can be chosen such that the lane ends in the same state.
    const keys = new BigUint64Array(2000);
    for (let i = 0; i < keys.length; i++) {
      const [state] = mix.hashTwin([i], constants);
      keys[i] = BigInt(i) | (BigInt((state ^ 0x1234_5678) >>> 0) << 32n);
    }
    const hashes = numbered(keys.length);
    const firstWords = new Set([...hashes].map((i) => mix.hashTwin(wordsOf(keys, i), constants)[0]));
    expect(firstWords.size).toBe(1);
    using map = await mapOf(gpu, keys, {}, 'unique', seed);
    expect(map.report).toMatchObject({ attempts: 1, stashed: 0 });
    await isLikeMap(map, keys, 'first', wide(distinctWords(random, 100)));
  });
});

describe('the smallest sizes of the chapter', () => {
  it.each([
    [2, 2.1],
    [3, 1.1],
    [4, 1.03],
    [5, 1.02],
  ] as const)('%d functions build at %d N slots', async (functions, slotsPerItem) => {
    for (const items of [1000, 10_000]) {
      const keys = distinctWords(random, items);
      const capacitySlots = Math.ceil(items * slotsPerItem);
      using map = await mapOf(gpu, keys, { functions, capacitySlots }, 'unique');
      expect(map.capacitySlots).toBe(capacitySlots);
      await isLikeMap(map, keys, 'first', distinctWords(random, 500));
    }
  });

  it('chains stay below the limit', async () => {
    const keys = distinctWords(random, 20_000);
    using map = await mapOf(gpu, keys, {}, 'unique');
    expect(map.report.longestProbe).toBeLessThan(chainLimitFor(4, 20_000, 25_000));
    expect(map.report.stashed).toBe(0);
  });
});

describe('the stash', () => {
  it.each(['u32', 'u64'])('keeps what was driven out at the limit, and searches find it there (%s)', async (kind) => {
    const low = distinctWords(random, 60);
    const keys = kind === 'u32' ? low : wide(low);
    // One exchange and no more: whoever is driven out goes to the stash, which is large enough for all.
    const options = { chainLimit: 1, capacitySlots: 400, stashSlots: 5000 };
    using map = await mapOf(gpu, keys, options, 'first', 5);
    expect(map.report.stashed).toBeGreaterThan(0);
    expect(map.report.longestProbe).toBe(1);
    await isLikeMap(map, keys, 'first', kind === 'u32' ? distinctWords(random, 200) : wide(distinctWords(random, 200)));
    const { absent } = await map.stats();
    expect(absent.within[100]).toBeLessThanOrEqual(5);
    const table = await readCuckoo(map);
    const inStash = [...numbered(60)].filter((i) => table.find(wordsOf(keys, i)).slot > 400);
    expect(inStash.length).toBe(map.report.stashed);

    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: cuckoo() });
    expect((await opened.get(keys)).found.indexOf(0)).toBe(-1);
  });

  it('is not looked at while it is empty', async () => {
    using map = await mapOf(gpu, distinctWords(random, 2000), {}, 'unique', 1);
    expect(map.report.stashed).toBe(0);
    expect((await map.stats()).absent.within[100]).toBe(4);
  });

  it('two items in its only slot are a failed attempt; a table that may grow does so', async () => {
    const keys = distinctWords(random, 2000);
    const tooFew = mapOf(gpu, keys, { chainLimit: 1, stashSlots: 1, capacitySlots: 4000 });
    await expect(tooFew).rejects.toThrow(BuildError);
    const error = await tooFew.catch((reason: BuildError) => reason);
    expect(error).toMatchObject({ attempts: 8 });
    expect((error as BuildError).itemsLeft).toBeGreaterThan(100);

    // About one in 20 items meets another at the first slot of 400, so that some attempts fail.
    const few = distinctWords(random, 40);
    let [attempts, growths] = [0, 0];
    for (let seed = 0; seed < 6; seed++) {
      using grown = await mapOf(gpu, few, { chainLimit: 1, stashSlots: 1, loadFactor: 0.1 }, 'last', seed);
      attempts += grown.report.attempts;
      growths += grown.report.growths;
      expect((await grown.get(few)).values).toEqual(numbered(40));
    }
    expect(attempts).toBeGreaterThan(6);
    expect(growths).toBeGreaterThan(0);
  });

  it('may be left out', async () => {
    const keys = distinctWords(random, 1000);
    using map = await mapOf(gpu, keys, { stashSlots: 0 });
    expect(map.table.plan.buffers[0]?.bytes).toBe(1251 * 8);
    await isLikeMap(map, keys, 'last', distinctWords(random, 100));
    await expect(mapOf(gpu, keys, { stashSlots: 0, chainLimit: 1, capacitySlots: 1250 })).rejects.toThrow(BuildError);
  });

  it('leaves nobody behind in tables too small for the keys: the error tells how many', async () => {
    const keys = distinctWords(random, 400);
    const error = await mapOf(gpu, keys, { capacitySlots: 256 }).catch((reason: BuildError) => reason);
    expect(error).toBeInstanceOf(BuildError);
    // 101 slots of the stash take some of the 144 that do not fit.
    expect((error as BuildError).itemsLeft).toBeGreaterThanOrEqual(43);
  });
});

describe('hash functions', () => {
  it('the same seed gives the same constants, another seed others', async () => {
    const keys = distinctWords(random, 50);
    const hashes: HashConstants[] = [];
    for (const seed of [1, 1, 2]) {
      using map = await mapOf(gpu, keys, {}, 'last', seed);
      hashes.push(map.table.state.header.hash as unknown as HashConstants);
    }
    expect(hashes[0]).toEqual(hashes[1]);
    expect(hashes[0]).not.toEqual(hashes[2]);
  });

  it('refuses a family that cannot take the key', async () => {
    await expect(mapOf(gpu, wide([1, 2, 3]), { hash: polynomial32 })).rejects.toThrow(/takes keys of 1 word/);
  });
});
