/** The bytes of keys of variable length: appended to, and cleaned. */
import { describe, expect, it } from 'vitest';
import { bytes, DynamicMap, DynamicSet, dyCuckoo, regionCuckoo, sliceKeys, utf8 } from '../../src/index.ts';
import type { DynamicPlan, DynamicScheme } from '../../src/schemes/contract/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const name = (i: number): string => 'x'.repeat(i % 13) + String(i);
const names = (count: number, first = 0): string[] => Array.from({ length: count }, (_, i) => name(first + i));

/** A scheme of which a device takes no more than so many items in one batch. */
function taking(most: number, scheme: DynamicScheme): DynamicScheme {
  const bounded = (plan: DynamicPlan): DynamicPlan => ({
    ...plan,
    scratchFor: (items) =>
      items > most ? [{ name: 'too much', bytes: 2 ** 40, type: 'array<u32>' }] : plan.scratchFor(items),
    resized: (slots, format) => bounded(plan.resized(slots, format)),
  });
  return { ...scheme, plan: (request) => bounded(scheme.plan(request)) };
}

describe('keys of variable length', () => {
  it('leave no bytes behind once their table is compacted', async () => {
    using map = await DynamicMap.create(gpu, { key: utf8 });
    const before = map.tableBytes;
    const kept = names(20);
    await map.insert(
      [...kept, ''],
      Uint32Array.from({ length: 21 }, (_, i) => i),
    );
    for (let round = 0; round < 5; round++) {
      await map.insert(names(2000, 1000), new Uint32Array(2000));
      await map.delete(names(2000, 1000));
    }
    const full = map.tableBytes;
    await map.compact();
    expect(map.tableBytes).toBeLessThan(full - 20_000);
    expect(map.tableBytes).toBeLessThan(before + 1000);
    const { values, found } = await map.get([...kept, '', ...names(20, 1000)]);
    expect([...found]).toEqual([...Array(21).fill(1), ...Array(20).fill(0)]);
    expect([...values.subarray(0, 21)]).toEqual(Array.from({ length: 21 }, (_, i) => i));
    expect([...(await map.keys())].sort()).toEqual([...kept, ''].sort());
    await map.insert(names(500, 5000), new Uint32Array(500));
    expect(map.size).toBe(521);
    expect(await map.has(['', name(5001), name(1000)])).toEqual(Uint8Array.of(1, 1, 0));
  });

  it('take no bytes when they are there already, or are deleted', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8 });
    await set.insert(names(300));
    // Room for the bytes of one batch is needed while it runs.
    await set.reserve(300, 10_000);
    const taken = set.tableBytes;
    for (let round = 0; round < 8; round++) {
      expect(await set.insert(names(300))).toEqual(new Uint8Array(300));
      expect(await set.delete(names(300, 1000))).toEqual(new Uint8Array(300));
    }
    expect(set.tableBytes).toBe(taken);
  });

  it('leave no bytes behind when the last of them is gone', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8, reserve: 1000 });
    const empty = set.tableBytes;
    await set.insert(names(700));
    await set.delete(names(400));
    expect(set.tableBytes).toBeGreaterThan(empty + 3000);
    await set.delete(names(300, 400));
    expect(set.tableBytes).toBeLessThan(empty + 256);
    await set.insert(names(700));
    await set.clear();
    expect(set.tableBytes).toBeLessThan(empty + 256);
    expect(await set.insert(names(3))).toEqual(Uint8Array.of(1, 1, 1));
    expect(await set.keys()).toHaveLength(3);
  });

  it('keep the room for bytes that is reserved, until the table shrinks', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8, reserve: 1000 });
    const empty = set.tableBytes;
    await set.reserve(1000, 50_000);
    await set.insert(names(700));
    await set.clear();
    expect(set.tableBytes).toBeGreaterThan(empty + 49_000);
    await set.insert(names(700));
    await set.delete(names(700).slice(20));
    await set.compact();
    expect(set.tableBytes).toBeGreaterThan(empty + 49_000);
    expect([...(await set.keys())].sort()).toEqual(names(20).sort());
    await set.shrink();
    expect(set.tableBytes).toBeLessThan(empty);
    expect([...(await set.keys())].sort()).toEqual(names(20).sort());
  });

  it('have no more room than they take after the table has shrunk', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8 });
    await set.insert(names(2000));
    const { used, buffer } = set.table.context;
    expect(buffer?.size).toBeGreaterThan(used + 1000);
    await set.shrink();
    expect(set.table.context.buffer?.size).toBeLessThan(used + 256);
    expect([...(await set.has(names(2001)))]).toEqual([...Array(2000).fill(1), 0]);
  });

  it('take the same bytes again after recorded batches have emptied their table', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8, reserve: 1000 });
    // The buffers of a test have more bytes than its keys, and all of them are copied.
    await set.reserve(1000, 600_000);
    using buffers = new TestBuffers(gpu);
    const keys = buffers.keys(keyKinds.utf8, [1n, 2n, 3n]);
    for (let round = 0; round < 20; round++) {
      await gpu.run((encoder) => {
        set.encodeInsert(encoder, { ...keys, count: 3 });
        set.encodeDelete(encoder, { ...keys, count: 3 });
      });
      await set.settle();
    }
    expect(set.size).toBe(0);
  });

  it('may share bytes, which compacting leaves alone', async () => {
    using set = await DynamicSet.create(gpu, { key: bytes });
    const shared = new Uint8Array(1000).map((_, i) => i * 7);
    const sliced = {
      type: bytes,
      count: 500,
      words: Uint32Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? i / 2 : 500)),
      context: [shared],
    };
    expect(await set.insert(sliced)).toEqual(new Uint8Array(500).fill(1));
    const taken = set.tableBytes;
    await set.compact();
    expect(set.tableBytes).toBe(taken);
    expect(await set.has([shared.subarray(3, 503), shared.subarray(3, 502)])).toEqual(Uint8Array.of(1, 0));
  });

  it('may come as slices', async () => {
    using set = await DynamicSet.create(gpu, { key: bytes });
    const slices = sliceKeys(bytes, { bytes: Uint8Array.of(1, 2, 3, 4, 5), offsets: Uint32Array.of(0, 2, 2, 5) });
    expect(await set.insert(slices)).toEqual(Uint8Array.of(1, 1, 1));
    expect(await set.has([Uint8Array.of(3, 4, 5), new Uint8Array(), Uint8Array.of(1)])).toEqual(Uint8Array.of(1, 1, 0));
  });

  it.each([regionCuckoo(), dyCuckoo()])(
    'may be more than a device takes at once when they move, by $name',
    async (given) => {
      const scheme = taking(1000, given);
      const part = (first: number) => Array.from({ length: 900 }, (_, i) => `name ${first + i}`);
      using map = await DynamicMap.create(gpu, { key: utf8, scheme });
      await expect(map.delete([...part(0), ...part(900)])).rejects.toThrow('takes at most 1000 at once');
      for (const first of [0, 900, 1800]) {
        await map.insert(
          part(first),
          Uint32Array.from({ length: 900 }, (_, i) => first + i),
        );
      }
      await map.delete(part(900).slice(1));
      await map.compact();
      using opened = await DynamicMap.fromBytes(gpu, await map.toBytes(), { key: utf8, scheme });
      const none = DynamicMap.fromBytes(gpu, await map.toBytes(), { key: utf8, scheme: taking(0, given) });
      await expect(none).rejects.toThrow('a batch of 1 items');
      const kept = [...part(0), 'name 900', ...part(1800)];
      for (const one of [map, opened]) {
        expect(one.size).toBe(kept.length);
        const { values, found } = await one.get([...kept, 'name 901']);
        expect([found.indexOf(0), [...values]]).toEqual([
          kept.length,
          [...kept.map((name) => Number(name.slice(5))), 0],
        ]);
      }
    },
  );
});
