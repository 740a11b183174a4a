import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/gpu/index.ts';
import { polynomial32 } from '../../src/hashing/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { TableView } from '../../src/schemes/contract/index.ts';
import { twoLevelCuckoo } from '../../src/schemes/twoLevelCuckoo/index.ts';
import { link } from '../../src/wgsl/index.ts';

const AVERAGE = { 512: 409, 1024: 870, 2048: 1843 } as const;

describe('the plan', () => {
  const request = { key: u32, valueWords: 1, duplicates: 'unique', growth: 0 } as const;

  it("has the papers' sizes", () => {
    for (const [bucketCapacity, slotsPerItem] of [
      [512, 576 / 409],
      [1024, 1152 / 870],
      [2048, 2304 / 1843],
    ] as const) {
      const scheme = twoLevelCuckoo({ bucketCapacity });
      const bucketSlots = (bucketCapacity / 8) * 9;
      const average = AVERAGE[bucketCapacity];
      for (const [items, buckets] of [
        [0, 1],
        [1, 1],
        [average, 1],
        [average + 1, 2],
        [1_000_000, Math.ceil(1_000_000 / average)],
      ] as const) {
        const { capacitySlots, buffers, fields } = scheme.plan({ ...request, items });
        expect(fields).toEqual({ buckets });
        expect(capacitySlots).toBe(buckets * bucketSlots);
        expect(buffers).toMatchObject([
          { name: 'slots', bytes: (capacitySlots + 1) * 8 },
          { name: 'seeds', bytes: buckets * 4 },
        ]);
      }
      expect(scheme.plan({ ...request, items: 1e7 }).capacitySlots / 1e7).toBeCloseTo(slotsPerItem, 3);
    }
  });

  it('grows by a tenth at a time, four times', () => {
    const plans = [0, 1, 2, 3, 4].map((growth) => twoLevelCuckoo().plan({ ...request, items: 409_000, growth }));
    expect(plans.map(({ fields }) => fields.buckets)).toEqual([1000, 1100, 1211, 1332, 1465]);
    expect(plans.map(({ larger }) => larger?.().fields.buckets)).toEqual([1100, 1211, 1332, 1465, undefined]);
  });

  it('refuses other capacities, and tables beyond 2³¹ slots', () => {
    for (const bucketCapacity of [0, 100, 4096, '512', Number.NaN] as unknown as 512[]) {
      expect(() => twoLevelCuckoo({ bucketCapacity }).plan({ ...request, items: 1 })).toThrow(InvalidInputError);
    }
    expect(() => twoLevelCuckoo().plan({ ...request, items: 1.6e9 })).toThrow(InvalidInputError);
  });

  it('is the same scheme again when made from its options', () => {
    const scheme = twoLevelCuckoo({ bucketCapacity: 1024, hash: polynomial32 });
    const again = twoLevelCuckoo({ hash: polynomial32 }).withOptions(JSON.parse(JSON.stringify(scheme.options)));
    expect(again.options).toEqual({ bucketCapacity: 1024, hash: 'polynomial32' });
    expect(again.plan({ ...request, items: 5 })).toMatchObject({ capacitySlots: 1152, family: polynomial32 });
  });

  it('has searches of the same text whatever the size', () => {
    const textOf = (items: number, growth: number): string => {
      const plan = twoLevelCuckoo().plan({ ...request, items, growth });
      const { find, entry } = plan.reader(new TableView(plan));
      return link([find(u32.access('needle')), entry]).code;
    };
    expect(textOf(1_000_000, 3)).toBe(textOf(1, 0));
  });
});
