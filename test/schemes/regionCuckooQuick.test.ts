/** Regions that are empty are filled the quick way: those of a table that everything moves to, and those of one without keys. */
import { afterEach, describe, expect, it } from 'vitest';
import { DynamicMap, u32 } from '../../src/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { firstHashTwin } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { arrived, freeMoved, keysOfHashes, Moved } from './movedRegions.ts';

/** With more than 16 KB of workgroup memory every layout is filled in this way, with 16 the two for large tables. */
const gpu = await sharedGpu();
const smallGpu = await sharedGpu('default');

afterEach(freeMoved);

const { u32: words, u64, utf8 } = keyKinds;
/** The smallest table with the second layout. */
const MANY_SLOTS = 4 * 524_353;

describe('a table that everything moves to', () => {
  it.each([
    { kind: words, valueWords: 0 },
    { kind: words, valueWords: 1 },
    { kind: u64, valueWords: 3 },
    { kind: utf8, valueWords: 1 },
  ] as const)('has $kind.name keys with values of $valueWords words', async ({ kind, valueWords }) => {
    const keys = [...new Set([0n, kind.allOnes, ...randomKeys(kind, 6000)])];
    const table = await Moved.create(gpu, kind, valueWords, keys, 9000);
    for (const slots of [9000, 12_000, 24_000, 240_000, 11_000, 9000]) {
      expect(await table.to(slots)).toEqual(arrived(keys.length));
      await table.check();
      // From 240,000 slots to 11,000 there may be too many old regions for a new one.
      if (slots !== 11_000) expect(table.isQuick).toBe(true);
    }
  });

  it('gets its keys in another way if too many of a region have to go away from home', async () => {
    // In one of four regions, eight keys for each of 130 buckets with four slots.
    const hashes = Array.from({ length: 130 * 8 }, (_, i) => firstHashTwin(512 + (i >> 3), 2048) + (i & 7) * 6901);
    const keys = [...new Set([...(await keysOfHashes(gpu, hashes)), ...randomKeys(words, 2000)])];
    const table = await Moved.create(gpu, words, 1, keys, 60_000);
    expect(await table.to(8000)).toEqual(arrived(keys.length));
    expect(table.isQuick).toBe(false);
    await table.check();
    expect(await table.to(60_000)).toEqual(arrived(keys.length));
    expect(table.isQuick).toBe(true);
    await table.check();
  });

  it.each([
    { crowd: 60, left: 0 },
    { crowd: 300, left: 'some' },
  ])('has $crowd keys of one home, but for $left of them', async ({ crowd, left }) => {
    const others = randomKeys(words, 3000);
    const together = await keysOfHashes(
      gpu,
      // One of 2,048 buckets, which is seven or eight of the old ones.
      Array.from({ length: crowd }, (_, i) => firstHashTwin(777, 2048) + i * 6901),
    );
    const table = await Moved.create(gpu, words, 1, [...new Set([...others, ...together])], 60_000);
    const moved = await table.to(8000);
    expect(moved.keys + moved.left).toBe(table.keys.length);
    if (left === 0) {
      expect(moved.left).toBe(0);
      await table.check();
    } else {
      // Four at home, and four in each of the other buckets of twenty classes.
      expect(moved.left).toBeGreaterThanOrEqual(crowd - 84);
    }
  });

  it('has full regions of the second layout, with the least of memory', { timeout: 180_000 }, async () => {
    // A hundredth of all hashes: about ten regions, as full as they may be.
    const n = 20_000;
    const hashes = Array.from(
      { length: n },
      (_, i) => Math.floor((i * 2 ** 32 * 0.0095) / n) + (Math.imul(i, 0x9e37) & 0x3ff),
    );
    const keys = await keysOfHashes(smallGpu, [...new Set(hashes)]);
    const table = await Moved.create(smallGpu, words, 1, keys, 1.3 * MANY_SLOTS);
    for (const slots of [MANY_SLOTS, 1.1 * MANY_SLOTS]) {
      expect(await table.to(slots)).toEqual(arrived(keys.length));
      expect(table.format).toBe('regionCuckoo/1/5x14');
      expect(table.isQuick).toBe(true);
      await table.check();
    }
  });
});

describe('a table without keys', () => {
  const ITEMS = 70_000;

  it.each([
    { kind: words, valueWords: 0 },
    { kind: words, valueWords: 1 },
    { kind: words, valueWords: 2 },
    { kind: u64, valueWords: 1 },
  ] as const)(
    'takes a large batch of $kind.name keys with values of $valueWords words',
    async ({ kind, valueWords }) => {
      const keys = [...new Set([0n, kind.allOnes, ...randomKeys(kind, ITEMS)])];
      const table = await Moved.create(gpu, kind, valueWords, keys, 1.3 * ITEMS);
      expect(await table.givenUpAtFirst()).toBe(0);
      await table.check();
    },
  );

  it('takes one into the second layout with the least of memory', { timeout: 180_000 }, async () => {
    const table = await Moved.create(smallGpu, words, 1, randomKeys(words, ITEMS), MANY_SLOTS);
    expect(await table.givenUpAtFirst()).toBe(0);
    await table.check();
  });

  it('takes one that nearly fills it', async () => {
    const table = await Moved.create(gpu, words, 1, randomKeys(words, ITEMS), ITEMS / 0.9);
    await table.check();
  });

  const keysFrom = (first: number) => Uint32Array.from({ length: ITEMS }, (_, i) => (first + i) * 77_777);

  it('but only where it is empty when the batch runs', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, seed: 5, reserve: 2 * ITEMS });
    const parts = [keysFrom(0), keysFrom(ITEMS / 2)].map((keys, i) => ({
      keys: gpu.upload('keys', keys),
      values: gpu.upload(
        'values',
        keys.map((key) => key + i),
      ),
      count: ITEMS,
    }));
    const commands = parts.map((part) => {
      const encoder = gpu.device.createCommandEncoder();
      map.encodeInsert(encoder, part);
      return encoder.finish();
    });
    gpu.device.queue.submit(commands.reverse());
    // The batch that was recorded first, for an empty table, has run behind the other one.
    expect((await map.settle()).left).toBe(0);
    expect(map.size).toBe(1.5 * ITEMS);
    for (const [i, keys] of [keysFrom(0), keysFrom(ITEMS)].entries()) {
      const some = keys.subarray(0, i === 0 ? ITEMS : ITEMS / 2);
      expect((await map.get(some)).values).toEqual(some.map((key) => key + i));
    }
    for (const { keys, values } of parts) for (const buffer of [keys, values]) buffer.destroy();
  });

  it('takes as many items as the GPU says, and another batch behind', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, seed: 6, reserve: 2 * ITEMS });
    const [first, second] = [keysFrom(1), keysFrom(1 + ITEMS)];
    const buffers = [first, second].map((keys) => gpu.upload('keys', keys));
    const howMany = gpu.upload('count', Uint32Array.of(ITEMS - 7));
    for (const round of [1, 2]) {
      await gpu.run((encoder) => {
        for (const keys of buffers) map.encodeInsert(encoder, { keys, values: keys, count: { buffer: howMany } });
      });
      expect((await map.settle()).left).toBe(0);
      expect(map.size, `round ${round}`).toBe(2 * (ITEMS - 7));
      for (const keys of [first, second]) {
        const { values, found } = await map.get(keys);
        expect(found).toEqual(Uint8Array.from(keys, (_, i) => Number(i < ITEMS - 7)));
        expect(values.subarray(0, ITEMS - 7)).toEqual(keys.subarray(0, ITEMS - 7));
      }
      await map.clear();
    }
    for (const buffer of [...buffers, howMany]) buffer.destroy();
  });
});
