import { describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  HashMap,
  HashnestError,
  HashSet,
  KeyIndex,
  MultiMap,
  u32,
} from '../../src/index.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const words = Uint32Array.from({ length: 5000 }, (_, i) => i);
const points = Float32Array.from({ length: 3000 }, (_, i) => i % 17);
const map = await HashMap.from(gpu, { keys: words, values: words });
const living = await DynamicMap.create(gpu, { key: u32 });
const livingSet = await DynamicSet.create(gpu, { key: u32 });
const livingIndex = await DynamicIndex.create(gpu, { key: u32 });
const multi = await MultiMap.from(gpu, { keys: words, values: words });
const index = await KeyIndex.from(gpu, { keys: words }, { keepItems: true });
const sums = await Aggregate.from(gpu, { keys: words, values: words }, { combine: 'sum' });
const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
const set = await HashSet.from(gpu, { keys: words });
const box = { width: 50, height: 10, depth: 10 };
const slice = { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 20, height: 20 } as const;
const image = await SparseImage.from(gpu, { width: 50, height: 100, pixels: words });
const volume = await SparseVolume.from(gpu, { ...box, voxels: words });
const paint = await SparsePaint.create(gpu, { width: 20, height: 20 });
await Promise.all([living.insert(words, words), livingSet.insert(words), livingIndex.activate(words)]);
const saved = {
  map: await map.toBytes(),
  set: await set.toBytes(),
  index: await index.toBytes(),
  multi: await multi.toBytes(),
  living: await living.toBytes(),
  livingSet: await livingSet.toBytes(),
  livingIndex: await livingIndex.toBytes(),
  image: await image.toBytes(),
  volume: await volume.toBytes(),
};

/** Calls that can be given up. */
const CALLS: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'HashMap.from': (signal) => HashMap.from(gpu, { keys: words, values: words }, { signal }),
  'HashMap.from of a Map': (signal) => HashMap.from(gpu, new Map([[1, 2]]), { signal }),
  'HashSet.from': (signal) => HashSet.from(gpu, { keys: words }, { signal }),
  'HashMap.get': (signal) => map.get(words, { signal }),
  'HashMap.has': (signal) => map.has(words, { signal }),
  'HashMap.entries': (signal) => map.entries({ signal }),
  'HashMap.keys': (signal) => map.keys({ signal }),
  'HashMap.values': (signal) => map.values({ signal }),
  'KeyIndex.ids': (signal) => index.ids(words, { signal }),
  'KeyIndex.keysOf': (signal) => index.keysOf(words, { signal }),
  'KeyIndex.keys': (signal) => index.keys({ signal }),
  'KeyIndex.entries': (signal) => index.entries({ signal }),
  'KeyIndex.idsOfItems': (signal) => index.idsOfItems({ signal }),
  'KeyIndex.firstItems': (signal) => index.firstItems({ signal }),
  'MultiMap.get': (signal) => multi.get(words, { signal }),
  'MultiMap.count': (signal) => multi.count(words, { signal }),
  'MultiMap.retrieve': (signal) => multi.retrieve(words, { signal }),
  'MultiMap.keys': (signal) => multi.keys({ signal }),
  'MultiMap.entries': (signal) => multi.entries({ signal }),
  'Aggregate.get': (signal) => sums.get(words, { signal }),
  'Aggregate.entries': (signal) => sums.entries({ signal }),
  'DynamicMap.get': (signal) => living.get(words, { signal }),
  'DynamicMap.entries': (signal) => living.entries({ signal }),
  'DynamicMap.insert': (signal) => living.insert(words, words, { signal }),
  'DynamicMap.getOrInsert': (signal) => living.getOrInsert(words, words, { signal }),
  'DynamicMap.delete': (signal) => living.delete(words, { signal }),
  'DynamicSet.insert': (signal) => livingSet.insert(words, { signal }),
  'DynamicSet.keys': (signal) => livingSet.keys({ signal }),
  'DynamicIndex.activate': (signal) => livingIndex.activate(words, { signal }),
  'DynamicIndex.activeIds': (signal) => livingIndex.activeIds({ signal }),
  'DynamicIndex.entries': (signal) => livingIndex.entries({ signal }),
  'DynamicIndex.release': (signal) => livingIndex.release(words, { signal }),
  'DynamicIndex.delete': (signal) => livingIndex.delete(words, { signal }),
  'SpatialGrid.from': (signal) => SpatialGrid.from(gpu, { points }, { radius: 1, signal }),
  'SpatialGrid.pairs': (signal) => grid.pairs({ signal }),
  'SpatialGrid.neighbours': (signal) => grid.neighbours(points.slice(0, 300), { signal }),
  weld: (signal) => weld(gpu, points, { signal }),
  'HashMap.stats': (signal) => map.stats({ signal }),
  'HashMap.stats, of given keys': (signal) => map.stats({ absent: words, signal }),
  'DynamicMap.stats': (signal) => living.stats({ signal }),
  'HashMap.toBytes': (signal) => map.toBytes({ signal }),
  'HashSet.toBytes': (signal) => set.toBytes({ signal }),
  'KeyIndex.toBytes': (signal) => index.toBytes({ signal }),
  'MultiMap.toBytes': (signal) => multi.toBytes({ signal }),
  'DynamicMap.toBytes': (signal) => living.toBytes({ signal }),
  'DynamicSet.toBytes': (signal) => livingSet.toBytes({ signal }),
  'DynamicIndex.toBytes': (signal) => livingIndex.toBytes({ signal }),
  'SparseImage.toBytes': (signal) => image.toBytes({ signal }),
  'SparseVolume.toBytes': (signal) => volume.toBytes({ signal }),
  'HashMap.fromBytes': (signal) => HashMap.fromBytes(gpu, saved.map, { signal }),
  'HashSet.fromBytes': (signal) => HashSet.fromBytes(gpu, saved.set, { signal }),
  'KeyIndex.fromBytes': (signal) => KeyIndex.fromBytes(gpu, saved.index, { signal }),
  'MultiMap.fromBytes': (signal) => MultiMap.fromBytes(gpu, saved.multi, { signal }),
  'DynamicMap.fromBytes': (signal) => DynamicMap.fromBytes(gpu, saved.living, { signal }),
  'DynamicSet.fromBytes': (signal) => DynamicSet.fromBytes(gpu, saved.livingSet, { signal }),
  'DynamicIndex.fromBytes': (signal) => DynamicIndex.fromBytes(gpu, saved.livingIndex, { signal }),
  'SparseImage.fromBytes': (signal) => SparseImage.fromBytes(gpu, saved.image, { signal }),
  'SparseVolume.fromBytes': (signal) => SparseVolume.fromBytes(gpu, saved.volume, { signal }),
  'SparseImage.from': (signal) => SparseImage.from(gpu, { width: 50, height: 100, pixels: words }, { signal }),
  'SparseImage.get': (signal) => image.get(Int32Array.of(1, 1), { signal }),
  'SparseImage.pixels': (signal) => image.pixels({ signal }),
  'SparseVolume.from': (signal) => SparseVolume.from(gpu, { ...box, voxels: words }, { signal }),
  'SparseVolume.voxels': (signal) => volume.voxels({ signal }),
  'SparseVolume.slice': (signal) => volume.slice(slice, { signal }),
  'SparsePaint.pixels': (signal) => paint.pixels({ signal }),
};

/** Waits until the GPU has nothing left to do, and so have those that wait for it. */
async function idle(): Promise<void> {
  for (let i = 0; i < 20; i++) await gpu.run(() => {});
}

describe.each(Object.entries(CALLS))('a signal given to %s', (_, call) => {
  it('that was aborted before rejects with its reason, and nothing is allocated', async () => {
    const watched = watchBuffers(gpu);
    const reason = new Error('not wanted');
    await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(watched.madeBytes()).toBe(0);
    watched.restore();
  });

  it('that is aborted meanwhile rejects at once, and everything is freed in the end', async () => {
    const watched = watchBuffers(gpu);
    const controller = new AbortController();
    const pending = call(controller.signal);
    controller.abort();
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await idle();
    await expect.poll(watched.labels, { timeout: 20_000 }).toEqual([]);
    watched.restore();
  });

  it('that is never aborted changes nothing, and is let go of', async () => {
    const controller = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = controller.signal;
    controller.signal.addEventListener = (type: string, listener: never) => {
      listeners.add(listener);
      addEventListener.call(controller.signal, type, listener);
    };
    controller.signal.removeEventListener = (type: string, listener: never) => {
      listeners.delete(listener);
      removeEventListener.call(controller.signal, type, listener);
    };
    const result = await call(controller.signal);
    expect(result).toBeDefined();
    expect(listeners.size).toBe(0);
    (result as { destroy?: () => void }).destroy?.();
  });

  it.each([{}, null])('that is none is refused: %o', async (none) => {
    const error = await call(none as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HashnestError);
    expect(String(error)).toContain('signal must be an AbortSignal');
  });
});

describe('a batch', () => {
  it('that is given up before its turn changes nothing, and those around it are taken', async () => {
    using table = await DynamicMap.create(gpu, { key: u32 });
    const controller = new AbortController();
    const { signal } = controller;
    const before = table.insert(words, words);
    const givenUp = [
      table.insert(
        words,
        words.map((word) => word + 1),
        { signal },
      ),
      table.insert(
        words.map((word) => word + 5000),
        words,
        { signal },
      ),
      table.getOrInsert(
        words.map((word) => word + 9000),
        words,
        { signal },
      ),
      table.delete(words, { signal }),
    ];
    const after = table.delete(words.subarray(10));
    controller.abort();
    for (const call of givenUp) await expect(call).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect((await before).every((isNew) => isNew === 1)).toBe(true);
    expect((await after).every((wasThere) => wasThere === 1)).toBe(true);
    const { keys, values } = await table.entries();
    expect([...keys].sort((a, b) => a - b)).toEqual([...words.subarray(0, 10)]);
    expect([...values]).toEqual([...keys]);
  });

  it('that has begun is taken, whole', async () => {
    using ids = await DynamicIndex.create(gpu, { key: u32 });
    const controller = new AbortController();
    const { signal } = controller;
    let asked = 0;
    // It is asked when the call is made, and again when its turn has come.
    signal.throwIfAborted = () => {
      AbortSignal.prototype.throwIfAborted.call(signal);
      if (++asked === 2) queueMicrotask(() => controller.abort());
    };
    await expect(ids.activate(words, { signal })).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect([...(await ids.ids(words))].sort((a, b) => a - b)).toEqual([...words]);
    expect(ids.size).toBe(words.length);
  });
});
