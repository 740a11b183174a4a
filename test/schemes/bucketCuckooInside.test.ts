/** Tables of bucketCuckoo whose buckets hold all that is kept of wide keys and wide values, against `Map`. */
import { describe, expect, it } from 'vitest';
import { Aggregate } from '../../src/collections/aggregate/aggregate.ts';
import { HashMap } from '../../src/collections/hashMap.ts';
import { HashSet } from '../../src/collections/hashSet.ts';
import { KeyIndex } from '../../src/collections/keyIndex/keyIndex.ts';
import { mix, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64, utf8, vec3i } from '../../src/keys/index.ts';
import { bucketCuckoo } from '../../src/schemes/bucketCuckoo/index.ts';
import { chooseShape } from '../../src/schemes/bucketCuckoo/shape.ts';
import type { Duplicates, ValueWords } from '../../src/schemes/contract/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { buildAndSearch, keyOfWords } from '../oracles/anyWidth.ts';
import { widen } from '../oracles/bucketCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const random = randomWords(2027);

/** So few buckets have a layout of two slots at least, at the default load. */
const FEW = 13_200;

describe.each([
  // Buckets of three slots have to be many, so their loads are low here.
  ['u64 to one word', 2, 1, 0.01, '3x15'],
  ['u64 to two words', 2, 2, 0.8, '2x20'],
  ['u64 to two words, full', 2, 2, 1, '2x20'],
  ['u64 to none', 2, 0, 0.8, '4x27'],
  ['u32 to two words', 1, 2, 0.01, '3x15'],
  ['u32 to three words', 1, 3, 0.8, '2x20'],
  ['three words to one', 3, 1, 0.8, '2x20'],
  ['three words to none', 3, 0, 0.01, '3x15'],
] as const)('%s', (_, keyWords, valueWords, loadFactor, layout) => {
  const key = (keyWords === 1 ? u32 : keyOfWords(keyWords)) as KeyType;
  const scheme = bucketCuckoo({ loadFactor });

  it(`has buckets of the layout ${layout}`, () => {
    const plan = scheme.plan({ items: FEW, key, valueWords, duplicates: 'unique', growth: 0 });
    expect(plan.format).toContain(`/${layout}`);
  });

  it.each(['unique', 'first', 'last'] as const)(
    'finds every key, and its value, of copies the right one (%s)',
    async (duplicates) => {
      const distinct = duplicates === 'unique' ? FEW : FEW - 700;
      const words = Uint32Array.from({ length: distinct * keyWords }, (_, i) =>
        i < keyWords ? 0xffff_ffff : random(),
      );
      const keys = Uint32Array.from([...words, ...words.subarray(0, (FEW - distinct) * keyWords)]);
      const values = Uint32Array.from({ length: FEW * valueWords }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
      const answers = await buildAndSearch(gpu, scheme, { key, keys, valueWords, values, duplicates });
      expect(answers.size).toBe(distinct);
      expect(answers.found.indexOf(0)).toBe(-1);
      const copyOf = (item: number) => (item >= distinct ? item - distinct : item);
      const keptOf = (item: number) =>
        duplicates === 'last' && copyOf(item) < FEW - distinct ? copyOf(item) + distinct : copyOf(item);
      const wanted = (i: number) => values[keptOf(Math.floor(i / valueWords)) * valueWords + (i % valueWords)];
      if (valueWords > 0) expect(answers.values.findIndex((word, i) => word !== wanted(i))).toBe(-1);
    },
  );
});

describe('keys whose hashes share their first word', () => {
  const seed = 11;
  const constants = mix.draw(randomWords(seed));
  /** All of them have the same home, and the same rest of the hash. */
  const crowd = (hash: number, from: number, count: number): bigint[] =>
    Array.from({ length: count }, (_, i) => widen(from + i, hash, constants));
  const others = BigUint64Array.from({ length: 12_000 }, () => (BigInt(random()) << 32n) | BigInt(random()));

  it.each([0, 1, 0x1234_5678, 0xffff_ffff])('%i: are told apart, present and absent', async (hash) => {
    const keys = BigUint64Array.from([...crowd(hash, 5, 12), ...others]);
    const absent = BigUint64Array.from(crowd(hash, 1000, 500));
    const values = keys.map((word) => word ^ 0xabcdefn);
    using map = await HashMap.from(gpu, { keys, values }, { seed, duplicates: 'unique', scheme: bucketCuckoo() });
    expect(map.report).toMatchObject({ attempts: 1, copies: 0 });
    expect(map.table.plan.format).toContain('/2x20');
    const present = await map.get(keys);
    expect(present.found.indexOf(0)).toBe(-1);
    expect(present.values).toEqual(values);
    expect((await map.has(absent)).indexOf(1)).toBe(-1);
    const entries = await map.entries();
    expect(new Map(zip(entries.keys as BigUint64Array, entries.values as BigUint64Array))).toEqual(
      new Map(zip(keys, values)),
    );
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: bucketCuckoo() });
    expect((await opened.get(keys)).values).toEqual(values);
    expect((await opened.has(absent)).indexOf(1)).toBe(-1);
  });

  it('are found out if one occurs twice, and only then', async () => {
    const keys = [...crowd(77, 0, 9), ...others];
    const twice = BigUint64Array.from([...keys, keys[4] as bigint]);
    await expect(
      HashSet.from(gpu, { keys: twice }, { seed, duplicates: 'error', scheme: bucketCuckoo() }),
    ).rejects.toMatchObject({
      code: 'duplicate-key',
    });
    using set = await HashSet.from(
      gpu,
      { keys: BigUint64Array.from(keys) },
      { seed, duplicates: 'error', scheme: bucketCuckoo() },
    );
    expect(set.size).toBe(keys.length);
  });
});

describe('keys of as many words with a hash or an equality of their own', () => {
  const { isNumber: _, ...plain } = u64;
  const lowWordAlone: KeyType<BigUint64Array> = {
    ...plain,
    name: 'lowWordAlone',
    hash: (access, family) => wgsl`
fn lowWordAlone(key: vec2u, constants: vec4u) -> vec2u {
  return ${u32.hash(access, family)}(key.x, constants);
}`,
  };
  const anyCase: KeyType<BigUint64Array> = {
    ...lowWordAlone,
    name: 'anyCase',
    equals: () => wgsl`
fn sameLowWord(a: vec2u, b: vec2u) -> bool {
  return a.x == b.x;
}`,
  };
  // The high word follows from the low one, so that hashes differ.
  const keys = BigUint64Array.from({ length: FEW }, (_, i) => BigInt(i) | (BigInt(Math.imul(i, 7) >>> 0) << 32n));

  it.each([
    [2, '8x27'],
    [1, '2x20'],
    [0, '3x15'],
  ] as const)('are kept whole, with values of %i words in buckets of the layout %s', (valueWords, layout) => {
    const request = { items: 1e7, key: lowWordAlone, valueWords, duplicates: 'last', growth: 0 } as const;
    expect(bucketCuckoo().plan(request).format).toContain(`/${layout}`);
    expect(chooseShape({}, request).keptKeyWords).toBe(2);
    expect(chooseShape({}, { ...request, key: u64 }).keptKeyWords).toBe(1);
  });

  it('come back as they were, and are told apart by their own equality', async () => {
    using map = await HashMap.from(gpu, { keys, values: keys }, { key: lowWordAlone, scheme: bucketCuckoo() });
    expect(new Set((await map.keys()) as Iterable<bigint>)).toEqual(new Set(keys));
    const others = keys.map((key) => key ^ (1n << 40n));
    expect((await map.has(others)).indexOf(1)).toBe(-1);
    using loose = await HashMap.from(gpu, { keys, values: keys }, { key: anyCase, scheme: bucketCuckoo() });
    expect((await loose.get(others)).values).toEqual(keys);
  });
});

describe('tables that were saved with nothing inside', () => {
  it.each([
    [u64, 0, 2000],
    [u64, 0, 5_000_000],
    [u64, 1, 2_000_000],
    [u64, 2, 20_000],
    [vec3i, 0, 2_000_000],
    [vec3i, 1, 20_000],
    [utf8, 0, 2_000_000],
    [utf8, 1, 20_000],
    [u32, 2, 2_000_000],
    [u32, 3, 20_000],
  ] as const)('are planned as they were: %o, %i words, %i items', (key, valueWords, items) => {
    for (const format of ['bucketCuckoo/1/8x27', 'bucketCuckoo/1/8x27/256']) {
      const request = { items, key: key as KeyType, valueWords, duplicates: 'last', growth: 0, format } as const;
      const plan = bucketCuckoo({ loadFactor: 0.8 }).plan(request);
      expect(plan.format).toBe(format);
      expect(chooseShape({ loadFactor: 0.8 }, request).payloadWords).toBe((key.isWord ? 0 : key.words) + valueWords);
    }
  });
});

describe('strings', () => {
  const strings = Array.from({ length: FEW }, (_, i) => `${i === 0 ? '' : `key ${Math.imul(i, 7919)}`}`);
  const absent = Array.from({ length: 3000 }, (_, i) => `kez ${i}`);

  it.each([
    [1, 0.8, '2x20'],
    [0, 0.01, '3x15'],
  ] as const)(
    'with values of %i words at load %d have the layout %s',
    async (valueWords: ValueWords, loadFactor, layout) => {
      const scheme = bucketCuckoo({ loadFactor });
      const duplicates: Duplicates = 'last';
      if (valueWords === 0) {
        using set = await HashSet.from(gpu, { keys: strings }, { scheme, duplicates });
        expect(set.table.plan.format).toContain(layout);
        expect((await set.has(strings)).indexOf(0)).toBe(-1);
        expect((await set.has(absent)).indexOf(1)).toBe(-1);
        expect(new Set(await set.keys())).toEqual(new Set(strings));
        return;
      }
      const values = Uint32Array.from(strings, (_, i) => i);
      using map = await HashMap.from(gpu, { keys: strings, values }, { scheme, duplicates, key: utf8 });
      expect(map.table.plan.format).toContain(layout);
      expect((await map.get(strings)).values).toEqual(values);
      expect((await map.has(absent)).indexOf(1)).toBe(-1);
      const entries = await map.entries();
      expect(new Map(zip(entries.keys as string[], entries.values))).toEqual(new Map(zip(strings, values)));
    },
  );
});

describe('values that are stored afterwards', () => {
  const points = Int32Array.from(
    { length: 3 * FEW },
    (_, i) => Math.imul(Math.floor(i / 6) * 3 + (i % 3), 0x85eb_ca6b) | 0,
  );

  it('are the ids of an index', async () => {
    using index = await KeyIndex.from(gpu, { keys: points }, { key: vec3i, scheme: bucketCuckoo({ loadFactor: 0.4 }) });
    expect(index.table.plan.format).toContain('/2x20');
    const ids = await index.ids(points);
    expect([index.size, new Set(ids).size]).toEqual([FEW / 2, FEW / 2]);
    expect(await index.keysOf(ids)).toEqual(points);
  });

  it('are the sums of an aggregate', async () => {
    const values = Uint32Array.from({ length: FEW }, (_, i) => i);
    const options = { key: vec3i, combine: 'sum', scheme: bucketCuckoo({ loadFactor: 0.4 }) } as const;
    using sums = await Aggregate.from(gpu, { keys: points, values }, options);
    expect((await sums.get(points)).values.findIndex((sum, i) => sum !== 2 * (i - (i % 2)) + 1)).toBe(-1);
  });
});

function zip<A, B>(a: ArrayLike<A>, b: ArrayLike<B>): [A, B][] {
  return Array.from({ length: a.length }, (_, i) => [a[i] as A, b[i] as B]);
}
