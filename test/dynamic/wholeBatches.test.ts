/** Batches that fail: the table is as it was before. */
import { describe, expect, it } from 'vitest';
import { DynamicIndex, DynamicMap, OutOfMemoryError, regionCuckoo, u32, utf8, valueTypes } from '../../src/index.ts';
import type { DynamicPlan, DynamicScheme } from '../../src/schemes/contract/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

/** A scheme whose tables cannot grow, and that say that they have more slots than they do: batches begin, and then find no room. */
function narrow(boast: number): DynamicScheme {
  const scheme = regionCuckoo();
  const narrowed = (plan: DynamicPlan): DynamicPlan => ({
    ...plan,
    capacitySlots: plan.capacitySlots * boast,
    resized: () => {
      throw new OutOfMemoryError('there is no memory for another table');
    },
  });
  return { ...scheme, plan: (request) => narrowed(scheme.plan(request)) };
}

const upTo = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count }, (_, i) => i);
const TOO_MANY = 6000;

describe('a batch that finds no room leaves everything as it was', () => {
  it.each([1, 16])('when tables say that they have %i times their slots', async (boast) => {
    using map = await DynamicMap.create(gpu, {
      key: u32,
      value: valueTypes.vec2u,
      scheme: narrow(boast),
      lowest: 0.001,
    });
    const before = upTo(500);
    await map.insert(before, upTo(1000));
    const reported = map.report;
    for (const onExisting of ['replace', 'keep'] as const) {
      await expect(map.insert(upTo(TOO_MANY), new Uint32Array(2 * TOO_MANY).fill(9), { onExisting })).rejects.toThrow(
        OutOfMemoryError,
      );
      expect(map.size).toBe(500);
      expect(map.report).toEqual(reported);
      const { values, found } = await map.get(upTo(TOO_MANY));
      expect([...found]).toEqual([...upTo(TOO_MANY)].map((i) => Number(i < 500)));
      expect([...values.subarray(0, 1000)]).toEqual([...upTo(1000)]);
    }
    expect(await map.insert(Uint32Array.of(1, 999), new Uint32Array(4))).toEqual(Uint8Array.of(0, 1));
  });

  it('when a single item finds none in a table that is full', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, scheme: narrow(16), lowest: 0.001 });
    const slots = map.table.plan.capacitySlots / 16;
    let kept = Math.floor(0.9 * slots);
    await map.insert(upTo(kept), upTo(kept));
    const insertNext = () => map.insert(Uint32Array.of(kept), Uint32Array.of(kept));
    let refused: unknown;
    while (kept <= slots && refused === undefined) {
      refused = await insertNext().then(
        () => void kept++,
        (error: unknown) => error,
      );
    }
    expect(refused).toBeInstanceOf(OutOfMemoryError);
    expect(map.size).toBe(kept);
    expect([...(await map.has(upTo(kept + 1)))]).toEqual([...upTo(kept).fill(1), 0]);
  });

  it('when values are combined', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, scheme: narrow(16), lowest: 0.001 });
    await map.insert(upTo(300), upTo(300));
    await expect(map.insert(upTo(TOO_MANY), upTo(TOO_MANY), { onExisting: 'sum' })).rejects.toThrow(OutOfMemoryError);
    expect([...(await map.get(upTo(300))).values]).toEqual([...upTo(300)]);
    expect(map.size).toBe(300);
  });

  it('when keys are strings, whose bytes are forgotten', async () => {
    using map = await DynamicMap.create(gpu, { key: utf8, scheme: narrow(16), lowest: 0.001 });
    const names = [...upTo(TOO_MANY)].map((i) => `name ${i}`);
    await map.insert(names.slice(0, 100), upTo(100));
    await expect(map.insert(names, upTo(TOO_MANY))).rejects.toThrow(OutOfMemoryError);
    expect(map.size).toBe(100);
    await map.insert(['one more'], Uint32Array.of(7));
    expect([...(await map.get([...names.slice(0, 100), 'one more', 'name 100'])).values]).toEqual([...upTo(100), 7, 0]);
  });

  it('when keys get ids, of which none is lost', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32, scheme: narrow(16), lowest: 0.001 });
    await index.activate(upTo(100));
    await expect(index.activate(upTo(TOO_MANY))).rejects.toThrow(OutOfMemoryError);
    expect(index.idLimit).toBe(100);
    expect([...(await index.activeIds())]).toEqual([...upTo(100)]);
    const { fresh } = await index.activate(upTo(200));
    expect([...fresh]).toEqual([...upTo(200)].map((i) => Number(i >= 100)));
    expect([...(await index.activeIds())]).toEqual([...upTo(200)]);
  });
});
