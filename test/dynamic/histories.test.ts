/** Histories of batches, taken through a table that lives and through a `Map`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { u32 } from '../../src/keys/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

/** What is done with a batch whose keys follow from a few numbers. */
interface Step {
  readonly kind: 'insert' | 'keep' | 'sum' | 'delete' | 'getOrInsert' | 'clear' | 'shrink' | 'reserve';
  readonly count: number;
  readonly seed: number;
  /** Keys are below it: few different ones make many copies. */
  readonly below: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'insert',
    'insert',
    'insert',
    'keep',
    'sum',
    'delete',
    'delete',
    'getOrInsert',
    'clear',
    'shrink',
    'reserve',
  ),
  count: fc.oneof(fc.constantFrom(0, 1, 2, 3, 255, 256, 257), fc.nat(3000)),
  seed: fc.nat(2 ** 31),
  below: fc.constantFrom(4, 300, 5000, 2 ** 32),
});

function keysOf({ count, seed, below }: Step): Uint32Array<ArrayBuffer> {
  let state = seed;
  return Uint32Array.from({ length: count }, () => {
    state = (Math.imul(state, 747796405) + 2891336453) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
    return below === 2 ** 32 ? mixed : mixed % below;
  });
}

async function play(scheme: DynamicScheme, steps: readonly Step[]): Promise<void> {
  const map = await DynamicMap.create(gpu, { key: u32, scheme });
  const oracle = new Map<number, number>();
  try {
    for (const at of steps) {
      const keys = keysOf(at);
      const values = keys.map((key, i) => Math.imul(key, 31) + i);
      const before = new Set(oracle.keys());
      const news = [...keys].map((key) => Number(!before.has(key)));
      if (at.kind === 'insert' || at.kind === 'keep' || at.kind === 'sum') {
        const onExisting = at.kind === 'insert' ? 'replace' : at.kind;
        const fresh = await map.insert(keys, values, { onExisting });
        keys.forEach((key, i) => {
          const old = oracle.get(key);
          const value = values[i] as number;
          if (old === undefined || at.kind === 'insert') oracle.set(key, value);
          else if (at.kind === 'sum') oracle.set(key, (old + value) >>> 0);
        });
        expect([...fresh], 'which keys were new').toEqual(news);
      } else if (at.kind === 'getOrInsert') {
        const answers = await map.getOrInsert(keys, values);
        keys.forEach((key, i) => {
          if (!oracle.has(key)) oracle.set(key, values[i] as number);
        });
        expect([...answers.fresh]).toEqual(news);
        expect([...answers.values]).toEqual([...keys].map((key) => oracle.get(key)));
      } else if (at.kind === 'delete') {
        expect([...(await map.delete(keys))], 'which were there').toEqual(news.map((flag) => 1 - flag));
        for (const key of keys) oracle.delete(key);
      } else if (at.kind === 'clear') {
        await map.clear();
        oracle.clear();
      } else if (at.kind === 'shrink') await map.shrink();
      else await map.reserve(at.count * 40);
      expect(map.size).toBe(oracle.size);
      expect(map.filledFactor).toBeLessThanOrEqual(0.85);
      const entries = await map.entries();
      expect(new Map([...entries.keys].map((key, i) => [key, entries.values[i]]))).toEqual(oracle);
      const { values: got, found } = await map.get(keys);
      expect([...found]).toEqual([...keys].map((key) => Number(oracle.has(key))));
      expect([...got]).toEqual([...keys].map((key) => oracle.get(key) ?? 0));
    }
  } finally {
    map.destroy();
  }
}

describe.each([regionCuckoo(), dyCuckoo(), dyCuckoo({ subtables: 2 })])('a map that lives by $name', (scheme) => {
  it('is like a Map through any history', { timeout: 120_000 }, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) => play(scheme, steps));
    await fc.assert(history, { numRuns: 30, endOnFailure: false });
  });
});
