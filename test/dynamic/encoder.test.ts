/** Batches that are recorded: nothing comes back until somebody asks. */
import { describe, expect, it } from 'vitest';
import {
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  InvalidInputError,
  regionCuckoo,
  u32,
  utf8,
  valueTypes,
  vec3i,
} from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { injecting } from '../injecting.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const words = async (buffer: GPUBuffer, count: number): Promise<number[]> => {
  const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: 4 * count }]);
  return [...new Uint32Array(bytes as ArrayBuffer)];
};

const upTo = (count: number, first = 0): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, i) => first + i);

describe('encoded batches', () => {
  it.each(['host', 'gpu'] as const)(
    'insert, delete and answer in one submission, counts known on the %s',
    async (where) => {
      using buffers = new TestBuffers(gpu);
      using map = await DynamicMap.create(gpu, { key: u32, reserve: 1000 });
      const room = 900;
      const items = 700;
      const count = where === 'host' ? items : { buffer: buffers.upload(Uint32Array.of(5, items)), offset: 4 };
      const keys = buffers.upload(upTo(room));
      const values = buffers.upload(upTo(room, 10));
      const evens = buffers.upload(upTo(room).map((i) => 2 * i));
      const found = buffers.words(room);
      const got = buffers.words(room);
      for (let frame = 0; frame < 2; frame++) {
        await gpu.run((encoder) => {
          map.encodeInsert(encoder, { keys, values, count, found });
          map.encodeDelete(encoder, { keys: evens, count });
          map.encodeGet(encoder, { queries: keys, values: got, count, missing: 3 });
        });
        expect(() => map.size).toThrow(InvalidInputError);
        expect(await map.settle()).toEqual({ left: 0 });
        expect(map.size).toBe(350);
        expect(await words(got, items)).toEqual([...upTo(items)].map((i) => (i % 2 ? i + 10 : 3)));
        // What was left by the frame before: the odd ones.
        expect(await words(found, items)).toEqual([...upTo(items)].map((i) => Number(frame > 0 && i % 2 === 1)));
      }
    },
  );

  it('take what has room, list what has none, and say how much that was', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32 });
    const count = 4 * map.capacitySlots;
    const keys = buffers.upload(upTo(count));
    const left = buffers.words(count);
    const number = buffers.words(1);
    await gpu.run((encoder) => {
      map.encodeInsert(encoder, { keys, values: keys, count, left });
      encoder.copyBufferToBuffer(map.left.buffer, map.left.offset ?? 0, number, 0, 4);
    });
    const settled = await map.settle();
    expect(settled.left).toBe(count - map.size);
    expect(map.size).toBeGreaterThan(0.85 * map.capacitySlots);
    expect(await words(number, 1)).toEqual([settled.left]);
    const missed = new Set(await words(left, settled.left));
    expect(missed.size).toBe(settled.left);
    const found = await map.has(upTo(count));
    expect([...found]).toEqual([...upTo(count)].map((i) => Number(!missed.has(i))));
    expect(await map.settle()).toEqual({ left: 0 });
    // The table is fuller than a table is kept; the next call makes room.
    await map.insert(Uint32Array.of(2 ** 31), Uint32Array.of(1));
    expect(map.filledFactor).toBeLessThanOrEqual(0.85);
    expect(map.size).toBe(count - settled.left + 1);
  });

  it('count items without room once, also after the table was cleared', async () => {
    using buffers = new TestBuffers(gpu);
    using set = await DynamicSet.create(gpu, { key: vec3i });
    const count = 4 * set.capacitySlots;
    const keys = buffers.upload(upTo(3 * count));
    const run = () => gpu.run((encoder) => set.encodeInsert(encoder, { keys, count }));
    await run();
    const { left } = await set.settle();
    expect(left).toBeGreaterThan(0);
    await set.clear();
    await run();
    expect(await set.settle()).toEqual({ left });
    await run();
    await run();
    expect(await set.settle()).toEqual({ left: 2 * left });
  });

  it('take strings as far as room for their bytes is reserved', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: utf8, value: valueTypes.f32, reserve: 10 });
    const context = buffers.upload(new Uint32Array(new TextEncoder().encode('oneonetwothreexy').buffer));
    const keys = buffers.upload(Uint32Array.of(0, 3, 3, 3, 6, 3, 9, 5, 14, 100));
    const values = buffers.upload(Float32Array.of(1, 1.5, 2, 3, 4));
    const insert = () => gpu.run((encoder) => map.encodeInsert(encoder, { keys, values, context, count: 5 }));
    await map.reserve(10, 1000);
    await insert();
    await map.settle();
    const { keys: names, values: numbers } = await map.entries();
    expect(Object.fromEntries(names.map((name, i) => [name, numbers[i]]))).toEqual({
      one: 1.5,
      two: 2,
      three: 3,
      xy: 4,
    });
    expect(await map.delete(['three', 'none'])).toEqual(Uint8Array.of(1, 0));
    expect([...(await map.get(['one', 'two', 'three'])).values]).toEqual([1.5, 2, 0]);
    await expect(
      (async () => {
        for (let i = 0; i < 20; i++) await insert();
      })(),
    ).rejects.toThrow(/reserve/);
  });

  it('do nothing with no items', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32 });
    const keys = buffers.words(4);
    const values = buffers.words(4);
    const count = { buffer: buffers.upload(Uint32Array.of(0)) };
    await gpu.run((encoder) => {
      map.encodeInsert(encoder, { keys, values, count: 0 });
      map.encodeDelete(encoder, { keys, count: 0 });
      map.encodeInsert(encoder, { keys, values, count });
      map.encodeDelete(encoder, { keys, count });
    });
    expect(await map.settle()).toEqual({ left: 0 });
    expect(map.size).toBe(0);
  });

  it('have to be submitted before the next call of the host face', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32 });
    const keys = buffers.upload(upTo(4));
    const encoder = gpu.device.createCommandEncoder();
    map.encodeInsert(encoder, { keys, values: buffers.upload(upTo(4)), count: 4 });
    await expect(map.insert(upTo(1), upTo(1))).rejects.toThrow(/not been submitted/);
    await expect(map.has(upTo(1))).rejects.toThrow(/not been submitted/);
    gpu.device.queue.submit([encoder.finish()]);
    expect(await map.has(upTo(5))).toEqual(Uint8Array.of(1, 1, 1, 1, 0));
  });

  it.each([regionCuckoo(), dyCuckoo()])('may be submitted in another order, by $name', async (scheme) => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32, reserve: 1000, scheme });
    const [first, second] = [upTo(300), upTo(300, 150)].map((keys) => {
      const encoder = gpu.device.createCommandEncoder();
      const values = buffers.upload(keys.map((key) => 2 * key));
      map.encodeInsert(encoder, { keys: buffers.upload(keys), values, count: 300 });
      return encoder.finish();
    }) as [GPUCommandBuffer, GPUCommandBuffer];
    gpu.device.queue.submit([second, first]);
    expect(await map.settle()).toEqual({ left: 0 });
    expect(map.size).toBe(450);
    expect((await map.get(upTo(450))).values).toEqual(upTo(450).map((key) => 2 * key));
    // Batches after a clear are counted from the beginning.
    await map.clear();
    await map.insert(upTo(3), upTo(3));
    expect(map.size).toBe(3);
  });

  it('that are never submitted are forgotten when a later one has been', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32, reserve: 100 });
    const batch = { keys: buffers.upload(upTo(9)), values: buffers.upload(upTo(9)) };
    map.encodeInsert(gpu.device.createCommandEncoder(), { ...batch, count: 9 });
    await expect(map.clear()).rejects.toThrow(/not been submitted/);
    await gpu.run((encoder) => map.encodeInsert(encoder, { ...batch, count: 0 }));
    expect(await map.insert(upTo(2), upTo(2))).toEqual(Uint8Array.of(1, 1));
    expect(map.size).toBe(2);
  });

  it('may be encoded while a search waits for those before them', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: u32, reserve: 1000 });
    const insert = (keys: GPUBuffer) =>
      gpu.run((encoder) => map.encodeInsert(encoder, { keys, values: keys, count: 5 }));
    await insert(buffers.upload(upTo(5)));
    const searching = map.has(upTo(5));
    await insert(buffers.upload(upTo(5, 5)));
    expect([...(await searching)]).toEqual([1, 1, 1, 1, 1]);
    expect(() => map.size).toThrow(InvalidInputError);
    await map.settle();
    expect(map.size).toBe(10);
  });

  const { steps, failing } = injecting(gpu);
  it.each(steps)('that cannot be recorded, because %s fails, leave nothing to wait for', async (step) => {
    for (let nth = 1, error: unknown = step; error !== undefined; nth++) {
      using buffers = new TestBuffers(gpu);
      using set = await DynamicSet.create(gpu, { key: utf8, reserve: 100 });
      await set.reserve(100, 700);
      const context = buffers.upload(new Uint32Array(new TextEncoder().encode('adabob!!').buffer));
      const keys = buffers.upload(Uint32Array.of(0, 3, 3, 3));
      const count = { buffer: buffers.upload(Uint32Array.of(2)) };
      const encode = async () => {
        const encoder = gpu.device.createCommandEncoder();
        set.encodeInsert(encoder, { keys, count, context });
      };
      error = await failing(step, nth, encode);
      if (error === undefined) break;
      expect(await set.insert(['carl']), `${step} ${nth}`).toEqual(Uint8Array.of(1));
      await gpu.run((encoder) => set.encodeInsert(encoder, { keys, count, context }));
      expect(await set.settle()).toEqual({ left: 0 });
      expect([...(await set.keys())].sort()).toEqual(['ada', 'bob', 'carl']);
    }
  });
});
