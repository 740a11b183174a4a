import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKET_ITEMS } from '../../src/collections/groups/groupsInAnyOrder.wgsl.ts';
import { MultiMap, type ValueOrder } from '../../src/collections/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { cuckoo, linearProbing, sortedArray } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords, throwsCode } from '../conformance/expect.ts';
import { positionsOf } from '../conformance/repeatedKeys.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('MultiMap', () => {
  it('answers like a Map of arrays', async () => {
    const some = { keys: new Uint32Array(1), values: new Uint32Array(1) };
    using map = await MultiMap.from(gpu, some, { scheme: cuckoo() });
    const key = fc.oneof(fc.nat(12), fc.constantFrom(0xffff_ffff, 0xffff_fffe));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, fc.nat(0xffff_ffff)), { maxLength: 200 }),
        fc.array(key, { maxLength: 30 }),
        async (items, queries) => {
          const keys = Uint32Array.from(items, ([key]) => key);
          const values = Uint32Array.from(items, ([, value]) => value);
          await map.rebuild({ keys, values });
          const lists = await map.get(Uint32Array.from(queries));
          const expected = queries.map((query) => items.filter(([key]) => key === query).map(([, value]) => value));
          expect(lists.map((list) => [...list])).toEqual(expected);
          expect(map.valueCount).toBe(items.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('holds a million values of one key, and gives them back in order', async () => {
    const count = 1_000_000;
    const keys = Uint32Array.from({ length: count + 3 }, (_, i) => (i % 400_000 === 5 ? i : 77));
    const values = Uint32Array.from({ length: count + 3 }, (_, i) => i);
    using map = await MultiMap.from(gpu, { keys, values }, { scheme: linearProbing() });
    const { values: got, offsets } = await map.retrieve(Uint32Array.from([5, 77, 6, 400_005]));
    expect([...offsets]).toEqual([0, 1, count + 1, count + 1, count + 2]);
    const expected = values.filter((_, i) => keys[i] === 77);
    equalWords(got.subarray(1, count + 1), expected, 'values of the key');
  });

  it('leaves buckets that are too full for a workgroup to a sort', async () => {
    // Ids are the keys themselves, by first item and by order: those of the second bucket and the third have too many items, those around them few.
    const full = Array.from({ length: 2 * BUCKET_ITEMS + 500 }, (_, i) => (i % 2 === 0 ? 600 : 1100) + (i % 3));
    const few = Array.from({ length: 1800 }, (_, i) => i);
    const keys = Uint32Array.from([...few, ...full, ...few]);
    const values = Uint32Array.from(keys, (_, i) => i);
    const options = { order: 'any', construction: 'table', scheme: sortedArray() } as const;
    using map = await MultiMap.from(gpu, { keys, values }, options);
    const got = await map.get(Uint32Array.from(few));
    const positions = positionsOf(keys);
    for (const [i, key] of few.entries()) {
      expect(got[i]?.sort()).toEqual(Uint32Array.from(positions.get(key) ?? []));
    }
    const encoder = gpu.device.createCommandEncoder();
    const buffers = { keys: gpu.upload('test', keys), values: gpu.upload('test', values), count: keys.length };
    using encoded = MultiMap.encodeBuild(gpu, encoder, buffers, { ...options, key: u32 });
    gpu.device.queue.submit([encoder.finish()]);
    await encoded.settle();
    const again = await encoded.get(Uint32Array.from(few));
    expect(again.map((list) => list.sort())).toEqual(got);
    const plain = await encoded.count(Uint32Array.of(600, 601, 602));
    expect(plain.reduce((sum, n) => sum + n)).toBe(full.length / 2 + 6);
    buffers.keys.destroy();
    buffers.values.destroy();
  });

  it('is rebuilt on an encoder into the arrays that a shader has bound', async () => {
    using buffers = new TestBuffers(gpu);
    const keys = Uint32Array.from({ length: 300 }, (_, i) => i % 7);
    const input = { keys, values: keys };
    const scheme = linearProbing();
    for (const construction of ['table', 'sort'] as const) {
      using built = await MultiMap.from(gpu, input, { construction, scheme });
      using opened = await MultiMap.fromBytes(gpu, await built.toBytes(), { scheme: built.scheme as never });
      for (const map of [built, opened]) {
        const bound = () =>
          map.wgsl({ name: 'm', group: 0 }).entries.map(({ resource }) => (resource as GPUBufferBinding).buffer);
        const before = bound();
        const encoder = gpu.device.createCommandEncoder();
        const other = Uint32Array.from(keys, (key) => key + 100);
        const changed = { keys: buffers.upload(other), values: buffers.upload(keys), count: 300 };
        map.encodeRebuild(encoder, changed);
        gpu.device.queue.submit([encoder.finish()]);
        await map.settle();
        expect([...(await map.count(Uint32Array.of(5, 105, 106)))]).toEqual([0, 43, 42]);
        expect(bound().every((buffer, i) => buffer === before[i])).toBe(true);
        const more = new Uint32Array(301);
        const tooMany = { keys: buffers.upload(more), values: buffers.upload(more), count: 301 };
        const unused = gpu.device.createCommandEncoder();
        if (map === built) await throwsCode(() => map.encodeRebuild(unused, tooMany), 'invalid-input', construction);
      }
    }
  });

  it('keeps the type of its values', async () => {
    const keys = new Uint32Array([4, 4, 5]);
    using map = await MultiMap.from(gpu, { keys, values: new Float32Array([0.5, -2, 8]) }, { construction: 'sort' });
    expect(await map.get(new Uint32Array([5, 4]))).toEqual([new Float32Array([8]), new Float32Array([0.5, -2])]);
    const wrong = { keys, values: new Uint32Array(3) as unknown as Float32Array };
    await throwsCode(map.rebuild(wrong), 'invalid-input', 'values of another type');
  });

  it('tells a total of 2³² or more as 2³² − 1, and writes what there is room for', async () => {
    const [items, queries, room] = [70_000, 65_000, 2000];
    using buffers = new TestBuffers(gpu);
    const keys = new Uint32Array(items).fill(3);
    using map = await MultiMap.from(gpu, { keys, values: Uint32Array.from(keys, (_, i) => i) });
    const values = buffers.words(room);
    const total = { buffer: buffers.words(1) };
    const io = { queries: buffers.upload(new Uint32Array(queries).fill(3)), offsets: buffers.words(queries) };
    await gpu.run((encoder) => map.encodeRetrieve(encoder, { ...io, values, total, count: queries }));
    expect((await buffers.read(total.buffer, 1))[0]).toBe(0xffff_ffff);
    expect(await buffers.read(values, room)).toEqual(Uint32Array.from({ length: room }, (_, i) => i));
  });

  it('refuses what makes no sense', async () => {
    const keys = new Uint32Array([1, 2, 2]);
    const order = 'sideways' as ValueOrder;
    await throwsCode(MultiMap.from(gpu, { keys, values: new Uint32Array(3) }, { order }), 'invalid-input', 'an order');
    await throwsCode(MultiMap.from(gpu, { keys, values: new Uint32Array(2) }), 'invalid-input', 'too few values');
    using map = await MultiMap.from(gpu, { keys, values: new Uint32Array(3) });
    using buffers = new TestBuffers(gpu);
    const [a, b, c] = [buffers.words(4), buffers.words(4), buffers.words(4)];
    const encoder = gpu.device.createCommandEncoder();
    const io = { queries: a, offsets: b, values: c, total: { buffer: buffers.words(1) }, count: 4 };
    await throwsCode(() => map.encodeRetrieve(encoder, { ...io, values: b }), 'invalid-input', 'one buffer twice');
    await throwsCode(() => map.encodeRetrieve(encoder, { ...io, capacity: 5 }), 'invalid-input', 'too much room');
    await throwsCode(() => map.encodeRetrieve(encoder, { ...io, count: 5 }), 'invalid-input', 'too many queries');
    await throwsCode(() => map.encodeCount(encoder, { queries: a, counts: a, count: 4 }), 'invalid-input', 'in place');
    const wrongTotal = { ...io, total: { buffer: b, offset: 2 } };
    await throwsCode(() => map.encodeRetrieve(encoder, wrongTotal), 'invalid-input', 'half a word');
    const large = { keys: a, values: b, count: 5 };
    await throwsCode(() => MultiMap.encodeBuild(gpu, encoder, large, { key: u32 }), 'invalid-input', 'too few items');
  });
});
