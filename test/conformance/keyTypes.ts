/** Every key type in every collection over every scheme. */
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap, valueTypes } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { Scheme, SchemeName } from '../../src/schemes/index.ts';
import { schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import { allKinds, type Key, type KeyKind, type Keys, keyKinds, numberOf } from './keyKinds.ts';
import { interleave } from './keySets.ts';
import { positionsOf } from './repeatedKeys.ts';
import { carries, schemeNames } from './subjects.ts';

/** What is built: items of so many keys, among them copies. */
interface Cell {
  readonly kind: KeyKind;
  readonly scheme: Scheme;
  readonly distinct: number;
}

/** A bijection of 32 bits, so that keys differ in all places. */
const scrambled = (n: number, salt: number): number => {
  let x = Math.imul(n ^ (n >>> 15), 0x2c1b_3c6d) ^ salt;
  x = Math.imul(x ^ (x >>> 12), 0x297a_2d39);
  return (x ^ (x >>> 15)) >>> 0;
};

/** The first keys are those that careless marks mix up: all zeros, all ones, and keys that differ in one word from them. */
function keyAt({ bits, allOnes }: KeyKind, n: number): Key {
  const first = [0n, allOnes, bits > 32 ? allOnes - (allOnes >> 32n) : 1n, 0xffff_fffen, 2n, 3n];
  return first[n] ?? numberOf(Array.from({ length: bits / 32 }, (_, i) => scrambled(n, 0x1234_5678 * (i + 1))));
}

const keysFrom = (kind: KeyKind, first: number, count: number): Keys =>
  Array.from({ length: count }, (_, i) => keyAt(kind, first + i));

/** Every third key twice. */
const itemsOf = (kind: KeyKind, first: number, count: number): Keys =>
  keysFrom(kind, first, count).flatMap((key, i) => (i % 3 === 0 ? [key, key] : [key]));

/** Present and absent keys by turns. */
const queriesFor = (kind: KeyKind, distinct: number): Keys =>
  interleave(keysFrom(kind, 0, distinct), keysFrom(kind, distinct, distinct));

const inOrder = (keys: Keys): Key[] => [...keys].sort((a, b) => (a < b ? -1 : 1));

const numbered = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => i);

async function checkMap(gpu: Gpu, { kind, scheme, distinct }: Cell): Promise<void> {
  const options = { key: kind.type, scheme };
  const queries = queriesFor(kind, distinct);
  for (const first of [0, 1]) {
    // The second time the keys are others, fewer, and some of the old ones are absent.
    const items = itemsOf(kind, first, distinct - first);
    const values = numbered(items.length).map((i) => i * 7 + first);
    using map = await HashMap.from(gpu, { keys: kind.host(items), values }, options);
    const expected = new Map(items.map((key, i) => [key, values[i] as number]));
    equal(map.size, expected.size, 'size');
    const got = await map.get(kind.host(queries), { missing: 5 });
    equalWords(
      got.found,
      queries.map((key) => Number(expected.has(key))),
      'found',
    );
    equalWords(
      got.values,
      queries.map((key) => expected.get(key) ?? 5),
      'values',
    );
    if (first === 1) return;
    const entries = await map.entries();
    const keys = kind.numbers(entries.keys);
    equalWords(inOrder(keys), inOrder([...expected.keys()]), 'keys of the entries');
    equalWords(
      entries.values,
      keys.map((key) => expected.get(key) as number),
      'values of the entries',
    );
    const again = await HashMap.fromBytes(gpu, await map.toBytes(), {
      key: kind.type,
      value: valueTypes.u32,
      scheme: map.scheme,
    });
    equalWords((await again.get(kind.host(queries), { missing: 5 })).values, got.values, 'saved and opened');
    again.destroy();
    const [a, b, c] = keysFrom(kind, 2, 3) as [Key, Key, Key];
    await map.rebuild({ keys: kind.host([b, a]), values: new Uint32Array([30, 20]) });
    equalWords((await map.get(kind.host([a, b, c]))).values, [20, 30, 0], 'rebuilt');
  }
}

async function checkSet(gpu: Gpu, { kind, scheme, distinct }: Cell): Promise<void> {
  const items = itemsOf(kind, 0, distinct);
  using set = await HashSet.from(gpu, { keys: kind.host(items) }, { key: kind.type, scheme });
  equal(set.size, distinct, 'size');
  const queries = queriesFor(kind, distinct);
  equalWords(
    await set.has(kind.host(queries)),
    queries.map((_, i) => 1 - (i % 2)),
    'has',
  );
  equalWords(inOrder(kind.numbers(await set.keys())), inOrder([...new Set(items)]), 'keys');
}

async function checkIndex(gpu: Gpu, { kind, scheme, distinct }: Cell, construction: 'table' | 'sort'): Promise<void> {
  const input = { keys: kind.host(itemsOf(kind, 0, distinct)) };
  using index = await KeyIndex.from(gpu, input, { key: kind.type, scheme, construction });
  equal(index.size, distinct, 'size');
  const keys = keysFrom(kind, 0, distinct);
  const ids = await index.ids(kind.host(keys));
  equalWords(ids.slice().sort(), numbered(distinct), 'ids');
  const absent = await index.ids(kind.host(keysFrom(kind, distinct, distinct)));
  equalWords(absent, Array(distinct).fill(0xffff_ffff), 'ids of absent keys');
  equalWords(kind.numbers(await index.keysOf(ids)), keys, 'keys of the ids');
}

async function checkMultiMap(gpu: Gpu, { kind, scheme, distinct }: Cell, order: 'input' | 'any'): Promise<void> {
  const items = itemsOf(kind, 0, distinct);
  const input = { keys: kind.host(items), values: numbered(items.length) };
  using map = await MultiMap.from(gpu, input, { key: kind.type, scheme, order });
  const queries = queriesFor(kind, distinct);
  const positions = positionsOf(items);
  for (const [i, values] of (await map.get(kind.host(queries))).entries()) {
    const got = order === 'any' ? values.slice().sort() : values;
    equalWords(got, positions.get(queries[i] as Key) ?? [], `values of query ${i}`);
  }
}

async function checkAggregate(gpu: Gpu, { kind, scheme, distinct }: Cell, combine: 'sum' | 'max'): Promise<void> {
  const items = itemsOf(kind, 0, distinct);
  // Sums of floats are segmented reductions, maxima of integers are atomics.
  const values = combine === 'sum' ? Float32Array.from(numbered(items.length)) : numbered(items.length);
  using results = await Aggregate.from(gpu, { keys: kind.host(items), values }, { key: kind.type, scheme, combine });
  const queries = queriesFor(kind, distinct);
  const got = await results.get(kind.host(queries));
  const positions = positionsOf(items);
  const expected = queries.map((key) => {
    const ofKey = positions.get(key) ?? [];
    return combine === 'sum' ? ofKey.reduce((sum, i) => sum + i, 0) : Math.max(0, ...ofKey);
  });
  equalWords(Array.from(got.values), expected, combine);
}

/** The checks of one cell, by the name of the collection. */
const CHECKS: Readonly<Record<string, (gpu: Gpu, cell: Cell) => Promise<void>>> = {
  map: checkMap,
  set: checkSet,
  'index by table': (gpu, cell) => checkIndex(gpu, cell, 'table'),
  'index by sort': (gpu, cell) => checkIndex(gpu, cell, 'sort'),
  'multimap in order': (gpu, cell) => checkMultiMap(gpu, cell, 'input'),
  'multimap in any order': (gpu, cell) => checkMultiMap(gpu, cell, 'any'),
  'aggregate by atomics': (gpu, cell) => checkAggregate(gpu, cell, 'max'),
  'aggregate in order': (gpu, cell) => checkAggregate(gpu, cell, 'sum'),
};

/** Collections whose ids a scheme must be able to store in a table that is built. */
const needsValueStore = (collection: string): boolean => collection === 'index by table';

function cellOf(schemeName: SchemeName, kind: KeyKind, collection: string, distinct: number): ConformanceCase {
  const check = CHECKS[collection] as (gpu: Gpu, cell: Cell) => Promise<void>;
  const scheme = (schemes[schemeName] as () => Scheme)();
  const isCarried = carries(schemeName, kind);
  const cell = { kind, scheme, distinct };
  return {
    name: `${schemeName} ${kind.name} ${collection}: ${isCarried ? `${distinct} keys and copies of them` : `refused with ${distinct}`}`,
    scheme: schemeName,
    // Strings need the most of a GPU.
    short: kind === keyKinds.utf8,
    run: (gpu) =>
      isCarried ? check(gpu, cell) : throwsCode(() => check(gpu, cell), 'unsupported', 'the build').then(() => {}),
  };
}

/** Whether the values of such a table can be replaced; for keys that it does not take, that does not matter. */
function hasValueStore(name: SchemeName, kind: KeyKind): boolean {
  if (!carries(name, kind)) return true;
  const request = { items: 1, key: kind.type, valueWords: 1, duplicates: 'any', growth: 0 } as const;
  return schemes[name]().plan(request).valueStore !== undefined;
}

const collectionsOf = (name: SchemeName, kind: KeyKind): readonly string[] =>
  Object.keys(CHECKS).filter((collection) => !needsValueStore(collection) || hasValueStore(name, kind));

/** Every scheme with every key type, in collections that take turns, so that every pair of the three is met. Maps need the fewest kernels. */
export const keyTypeCases: readonly ConformanceCase[] = schemeNames.flatMap((name, s) =>
  allKinds.map((kind, k) => {
    const [map, ...others] = collectionsOf(name, kind) as [string, ...string[]];
    return cellOf(name, kind, others[(s + k) % (schemeNames.length - 1)] ?? map, 60);
  }),
);

/** The whole product, with more keys. */
export const keyTypeProduct: readonly ConformanceCase[] = schemeNames.flatMap((name) =>
  allKinds.flatMap((kind) =>
    collectionsOf(name, kind).map((collection) => ({
      ...cellOf(name, kind, collection, 1500),
      short: false,
      full: true,
    })),
  ),
);
