import { describe, expect, it } from 'vitest';
import { u64 } from '../../src/keys/index.ts';
import {
  bucketCuckoo,
  cuckoo,
  type Duplicates,
  doubleHashing,
  linearProbing,
  quadraticProbing,
} from '../../src/schemes/index.ts';
import { planTable } from '../../src/table/plan.ts';

/** What a binding may have on large GPUs: 2³¹ bytes less a word. */
const BINDING_BYTES = 2_147_483_644;
const limits = { maxBufferSize: 2 ** 40, maxStorageBufferBindingSize: BINDING_BYTES } as GPUSupportedLimits;

describe('a hundred million pairs of u64 at load 0.8', () => {
  const policies: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];
  for (const make of [bucketCuckoo, linearProbing, quadraticProbing, doubleHashing, cuckoo]) {
    it.each(policies)(`${make.name} (%s): every buffer of table, scratch and input fits one binding`, (duplicates) => {
      const items = 1e8;
      const request = { items, key: u64, valueWords: 2, duplicates, growth: 0 } as const;
      const plan = planTable(make({ loadFactor: 0.8 }), request, limits);
      expect(items / plan.capacitySlots).toBeCloseTo(0.8, 2);
      const largest = Math.max(...[...plan.table, ...plan.scratch].map(({ bytes }) => bytes), items * 8);
      expect(largest).toBeLessThanOrEqual(BINDING_BYTES);
      expect(largest).toBeGreaterThan(items * 8);
    });
  }
});
