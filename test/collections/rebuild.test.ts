/** Rebuilds that come to nothing: what they leave behind. */
import { describe, expect, it, vi } from 'vitest';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { DestroyedError, GpuFaultError } from '../../src/gpu/index.ts';
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
