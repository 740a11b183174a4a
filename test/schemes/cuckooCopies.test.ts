import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { DuplicateKeyError } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import type { KeyType } from '../../src/keys/index.ts';
import { cuckoo, type Duplicates, type ValueWords } from '../../src/schemes/index.ts';
import { buildAndSearch, keyOfWords } from '../oracles/anyWidth.ts';
import { isLikeMap, keyTypeOf, mapOf, wide } from '../oracles/cuckooMaps.ts';
import { distinctWords, numbered } from '../oracles/words.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const random = randomWords(2011);

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
        using map = await mapOf(gpu, keys, { functions }, duplicates, seed);
        const absent = distinctWords(random, 50);
        await isLikeMap(map, keys, duplicates, isWide ? wide(absent) : absent);
      }),
      { numRuns: 8, seed: 6 },
    );
  });

  it('finds every lie of an input that is said to be unique', async () => {
    for (const isWide of [false, true]) {
      for (let trial = 0; trial < 12; trial++) {
        const low = distinctWords(random, 300);
        low[trial * 7] = low[299 - trial] as number;
        const keys = isWide ? wide(low) : low;
        const options = { key: keyTypeOf(keys), scheme: cuckoo({ loadFactor: 0.95 }), duplicates: 'unique' as const };
        for (const build of [
          HashMap.from(gpu, { keys, values: numbered(300) }, options),
          HashSet.from(gpu, { keys }, options),
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
      using map = await mapOf(gpu, keys, {}, duplicates);
      expect(map.report).toMatchObject({ copies: 39_998, attempts: 1 });
      await isLikeMap(
        map,
        keys,
        duplicates,
        keys instanceof Uint32Array ? distinctWords(random, 9) : wide(distinctWords(random, 9)),
      );
    }
  });

  it('many more items than slots, nearly all of them copies', async () => {
    const some = distinctWords(random, 900);
    const low = Uint32Array.from({ length: 30_000 }, () => some[random() % 900] as number);
    low.set(some);
    for (const keys of [low, wide(low)]) {
      using map = await mapOf(gpu, keys, { capacitySlots: 1000 }, 'first');
      expect(map.report.copies).toBe(29_100);
      await isLikeMap(
        map,
        keys,
        'first',
        keys instanceof Uint32Array ? distinctWords(random, 99) : wide(distinctWords(random, 99)),
      );
    }
  });

  it('searches still stop at empty slots', async () => {
    const low = distinctWords(random, 2000);
    const keys = Uint32Array.from([...low, ...low]);
    using map = await mapOf(gpu, keys, {}, 'last');
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
