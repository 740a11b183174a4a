/** Every public call of the host face, each for itself: what a collection is before it, and the call. */
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import * as primitives from '../../src/index.ts';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  type Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
  perfectSpatial,
  sortedArray,
  u32,
  utf8,
  vec2i,
} from '../../src/index.ts';
import { countBy, distinct, groupBy, JoinTable, join, topK } from '../../src/relational.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { sharedGpu } from '../sharedGpu.ts';

const ITEMS = 300;
const words = Uint32Array.from({ length: ITEMS }, (_, i) => i * 3);
const others = words.map((word) => word + 1);
const names = Array.from(words, String);
const otherNames = Array.from(others, String);
const few = words.subarray(0, 9);
const points = Float32Array.from({ length: 3 * ITEMS }, (_, i) => Math.fround(Math.sin(i)));
const cells = Int32Array.from({ length: 18 }, (_, i) => i);
const places = Int32Array.of(0, 0, 1, 0);
const colours = Uint32Array.of(1, 2, 3, 4);

const input = { keys: words, values: words };
const living = { key: u32, scheme: dyCuckoo() };
const livingNames = { key: utf8 };
const image = { width: 2, height: 2, pixels: colours };
const volume = { width: 2, height: 2, depth: 1, voxels: colours };
const canvas = { width: 4, height: 4 };
const radius = { radius: 0.1 };
const sum = { combine: 'sum' } as const;
const shards = { scheme: perfectSpatial(), key: vec2i };

/** Reads all that is given out one by one. */
async function readAll(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

/** A collection, its calls that are made without one, and those of one that was just made. */
export interface HostCalls<Made> {
  readonly make: (gpu: Gpu) => Promise<Made>;
  readonly first: Readonly<Record<string, (gpu: Gpu) => Promise<unknown>>>;
  readonly calls: Readonly<Record<string, (made: Made) => Promise<unknown>>>;
}

const callsOf = <Made extends { destroy(): void }>(calls: HostCalls<Made>): HostCalls<{ destroy(): void }> =>
  calls as unknown as HostCalls<{ destroy(): void }>;

type Saved = { toBytes(): Promise<Uint8Array<ArrayBuffer>>; destroy(): void };

/** Bytes that were saved on another `Gpu`. */
async function bytesOf(make: (gpu: Gpu) => Promise<Saved>): Promise<Uint8Array<ArrayBuffer>> {
  const saved = await make(await sharedGpu());
  const bytes = await saved.toBytes();
  saved.destroy();
  return bytes;
}

const makeMap = (gpu: Gpu) => HashMap.from(gpu, input);
const makeSet = (gpu: Gpu) => HashSet.from(gpu, { keys: words });
const makeIndex = (gpu: Gpu) => KeyIndex.from(gpu, { keys: words }, { keepItems: true });
const makeMulti = (gpu: Gpu) => MultiMap.from(gpu, input);
const makeSums = (gpu: Gpu): Promise<Aggregate<Uint32Array>> => Aggregate.from(gpu, input, sum);
const makeNames = async (gpu: Gpu) => {
  const set = await DynamicSet.create(gpu, livingNames);
  await set.insert(names);
  await set.delete(names.slice(9));
  return set;
};
const makeLivingMap = async (gpu: Gpu) => {
  const map = await DynamicMap.create(gpu, living);
  await map.insert(words, words);
  return map;
};
const makeLivingIndex = async (gpu: Gpu) => {
  const index = await DynamicIndex.create(gpu, { key: u32 });
  await index.activate(words);
  return index;
};
const makeImage = (gpu: Gpu) => SparseImage.from(gpu, image);
const makeVolume = (gpu: Gpu) => SparseVolume.from(gpu, volume);
const makePaint = async (gpu: Gpu) => SparsePaint.create(gpu, canvas);

/** What every collection that is searched has. */
interface Searched {
  has(keys: Uint32Array): Promise<unknown>;
  keys(): Promise<unknown>;
  stats(): Promise<unknown>;
  settle(): Promise<unknown>;
  [Symbol.asyncIterator](): AsyncGenerator;
}
const searched = {
  has: (one: Searched) => one.has(few),
  keys: (one: Searched) => one.keys(),
  stats: (one: Searched) => one.stats(),
  settle: (one: Searched) => one.settle(),
  '[Symbol.asyncIterator]': (one: Searched) => readAll(one),
};

interface Living extends Searched {
  clear(): Promise<void>;
  compact(): Promise<void>;
  shrink(): Promise<void>;
  requests(capacity: number): Promise<{ destroy(): void }>;
  reserve(keys: number): Promise<void>;
  delete(keys: Uint32Array): Promise<unknown>;
}
const lives = {
  clear: (one: Living) => one.clear(),
  compact: (one: Living) => one.compact(),
  shrink: (one: Living) => one.shrink(),
  reserve: (one: Living) => one.reserve(9 * ITEMS),
  requests: async (one: Living) => (await one.requests(9)).destroy(),
  'delete, all but a few': (one: Living) => one.delete(words.subarray(9)),
};

export const HOST_CALLS: Readonly<Record<string, HostCalls<{ destroy(): void }>>> = {
  HashMap: callsOf({
    make: makeMap,
    first: {
      from: makeMap,
      'from, by a sort': (gpu) => HashMap.from(gpu, { keys: names, values: words }, { scheme: sortedArray() }),
      'from, on the host': (gpu) => HashMap.from(gpu, { keys: cells, values: few }, shards),
      prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS }),
      fromBytes: async (gpu) => HashMap.fromBytes(gpu, await bytesOf(makeMap)),
    },
    calls: {
      ...searched,
      get: (map) => map.get(few),
      getOne: (map) => map.getOne(3),
      values: (map) => map.values(),
      entries: (map) => map.entries(),
      rebuild: (map) => map.rebuild({ keys: others, values: words }),
      toBytes: (map) => map.toBytes(),
    },
  }),
  HashSet: callsOf({
    make: makeSet,
    first: {
      from: makeSet,
      prepare: (gpu) => HashSet.prepare(gpu, { items: ITEMS }),
      fromBytes: async (gpu) => HashSet.fromBytes(gpu, await bytesOf(makeSet)),
    },
    calls: {
      ...searched,
      rebuild: (set) => set.rebuild({ keys: others }),
      toBytes: (set) => set.toBytes(),
    },
  }),
  KeyIndex: callsOf({
    make: makeIndex,
    first: {
      from: makeIndex,
      'from, by its table': (gpu) => KeyIndex.from(gpu, { keys: words }, { construction: 'table' }),
      prepare: (gpu) => KeyIndex.prepare(gpu, { items: ITEMS }),
      fromBytes: async (gpu) => KeyIndex.fromBytes(gpu, await bytesOf(makeIndex)),
    },
    calls: {
      ...searched,
      getOne: (index) => index.getOne(3),
      entries: (index) => index.entries(),
      ids: (index) => index.ids(few),
      keysOf: (index) => index.keysOf(Uint32Array.of(0, 1)),
      idsOfItems: (index) => index.idsOfItems(),
      firstItems: (index) => index.firstItems(),
      rebuild: (index) => index.rebuild({ keys: others }),
      toBytes: (index) => index.toBytes(),
    },
  }),
  MultiMap: callsOf({
    make: makeMulti,
    first: {
      from: makeMulti,
      'from, in any order': (gpu) => MultiMap.from(gpu, input, { construction: 'table', order: 'any' }),
      prepare: (gpu) => MultiMap.prepare(gpu, { items: ITEMS }),
      fromBytes: async (gpu) => MultiMap.fromBytes(gpu, await bytesOf(makeMulti)),
    },
    calls: {
      ...searched,
      get: (map) => map.get(few),
      getOne: (map) => map.getOne(3),
      count: (map) => map.count(few),
      retrieve: (map) => map.retrieve(few),
      entries: (map) => map.entries(),
      rebuild: (map) => map.rebuild({ keys: others, values: words }),
      toBytes: (map) => map.toBytes(),
    },
  }),
  Aggregate: callsOf({
    make: makeSums,
    first: {
      from: makeSums,
      prepare: (gpu) => Aggregate.prepare(gpu, { items: ITEMS, ...sum }),
    },
    calls: {
      ...searched,
      get: (sums) => sums.get(few),
      getOne: (sums) => sums.getOne(3),
      entries: (sums) => sums.entries(),
      rebuild: (sums) => sums.rebuild({ keys: others, values: words }),
    },
  }),
  DynamicMap: callsOf({
    make: makeLivingMap,
    first: {
      create: (gpu) => DynamicMap.create(gpu, living),
      'create, another scheme': (gpu) => DynamicMap.create(gpu, { key: u32 }),
      prepare: (gpu) => DynamicMap.prepare(gpu, { ...living, items: ITEMS }),
      fromBytes: async (gpu) => DynamicMap.fromBytes(gpu, await bytesOf(makeLivingMap)),
    },
    calls: {
      ...searched,
      ...lives,
      delete: (map) => map.delete(few),
      insert: (map) => map.insert(others, words),
      getOrInsert: (map) => map.getOrInsert(others, words),
      get: (map) => map.get(few),
      getOne: (map) => map.getOne(3),
      values: (map) => map.values(),
      entries: (map) => map.entries(),
      toBytes: (map) => map.toBytes(),
    },
  }),
  DynamicSet: callsOf({
    make: makeNames,
    first: {
      create: (gpu) => DynamicSet.create(gpu, livingNames),
      prepare: (gpu) => DynamicSet.prepare(gpu, { ...livingNames, items: ITEMS }),
      fromBytes: async (gpu) => DynamicSet.fromBytes(gpu, await bytesOf(makeNames)),
    },
    calls: {
      has: (set) => set.has(names),
      keys: (set) => set.keys(),
      stats: (set) => set.stats(),
      settle: (set) => set.settle(),
      '[Symbol.asyncIterator]': (set) => readAll(set),
      clear: (set) => set.clear(),
      compact: (set) => set.compact(),
      shrink: (set) => set.shrink(),
      reserve: (set) => set.reserve(9 * ITEMS, 9 * ITEMS),
      requests: async (set) => (await set.requests(9)).destroy(),
      insert: (set) => set.insert(otherNames),
      delete: (set) => set.delete(names.slice(0, 5)),
      toBytes: (set) => set.toBytes(),
    },
  }),
  DynamicIndex: callsOf({
    make: makeLivingIndex,
    first: {
      create: (gpu) => DynamicIndex.create(gpu, { key: u32 }),
      prepare: (gpu) => DynamicIndex.prepare(gpu, { key: u32, items: ITEMS }),
      fromBytes: async (gpu) => DynamicIndex.fromBytes(gpu, await bytesOf(makeLivingIndex)),
    },
    calls: {
      ...searched,
      ...lives,
      delete: (index) => index.delete(few),
      activate: (index) => index.activate(others),
      release: (index) => index.release(few),
      ids: (index) => index.ids(few),
      activeIds: (index) => index.activeIds(),
      getOne: (index) => index.getOne(3),
      entries: (index) => index.entries(),
      toBytes: (index) => index.toBytes(),
    },
  }),
  SparseImage: callsOf({
    make: makeImage,
    first: {
      from: makeImage,
      prepare: (gpu) => SparseImage.prepare(gpu, { width: 2, height: 2 }),
      fromBytes: async (gpu) => SparseImage.fromBytes(gpu, await bytesOf(makeImage)),
    },
    calls: {
      get: (picture) => picture.get(places),
      settle: (picture) => picture.settle(),
      pixels: (picture) => picture.pixels(),
      toBytes: (picture) => picture.toBytes(),
    },
  }),
  SparseVolume: callsOf({
    make: makeVolume,
    first: {
      from: makeVolume,
      prepare: (gpu) => SparseVolume.prepare(gpu, { width: 2, height: 2, depth: 1 }),
      fromBytes: async (gpu) => SparseVolume.fromBytes(gpu, await bytesOf(makeVolume)),
    },
    calls: {
      get: (space) => space.get(Int32Array.of(0, 0, 0)),
      settle: (space) => space.settle(),
      voxels: (space) => space.voxels(),
      slice: (space) => space.slice({ origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 2, height: 2 }),
      toBytes: (space) => space.toBytes(),
    },
  }),
  SparsePaint: callsOf({
    make: makePaint,
    first: { create: makePaint, prepare: (gpu) => SparsePaint.prepare(gpu, canvas) },
    calls: {
      get: (paint) => paint.get(places),
      settle: (paint) => paint.settle(),
      pixels: (paint) => paint.pixels(),
      paint: (paint) => paint.paint({ points: Int32Array.of(1, 1, 2, 2), colours: colours.subarray(0, 2) }),
    },
  }),
  SpatialGrid: callsOf({
    make: (gpu) => SpatialGrid.from(gpu, { points }, radius),
    first: {
      from: (gpu) => SpatialGrid.from(gpu, { points }, radius),
      prepare: (gpu) => SpatialGrid.prepare(gpu, { ...radius, items: ITEMS }),
    },
    calls: {
      rebuild: (grid) => grid.rebuild({ points: Float32Array.of(...points, ...points) }),
      neighbours: (grid) => grid.neighbours(points.subarray(0, 9)),
      pairs: (grid) => grid.pairs(),
      settle: (grid) => grid.settle(),
    },
  }),
  JoinTable: callsOf({
    make: (gpu) => JoinTable.from(gpu, [words, names]),
    first: {
      from: (gpu) => JoinTable.from(gpu, [words, names]),
      prepare: (gpu) => JoinTable.prepare(gpu, { key: [u32, utf8], items: ITEMS }),
    },
    calls: {
      join: (table) => table.join([words, otherNames], { how: 'full' }),
      settle: (table) => table.settle(),
    },
  }),
};

/** Those that belong to no collection. */
export const FREE_CALLS: Readonly<Record<string, (gpu: Gpu) => Promise<unknown>>> = {
  compact: (gpu) => primitives.compact(gpu, words, words),
  exclusiveScan: (gpu) => primitives.exclusiveScan(gpu, words),
  fill: (gpu) => primitives.fill(gpu, 9, 1),
  gatherRows: (gpu) => primitives.gatherRows(gpu, { rows: words, rowWords: 1, indices: Uint32Array.of(0, 1) }),
  histogram: (gpu) => primitives.histogram(gpu, few, 9),
  sort: (gpu) => primitives.sort(gpu, words),
  countBy: (gpu) => countBy(gpu, [words, names]),
  distinct: (gpu) => distinct(gpu, names),
  groupBy: (gpu) => groupBy(gpu, names, { values: words, combine: { total: 'sum' } }),
  join: (gpu) => join(gpu, names, otherNames),
  'join, a right side without copies': (gpu) => join(gpu, words, words, { how: 'semi' }),
  topK: (gpu) => topK(gpu, words, 5),
  weld: (gpu) => weld(gpu, points, { tolerance: 0.1 }),
  'weld, rows that are too wide for a key': (gpu) =>
    weld(gpu, points, { attributes: { a: new Float32Array(9 * ITEMS) } }),
};
