import { describe, expect, it } from 'vitest';
import { DynamicTable } from '../../src/dynamic/table.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { readContents } from '../../src/table/contents.wgsl.ts';
import { sourceOf } from '../../src/table/source.ts';
import { asPlanned, takenScratch } from '../conformance/takenScratch.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const random = randomWords(1);
const randomKeys = (n: number, below: number) => Uint32Array.from({ length: n }, () => random() % below);

describe.each([regionCuckoo(), dyCuckoo()])('$name', (scheme) => {
  it.each([10, 1000, 20000])('is like a map with %i items', async (n) => {
    const table = await DynamicTable.create(
      gpu,
      { scheme, key: u32, valueWords: 1, bounds: { lowest: 0.5, highest: 0.85 }, seed: 1 },
      0,
    );
    const oracle = new Map<number, number>();
    for (let round = 0; round < 6; round++) {
      const keys = randomKeys(n, 2 * n);
      const values = randomKeys(n, 2 ** 32);
      const source = sourceOf(gpu, u32, { keys, values });
      const found = await table.insert(source, { onExisting: 'replace', unique: false });
      source.release();
      const before = new Set(oracle.keys());
      for (const [i, key] of keys.entries()) oracle.set(key, values[i] as number);
      expect([...found]).toEqual([...keys].map((key) => Number(before.has(key))));
      expect(table.size).toBe(oracle.size);
      const gone = randomKeys(n >> 1, 2 * n);
      const deleted = sourceOf(gpu, u32, { keys: gone }, 0);
      const were = await table.delete(deleted);
      deleted.release();
      expect([...were]).toEqual([...gone].map((key) => Number(oracle.has(key))));
      for (const key of gone) oracle.delete(key);
      expect(table.size).toBe(oracle.size);
      const contents = await readContents(table);
      const got = new Map([...contents.keys].map((key, i) => [key, contents.values[i] as number]));
      expect(got).toEqual(oracle);
    }
    table.destroy();
  });

  it('keeps room that was reserved until it is given up, and then has no more than it needs', async () => {
    const bounds = { lowest: 0.5, highest: 0.85 };
    const table = await DynamicTable.create(gpu, { scheme, key: u32, valueWords: 0, bounds, seed: 1 }, 0);
    const smallest = table.plan.capacitySlots;
    const keys = Uint32Array.from({ length: 100 }, (_, i) => i);
    const source = () => sourceOf(gpu, u32, { keys }, 0);
    await table.reserve(9000, undefined);
    const reserved = table.plan.capacitySlots;
    expect(reserved).toBeGreaterThanOrEqual(9000);
    await table.insert(source(), { onExisting: 'replace', unique: false });
    await table.delete(source());
    await table.insert(source(), { onExisting: 'replace', unique: false });
    expect([table.plan.capacitySlots, table.size]).toEqual([reserved, 100]);
    expect(table.workspace.bytes).toBeGreaterThan(0);
    await table.shrink();
    expect([table.plan.capacitySlots, table.size]).toEqual([smallest, 100]);
    expect(table.workspace.bytes).toBe(0);
    table.destroy();
  });

  it('has the size that its bounds ask for, and says how often it was resized', async () => {
    const bounds = { lowest: 0.5, highest: 0.85 };
    const table = await DynamicTable.create(gpu, { scheme, key: u32, valueWords: 1, bounds, seed: 1 }, 0);
    const slotsOf = (slots: number) => scheme.plan({ slots, key: u32, valueWords: 1 }).capacitySlots;
    const batch = async (first: number, end: number, change: 'insert' | 'delete') => {
      const keys = Uint32Array.from({ length: end - first }, (_, i) => first + i);
      const source = sourceOf(
        gpu,
        u32,
        change === 'insert' ? { keys, values: keys } : { keys },
        Number(change === 'insert') as 0 | 1,
      );
      if (change === 'insert') await table.insert(source, { onExisting: 'replace', unique: false });
      else await table.delete(source);
      source.release();
    };
    const smallest = table.plan.capacitySlots;
    expect(smallest).toBe(slotsOf(0));
    const most = Math.floor(bounds.highest * smallest);
    await batch(0, most, 'insert');
    // Keys that are there already need no room.
    await batch(0, most, 'insert');
    expect([table.plan.capacitySlots, table.report.growths]).toEqual([smallest, 0]);
    await batch(most, most + 1, 'insert');
    expect(table.plan.capacitySlots).toBeGreaterThan(smallest);
    await batch(most + 1, 9000, 'insert');
    const larger = table.plan.capacitySlots;
    expect([larger, table.report]).toEqual([slotsOf(table.slotsFor(9000)), { growths: 2, shrinks: 0, reseeds: 0 }]);
    expect(9000 / larger).toBeGreaterThanOrEqual(bounds.lowest);
    const fewest = Math.ceil(bounds.lowest * larger);
    await batch(fewest, 9000, 'delete');
    expect([table.size, table.plan.capacitySlots]).toEqual([fewest, larger]);
    await batch(fewest - 1, fewest, 'delete');
    expect(table.plan.capacitySlots).toBe(slotsOf(table.slotsFor(fewest - 1)));
    expect(table.report).toEqual({ growths: 2, shrinks: 1, reseeds: 0 });
    await batch(0, fewest, 'delete');
    expect([table.size, table.plan.capacitySlots]).toEqual([0, smallest]);
    table.destroy();
  });

  it.each([
    { kind: 'one key many times', different: 10, resizes: { growths: 1, shrinks: 1, reseeds: 0 } },
    { kind: 'each key once', different: 70_000, resizes: { growths: 2, shrinks: 0, reseeds: 0 } },
  ])('grows before it counts a batch that is large for it: $kind', async ({ different, resizes }) => {
    const bounds = { lowest: 0.5, highest: 0.85 };
    const table = await DynamicTable.create(gpu, { scheme, key: u32, valueWords: 1, bounds, seed: 1 }, 0);
    const keys = Uint32Array.from({ length: 70_000 }, (_, i) => i % different);
    const values = Uint32Array.from(keys, (_, i) => i);
    const source = sourceOf(gpu, u32, { keys, values });
    await table.insert(source, { onExisting: 'replace', unique: false });
    source.release();
    const slots = scheme.plan({ slots: table.slotsFor(different), key: u32, valueWords: 1 }).capacitySlots;
    expect([table.size, table.plan.capacitySlots, table.report]).toEqual([different, slots, resizes]);
    const contents = await readContents(table);
    expect(new Map([...contents.keys].map((key, i) => [key, contents.values[i]]))).toEqual(
      new Map([...keys].map((key, i) => [key, i])),
    );
    table.destroy();
  });

  it('has nothing once it was cleared, and is as small as in the beginning', async () => {
    const bounds = { lowest: 0.5, highest: 0.85 };
    const table = await DynamicTable.create(gpu, { scheme, key: u32, valueWords: 1, bounds, seed: 1 }, 0);
    const smallest = table.plan.capacitySlots;
    for (const count of [1, 3000, 0]) {
      const keys = Uint32Array.from({ length: count }, (_, i) => i);
      const source = sourceOf(gpu, u32, { keys, values: keys });
      const found = await table.insert(source, { onExisting: 'replace', unique: false });
      source.release();
      expect(found.indexOf(1)).toBe(-1);
      expect(table.size).toBe(count);
      await table.clear();
      expect([table.size, table.plan.capacitySlots]).toEqual([0, smallest]);
      expect((await readContents(table)).keys).toHaveLength(0);
    }
    table.destroy();
  });

  // So many buckets are sorted by two passes.
  it.each([10, 3000, 300_000])('takes the scratch that was planned, for batches of %i items', async (reserve) => {
    const table = await DynamicTable.create(
      gpu,
      { scheme, key: u32, valueWords: 1, bounds: { lowest: 0.5, highest: 0.85 }, seed: 1 },
      reserve,
    );
    const keys = randomKeys(reserve, 2 ** 32);
    const buffers = [sourceOf(gpu, u32, { keys, values: keys }), sourceOf(gpu, u32, { keys }, 0)] as const;
    const encoder = gpu.device.createCommandEncoder();
    const insert = { kind: 'insert', onExisting: 'replace', unique: false } as const;
    const taken = takenScratch(() => {
      table.encode(encoder, buffers[0], undefined, insert);
      // Such items are counted.
      table.encode(encoder, buffers[0], undefined, { ...insert, onExisting: 'keep' });
      table.encode(encoder, buffers[1], undefined, { kind: 'delete' });
    });
    asPlanned(taken, table.plan.scratchFor(reserve), scheme.name);
    for (const source of buffers) source.release();
    table.destroy();
  });
});
