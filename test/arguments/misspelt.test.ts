/** Every public call, at every object that it takes, with a member that the object has not. */
import { afterAll, describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import * as hashnest from '../../src/index.ts';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  linearProbing,
  MultiMap,
  sliceKeys,
  u32,
  valueTypes,
  wgsl,
} from '../../src/index.ts';
import { countBy, distinct, groupBy, JoinTable, join, topK } from '../../src/relational.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const words = Uint32Array.of(1, 2, 3);
const points = new Float32Array(9);
const column = words;
const buffer = gpu.upload('test', new Uint32Array(64));
const encoder = gpu.device.createCommandEncoder();
/** What is passed as options. */
const odd = { zzz: 1 } as never;
/** What is passed as data: only what looks like a member is refused there, because one object may go to several calls. */
const typo = (member: string) => ({ [`${member}X`]: 1 }) as never;

const items = { keys: words, values: words };
const max = wgsl`fn greater(a: u32, b: u32) -> u32 { return max(a, b); }`;
const map = await HashMap.from(gpu, items, { scheme });
const set = await HashSet.from(gpu, { keys: words }, { scheme });
const index = await KeyIndex.from(gpu, { keys: words }, { scheme });
const multi = await MultiMap.from(gpu, items, { scheme });
const sums = await Aggregate.from(gpu, items, { scheme, combine: 'sum' });
const livingMap = await DynamicMap.create(gpu, { key: u32 });
const livingSet = await DynamicSet.create(gpu, { key: u32 });
const livingIndex = await DynamicIndex.create(gpu, { key: u32 });
const requests = await livingMap.requests(4);
const image = await SparseImage.from(gpu, { width: 3, height: 1, pixels: words });
const volume = await SparseVolume.from(gpu, { width: 3, height: 1, depth: 1, voxels: words });
const paint = await SparsePaint.create(gpu, { width: 4, height: 4 });
const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
const table = await JoinTable.from(gpu, column);
afterAll(() => {
  const made = [map, set, index, multi, sums, livingMap, livingSet, livingIndex, image, volume, paint, grid, table];
  for (const one of [buffer, requests, ...made]) one.destroy();
});

const plane = { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 1, height: 1 } as const;

type Calls = Record<string, () => unknown>;

/** The calls that all collections of some kind have. */
const searched = (name: string, one: typeof map | typeof set | typeof index | typeof livingMap): Calls => ({
  [`${name}.has`]: () => one.has(words, odd),
  [`${name}.encodeHas`]: () => one.encodeHas(encoder, typo('queries')),
  [`${name}.encodeKeys`]: () => one.encodeKeys(encoder, typo('keys')),
  [`${name}.stats`]: () => one.stats(odd),
  [`${name}.wgsl`]: () => one.wgsl(odd),
});
const built = (name: string, Kind: typeof HashMap, one: typeof map, more = {}): Calls => ({
  [`${name}.from, input`]: () => Kind.from(gpu, typo('keys'), { scheme }),
  [`${name}.from, options`]: () => Kind.from(gpu, items, odd),
  [`${name}.prepare`]: () => Kind.prepare(gpu, odd),
  [`${name}.encodeBuild, input`]: () =>
    Kind.encodeBuild(gpu, encoder, typo('keys'), { scheme, key: u32, ...more } as never),
  [`${name}.encodeBuild, options`]: () => Kind.encodeBuild(gpu, encoder, { keys: buffer, count: 1 } as never, odd),
  [`${name}.rebuild`]: () => one.rebuild(typo('keys')),
  [`${name}.encodeRebuild`]: () => one.encodeRebuild(encoder, typo('keys')),
});
const living = (name: string, Kind: typeof DynamicSet): Calls => ({
  [`${name}.create`]: () => Kind.create(gpu, odd),
  [`${name}.prepare`]: () => Kind.prepare(gpu, odd),
  [`${name}.fromBytes`]: () => Kind.fromBytes(gpu, new Uint8Array(40), odd),
});
const encoders: Calls = Object.fromEntries(
  Object.entries(hashnest)
    .filter(([name]) => /^encode[A-Z]/.test(name))
    .map(([name, call]) => [name, () => (call as (...args: unknown[]) => unknown)(gpu, encoder, typo('count'))]),
);

const CALLS: Calls = {
  'Gpu.open': () => Gpu.open(odd),
  'gpu.read': () => gpu.read(buffer, Uint32Array, odd),
  wordsKey: () => hashnest.wordsKey(odd),
  bytesKey: () => hashnest.bytesKey(odd),
  stringKey: () => hashnest.stringKey(odd),
  sliceKeys: () => sliceKeys(u32 as never, typo('bytes')),
  sort: () => hashnest.sort(gpu, words, odd),
  gatherRows: () => hashnest.gatherRows(gpu, typo('rows')),
  ...encoders,
  ...searched('HashMap', map),
  ...searched('HashSet', set),
  ...searched('KeyIndex', index),
  ...searched('MultiMap', multi as never),
  ...searched('Aggregate', sums as never),
  ...searched('DynamicMap', livingMap),
  ...searched('DynamicSet', livingSet as never),
  ...built('HashMap', HashMap, map),
  ...built('HashSet', HashSet as never, set as never),
  ...built('KeyIndex', KeyIndex as never, index as never),
  ...built('MultiMap', MultiMap as never, multi as never),
  ...built('Aggregate', Aggregate as never, sums as never, { combine: 'sum', value: valueTypes.u32 }),
  ...living('DynamicMap', DynamicMap as never),
  ...living('DynamicSet', DynamicSet),
  ...living('DynamicIndex', DynamicIndex as never),
  'HashMap.fromBytes': () => HashMap.fromBytes(gpu, new Uint8Array(40), odd),
  'HashSet.fromBytes': () => HashSet.fromBytes(gpu, new Uint8Array(40), odd),
  'KeyIndex.fromBytes': () => KeyIndex.fromBytes(gpu, new Uint8Array(40), odd),
  'MultiMap.fromBytes': () => MultiMap.fromBytes(gpu, new Uint8Array(40), odd),
  'HashMap.get': () => map.get(words, odd),
  'HashMap.get, into': () => map.get(words, { into: typo('values') }),
  'HashMap.encodeGet': () => map.encodeGet(encoder, typo('queries')),
  'HashMap.entries': () => map.entries(odd),
  'HashMap.keys': () => map.keys(odd),
  'HashMap.toBytes': () => map.toBytes(odd),
  'HashSet.toBytes': () => set.toBytes(odd),
  'KeyIndex.toBytes': () => index.toBytes(odd),
  'MultiMap.toBytes': () => multi.toBytes(odd),
  'DynamicMap.toBytes': () => livingMap.toBytes(odd),
  'DynamicSet.toBytes': () => livingSet.toBytes(odd),
  'DynamicIndex.toBytes': () => livingIndex.toBytes(odd),
  'SparseImage.toBytes': () => image.toBytes(odd),
  'SparseImage.get': () => image.get(Int32Array.of(0, 0), odd),
  'SparseImage.pixels': () => image.pixels(odd),
  'SparseVolume.toBytes': () => volume.toBytes(odd),
  'SparseVolume.voxels': () => volume.voxels(odd),
  'SparsePaint.pixels': () => paint.pixels(odd),
  'HashMap.values': () => map.values(odd),
  'HashMap.encodeEntries': () => map.encodeEntries(encoder, typo('keys')),
  'KeyIndex.ids': () => index.ids(words, odd),
  'KeyIndex.keysOf': () => index.keysOf(words, odd),
  'KeyIndex.keys': () => index.keys(odd),
  'KeyIndex.entries': () => index.entries(odd),
  'KeyIndex.idsOfItems': () => index.idsOfItems(odd),
  'KeyIndex.firstItems': () => index.firstItems(odd),
  'MultiMap.get': () => multi.get(words, odd),
  'MultiMap.count': () => multi.count(words, odd),
  'MultiMap.retrieve': () => multi.retrieve(words, odd),
  'MultiMap.entries': () => multi.entries(odd),
  'KeyIndex.encodeIds': () => index.encodeIds(encoder, typo('queries')),
  'KeyIndex.encodeKeysOf': () => index.encodeKeysOf(encoder, typo('keys')),
  'KeyIndex.encodeEntries': () => index.encodeEntries(encoder, typo('keys')),
  'MultiMap.encodeCount': () => multi.encodeCount(encoder, typo('queries')),
  'MultiMap.encodeRetrieve': () => multi.encodeRetrieve(encoder, typo('queries')),
  'MultiMap.encodeEntries': () => multi.encodeEntries(encoder, typo('keys')),
  'Aggregate.from, a combiner of the caller': () =>
    Aggregate.from(gpu, items, { combine: { accumulator: 'u32', identityX: 0, combine: max } as never }),
  'Aggregate.from, a column': () =>
    Aggregate.from(
      gpu,
      { keys: words, values: { x: words } },
      { combine: { a: { of: 'x', combineX: 'sum' } as never } },
    ),
  'Aggregate.get': () => sums.get(words, odd),
  'Aggregate.entries': () => sums.entries(odd),
  'Aggregate.get, into': () => sums.get(words, { into: typo('values') }),
  'Aggregate.encodeGet': () => sums.encodeGet(encoder, typo('queries')),
  'Aggregate.encodeEntries': () => sums.encodeEntries(encoder, typo('keys')),
  'DynamicMap.insert': () => livingMap.insert(words, words, odd),
  'DynamicMap.insert, onExisting': () => livingMap.insert(words, words, { onExisting: typo('identity') }),
  'DynamicMap.getOrInsert': () => livingMap.getOrInsert(words, words, odd),
  'DynamicMap.delete': () => livingMap.delete(words, odd),
  'DynamicMap.get': () => livingMap.get(words, odd),
  'DynamicMap.entries': () => livingMap.entries(odd),
  'DynamicMap.encodeGet': () => livingMap.encodeGet(encoder, typo('queries')),
  'DynamicMap.encodeEntries': () => livingMap.encodeEntries(encoder, typo('keys')),
  'DynamicMap.encodeInsert': () => livingMap.encodeInsert(encoder, typo('keys')),
  'DynamicMap.encodeInsert, options': () =>
    livingMap.encodeInsert(encoder, { keys: buffer, values: buffer, count: 1 }, odd),
  'DynamicMap.encodeInsertRequests': () => livingMap.encodeInsertRequests(encoder, requests, odd),
  'DynamicMap.encodeDelete': () => livingMap.encodeDelete(encoder, typo('keys')),
  'DynamicSet.insert': () => livingSet.insert(words, odd),
  'DynamicSet.encodeInsert': () => livingSet.encodeInsert(encoder, typo('keys')),
  'DynamicSet.encodeInsertRequests': () => livingSet.encodeInsertRequests(encoder, requests, odd),
  'DynamicIndex.ids': () => livingIndex.ids(words, odd),
  'DynamicIndex.activate': () => livingIndex.activate(words, odd),
  'DynamicIndex.activeIds': () => livingIndex.activeIds(odd),
  'DynamicIndex.release': () => livingIndex.release(words, odd),
  'DynamicIndex.delete': () => livingIndex.delete(words, odd),
  'DynamicIndex.entries': () => livingIndex.entries(odd),
  'DynamicIndex.encodeIds': () => livingIndex.encodeIds(encoder, typo('queries')),
  'DynamicIndex.encodeActivate': () => livingIndex.encodeActivate(encoder, typo('keys')),
  'DynamicIndex.encodeActivateRequests': () => livingIndex.encodeActivateRequests(encoder, requests, typo('ids')),
  'DynamicIndex.encodeRelease': () => livingIndex.encodeRelease(encoder, typo('keys')),
  'DynamicIndex.encodeEntries': () => livingIndex.encodeEntries(encoder, typo('keys')),
  'SparseImage.prepare': () => SparseImage.prepare(gpu, odd),
  'SparseVolume.prepare': () => SparseVolume.prepare(gpu, odd),
  'SparsePaint.prepare': () => SparsePaint.prepare(gpu, odd),
  'SpatialGrid.prepare': () => SpatialGrid.prepare(gpu, odd),
  'JoinTable.prepare': () => JoinTable.prepare(gpu, odd),
  'SparseImage.from, input': () => SparseImage.from(gpu, typo('width')),
  'SparseImage.from, options': () => SparseImage.from(gpu, { width: 3, height: 1, pixels: words }, odd),
  'SparseImage.encodeBuild, input': () => SparseImage.encodeBuild(gpu, encoder, typo('width')),
  'SparseImage.encodeBuild, options': () =>
    SparseImage.encodeBuild(gpu, encoder, { width: 3, height: 1, pixels: buffer }, odd),
  'SparseImage.fromBytes': () => SparseImage.fromBytes(gpu, new Uint8Array(40), odd),
  'SparseImage.encodeRebuild': () => image.encodeRebuild(encoder, typo('pixels')),
  'SparseImage.encodeUnpack': () => image.encodeUnpack(encoder, typo('output')),
  'SparseImage.wgsl': () => image.wgsl(odd),
  'SparseVolume.from, input': () => SparseVolume.from(gpu, typo('width')),
  'SparseVolume.from, options': () => SparseVolume.from(gpu, { width: 3, height: 1, depth: 1, voxels: words }, odd),
  'SparseVolume.encodeBuild, input': () => SparseVolume.encodeBuild(gpu, encoder, typo('width')),
  'SparseVolume.encodeBuild, options': () =>
    SparseVolume.encodeBuild(gpu, encoder, { width: 3, height: 1, depth: 1, voxels: buffer }, odd),
  'SparseVolume.fromBytes': () => SparseVolume.fromBytes(gpu, new Uint8Array(40), odd),
  'SparseVolume.encodeRebuild': () => volume.encodeRebuild(encoder, typo('voxels')),
  'SparseVolume.slice, options': () => volume.slice(plane, odd),
  'SparseVolume.slice': () => volume.slice(typo('origin')),
  'SparseVolume.encodeSlice': () => volume.encodeSlice(encoder, typo('output')),
  'SparsePaint.create, input': () => SparsePaint.create(gpu, typo('most')),
  'SparsePaint.create, options': () => SparsePaint.create(gpu, { width: 4, height: 4 }, odd),
  'SparsePaint.paint': () => paint.paint(typo('points')),
  'SparsePaint.encodePaint': () => paint.encodePaint(encoder, typo('colours')),
  'SpatialGrid.from, input': () => SpatialGrid.from(gpu, typo('points'), { radius: 1 }),
  'SpatialGrid.from, options': () => SpatialGrid.from(gpu, { points }, odd),
  'SpatialGrid.encodeBuild, input': () => SpatialGrid.encodeBuild(gpu, encoder, typo('points'), { radius: 1 }),
  'SpatialGrid.encodeBuild, options': () => SpatialGrid.encodeBuild(gpu, encoder, { points: buffer, count: 1 }, odd),
  'SpatialGrid.rebuild': () => grid.rebuild(typo('points')),
  'SpatialGrid.encodeRebuild': () => grid.encodeRebuild(encoder, typo('points')),
  'SpatialGrid.neighbours': () => grid.neighbours(points, odd),
  'SpatialGrid.pairs': () => grid.pairs(odd),
  'SpatialGrid.wgsl': () => grid.wgsl(odd),
  'SpatialGrid.wgsl, each': () => grid.wgsl({ name: 'near', group: 1 }).each(odd),
  'weld, options': () => weld(gpu, points, odd),
  'weld, attributes': () => weld(gpu, points, { attributes: { uv: { values: points, toleranceX: 1 } as never } }),
  'join, options': () => join(gpu, column, column, odd),
  'join, a column': () => join(gpu, { values: words, keyX: 1 } as never, column),
  'JoinTable.from': () => JoinTable.from(gpu, column, odd),
  'JoinTable.encodeBuild, input': () => JoinTable.encodeBuild(gpu, encoder, typo('columns')),
  'JoinTable.encodeBuild, a column': () =>
    JoinTable.encodeBuild(gpu, encoder, { columns: { values: buffer, keyX: 1 } as never, count: 1 }),
  'JoinTable.encodeBuild, options': () =>
    JoinTable.encodeBuild(gpu, encoder, { columns: { values: buffer, key: u32 }, count: 1 }, odd),
  'JoinTable.encodeRebuild': () => table.encodeRebuild(encoder, typo('columns')),
  'JoinTable.join': () => table.join(column, odd),
  'JoinTable.encodeJoin': () => table.encodeJoin(encoder, typo('columns')),
  groupBy: () => groupBy(gpu, column, odd),
  countBy: () => countBy(gpu, column, odd),
  distinct: () => distinct(gpu, column, odd),
  topK: () => topK(gpu, words, 1, odd),
};

describe('a member that there is not is named, and nothing is made', () => {
  it.each(Object.entries(CALLS))('%s', async (_, call) => {
    const watched = watchBuffers(gpu);
    try {
      const error = await Promise.resolve()
        .then(call)
        .then(() => undefined)
        .catch((thrown: unknown) => thrown);
      expect((error as Error | undefined)?.message).toMatch(/ have no (zzz;|\w+X; did you mean)/);
      expect(watched.madeBytes()).toBe(0);
    } finally {
      watched.restore();
    }
  });
});
