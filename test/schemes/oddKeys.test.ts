import { describe, expect, it } from 'vitest';
import { HashMap, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { BuildError } from '../../src/gpu/index.ts';
import { type KeyType, u32 } from '../../src/keys/index.ts';
import { linearProbing, type Scheme, type SchemeName, schemes } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { alike } from '../conformance/alikeKeys.ts';
import { schemeNames } from '../conformance/subjects.ts';
import { keyOfWords } from '../oracles/anyWidth.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const COUNT = 400;
const keys = BigUint64Array.from({ length: COUNT }, (_, i) => BigInt(i) * 0x1_0000_0001n);
const values = Uint32Array.from({ length: COUNT }, (_, i) => 3 * i);
const absent = BigUint64Array.of(1n, 0xffff_ffff_ffff_ffffn);

/** What a scheme does with odd keys. */
interface OddPromise {
  /** Keys that all have the same hash: it compares keys where hashes do not help, or it gives up. */
  readonly alike: 'finds' | 'gives up';
  /** Whether it takes keys without an order. */
  readonly unordered: boolean;
}

const PROBING: OddPromise = { alike: 'finds', unordered: true };
const SORTING: OddPromise = { alike: 'finds', unordered: false };
const PLACING: OddPromise = { alike: 'gives up', unordered: true };

/** Every scheme has a line here, or this does not compile; null for those that take no such keys at all. */
const PROMISES: Readonly<Record<SchemeName, OddPromise | null>> = {
  linearProbing: PROBING,
  quadraticProbing: PROBING,
  doubleHashing: PROBING,
  sortedArray: SORTING,
  eytzinger: SORTING,
  chaining: PROBING,
  twoLevelCuckoo: PLACING,
  cuckoo: PLACING,
  bucketCuckoo: PLACING,
  perfect: PLACING,
  robinHood: PLACING,
  perfectSpatial: null,
};

const schemesThat = (does: (promise: OddPromise) => boolean): SchemeName[] =>
  schemeNames.filter((name) => {
    const promise = PROMISES[name];
    return promise !== null && does(promise);
  });

const make = (name: SchemeName) => (schemes[name] as () => Scheme)();

/** Keys of one word that are the same if their upper bits are: words that differ, and keys that do not. */
const coarse: KeyType<Uint32Array> = {
  ...keyOfWords(1),
  name: 'coarse',
  isWord: false,
  hash: (side, family) => wgsl`
fn coarseHash(key: u32, constants: vec4u) -> vec2u {
  return ${u32.hash(side, family)}(key >> 4u, constants);
}`,
  equals: () => wgsl`
fn coarseEqual(a: u32, b: u32) -> bool {
  return (a >> 4u) == (b >> 4u);
}`,
};

describe('keys of different words that are the same key', () => {
  const key = coarse;
  const items = {
    keys: Uint32Array.from({ length: 300 }, (_, i) => i),
    values: Uint32Array.from({ length: 300 }, (_, i) => i),
  };

  it.each(schemesThat(({ unordered }) => unordered))('are one key to %s', async (scheme) => {
    using map = await HashMap.from(gpu, items, { key, scheme: make(scheme) });
    expect(map.size).toBe(19);
    const { values, found } = await map.get(Uint32Array.of(0, 15, 16, 299, 303, 304), { missing: 7 });
    expect([...values]).toEqual([15, 15, 31, 299, 299, 7]);
    expect([...found]).toEqual([1, 1, 1, 1, 1, 0]);
  });
});

describe('keys that all have the same hash', () => {
  it.each(schemesThat(({ alike }) => alike === 'finds'))('are found by %s all the same', async (scheme) => {
    using map = await HashMap.from(gpu, { keys, values }, { key: alike, scheme: make(scheme) });
    expect([...(await map.get(keys)).values]).toEqual([...values]);
    expect([...(await map.has(absent))]).toEqual([0, 0]);
  });

  const helpless = schemesThat(({ alike }) => alike === 'gives up');
  it.each(helpless)('end in a typed error of %s after some attempts, with the number of items left', async (scheme) => {
    const build = HashMap.from(gpu, { keys, values }, { key: alike, scheme: make(scheme), duplicates: 'unique' });
    const error = await build.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(BuildError);
    expect(String(error)).toMatch(new RegExp(`${scheme}.*\\d+ of 400 items|${scheme}`));
    // The keys are still the caller's, and another scheme takes them.
    using map = await HashMap.from(gpu, { keys, values }, { key: alike, scheme: make('chaining') });
    expect(map.size).toBe(COUNT);
  });

  it('are more than probing takes beyond its probe limit, which is an error and not a hang', async () => {
    // As with 20,000 keys and more, but with limits that a software GPU reaches in no time.
    const plain = linearProbing({ capacitySlots: 500 });
    const scheme: Scheme = {
      ...plain,
      plan: (request) => ({ ...plain.plan(request), fields: { probeLimit: 100, insertLimit: 200 } }),
    };
    const build = HashMap.from(gpu, { keys, values }, { key: alike, scheme });
    await expect(build).rejects.toThrow(BuildError);
    await expect(build).rejects.toThrow('200 of 400 items');
  });

  it('get ids, and keep their values together', async () => {
    const twice = BigUint64Array.from([...keys.slice(0, 50), ...keys.slice(0, 50)]);
    for (const construction of ['table', 'sort'] as const) {
      const options = { key: alike, scheme: make('chaining'), construction };
      using index = await KeyIndex.from(gpu, { keys: twice }, options);
      expect(index.size).toBe(50);
      expect(await index.keysOf(await index.ids(keys.slice(0, 50)))).toEqual(keys.slice(0, 50));
    }
    const items = { keys: twice, values: Uint32Array.from({ length: 100 }, (_, i) => i) };
    using map = await MultiMap.from(gpu, items, { key: alike, scheme: make('linearProbing') });
    expect((await map.get(keys.slice(7, 9))).map((found) => [...found])).toEqual([
      [7, 57],
      [8, 58],
    ]);
  });
});
