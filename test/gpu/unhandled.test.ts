/** Calls that fail while they wait for their turn: whoever waits for them is told, and no rejection is left to nobody. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  HashMap,
  KeyIndex,
  linearProbing,
  MultiMap,
  u32,
} from '../../src/index.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { withoutMemory } from '../injecting.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const keys = Uint32Array.of(1, 2, 3);
const items = { keys, values: keys };
const points = { points: Float32Array.of(1, 2, 3) };
const options = { scheme: linearProbing(), construction: 'table' } as const;

interface Subject {
  readonly change: () => Promise<unknown>;
  readonly size: () => number;
  readonly destroy: () => void;
}
const subject = <T extends { readonly size: number; destroy(): void }>(
  made: T,
  change: (made: T) => Promise<unknown>,
): Subject => ({ change: () => change(made), size: () => made.size, destroy: () => made.destroy() });

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  HashMap: async () => subject(await HashMap.from(gpu, items, { scheme: options.scheme }), (map) => map.rebuild(items)),
  KeyIndex: async () => subject(await KeyIndex.from(gpu, items, options), (index) => index.rebuild(items)),
  MultiMap: async () => subject(await MultiMap.from(gpu, items, options), (map) => map.rebuild(items)),
  Aggregate: async () =>
    subject(await Aggregate.from(gpu, items, { ...options, combine: 'sum' }), (sums) => sums.rebuild(items)),
  DynamicMap: async () => subject(await DynamicMap.create(gpu, { key: u32 }), (map) => map.insert(keys, keys)),
  DynamicIndex: async () => subject(await DynamicIndex.create(gpu, { key: u32 }), (index) => index.activate(keys)),
  SpatialGrid: async () => subject(await SpatialGrid.from(gpu, points, { radius: 1 }), (grid) => grid.rebuild(points)),
};

describe('a call that fails while another has its turn', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => {
    unhandled.push(reason);
  };
  beforeAll(() => process.on('unhandledRejection', note));
  afterAll(() => process.off('unhandledRejection', note));

  it.each(Object.entries(SUBJECTS))('of a %s', async (_, make) => {
    const { change, size, destroy } = await make();
    await change();
    const before = size();
    const first = change();
    // Uploads are made before the call returns.
    const restore = withoutMemory(gpu);
    const second = change();
    restore();
    const third = change();
    const outcomes = await Promise.allSettled([first, second, third]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(size()).toBe(before);
    // All of its steps fail, also those that go on when it has been told.
    const restoreAll = withoutMemory(gpu);
    const fourth = change();
    await expect(fourth).rejects.toThrow('no memory today');
    await new Promise((resume) => setTimeout(resume, 20));
    restoreAll();
    await change();
    destroy();
    // Node tells of rejections that nobody handles when all that is due has run.
    await new Promise((resume) => setTimeout(resume));
    expect(unhandled).toEqual([]);
  });
});
