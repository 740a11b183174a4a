import { afterEach, describe, expect, it, vi } from 'vitest';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { u32 } from '../../src/keys/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { firstHashTwin } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { arrived, freeMoved, keysOfHashes, Moved, moveThroughSizes } from './movedRegions.ts';

const gpu = await sharedGpu('default');
const scheme = regionCuckoo();

afterEach(() => {
  freeMoved();
  vi.restoreAllMocks();
});

const { u32: words, u64, utf8 } = keyKinds;
/** The smallest table with the second layout. */
const MANY_SLOTS = 4 * 524_353;

describe('regionCuckoo moves everything to a table of another size', () => {
  // All widths with all key types are in test/full.
  it.each([
    { kind: words, valueWords: 0 },
    { kind: u64, valueWords: 4 },
    { kind: utf8, valueWords: 3 },
  ] as const)('$kind.name keys with values of $valueWords words', ({ kind, valueWords }) =>
    moveThroughSizes(gpu, kind, valueWords),
  );

  it.each([0, 1, 2, 255])('of %i keys', async (n) => {
    for (const kind of [words, utf8]) {
      const table = await Moved.create(gpu, kind, 1, randomKeys(kind, n), 0);
      for (const slots of [600, 5000, 100_000, 9000, 0]) {
        expect(await table.to(slots)).toEqual(arrived(n));
        await table.check();
      }
    }
  });

  it('with keys that have the first and the last hashes of regions', async () => {
    const sizes = [15_000, 30_000, 9000, 40_000];
    const edges = sizes.flatMap((slots) => {
      const { regions } = scheme.plan({ slots, key: u32, valueWords: 1 }).fields as { readonly regions: number };
      const firsts = Array.from({ length: regions - 1 }, (_, i) => firstHashTwin(i + 1, regions));
      return firsts.flatMap((first) => [first - 2, first - 1, first, first + 1, first + 2]);
    });
    const hashes = [...new Set([0, ...edges, 0xffff_ffff])];
    const keys = await keysOfHashes(gpu, hashes);
    expect(new Set(keys).size).toBe(hashes.length);
    const table = await Moved.create(gpu, words, 1, keys, 12_000);
    for (const slots of sizes) {
      expect(await table.to(slots)).toEqual(arrived(keys.length));
      await table.check();
    }
  });

  it('and another layout, and back', { timeout: 180_000 }, async () => {
    const table = await Moved.create(gpu, words, 1, randomKeys(words, 3000), 40_000);
    const formats: string[] = [];
    // From the second layout to itself is in test/full.
    for (const slots of [MANY_SLOTS, 100_000]) {
      expect(await table.to(slots)).toEqual(arrived(3000));
      formats.push(table.format.slice(-4));
      await table.check();
    }
    expect(formats).toEqual(['5x14', '4x27']);
  });

  it.each([
    { n: 1100, slots: 512 },
    { n: 6000, slots: 2048 },
    { n: 9000, slots: 8192 },
  ])('but $n keys do not fit into $slots slots, and are counted', async ({ n, slots }) => {
    for (const [kind, valueWords] of [
      [words, 1],
      [u64, 2],
    ] as const) {
      const table = await Moved.create(gpu, kind, valueWords, randomKeys(kind, n), 2 * n);
      const { keys, left } = await table.to(slots);
      expect(keys + left).toBe(n);
      expect(keys).toBeGreaterThan(0.8 * table.slotCount);
      expect(keys).toBeLessThanOrEqual(table.slotCount);
    }
  });

  it('unless that is so much smaller that a batch is better', () => {
    const plan = (slots: number) => scheme.plan({ slots, key: words.type, valueWords: 1 });
    const ways = (before: number, after: number) => plan(after).moveFrom?.(plan(before), gpu.limits).length;
    expect(ways(MANY_SLOTS, 4000)).toBe(0);
    expect(ways(4000, MANY_SLOTS)).toBe(2);
    // With the least of memory, small tables are not filled in the quick way.
    expect(ways(MANY_SLOTS, 40_000)).toBe(1);
  });
});

describe('a map that grows and shrinks', () => {
  it('moves in this way, and by no batch', async () => {
    const bound = vi.spyOn(gpu.device, 'createBindGroup');
    using map = await DynamicMap.create(gpu, { key: u32, scheme, seed: 3 });
    const ran = (name: string) => bound.mock.calls.filter(([{ label }]) => label === `hashnest/${name}`).length;
    const keys = Uint32Array.from({ length: 20_000 }, (_, i) => i * 7);
    for (let first = 0; first < keys.length; first += 4000) {
      await map.insert(keys.subarray(first, first + 4000), keys.subarray(first, first + 4000));
    }
    await map.delete(keys.subarray(500));
    const { growths, shrinks, reseeds } = map.report;
    expect(growths).toBeGreaterThan(2);
    expect(shrinks).toBeGreaterThan(0);
    expect(reseeds).toBe(0);
    // The first growth finds nothing to be moved.
    expect(ran('regionCuckoo/collect')).toBe(growths + shrinks - 1);
    expect(ran('contents')).toBe(0);
    const { values, found } = await map.get(keys);
    expect([...found]).toEqual([...keys].map((_, i) => Number(i < 500)));
    expect([...values.subarray(0, 500)]).toEqual([...keys.subarray(0, 500)]);
  });
});
