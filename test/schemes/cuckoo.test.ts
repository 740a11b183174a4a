import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { BuildError, DuplicateKeyError, Gpu, InvalidInputError } from '../../src/gpu/index.ts';
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
import {
  type CuckooOptions,
  cuckoo,
  type Duplicates,
  type TablePlan,
  type ValueWords,
} from '../../src/schemes/index.ts';
import { reviveScheme } from '../../src/schemes/registry.ts';
import { buildAndSearch, keyOfWords } from '../oracles/anyWidth.ts';
import { readCuckoo } from '../oracles/cuckooTwin.ts';
import { findsLikeMap } from '../oracles/likeMap.ts';

type Keys = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;
type Key = number | bigint;

let gpu: Gpu;
beforeAll(async () => {
  gpu = await Gpu.open({ limits: 'default' });
});
afterAll(() => gpu.destroy());

const random = randomWords(2011);
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const distinctWords = (count: number): Uint32Array<ArrayBuffer> => {
  const keys = new Set<number>();
  while (keys.size < count) keys.add(random());
  return Uint32Array.from(keys);
};
const wide = (low: ArrayLike<number>): BigUint64Array<ArrayBuffer> =>
  BigUint64Array.from(low as number[], (word) => BigInt(word) * 0x9e37_79b9_7f4a_7c15n);
const wordsOf = (keys: Keys, i: number): number[] => {
  const words = keys.BYTES_PER_ELEMENT / 4;
  return [...new Uint32Array(keys.buffer, i * keys.BYTES_PER_ELEMENT, words)];
};

const mapOf = (keys: Keys, options: CuckooOptions, duplicates: Duplicates = 'last', seed?: number) =>
  HashMap.from<unknown, Uint32Array>(
    gpu,
    { keys, values: numbered(keys.length) },
    {
      key: (keys instanceof Uint32Array ? u32 : u64) as KeyType,
      scheme: cuckoo(options),
      duplicates,
      ...(seed !== undefined && { seed }),
    },
  );

/** Every key leads to the item that a `Map` would keep, none is missing or too many, and absent keys are absent. */
async function isLikeMap(map: HashMap<unknown>, keys: Keys, duplicates: Duplicates, absent: Keys): Promise<void> {
  const oracle = await findsLikeMap(map, keys, duplicates);
  expect((await map.has(absent)).indexOf(1)).toBe(-1);
  const entries = await map.entries();
  expect(new Set(entries.keys as Iterable<Key>)).toEqual(new Set(oracle.keys()));
  expect(entries.values.length).toBe(oracle.size);
}

const planOf = (options: CuckooOptions, items: number, duplicates: Duplicates = 'unique', growth = 0): TablePlan =>
  cuckoo(options).plan({ items, key: u32, valueWords: 1, duplicates, growth });

describe('planning', () => {
  it('has the sizes of the chapter as defaults', () => {
    expect(planOf({}, 1000).capacitySlots).toBe(1250);
    expect(planOf({ functions: 2 }, 1000).capacitySlots).toBe(2097);
    // The table, the slot of the key of all ones, and the stash, eight bytes each.
    expect(planOf({}, 1000).table).toEqual([{ name: 'slots', bytes: (1250 + 1 + 101) * 8 }]);
    expect(planOf({ stashSlots: 0, capacitySlots: 2000 }, 1000).table[0]?.bytes).toBe(2001 * 8);
  });

  it('limits chains to 7 lg N at four functions and 1.25 N, and to more in tighter tables', () => {
    for (const items of [100, 10_000, 100_000_000]) {
      expect(planOf({}, items).own[0]).toBe(Math.ceil(7 * Math.log2(items)));
      expect(planOf({ loadFactor: 0.1 }, items).own[0]).toBe(planOf({}, items).own[0]);
    }
    const limits = [0.8, 0.9, 0.95, 0.97].map((load) => chainLimitFor(4, 10_000, 10_000 / load));
    expect(limits).toEqual([...limits].sort((a, b) => a - b));
    expect(limits.at(-1)).toBeGreaterThan(3000);
    expect(planOf({ chainLimit: 17 }, 1000).own[0]).toBe(17);
    // More items than slots: as long as in the fullest table that works.
    expect(chainLimitFor(4, 10_000, 100)).toBe(chainLimitFor(4, 10_000, 10_000 / 0.971));
  });

  it.each([
    [2, 0.5, /2 functions reach a load of 0.477; use 3 functions/],
    [3, 0.93, /use 4 functions, which reach 0.971/],
    [4, 0.975, /use 5 functions/],
    [5, 0.99, /no number of functions reaches more than 0.981/],
  ] as const)('%d functions refuse a load of %d and say what would do', (functions, loadFactor, message) => {
    expect(() => planOf({ functions, loadFactor }, 1000)).toThrow(InvalidInputError);
    expect(() => planOf({ functions, loadFactor }, 1000)).toThrow(message);
    const capacitySlots = Math.floor(1000 / loadFactor);
    expect(() => planOf({ functions, capacitySlots }, 1000)).toThrow(message);
    // With copies among them, the items may well fit.
    expect(planOf({ functions, capacitySlots }, 1000, 'first').canGrow).toBe(false);
  });

  it('refuses options that make no sense', () => {
    const wrong: readonly CuckooOptions[] = [
      { functions: 1 as 2 },
      { functions: 6 as 5 },
      { functions: 2.5 as 2 },
      { stashSlots: -1 },
      { stashSlots: 0.5 },
      { stashSlots: 70_000 },
      { chainLimit: 0 },
      { chainLimit: 1.5 },
      { loadFactor: 0 },
      { loadFactor: Number.NaN },
      { capacitySlots: 0 },
      { capacitySlots: 10, loadFactor: 0.5 },
      { capacitySlots: 2 ** 31 + 1 },
    ];
    for (const options of wrong) expect(() => planOf(options, 5), JSON.stringify(options)).toThrow(InvalidInputError);
  });

  it('grows by a tenth', () => {
    expect(planOf({}, 1000, 'last', 1).capacitySlots).toBe(1375);
    expect(planOf({}, 1000, 'last', 7).canGrow).toBe(true);
    expect(planOf({}, 1000, 'last', 8).canGrow).toBe(false);
  });

  it('is the same scheme again when made from its options', () => {
    for (const options of [{}, { functions: 5, stashSlots: 7, chainLimit: 9, hash: xorPrime }, { capacitySlots: 99 }]) {
      const scheme = cuckoo(options as CuckooOptions);
      const again = reviveScheme('cuckoo', JSON.parse(JSON.stringify(scheme.options)));
      expect(again.options).toEqual(scheme.options);
      expect(again.family).toBe(scheme.family);
    }
  });
});

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
        const low = distinctWords(1500);
        const keys = key.words === 1 ? low : wide(low);
        using map = await mapOf(keys, { functions, hash }, 'unique');
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
    using map = await mapOf(keys, {}, 'unique', seed);
    expect(map.report).toMatchObject({ attempts: 1, stashed: 0 });
    await isLikeMap(map, keys, 'first', wide(distinctWords(100)));
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
      const keys = distinctWords(items);
      const capacitySlots = Math.ceil(items * slotsPerItem);
      using map = await mapOf(keys, { functions, capacitySlots }, 'unique');
      expect(map.capacitySlots).toBe(capacitySlots);
      await isLikeMap(map, keys, 'first', distinctWords(500));
    }
  });

  it('chains stay below the limit', async () => {
    const keys = distinctWords(20_000);
    using map = await mapOf(keys, {}, 'unique');
    expect(map.report.longestProbe).toBeLessThan(planOf({}, 20_000).own[0] as number);
    expect(map.report.stashed).toBe(0);
  });
});

describe('the stash', () => {
  it.each(['u32', 'u64'])('keeps what was driven out at the limit, and searches find it there (%s)', async (kind) => {
    const low = distinctWords(60);
    const keys = kind === 'u32' ? low : wide(low);
    // One exchange and no more: whoever is driven out goes to the stash, which is large enough for all.
    const options = { chainLimit: 1, capacitySlots: 400, stashSlots: 5000 };
    using map = await mapOf(keys, options, 'first', 5);
    expect(map.report.stashed).toBeGreaterThan(0);
    expect(map.report.longestProbe).toBe(1);
    await isLikeMap(map, keys, 'first', kind === 'u32' ? distinctWords(200) : wide(distinctWords(200)));
    const { absent } = await map.stats();
    expect(absent.within[100]).toBeLessThanOrEqual(5);
    const table = await readCuckoo(map);
    const inStash = [...numbered(60)].filter((i) => table.find(wordsOf(keys, i)).slot > 400);
    expect(inStash.length).toBe(map.report.stashed);

    using opened = await HashMap.fromBytes<unknown>(gpu, await map.toBytes());
    expect((await opened.get(keys)).found.indexOf(0)).toBe(-1);
  });

  it('is not looked at while it is empty', async () => {
    using map = await mapOf(distinctWords(2000), {}, 'unique', 1);
    expect(map.report.stashed).toBe(0);
    expect((await map.stats()).absent.within[100]).toBe(4);
  });

  it('two items in its only slot are a failed attempt; a table that may grow does so', async () => {
    const keys = distinctWords(2000);
    const tooFew = mapOf(keys, { chainLimit: 1, stashSlots: 1, capacitySlots: 4000 });
    await expect(tooFew).rejects.toThrow(BuildError);
    const error = await tooFew.catch((reason: BuildError) => reason);
    expect(error).toMatchObject({ attempts: 8 });
    expect((error as BuildError).itemsLeft).toBeGreaterThan(100);

    // About one in 20 items meets another at the first slot of 400, so that some attempts fail.
    const few = distinctWords(40);
    let [attempts, growths] = [0, 0];
    for (let seed = 0; seed < 6; seed++) {
      using grown = await mapOf(few, { chainLimit: 1, stashSlots: 1, loadFactor: 0.1 }, 'last', seed);
      attempts += grown.report.attempts;
      growths += grown.report.growths;
      expect((await grown.get(few)).values).toEqual(numbered(40));
    }
    expect(attempts).toBeGreaterThan(6);
    expect(growths).toBeGreaterThan(0);
  });

  it('may be left out', async () => {
    const keys = distinctWords(1000);
    using map = await mapOf(keys, { stashSlots: 0 });
    expect(map.table.plan.table[0]?.bytes).toBe(1251 * 8);
    await isLikeMap(map, keys, 'last', distinctWords(100));
    await expect(mapOf(keys, { stashSlots: 0, chainLimit: 1, capacitySlots: 1250 })).rejects.toThrow(BuildError);
  });

  it('leaves nobody behind in tables too small for the keys: the error tells how many', async () => {
    const keys = distinctWords(400);
    const error = await mapOf(keys, { capacitySlots: 256 }).catch((reason: BuildError) => reason);
    expect(error).toBeInstanceOf(BuildError);
    // 101 slots of the stash take some of the 144 that do not fit.
    expect((error as BuildError).itemsLeft).toBeGreaterThanOrEqual(43);
  });
});

describe('copies of a key', () => {
  it('resolves them like a Map, whatever moved meanwhile', async () => {
    const run = fc.record({
      distinct: fc.integer({ min: 1, max: 300 }),
      times: fc.integer({ min: 1, max: 6 }),
      functions: fc.constantFrom(2 as const, 3 as const, 4 as const, 5 as const),
      duplicates: fc.constantFrom('first' as const, 'last' as const, 'any' as const),
      isWide: fc.boolean(),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ distinct, times, functions, duplicates, isWide, seed }) => {
        const draw = randomWords(seed);
        const low = Uint32Array.from({ length: distinct * times }, () => Math.imul(draw() % distinct, 0x85eb_ca6b));
        low[0] = 0xffff_ffff;
        const keys = isWide ? wide(low) : low;
        if (isWide) keys[low.length >> 1] = 0xffff_ffff_ffff_ffffn;
        using map = await mapOf(keys, { functions }, duplicates, seed);
        const absent = distinctWords(50);
        await isLikeMap(map, keys, duplicates, isWide ? wide(absent) : absent);
      }),
      { numRuns: 8, seed: 6 },
    );
  });

  it('finds every lie of an input that is said to be unique', async () => {
    for (const isWide of [false, true]) {
      for (let trial = 0; trial < 12; trial++) {
        const low = distinctWords(300);
        low[trial * 7] = low[299 - trial] as number;
        const keys = isWide ? wide(low) : low;
        const type = (isWide ? u64 : u32) as KeyType;
        const options = { key: type, scheme: cuckoo({ loadFactor: 0.95 }), duplicates: 'unique' as const };
        for (const build of [
          HashMap.from<unknown>(gpu, { keys, values: numbered(300) }, options),
          HashSet.from<unknown>(gpu, { keys }, options),
        ]) {
          const error = await build.then(() => undefined).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(DuplicateKeyError);
          expect([trial * 7, 299 - trial]).toContain((error as DuplicateKeyError).index);
        }
      }
    }
  });

  it.each(['last', 'any'] as const)('two keys 20,000 times each (%s)', async (duplicates) => {
    for (const keys of [
      Uint32Array.from({ length: 40_000 }, (_, i) => i % 2),
      BigUint64Array.from({ length: 40_000 }, (_, i) => BigInt(i % 2) << 40n),
    ]) {
      using map = await mapOf(keys, {}, duplicates);
      expect(map.report).toMatchObject({ copies: 39_998, attempts: 1 });
      await isLikeMap(map, keys, duplicates, keys instanceof Uint32Array ? distinctWords(9) : wide(distinctWords(9)));
    }
  });

  it('many more items than slots, nearly all of them copies', async () => {
    const some = distinctWords(900);
    const low = Uint32Array.from({ length: 30_000 }, () => some[random() % 900] as number);
    low.set(some);
    for (const keys of [low, wide(low)]) {
      using map = await mapOf(keys, { capacitySlots: 1000 }, 'first');
      expect(map.report.copies).toBe(29_100);
      await isLikeMap(map, keys, 'first', keys instanceof Uint32Array ? distinctWords(99) : wide(distinctWords(99)));
    }
  });

  it('searches still stop at empty slots', async () => {
    const low = distinctWords(2000);
    const keys = Uint32Array.from([...low, ...low]);
    using map = await mapOf(keys, {}, 'last');
    // Half of the 1.25 · 4,000 slots at most are taken, so an absent key seldom costs all four.
    expect((await map.stats()).absent.average).toBeLessThan(2.3);
  });
});

describe('keys and values of any width', () => {
  const widths: readonly (readonly [number, ValueWords, Duplicates])[] = [
    [1, 2, 'any'],
    [1, 4, 'last'],
    [2, 2, 'any'],
    [2, 3, 'first'],
    [3, 0, 'last'],
    [3, 1, 'last'],
    [5, 3, 'last'],
  ];
  it.each(widths)('keys of %d words, values of %d (%s)', async (keyWords, valueWords, duplicates) => {
    // Every key twice, among them the one of all ones.
    const half = Uint32Array.from({ length: 400 * keyWords }, (_, i) => (i < keyWords ? 0xffff_ffff : random()));
    const keys = Uint32Array.from([...half, ...half]);
    // The words of a value all tell which item it came from.
    const values = Uint32Array.from({ length: 800 * valueWords }, (_, i) => Math.floor(i / valueWords));
    const key = keyOfWords(keyWords) as KeyType;
    const answers = await buildAndSearch(gpu, cuckoo(), { key, keys, valueWords, values, duplicates });
    expect(answers.size).toBe(400);
    expect(answers.found.indexOf(0)).toBe(-1);
    answers.values.forEach((item, i) => {
      const asked = Math.floor(i / valueWords);
      if (duplicates === 'first') expect(item).toBe(asked % 400);
      else if (duplicates === 'last') expect(item).toBe((asked % 400) + 400);
      else expect([item % 400, item]).toEqual([asked % 400, answers.values[asked * valueWords]]);
    });
  });
});

describe('hash functions', () => {
  it('the same seed gives the same constants, another seed others', async () => {
    const keys = distinctWords(50);
    const hashes: HashConstants[] = [];
    for (const seed of [1, 1, 2]) {
      using map = await mapOf(keys, {}, 'last', seed);
      hashes.push(map.table.state.header.hash as unknown as HashConstants);
    }
    expect(hashes[0]).toEqual(hashes[1]);
    expect(hashes[0]).not.toEqual(hashes[2]);
  });

  it('refuses a family that cannot take the key', async () => {
    await expect(mapOf(wide([1, 2, 3]), { hash: polynomial32 })).rejects.toThrow(/takes keys of 1 word/);
  });
});
