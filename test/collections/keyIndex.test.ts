import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Construction, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { InvalidInputError, OutOfMemoryError } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import type { TablePlan } from '../../src/schemes/contract/index.ts';
import { bucketCuckoo, chaining, cuckoo, linearProbing, type Scheme } from '../../src/schemes/index.ts';
import { throwsCode } from '../conformance/expect.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];

describe('KeyIndex', () => {
  it.each(CONSTRUCTIONS)('translates both ways like a Map, by the construction %s', async (construction) => {
    const scheme = construction === 'table' ? cuckoo() : linearProbing();
    using index = await KeyIndex.from(gpu, { keys: new Uint32Array(64) }, { construction, scheme });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(20), fc.constantFrom(0, 0xffff_ffff, 0xffff_fffe)), { maxLength: 300 }),
        async (numbers) => {
          const keys = Uint32Array.from(numbers);
          await index.rebuild({ keys });
          const ids = await index.ids(keys);
          const oracle = new Map<number, number>();
          keys.forEach((key, i) => {
            expect(oracle.get(key) ?? ids[i]).toBe(ids[i]);
            oracle.set(key, ids[i] as number);
          });
          expect([...oracle.values()].sort((a, b) => a - b)).toEqual([...oracle].map((_, id) => id));
          expect(await index.keysOf(ids)).toEqual(keys);
          expect(index.size).toBe(oracle.size);
        },
      ),
      { numRuns: 25 },
    );
  });

  describe.each(CONSTRUCTIONS)('that keeps its items, by the construction %s', (construction) => {
    const keys = ['bob', 'ada', '', 'bob', 'eve', 'ada', 'bob'];
    const [ids, firsts] =
      construction === 'sort'
        ? [
            [2, 1, 0, 2, 3, 1, 2],
            [2, 1, 0, 4],
          ]
        : [
            [0, 1, 2, 0, 3, 1, 0],
            [0, 1, 2, 4],
          ];

    it.each(['adapter', 'default'] as const)('tells them as np.unique does, with the %s limits', async (limits) => {
      const device = await sharedGpu(limits);
      using index = await KeyIndex.from(device, { keys }, { construction, keepItems: true });
      expect([...(await index.idsOfItems())]).toEqual(ids);
      expect([...(await index.firstItems())]).toEqual(firsts);
      expect(await index.keys()).toEqual(Array.from(await index.firstItems(), (i) => keys[i]));
      const many = { keys: Uint32Array.from({ length: 1000 }, (_, i) => i % 500) };
      using kept = await KeyIndex.from(device, many, { construction, keepItems: true });
      using plain = await KeyIndex.from(device, many, { construction });
      // Room for as many keys as there may be.
      expect(kept.tableBytes - plain.tableBytes).toBe(4 * (1000 + kept.keyCapacity));
    });

    it('tells them on the GPU behind a build that is only recorded, with a count that only the GPU knows', async () => {
      const numbers = Uint32Array.from({ length: 700 }, (_, i) => Math.imul(i % 90, 0x9e37_79b1));
      const buffers = [numbers, Uint32Array.of(700)].map((words) => gpu.upload('test', words));
      const [input, count] = buffers as [GPUBuffer, GPUBuffer];
      const encoder = gpu.device.createCommandEncoder();
      const source = { keys: input, count: { buffer: count } };
      using index = KeyIndex.encodeBuild(gpu, encoder, source, { key: u32, construction, keepItems: true });
      const onGpu = index.itemsOnGpu;
      gpu.device.queue.submit([encoder.finish()]);
      for (const items of [700, 100, 0, 91]) {
        const again = gpu.device.createCommandEncoder();
        gpu.write(count, Uint32Array.of(items));
        index.encodeRebuild(again, source);
        gpu.device.queue.submit([again.finish()]);
        expect(index.itemsOnGpu).toEqual(onGpu);
        const used = numbers.subarray(0, items);
        expect(await index.idsOfItems()).toEqual(await index.ids(used));
        expect([...(await index.keysOf(Uint32Array.from(await index.firstItems(), (_, id) => id)))]).toEqual(
          Array.from(await index.firstItems(), (i) => used[i]),
        );
        const [words] = await gpu.run(() => {}, [{ buffer: onGpu.ids, bytes: 700 * 4 }]);
        const past = new Uint32Array(words as ArrayBuffer).subarray(items);
        expect(past.every((id) => id === 0xffff_ffff)).toBe(true);
      }
      // Known to be fewer beforehand.
      const fewer = gpu.device.createCommandEncoder();
      index.encodeRebuild(fewer, { keys: input, count: 5 });
      gpu.device.queue.submit([fewer.finish()]);
      const [ids] = await gpu.run(() => {}, [{ buffer: onGpu.ids, bytes: 700 * 4 }]);
      expect(new Uint32Array(ids as ArrayBuffer).indexOf(0xffff_ffff)).toBe(5);
      expect(new Uint32Array(ids as ArrayBuffer).findLastIndex((id) => id !== 0xffff_ffff)).toBe(4);
      for (const buffer of buffers) buffer.destroy();
    });

    it('gives the same ids for the same input, 64k items, whatever the seed', async () => {
      const wide = BigUint64Array.from(
        { length: 65_537 },
        (_, i) => BigInt(Math.imul(i % 9000, 0x9e37_79b1) >>> 0) << 20n,
      );
      using index = await KeyIndex.from(gpu, { keys: wide }, { construction, keepItems: true, seed: 1 });
      const first = await index.idsOfItems();
      for (const seed of [1, 2]) {
        using other = await KeyIndex.from(gpu, { keys: wide }, { construction, keepItems: true, seed });
        expect(await other.idsOfItems()).toEqual(first);
      }
      if (construction === 'table')
        expect(first.subarray(0, 9000)).toEqual(Uint32Array.from({ length: 9000 }, (_, i) => i));
    });

    it('is asked for them only if it was made so', async () => {
      using index = await KeyIndex.from(gpu, { keys }, { construction });
      await throwsCode(index.idsOfItems(), 'invalid-input');
      await throwsCode(index.firstItems(), 'invalid-input');
      expect(() => index.itemsOnGpu).toThrow('keepItems');
      using kept = await KeyIndex.from(gpu, { keys }, { construction, keepItems: true });
      using opened = await KeyIndex.fromBytes(gpu, await kept.toBytes());
      await throwsCode(opened.idsOfItems(), 'invalid-input', 'not saved');
      await throwsCode(KeyIndex.from(gpu, { keys }, { keepItems: 1 as never }), 'invalid-input');
      const items = { keys, values: Uint32Array.from(keys, (_, i) => i) };
      using map = await MultiMap.from(gpu, items, { construction, keepItems: true });
      expect([...(await map.index.idsOfItems())]).toEqual(ids);
    });
  });

  it('makes no buffer for a rebuild that shows beforehand that it cannot be', async () => {
    const small: Scheme = {
      ...linearProbing(),
      plan: (request) => {
        if (request.items > 4) throw new InvalidInputError('no more than four');
        return linearProbing().plan(request);
      },
    };
    const keys = Uint32Array.of(5, 6, 7);
    using index = await KeyIndex.from(gpu, { keys }, { construction: 'table', scheme: small });
    const { error, madeBytes } = await liveBuffers(gpu, () => index.rebuild({ keys: new Uint32Array(6) }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(madeBytes).toBe(0);
    expect([...(await index.ids(keys))].sort()).toEqual([0, 1, 2]);
  });

  it('keeps ids apart for keys that share their first hash word', async () => {
    // 64-bit keys that are sorted word by word: equal low words, many copies in a row between two of another key.
    const a = 5n;
    const b = (7n << 32n) | 5n;
    const keys = BigUint64Array.from([a, ...Array<bigint>(200).fill(b), a]);
    for (const construction of CONSTRUCTIONS) {
      using index = await KeyIndex.from(gpu, { keys }, { construction, scheme: linearProbing() });
      expect(index.size).toBe(2);
      const ids = await index.ids(BigUint64Array.from([a, b]));
      expect([...ids].sort()).toEqual([0, 1]);
    }
  });

  it('sizes the table by the distinct keys where they are sorted first', async () => {
    const keys = Uint32Array.from({ length: 10_000 }, (_, i) => i % 100);
    const scheme = linearProbing();
    using sorted = await KeyIndex.from(gpu, { keys }, { scheme, construction: 'sort' });
    using numbered = await KeyIndex.from(gpu, { keys }, { scheme, construction: 'table' });
    expect(sorted.capacitySlots).toBe(125);
    expect(numbered.capacitySlots).toBe(12_500);
    expect(sorted.report.copies).toBe(9900);
  });

  it('replaces the values of slots in every part of a dense bucket table', async () => {
    const keys = Uint32Array.from({ length: 30_000 }, (_, i) => Math.imul(i, 0x9e37_79b1) >>> 0);
    const wide = BigUint64Array.from(keys, (key) => (BigInt(key) << 32n) | BigInt(key >>> 3));
    const scheme = bucketCuckoo({ loadFactor: 0.99 });
    for (const input of [keys, wide]) {
      using index = await KeyIndex.from<Uint32Array | BigUint64Array>(gpu, { keys: input }, { scheme });
      const ids = await index.ids(input);
      expect(new Set(ids).size).toBe(keys.length);
      expect(await index.keysOf(ids)).toEqual(input);
    }
  });

  it('is searched rightly after a rebuild that made the table larger', async () => {
    for (const scheme of [bucketCuckoo({ loadFactor: 0.99 }), chaining(), cuckoo()]) {
      const wide = (count: number) => BigUint64Array.from({ length: count }, (_, i) => (BigInt(i) << 33n) + 1n);
      using index = await KeyIndex.from(gpu, { keys: wide(100) }, { scheme });
      expect(new Set(await index.ids(wide(100))).size).toBe(100);
      await index.rebuild({ keys: wide(20_000) });
      const ids = await index.ids(wide(20_000));
      expect(new Set(ids).size).toBe(20_000);
      expect(await index.keysOf(ids)).toEqual(wide(20_000));
    }
  });

  it('refuses what makes no sense', async () => {
    const keys = new Uint32Array([1, 2, 2]);
    const scheme = linearProbing();
    const withoutStore = ({ valueStore: _, ...plan }: TablePlan): TablePlan => plan;
    const plain: Scheme = { ...scheme, name: 'plain', plan: (request) => withoutStore(scheme.plan(request)) };
    await throwsCode(KeyIndex.from(gpu, { keys }, { construction: 'magic' as Construction }), 'invalid-input');
    await throwsCode(KeyIndex.from(gpu, { keys }, { scheme: plain, construction: 'table' }), 'unsupported');
    using index = await KeyIndex.from(gpu, { keys }, { scheme: plain, construction: 'sort' });
    expect(index.size).toBe(2);
    const unordered = { ...u32, name: 'unordered' };
    delete (unordered as { order?: unknown }).order;
    await throwsCode(KeyIndex.from(gpu, { keys }, { key: unordered, construction: 'sort' }), 'unsupported');
    using numbered = await KeyIndex.from(gpu, { keys }, { key: unordered });
    expect([index.construction, numbered.construction]).toEqual(['sort', 'table']);
    for (const construction of CONSTRUCTIONS) {
      const scheme = linearProbing({ loadFactor: 2 });
      await throwsCode(KeyIndex.from(gpu, { keys }, { scheme, construction }), 'invalid-input', 'a load of 2');
      await throwsCode(KeyIndex.from(gpu, { keys }, { seed: -1, construction }), 'invalid-input', 'a seed of -1');
      await throwsCode(KeyIndex.from(gpu, { keys, count: 4 }, { construction }), 'invalid-input', 'too few keys');
    }
    await throwsCode(index.keysOf(new Uint32Array([0, 2])), 'invalid-input', 'an id that is not there');
  });

  it('is no good any more after a rebuild that failed half way', async () => {
    using index = await KeyIndex.from(gpu, { keys: new Uint32Array([1, 2, 3]) }, { construction: 'sort' });
    const { createBuffer } = gpu;
    const create = vi.spyOn(gpu, 'createBuffer').mockImplementation((label, ...rest) => {
      if (label.startsWith('bucketCuckoo/')) throw new OutOfMemoryError('no memory');
      return createBuffer.call(gpu, label, ...rest);
    });
    const keys = Uint32Array.from({ length: 100 }, (_, i) => 1000 + i);
    await expect(index.rebuild({ keys })).rejects.toThrow('no memory');
    create.mockRestore();
    await expect(index.keys()).rejects.toThrow('no memory');
    await index.rebuild({ keys });
    expect(index.size).toBe(100);
  });

  it('counts on the GPU more distinct keys than a table sized by the host holds, and says so', async () => {
    const few = Uint32Array.from({ length: 1000 }, (_, i) => i % 10);
    using index = await KeyIndex.from(gpu, { keys: few }, { construction: 'sort' });
    const encode = async (keys: Uint32Array) => {
      const buffer = gpu.upload('test', keys);
      const encoder = gpu.device.createCommandEncoder();
      index.encodeRebuild(encoder, { keys: buffer, count: keys.length });
      gpu.device.queue.submit([encoder.finish()]);
      await index.settle().finally(() => buffer.destroy());
    };
    await encode(Uint32Array.from({ length: 1000 }, (_, i) => 7 + (i % 10)));
    expect(index.size).toBe(10);
    await throwsCode(encode(Uint32Array.from({ length: 1000 }, (_, i) => i % 11)), 'invalid-input');
  });
});
