/** Rebuilds that come to nothing: what they leave behind. */
import { describe, expect, it, vi } from 'vitest';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { DestroyedError, GpuFaultError, InvalidInputError } from '../../src/gpu/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const another = await sharedGpu('default');

const words = Uint32Array.from({ length: 300 }, (_, i) => i % 100);
const host = { keys: words, values: words };

/** Collections that know beside their tables which memory they could not have. */
const INDEXED = {
  KeyIndex: () => KeyIndex.from(gpu, host),
  'KeyIndex by table': () => KeyIndex.from(gpu, host, { construction: 'table' }),
  MultiMap: () => MultiMap.from(gpu, host),
  Aggregate: () => Aggregate.from(gpu, host, { combine: 'sum' }),
};
const ALL = {
  HashMap: () => HashMap.from(gpu, host, { duplicates: 'last' }),
  HashSet: () => HashSet.from(gpu, host, { duplicates: 'last' }),
  ...INDEXED,
};

describe.each(Object.entries(ALL))('a %s that was destroyed', (_, make) => {
  it('says so before anything is allocated or recorded', async () => {
    const buffers = { keys: gpu.upload('test', words), values: gpu.upload('test', words), count: words.length };
    const made = await make();
    made.destroy();
    gpu.trim();
    const create = vi.spyOn(gpu.device, 'createBuffer');
    try {
      await expect(made.rebuild(host)).rejects.toThrow(DestroyedError);
      const encoder = gpu.device.createCommandEncoder();
      expect(() => made.encodeRebuild(encoder, buffers)).toThrow(DestroyedError);
      gpu.device.queue.submit([encoder.finish()]);
      expect(create).not.toHaveBeenCalled();
    } finally {
      create.mockRestore();
      buffers.keys.destroy();
      buffers.values.destroy();
    }
  });
});

describe.each(Object.entries(INDEXED))('a %s whose rebuild could not be recorded', (_, make) => {
  it('says so when it is settled, however late, and only then', async () => {
    using made = await make();
    // WebGPU refuses what is recorded with a buffer of another device, and says so later.
    const keys = another.upload('test', words);
    made.encodeRebuild(gpu.device.createCommandEncoder(), { keys, values: keys, count: words.length });
    await gpu.run(() => {});
    await expect(made.settle()).rejects.toThrow(GpuFaultError);
    keys.destroy();
    await made.rebuild(host);
    const own = gpu.upload('test', words);
    await gpu.run((encoder) => made.encodeRebuild(encoder, { keys: own, values: own, count: 40 }));
    await made.settle();
    own.destroy();
    expect(made.size).toBe(40);
  });
});

describe.each(Object.entries(ALL))('a rebuild of a %s', (_, make) => {
  const fewer = { keys: words.subarray(0, 40), values: words.subarray(0, 40) };

  it('that is given up before its turn leaves everything as it was', async () => {
    using made = await make();
    const reason = new Error('not wanted');
    await expect(made.rebuild(fewer, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const earlier = made.has(words);
    const pending = made.rebuild(fewer, { signal: controller.signal });
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(await earlier).toEqual(await made.has(words));
    expect(made.size).toBe(100);
  });

  it('that is given up later has come to its end when the next call answers', async () => {
    using made = await make();
    const controller = new AbortController();
    const pending = made.rebuild(fewer, { signal: controller.signal });
    while (!made.table.turns.isWriting) await Promise.resolve();
    for (let i = 0; i < 3; i++) await gpu.run(() => {});
    controller.abort();
    await pending.catch(() => {});
    const found = await made.has(words.subarray(0, 100));
    expect([made.size, found.reduce((a, b) => a + b, 0)]).toEqual([40, 40]);
  });

  it('takes nothing else beside its items', async () => {
    using made = await make();
    for (const odd of [null, 5, { seed: 1 }, { signal: {} }]) {
      await expect(made.rebuild(fewer, odd as never)).rejects.toThrow(InvalidInputError);
    }
    expect(made.size).toBe(100);
    expect(await made.rebuild(fewer, { signal: new AbortController().signal })).toBe(made);
    expect(made.size).toBe(40);
  });
});
