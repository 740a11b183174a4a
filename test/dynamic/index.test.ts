/** Keys whose ids stay theirs until they are released. */
import { describe, expect, it } from 'vitest';
import { randomWords } from '../../src/hashing/index.ts';
import {
  DynamicIndex,
  dyCuckoo,
  FormatError,
  InvalidInputError,
  regionCuckoo,
  u32,
  utf8,
  vec3i,
} from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { type KeyKind, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import { pack, unpack } from '../forging/forge.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { keysOf } from './history.ts';

const gpu = await sharedGpu('default');
const NO_ID = 0xffff_ffff;

/** What an index promises, kept by a plain `Map`. */
class Oracle {
  readonly ids = new Map<bigint, number>();
  mostAtOnce = 0;

  /** Takes over ids that were given out, after checking that they could be. */
  activate(keys: Keys, ids: ArrayLike<number>, fresh: ArrayLike<number>): void {
    const before = new Set(this.ids.keys());
    const taken = new Set(this.ids.values());
    for (const [i, key] of keys.entries()) {
      expect(fresh[i]).toBe(Number(!before.has(key)));
      const id = ids[i] as number;
      const known = this.ids.get(key);
      if (known === undefined) {
        expect(taken.has(id), 'an id that another key has').toBe(false);
        taken.add(id);
        this.ids.set(key, id);
      } else expect(id).toBe(known);
    }
    this.mostAtOnce = Math.max(this.mostAtOnce, this.ids.size);
    // As small as they can be.
    for (const id of taken) expect(id).toBeLessThan(this.mostAtOnce);
  }

  release(keys: Keys): number[] {
    const found = keys.map((key) => Number(this.ids.has(key)));
    for (const key of keys) this.ids.delete(key);
    return found;
  }
}

const batch = (kind: KeyKind, count: number, seed: number, different: number): Keys =>
  keysOf(kind, { kind: 'insert', count, seed, different });

async function agrees(kind: KeyKind, index: DynamicIndex<unknown>, oracle: Oracle, queries: Keys): Promise<void> {
  expect(index.size).toBe(oracle.ids.size);
  expect(index.idLimit).toBe(oracle.mostAtOnce);
  expect([...(await index.activeIds())]).toEqual([...oracle.ids.values()].sort((a, b) => a - b));
  expect([...(await index.ids(kind.host(queries)))]).toEqual(queries.map((key) => oracle.ids.get(key) ?? NO_ID));
}

describe('an index that lives', () => {
  it('does not say what its ids were before a batch that was encoded while they were read', async () => {
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 100 });
    const activate = (keys: Uint32Array<ArrayBuffer>) => {
      const encoder = gpu.device.createCommandEncoder();
      const count = keys.length;
      index.encodeActivate(encoder, { keys: buffers.upload(keys), ids: buffers.words(count), count });
      gpu.device.queue.submit([encoder.finish()]);
    };
    activate(Uint32Array.of(1, 2));
    const { queue } = gpu.device;
    const { submit } = queue;
    let submissions = 0;
    queue.submit = (commands) => {
      submit.call(queue, commands);
      // The first reads the counters of the table.
      if (++submissions === 2) {
        queue.submit = submit;
        activate(Uint32Array.of(3));
      }
    };
    await index.settle();
    expect(submissions).toBe(2);
    expect(() => index.idLimit).toThrow(InvalidInputError);
    await index.settle();
    expect(index.idLimit).toBe(3);
  });

  it('makes nothing anew for keys that it has room for', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 300 });
    const keys = Uint32Array.from({ length: 200 }, (_, i) => i);
    await index.activate(keys.subarray(0, 100));
    const { result, live } = await liveBuffers(gpu, () => index.activate(keys.subarray(50, 150)));
    expect(result?.fresh.reduce((a, b) => a + b)).toBe(50);
    expect(live).toEqual([]);
  });

  it('has no more room for ids than it needs after it has shrunk', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32 });
    const least = index.tableBytes;
    await index.reserve(100_000);
    await index.activate(Uint32Array.from({ length: 3000 }, (_, i) => i));
    await index.release(Uint32Array.from({ length: 2990 }, (_, i) => i));
    await index.shrink();
    // Ids that are free have to be remembered.
    expect([index.idLimit, index.size]).toEqual([3000, 10]);
    expect(index.tableBytes).toBeLessThan(least + 5 * 3000);
    const { ids } = await index.activate(Uint32Array.from({ length: 2990 }, (_, i) => 10_000 + i));
    expect([new Set([...ids, ...(await index.activeIds())]).size, index.idLimit]).toEqual([3000, 3000]);
    await index.clear();
    await index.shrink();
    expect(index.tableBytes).toBe(least);
  });

  const kinds = [keyKinds.u32, keyKinds.u64, keyKinds.utf8];
  const cases = [regionCuckoo(), dyCuckoo()].flatMap((scheme) => kinds.map((kind) => ({ scheme, kind })));

  it.each(cases)('gives ids to $kind.name keys and takes them back, by $scheme.name', async ({ scheme, kind }) => {
    using index = await DynamicIndex.create(gpu, { key: kind.type, scheme });
    const oracle = new Oracle();
    const random = randomWords(7);
    for (let round = 0; round < 12; round++) {
      const different = [300, 2000, 2 ** 32][random() % 3] as number;
      const keys = batch(kind, random() % 1500, random(), different);
      const { ids, fresh } = await index.activate(kind.host(keys));
      oracle.activate(keys, ids, fresh);
      const gone = [...batch(kind, random() % 700, random(), different), ...keys.slice(random() % 1500)];
      expect([...(await index.release(kind.host(gone)))]).toEqual(oracle.release(gone));
      if (round === 5) await index.shrink();
      if (round === 8) await index.reserve(5000);
      await agrees(kind, index, oracle, [...keys, ...gone]);
    }
    expect(await index.delete(kind.host([...oracle.ids.keys()]))).toEqual(new Uint8Array(oracle.ids.size).fill(1));
    expect(index.size).toBe(0);
    const again = batch(kind, 100, 1, 2 ** 32);
    const { ids } = await index.activate(kind.host(again));
    expect(Math.max(...ids)).toBeLessThan(oracle.mostAtOnce);
    await index.clear();
    expect(index.idLimit).toBe(0);
    expect([...(await index.activate(kind.host([5n, 5n, 6n]))).ids].sort()).toHaveLength(3);
    expect([...(await index.activeIds())]).toEqual([0, 1]);
  });

  it.each(['host', 'gpu'] as const)('does the same in recorded batches, counts known on the %s', async (where) => {
    const kind = keyKinds.vec3i;
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: vec3i, reserve: 3000 });
    const oracle = new Oracle();
    const room = 1200;
    for (let frame = 0; frame < 4; frame++) {
      const keys = batch(kind, room, frame, 1500);
      const gone = batch(kind, room, frame + 100, 1500);
      const used = [1000, 0, 1, room][frame] as number;
      const count = where === 'host' ? used : { buffer: buffers.upload(Uint32Array.of(used)) };
      const ids = buffers.words(room);
      const fresh = buffers.words(room);
      const found = buffers.words(room);
      const again = buffers.words(room);
      const io = { ...buffers.keys(kind, keys), count };
      await gpu.run((encoder) => {
        index.encodeActivate(encoder, { ...io, ids, fresh });
        index.encodeRelease(encoder, { ...buffers.keys(kind, gone), count, found });
        index.encodeIds(encoder, { queries: io.keys, count, ids: again });
      });
      expect(() => index.idLimit).toThrow(InvalidInputError);
      expect(await index.settle()).toEqual({ left: 0 });
      oracle.activate(keys.slice(0, used), await buffers.read(ids, used), await buffers.read(fresh, used));
      expect([...(await buffers.read(found, used))]).toEqual(oracle.release(gone.slice(0, used)));
      expect([...(await buffers.read(again, used))]).toEqual(
        keys.slice(0, used).map((key) => oracle.ids.get(key) ?? NO_ID),
      );
      await agrees(kind, index, oracle, keys);
      expect([...(await buffers.read(index.idLimitOnGpu.buffer, 2))][1]).toBe(index.idLimit);
    }
  });

  it('takes its count from a buffer that gets its answers', async () => {
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 500 });
    const keys = buffers.upload(Uint32Array.from({ length: 300 }, (_, i) => 5 * i));
    const fresh = buffers.upload(new Uint32Array(300).fill(300));
    const ids = buffers.words(300);
    await gpu.run((encoder) => index.encodeActivate(encoder, { keys, count: { buffer: fresh }, ids, fresh }));
    await index.settle();
    expect([...(await buffers.read(ids, 300))].sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect([...(await buffers.read(fresh, 300))]).toEqual(Array(300).fill(1));
  });

  it('has no ids for keys without room, and gives none away', async () => {
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: u32 });
    const count = 4 * index.capacitySlots;
    const keys = buffers.upload(Uint32Array.from({ length: count }, (_, i) => i));
    const [ids, fresh, left] = [buffers.words(count), buffers.words(count), buffers.words(count)];
    await gpu.run((encoder) => index.encodeActivate(encoder, { keys, count, ids, fresh, left }));
    const { left: missed } = await index.settle();
    expect(missed).toBe(count - index.size);
    const given = [...(await buffers.read(ids, count))];
    expect(given.filter((id) => id === NO_ID)).toHaveLength(missed);
    expect(new Set(given).size).toBe(index.size + 1);
    expect(index.idLimit).toBe(index.size);
    expect([...(await buffers.read(fresh, count))]).toEqual(given.map((id) => Number(id !== NO_ID)));
    expect(new Set(await buffers.read(left, missed))).toEqual(
      new Set(given.flatMap((id, i) => (id === NO_ID ? [i] : []))),
    );
  });

  it('is saved with its ids, and with those that are free', async () => {
    using index = await DynamicIndex.create(gpu, { key: utf8 });
    await index.activate(['a', 'b', 'c', 'd']);
    await index.release(['b', 'd']);
    const saved = await index.toBytes();
    using opened = await DynamicIndex.fromBytes(gpu, saved, { key: utf8 });
    expect(await opened.ids(['a', 'b', 'c', 'd'])).toEqual(await index.ids(['a', 'b', 'c', 'd']));
    const { ids } = await opened.activate(['e', 'f', 'g']);
    const free = [0, 1, 2, 3].filter((id) => !opened || ![...ids].includes(id));
    expect(free).toEqual([...(await index.activeIds())]);
    expect(opened.idLimit).toBe(5);
    const { version, description, body } = unpack(saved);
    const words = new Uint32Array(body.buffer.slice(0));
    const at = words.length - 1;
    for (const id of [words[at - 1] as number, 4, NO_ID]) {
      const forged = words.slice();
      forged[at] = id;
      const bytes = pack({ version, description, body: new Uint8Array(forged.buffer) });
      await expect(DynamicIndex.fromBytes(gpu, bytes)).rejects.toThrow(FormatError);
    }
  });

  it('is searched by shaders, where the value is the id', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32 });
    expect(index.wgsl({ name: 'blocks', group: 1 }).code).toContain('fn blocks_find');
  });
});
