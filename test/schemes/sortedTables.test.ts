/** What both schemes of sorted keys have in common. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet, KeyIndex } from '../../src/collections/index.ts';
import { DuplicateKeyError, UnsupportedError } from '../../src/gpu/index.ts';
import { f32, i32, type KeyType, tuple, u32, u64, utf8, wordsKey, wordsOf } from '../../src/keys/index.ts';
import { type Duplicates, eytzinger, sortedArray, type ValueWords } from '../../src/schemes/index.ts';
import { wordsBelow } from '../conformance/primitiveWords.ts';
import { buildAndSearch, keyOfWords } from '../oracles/anyWidth.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

/** Its words forgotten, so that it can be sorted by comparisons only. */
const u64ByLess = {
  ...u64,
  name: 'u64 by less',
  order: { less: u64.order?.less, lead: u64.order?.lead },
} as KeyType<BigUint64Array>;

/** Keys of that many words, ordered from the first word to the last. */
const orderedWords = (words: number): KeyType<Uint32Array> =>
  wordsKey({
    name: `${words} ordered words`,
    words,
    accepts: (keys): keys is Uint32Array => keys instanceof Uint32Array,
    encode: (keys) => keys,
    decode: (stored) => stored,
    order: (key) => wordsOf(words, key),
  });

/** Few high words and few low words: long runs of equal leads, and copies. */
const runs = (count: number, seed: number): BigUint64Array => {
  const [high, low] = [wordsBelow(count, 3, seed), wordsBelow(count, 40, seed + 1)];
  return BigUint64Array.from(
    { length: count },
    (_, i) => (BigInt(high[i] as number) << 32n) | BigInt(low[i] as number),
  );
};

describe.each([sortedArray(), eytzinger()])('$name', (scheme) => {
  /** Builds a map from keys to their positions and compares it with a `Map`. */
  async function buildsLikeMap<Host extends ArrayLike<unknown>>(
    key: KeyType<Host>,
    keys: Host,
    absent: Host,
    duplicates: Duplicates = 'first',
  ): Promise<void> {
    const oracle = new Map<unknown, number>();
    Array.from(keys).forEach((one, i) => {
      if (duplicates === 'last' || !oracle.has(one)) oracle.set(one, i);
    });
    using map = await HashMap.from(gpu, { keys, values: numbered(keys.length) }, { key, duplicates, scheme });
    expect(map.size).toBe(oracle.size);
    expect(map.report).toMatchObject({ attempts: 1, copies: keys.length - oracle.size });
    const { values, found } = await map.get(keys);
    expect(found.indexOf(0)).toBe(-1);
    expect(Array.from(values)).toEqual(Array.from(keys, (one) => oracle.get(one)));
    expect((await map.has(absent)).indexOf(1)).toBe(-1);
    const entries = await map.entries();
    expect(new Map(Array.from(entries.keys, (one, i) => [one, entries.values[i]]))).toEqual(oracle);
  }

  it('finds signed and floating-point keys on both sides of zero', async () => {
    const words = wordsBelow(1000);
    await buildsLikeMap(i32, new Int32Array(words.buffer), Int32Array.of(0, -1, 1));
    const floats = Float32Array.from(words, (word) => (word - 2 ** 31) / 3);
    await buildsLikeMap(f32, floats, Float32Array.of(0, -0, Number.NaN, Infinity, -Infinity));
    await buildsLikeMap(f32, Float32Array.of(-0, -Infinity, 7), Float32Array.of(0, Infinity, Number.NaN));
  });

  it.each([u64, u64ByLess])('tells keys of one lead apart ($name)', async (key) => {
    const absent = BigUint64Array.from([40n, (1n << 32n) | 40n, (2n << 32n) | 0xffffffffn, 3n << 32n]);
    for (const duplicates of ['first', 'last'] as const) {
      await buildsLikeMap(key, runs(3000, 5), absent, duplicates);
    }
    const oneLead = BigUint64Array.from({ length: 2500 }, (_, i) => BigInt((i * 1237) % 2500) * 2n);
    await buildsLikeMap(
      key,
      oneLead,
      oneLead.map((one) => one + 1n),
    );
  });

  it.each(['error', 'unique'] as const)("names a copy among keys that are compared ('%s')", async (duplicates) => {
    const keys = BigUint64Array.from({ length: 3000 }, (_, i) => BigInt(i % 2999) << 7n);
    const built = HashSet.from(gpu, { keys }, { key: u64ByLess, scheme, duplicates });
    const error = await built.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DuplicateKeyError);
    expect([0, 2999]).toContain((error as DuplicateKeyError).index);
  });

  it('takes strings, and tells beginnings from what they begin', async () => {
    const names = Array.from(wordsBelow(2500, 900), (word) => 'überall'.slice(0, word % 8) + (word >> 3));
    await buildsLikeMap(utf8, ['', 'a', 'a\0', ...names, 'a'], ['\0', 'a\0\0', 'aa', 'überal'], 'last');
  });

  it('agrees with a Map for any strings', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 9 }), { maxLength: 40 }),
        fc.constantFrom<Duplicates>('first', 'last'),
        (keys, duplicates) => buildsLikeMap<readonly string[]>(utf8, keys, ['longer than ten'], duplicates),
      ),
      { numRuns: 20 },
    ));

  it.each([1, 2, 3, 4, 5, 9])('takes keys of %i words with values of any width', async (words) => {
    const key = words === 1 ? tuple(u32) : orderedWords(words);
    const count = 300;
    const keys = wordsBelow(count * words, 2 ** 32, words);
    for (const valueWords of [0, 1, 2, 3, 4] satisfies ValueWords[]) {
      const values = wordsBelow(count * valueWords, 2 ** 32, 9);
      const items = { key: key as KeyType, keys, valueWords, values, duplicates: 'unique' } as const;
      const answer = await buildAndSearch(gpu, scheme, items);
      expect(answer.size).toBe(count);
      expect(answer.found.indexOf(0)).toBe(-1);
      expect(answer.values).toEqual(values);
    }
  });

  it.each(['first', 'last'] as const)('takes no item of an earlier build for a copy (%s)', async (duplicates) => {
    const [keys, values] = [gpu.upload('test', new Uint32Array(300).fill(7)), gpu.upload('test', numbered(300))];
    const encoder = gpu.device.createCommandEncoder();
    using map = HashMap.encodeBuild(gpu, encoder, { keys, values, count: 300 }, { key: u32, duplicates, scheme });
    gpu.device.queue.submit([encoder.finish()]);
    for (const count of [8, 3, 1]) {
      // The greatest key is the one that was there before.
      gpu.write(
        keys,
        numbered(count).map((i) => 8 - count + i),
      );
      await gpu.run((again) => map.encodeRebuild(again, { keys, values, count }));
      await map.settle();
      expect(map.size).toBe(count);
      expect([...(await map.get(Uint32Array.of(7, 8))).found]).toEqual([1, 0]);
    }
    for (const buffer of [keys, values]) buffer.destroy();
  });

  it.each([u32, u64ByLess])('replaces values in a built table ($name)', async (key) => {
    const keys = key === u32 ? wordsBelow(500, 200) : runs(500, 2);
    using index = await KeyIndex.from(gpu, { keys: keys as never }, { key: key as KeyType<never>, scheme });
    const ids = await index.ids(keys as never);
    expect(await index.keysOf(ids)).toEqual(keys);
  });

  it('refuses keys without an order, and says what to use', async () => {
    const built = HashSet.from(gpu, { keys: numbered(4) }, { key: keyOfWords(2), scheme });
    await expect(built).rejects.toThrow(UnsupportedError);
    await expect(built).rejects.toThrow(/2 words keys have no order.*chaining/);
  });

  it('keeps leads apart from the rest, and one-word keys nowhere else', () => {
    const words = (key: KeyType, valueWords: ValueWords) => {
      const plan = scheme.plan({ items: 1000, key, valueWords, duplicates: 'last', growth: 0 });
      return Object.fromEntries(plan.buffers.map(({ name, bytes }) => [name, Math.floor(bytes / 4000)]));
    };
    expect(words(u32 as KeyType, 0)).toEqual({ leads: 1 });
    expect(words(f32 as KeyType, 2)).toEqual({ leads: 1, rest: 2 });
    expect(words(u64 as KeyType, 0)).toEqual({ leads: 1, rest: 2 });
    expect(words(utf8 as KeyType, 1)).toEqual({ leads: 1, rest: 3 });
  });
});

it('sortedArray has its keys in order, copies left out', async () => {
  const keys = wordsBelow(2000, 1500);
  using set = await HashSet.from(gpu, { keys }, { scheme: sortedArray() });
  const [bytes] = await gpu.run(() => {}, [{ buffer: set.table.buffers.get('leads'), bytes: set.size * 4 }]);
  expect(new Uint32Array(bytes as ArrayBuffer)).toEqual(Uint32Array.from(new Set(keys)).sort());
});
