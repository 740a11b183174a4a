import { describe, expect, it } from 'vitest';
import { Aggregate, DynamicMap, HashMap, HashnestError, HashSet, KeyIndex, u32 } from '../../src/index.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const words = Uint32Array.from({ length: 5000 }, (_, i) => i);
const points = Float32Array.from({ length: 3000 }, (_, i) => i % 17);
const map = await HashMap.from(gpu, { keys: words, values: words });
const living = await DynamicMap.create(gpu, { key: u32 });
const index = await KeyIndex.from(gpu, { keys: words });
const sums = await Aggregate.from(gpu, { keys: words, values: words }, { combine: 'sum' });
const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });

/** Calls that can be given up. */
const CALLS: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'HashMap.from': (signal) => HashMap.from(gpu, { keys: words, values: words }, { signal }),
  'HashMap.from of a Map': (signal) => HashMap.from(gpu, new Map([[1, 2]]), { signal }),
  'HashSet.from': (signal) => HashSet.from(gpu, { keys: words }, { signal }),
  'HashMap.get': (signal) => map.get(words, { signal }),
  'HashMap.has': (signal) => map.has(words, { signal }),
  'HashMap.entries': (signal) => map.entries({ signal }),
  'KeyIndex.ids': (signal) => index.ids(words, { signal }),
  'Aggregate.get': (signal) => sums.get(words, { signal }),
  'DynamicMap.get': (signal) => living.get(words, { signal }),
  'DynamicMap.entries': (signal) => living.entries({ signal }),
  'SpatialGrid.from': (signal) => SpatialGrid.from(gpu, { points }, { radius: 1, signal }),
  'SpatialGrid.pairs': (signal) => grid.pairs({ signal }),
  'SpatialGrid.neighbours': (signal) => grid.neighbours(points.slice(0, 300), { signal }),
  weld: (signal) => weld(gpu, points, { signal }),
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

  it('that is none is refused', async () => {
    const error = await call({} as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HashnestError);
    expect(String(error)).toContain('signal must be an AbortSignal');
  });
});
