/** Every key type in every collection over every scheme. */
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { Scheme, SchemeName } from '../../src/schemes/index.ts';
import { schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import { type NumberedKeys, numberedKeys } from './keyKinds.ts';
import { carries, schemeNames } from './subjects.ts';

/** What is built: items by the numbers of their keys, among them copies. */
interface Cell {
  readonly keys: NumberedKeys;
  readonly scheme: Scheme;
  readonly distinct: number;
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

/** Numbers of items: every third key twice. */
const itemsOf = (distinct: number): number[] => range(0, distinct).flatMap((n) => (n % 3 === 0 ? [n, n] : [n]));

/** Present and absent keys by turns. */
const queriesFor = (distinct: number): number[] => range(0, distinct).flatMap((n) => [n, n + distinct]);

const sorted = (labels: readonly string[]): string => JSON.stringify([...labels].sort());

async function checkMap(gpu: Gpu, { keys, scheme, distinct }: Cell): Promise<void> {
  const options = { key: keys.type, scheme };
  for (const first of [0, 1]) {
    // The second time the keys are others, fewer, and some of the old ones are absent.
    const items = itemsOf(distinct - first).map((n) => n + first);
    const input = { keys: keys.of(items), values: Uint32Array.from(items, (_, i) => i * 7 + first) };
    using map = await HashMap.from(gpu, input, options);
    const expected = new Map(items.map((n, i) => [n, i * 7 + first]));
    equal(map.size, expected.size, 'size');
    const queries = queriesFor(distinct);
    const got = await map.get(keys.of(queries), { missing: 5 });
    equalWords(
      got.found,
      Uint8Array.from(queries, (n) => Number(expected.has(n))),
      'found',
    );
    equalWords(
      got.values,
      Uint32Array.from(queries, (n) => expected.get(n) ?? 5),
      'values',
    );
    if (first === 1) return;
    const entries = await map.entries();
    const pairs = keys.labels(entries.keys).map((label, i) => `${label} ${entries.values[i]}`);
    const labels = keys.labels(keys.of([...expected.keys()]));
    equal(sorted(pairs), sorted(labels.map((label, i) => `${label} ${[...expected.values()][i]}`)), 'entries');
    const again = await HashMap.fromBytes<unknown>(gpu, await map.toBytes(), { key: keys.type });
    equalWords(
      (await again.get(keys.of(queries))).values,
      (await map.get(keys.of(queries))).values,
      'saved and opened',
    );
    again.destroy();
    await map.rebuild({ keys: keys.of([3, 2]), values: new Uint32Array([30, 20]) });
    equalWords((await map.get(keys.of([2, 3, 4]))).values, [20, 30, 0], 'rebuilt');
  }
}

async function checkSet(gpu: Gpu, { keys, scheme, distinct }: Cell): Promise<void> {
  using set = await HashSet.from(gpu, { keys: keys.of(itemsOf(distinct)) }, { key: keys.type, scheme });
  const queries = queriesFor(distinct);
  equal(set.size, distinct, 'size');
  equalWords(
    await set.has(keys.of(queries)),
    Uint8Array.from(queries, (n) => Number(n < distinct)),
    'has',
  );
  equal(sorted(keys.labels(await set.keys())), sorted(keys.labels(keys.of(range(0, distinct)))), 'keys');
}

async function checkIndex(gpu: Gpu, { keys, scheme, distinct }: Cell, construction: 'table' | 'sort'): Promise<void> {
  const input = { keys: keys.of(itemsOf(distinct)) };
  using index = await KeyIndex.from(gpu, input, { key: keys.type, scheme, construction });
  equal(index.size, distinct, 'size');
  const ids = await index.ids(keys.of(range(0, 2 * distinct)));
  equalWords(ids.slice(0, distinct).sort(), range(0, distinct), 'ids');
  equalWords(ids.slice(distinct), Array(distinct).fill(0xffff_ffff), 'ids of absent keys');
  const back = keys.labels(await index.keysOf(ids.slice(0, distinct)));
  equal(JSON.stringify(back), JSON.stringify(keys.labels(keys.of(range(0, distinct)))), 'keys of the ids');
}

async function checkMultiMap(gpu: Gpu, { keys, scheme, distinct }: Cell, order: 'input' | 'any'): Promise<void> {
  const items = itemsOf(distinct);
  const input = { keys: keys.of(items), values: Uint32Array.from(items, (_, i) => i) };
  using map = await MultiMap.from(gpu, input, { key: keys.type, scheme, order });
  const queries = queriesFor(distinct);
  const got = (await map.get(keys.of(queries))).map((values) =>
    values
      .slice()
      .sort((a, b) => a - b)
      .join(),
  );
  const expected = queries.map((n) => items.flatMap((item, i) => (item === n ? [i] : [])).join());
  equal(JSON.stringify(got), JSON.stringify(expected), 'values of all keys');
}

async function checkAggregate(gpu: Gpu, { keys, scheme, distinct }: Cell, combine: 'sum' | 'max'): Promise<void> {
  const items = itemsOf(distinct);
  // Sums of floats are segmented reductions, maxima of integers are atomics.
  const values = combine === 'sum' ? Float32Array.from(items, (_, i) => i) : Uint32Array.from(items, (_, i) => i);
  using results = await Aggregate.from(gpu, { keys: keys.of(items), values }, { key: keys.type, scheme, combine });
  const queries = queriesFor(distinct);
  const got = await results.get(keys.of(queries));
  const expected = queries.map((n) => {
    const ofKey = items.flatMap((item, i) => (item === n ? [i] : []));
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

function cellOf(schemeName: SchemeName, keys: NumberedKeys, collection: string, distinct: number): ConformanceCase {
  const check = CHECKS[collection] as (gpu: Gpu, cell: Cell) => Promise<void>;
  const scheme = (schemes[schemeName] as () => Scheme)();
  const isCarried = carries(schemeName, keys.type.name);
  const cell = { keys, scheme, distinct };
  return {
    name: `${schemeName} ${keys.type.name} ${collection}: ${isCarried ? `${distinct} keys and copies of them` : `refused with ${distinct}`}`,
    short: false,
    run: (gpu) =>
      isCarried ? check(gpu, cell) : throwsCode(() => check(gpu, cell), 'unsupported', 'the build').then(() => {}),
  };
}

const product = (collections: readonly string[], names: readonly SchemeName[], distinct: number): ConformanceCase[] =>
  names.flatMap((name) =>
    numberedKeys.flatMap((keys) =>
      collections
        .filter((collection) => !needsValueStore(collection) || schemes[name]().valueStore)
        .map((collection) => cellOf(name, keys, collection, distinct)),
    ),
  );

const [, ...otherCollections] = Object.keys(CHECKS);

/** Maps over every scheme, and the other collections over the default one, with every key type. */
export const keyTypeCases: readonly ConformanceCase[] = [
  // Strings are in the short list: they need the most of a GPU.
  ...product(['map'], schemeNames, 60).map((cell) => ({ ...cell, short: cell.name.includes(' utf8 ') })),
  ...product(otherCollections, ['bucketCuckoo'], 60),
];

/** The whole product, with more keys. */
export const keyTypeProduct: readonly ConformanceCase[] = product(Object.keys(CHECKS), schemeNames, 1500).map(
  (cell) => ({ ...cell, full: true }),
);
