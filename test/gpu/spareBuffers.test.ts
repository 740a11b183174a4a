import { describe, expect, it } from 'vitest';
import { type Gpu, OutOfMemoryError } from '../../src/gpu/index.ts';
import { SpareBuffers } from '../../src/gpu/spareBuffers.ts';
import { Aggregate, DynamicMap, HashMap, HashSet, KeyIndex, linearProbing, MultiMap, u32 } from '../../src/index.ts';
import { BuildScratch } from '../../src/table/buildScratch.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const MIB = 2 ** 20;

/** A pool of its own, and what became of its buffers. */
function pool() {
  const destroyed: number[] = [];
  const fake = {
    isAlive: true,
    limits: { maxBufferSize: 2048 * MIB },
    createBuffer: (_: string, size: number) => ({ size, mapState: 'unmapped', destroy: () => destroyed.push(size) }),
  };
  return { spare: new SpareBuffers(fake as unknown as Gpu), destroyed, fake };
}

describe('spare buffers', () => {
  it('come back to the next one who asks for about as much', () => {
    const { spare, destroyed } = pool();
    const first = spare.take('kernel', 5000);
    expect(first.size).toBe(8192);
    spare.giveBack('kernel', first, true);
    expect(spare.take('readback', 5000)).not.toBe(first);
    expect(spare.take('kernel', 2048)).toBe(first);
    spare.giveBack('kernel', first, true);
    expect(spare.take('kernel', 100 * 1024)).not.toBe(first);
    expect(spare.take('kernel', 10)).toBe(first);
    expect(destroyed).toEqual([]);
  });

  it('are given to no two at once, and the last that was given back first', () => {
    const { spare } = pool();
    const [a, b] = [spare.take('kernel', 100), spare.take('kernel', 100)];
    expect(a).not.toBe(b);
    spare.giveBack('kernel', b, true);
    spare.giveBack('kernel', a, true);
    expect(spare.take('kernel', 100)).toBe(a);
    expect(spare.take('kernel', 100)).toBe(b);
  });

  it('are not kept if nobody knows whether there is memory behind them', () => {
    const { spare, destroyed } = pool();
    const unknown = spare.take('kernel', 100);
    spare.giveBack('kernel', unknown, false);
    expect(destroyed).toEqual([4096]);
    const good = spare.take('kernel', 100);
    spare.giveBack('kernel', good, true);
    // A call that failed for another reason does not make it worse.
    spare.giveBack('kernel', spare.take('kernel', 100), false);
    expect(spare.take('kernel', 100)).toBe(good);
    expect(destroyed).toEqual([4096]);
  });

  it('are not kept while they are mapped, or after the device is gone', () => {
    const { spare, destroyed, fake } = pool();
    const mapped = spare.take('readback', 100);
    (mapped as { mapState: string }).mapState = 'pending';
    spare.giveBack('readback', mapped, true);
    const late = spare.take('readback', 100);
    fake.isAlive = false;
    spare.giveBack('readback', late, true);
    expect(destroyed).toEqual([4096, 4096]);
  });

  it('take at most 512 MiB, and those that have waited longest go', () => {
    const { spare, destroyed } = pool();
    const sizes = [200, 180, 160].map((size) => size * MIB);
    const buffers = sizes.map((size) => spare.take('kernel', size));
    for (const buffer of buffers) spare.giveBack('kernel', buffer, true);
    expect(destroyed).toEqual([200 * MIB]);
    const huge = spare.take('kernel', 600 * MIB);
    spare.giveBack('kernel', huge, true);
    expect(destroyed).toEqual([200 * MIB, 600 * MIB]);
    spare.release();
    expect(destroyed).toEqual([200, 600, 180, 160].map((size) => size * MIB));
  });
});

it('scratch of a build that had no memory is not spare, also after builds that had', () => {
  const scratch = new BuildScratch(gpu);
  const good = scratch.workspace.scratch('test/scratch', 40_000);
  scratch.release();
  expect(scratch.workspace.scratch('test/scratch', 40_000)).toBe(good);
  scratch.release(new OutOfMemoryError('there was none'));
  const next = gpu.spare.take('kernel', 40_000);
  expect(next).not.toBe(good);
  gpu.spare.giveBack('kernel', next, true);
  scratch.destroy();
});

describe('calls that share them', () => {
  it('at the same time, of all sizes, give their own answers', async () => {
    const keys = Uint32Array.from({ length: 5000 }, (_, i) => i * 5);
    using map = await HashMap.from(gpu, { keys, values: keys.map((key) => key + 1) }, { scheme: linearProbing() });
    const sizes = [0, 1, 2, 3, 4, 5, 255, 256, 257, 1023, 4096, 5000];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        sizes.map((size) => map.get(keys.subarray(size % 7, (size % 7) + size), { missing: 7 })),
      );
      for (const [i, { values, found }] of answers.entries()) {
        const size = sizes[i] as number;
        const asked = keys.subarray(size % 7, (size % 7) + size);
        expect([...values]).toEqual([...asked].map((key) => key + 1));
        expect(found.every((flag) => flag === 1) && found.length === asked.length).toBe(true);
      }
      const absent = await map.get(Uint32Array.of(1, 10, 2), { missing: 7 });
      expect([...absent.values, ...absent.found]).toEqual([7, 11, 7, 0, 1, 0]);
      gpu.trim();
    }
  });

  const keys = Uint32Array.from({ length: 3000 }, (_, i) => i % 700);
  const input = { keys, values: keys };
  const scheme = linearProbing();
  it.each<[string, () => Promise<{ destroy(): void }>]>([
    [
      'HashMap',
      async () => {
        const map = await HashMap.from(gpu, input, { scheme, duplicates: 'last' });
        await map.rebuild(input);
        await map.get(keys);
        return map;
      },
    ],
    [
      'HashSet',
      async () => {
        const set = await HashSet.from(gpu, { keys }, { scheme });
        await set.rebuild({ keys });
        await set.has(keys);
        return set;
      },
    ],
    [
      'KeyIndex',
      async () => {
        const index = await KeyIndex.from(gpu, { keys }, { scheme });
        await index.rebuild({ keys });
        await index.ids(keys);
        return index;
      },
    ],
    [
      'MultiMap',
      async () => {
        const map = await MultiMap.from(gpu, input, { scheme });
        await map.rebuild(input);
        await map.get(keys);
        return map;
      },
    ],
    [
      'Aggregate',
      async () => {
        const sums = await Aggregate.from(gpu, input, { scheme, combine: 'sum' });
        await sums.rebuild(input);
        await sums.get(keys);
        return sums;
      },
    ],
    [
      'DynamicMap',
      async () => {
        const map = await DynamicMap.create(gpu, { key: u32 });
        await map.insert(keys, keys);
        await map.delete(keys.subarray(0, 1000));
        await map.get(keys);
        return map;
      },
    ],
  ])('give them all back: %s', async (_, use) => {
    const { createBuffer } = gpu.device;
    let made: string[] = [];
    gpu.device.createBuffer = (descriptor) => {
      if (descriptor.label?.startsWith('hashnest/spare/')) made.push(`${descriptor.label} ${descriptor.size}`);
      return createBuffer.call(gpu.device, descriptor);
    };
    try {
      for (let round = 0; round < 2; round++) (await use()).destroy();
      made = [];
      for (let round = 0; round < 3; round++) (await use()).destroy();
    } finally {
      gpu.device.createBuffer = createBuffer;
    }
    // Those of the first rounds have come back.
    expect(made).toEqual([]);
  });
});
