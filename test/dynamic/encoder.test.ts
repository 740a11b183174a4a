/** Batches that are recorded: nothing comes back until somebody asks. */
import { describe, expect, it } from 'vitest';
import { DynamicMap, DynamicSet, InvalidInputError, u32, utf8, valueTypes, vec3i } from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
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
});
