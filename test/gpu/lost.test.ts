import { describe, expect, it } from 'vitest';
import { SparsePaint } from '../../src/apps.ts';
import { DynamicIndex, DynamicMap, HashMap, HashSet } from '../../src/collections/index.ts';
import { DestroyedError, DeviceLostError, Gpu, Workspace } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { SpatialGrid } from '../../src/spatial.ts';

const items = { keys: new Uint32Array([1, 2, 3]), values: new Uint32Array([4, 5, 6]) };
/** Compiled in no time: every test here opens a device of its own. */
const options = { scheme: linearProbing() };

/** Calls of every kind that wait for the GPU. */
const pendingCalls = (gpu: Gpu, map: HashMap<Uint32Array>): Record<string, Promise<unknown>> => ({
  'gpu.run': gpu.run(() => {}),
  'gpu.run with a readback': gpu.run(() => {}, [{ buffer: gpu.createBuffer('test', 16), bytes: 16 }]),
  'gpu.allocate': gpu.allocate([{ label: 'test', bytes: 64 }]),
  'gpu.checked': gpu.checked(() => 1),
  'HashMap.from': HashMap.from(gpu, items, options),
  'map.get': map.get(items.keys),
  'map.has': map.has(items.keys),
  'map.entries': map.entries(),
  'map.toBytes': map.toBytes(),
  'map.stats': map.stats(),
  'map.rebuild': map.rebuild(items),
});

const laterCalls = (gpu: Gpu, map: HashMap<Uint32Array>): Record<string, () => unknown> => ({
  'gpu.run': () => gpu.run(() => {}),
  'gpu.allocate': () => gpu.allocate([{ label: 'test', bytes: 64 }]),
  'gpu.createBuffer': () => gpu.createBuffer('test', 16),
  'gpu.upload': () => gpu.upload('test', items.keys),
  'gpu.constants': () => gpu.constants(1),
  'gpu.checked': () => gpu.checked(() => 1),
  'gpu.guard': () => gpu.guard(Promise.resolve()),
  scratch: () => new Workspace(gpu).scratch('test', 16),
  'HashMap.from': () => HashMap.from(gpu, items, options),
  'HashSet.from': () => HashSet.from(gpu, items, options),
  'map.get': () => map.get(items.keys),
  'map.entries': () => map.entries(),
  'map.size': () => map.size,
  'map.rebuild': () => map.rebuild(items),
});

async function reasonOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return 'no error';
}

/** Ways to go, and the error that tells of it. */
const ENDS = [
  { end: 'the Gpu is destroyed', ErrorType: DestroyedError, lose: (gpu: Gpu): void => gpu.destroy() },
  { end: 'the device is lost', ErrorType: DeviceLostError, lose: (gpu: Gpu): void => gpu.device.destroy() },
];

describe.each(ENDS)('when $end', ({ ErrorType, lose }) => {
  it('every pending call is rejected', async () => {
    const gpu = await Gpu.open();
    const map = await HashMap.from(gpu, items, options);
    const pending = pendingCalls(gpu, map);
    const settled = Promise.allSettled(Object.values(pending));
    lose(gpu);
    const reasons = (await settled).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'no error'));
    for (const [i, name] of Object.keys(pending).entries()) expect(reasons[i], name).toBeInstanceOf(ErrorType);
    gpu.destroy();
  });

  it('every later call is refused', async () => {
    const gpu = await Gpu.open();
    const map = await HashMap.from(gpu, items, options);
    lose(gpu);
    const { reason } = await gpu.lost;
    expect(reason).toBe('destroyed');
    for (const [name, call] of Object.entries(laterCalls(gpu, map))) {
      expect(await reasonOf(call), name).toBeInstanceOf(ErrorType);
    }
    expect(() => map.destroy()).not.toThrow();
    gpu.destroy();
  });

  it('every later call of what lives, and of what is made of collections, is refused', async () => {
    const gpu = await Gpu.open();
    const map = await DynamicMap.create(gpu, { key: u32 });
    const index = await DynamicIndex.create(gpu, { key: u32 });
    const paint = await SparsePaint.create(gpu, { width: 4, height: 4 });
    const grid = await SpatialGrid.from(gpu, { points: new Float32Array(6) }, { radius: 1 });
    const { keys, values } = items;
    const input = gpu.upload('test', keys);
    const output = gpu.createBuffer('test', 64);
    const encoder = gpu.device.createCommandEncoder();
    lose(gpu);
    await gpu.lost;
    const calls: Record<string, () => unknown> = {
      'DynamicMap.create': () => DynamicMap.create(gpu, { key: u32 }),
      'map.insert': () => map.insert(keys, values),
      'map.delete': () => map.delete(keys),
      'map.get': () => map.get(keys),
      'map.clear': () => map.clear(),
      'map.reserve': () => map.reserve(1000),
      'map.encodeHas': () => map.encodeHas(encoder, { queries: input, found: output, count: 3 }),
      'map.encodeDelete': () => map.encodeDelete(encoder, { keys: input, count: 3 }),
      'map.encodeKeys': () => map.encodeKeys(encoder, { keys: output, count: { buffer: input } }),
      'map.wgsl': () => map.wgsl({ name: 'lost', group: 1 }),
      'map.toBytes': () => map.toBytes(),
      'index.activate': () => index.activate(keys),
      'index.release': () => index.release(keys),
      'index.ids': () => index.ids(keys),
      'paint.paint': () => paint.paint({ points: Int32Array.of(1, 1), colours: Uint32Array.of(1) }),
      'paint.pixels': () => paint.pixels(),
      'SpatialGrid.from': () => SpatialGrid.from(gpu, { points: new Float32Array(6) }, { radius: 1 }),
      'grid.rebuild': () => grid.rebuild({ points: new Float32Array(6) }),
      'grid.neighbours': () => grid.neighbours(new Float32Array(3)),
    };
    for (const [name, call] of Object.entries(calls)) expect(await reasonOf(call), name).toBeInstanceOf(ErrorType);
    for (const made of [map, index, paint, grid]) expect(() => made.destroy()).not.toThrow();
    gpu.destroy();
  });
});

describe('destroying a Gpu', () => {
  it('may happen twice, and by `using`', async () => {
    let kept: Gpu;
    {
      using gpu = await Gpu.open();
      kept = gpu;
      expect(await HashSet.from(gpu, items, options).then((set) => set.size)).toBe(3);
    }
    expect(() => kept.assertAlive()).toThrow(DestroyedError);
    expect(() => kept.destroy()).not.toThrow();
  });

  it('leaves other Gpus alone', async () => {
    using gpu = await Gpu.open();
    const other = await Gpu.open();
    other.destroy();
    using set = await HashSet.from(gpu, items, options);
    expect([...(await set.has(new Uint32Array([3, 4])))]).toEqual([1, 0]);
  });
});

describe('Gpu.from', () => {
  it('uses a device of the caller and leaves it alone', async () => {
    using opened = await Gpu.open();
    const { device } = opened;
    const gpu = Gpu.from(device);
    using map = await HashMap.from(gpu, items, options);
    expect([...(await map.get(items.keys)).values]).toEqual([4, 5, 6]);
    expect(gpu.limits).toBe(device.limits);
    gpu.destroy();
    expect(await reasonOf(() => gpu.run(() => {}))).toBeInstanceOf(DestroyedError);

    const again = Gpu.from(device);
    using set = await HashSet.from(again, items, options);
    expect([...(await set.has(items.keys))]).toEqual([1, 1, 1]);
  });

  it('rejects what is pending when it is destroyed, although the device lives on', async () => {
    using opened = await Gpu.open();
    const gpu = Gpu.from(opened.device);
    const pending = gpu.run(() => {}, [{ buffer: gpu.createBuffer('test', 16), bytes: 16 }]);
    gpu.destroy();
    expect(await reasonOf(() => pending)).toBeInstanceOf(DestroyedError);
  });

  it('notices when the device of the caller is lost', async () => {
    const opened = await Gpu.open();
    const gpu = Gpu.from(opened.device);
    const pending = gpu.run(() => {}, [{ buffer: gpu.createBuffer('test', 16), bytes: 16 }]);
    opened.device.destroy();
    expect(await reasonOf(() => pending)).toBeInstanceOf(DeviceLostError);
    opened.destroy();
  });
});
