import { describe, expect, it } from 'vitest';
import { u64 } from '../../src/keys/index.ts';
import type { Duplicates } from '../../src/schemes/index.ts';
import { planTable } from '../../src/table/plan.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { subjects, takesLoad } from '../conformance/subjects.ts';

/** What a binding may have on large GPUs: 2³¹ bytes less a word. */
const BINDING_BYTES = 2_147_483_644;
const limits = { maxBufferSize: 2 ** 40, maxStorageBufferBindingSize: BINDING_BYTES } as GPUSupportedLimits;

describe('a hundred million pairs of u64 at load 0.8', () => {
  const policies: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];
  for (const { schemeName, make } of subjects.filter((s) => takesLoad(s) && s.kind === keyKinds.u64)) {
    it.each(policies)(`${schemeName} (%s): every buffer of table, scratch and input fits one binding`, (duplicates) => {
      const items = 1e8;
      const request = { items, key: u64, valueWords: 2, duplicates, growth: 0 } as const;
      const plan = planTable(make({ loadFactor: 0.8 }), request, limits);
      const load = items / plan.capacitySlots;
      expect(load).toBeGreaterThan(0.79);
      // Buckets of two pairs are filled further rather than parted.
      expect(load).toBeLessThan(schemeName === 'bucketCuckoo' ? 0.94 : 0.81);
      const largest = Math.max(...[...plan.buffers, ...plan.scratch].map(({ bytes }) => bytes), items * 8);
      expect(largest).toBeLessThanOrEqual(BINDING_BYTES);
      expect(largest).toBeGreaterThan(items * 8);
    });
  }
});
