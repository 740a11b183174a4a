import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/gpu/index.ts';
import { xorPrime } from '../../src/hashing/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { type Duplicates, type TablePlan, TableView } from '../../src/schemes/contract/index.ts';
import { type CuckooOptions, cuckoo } from '../../src/schemes/cuckoo/index.ts';
import { chainLimitFor } from '../../src/schemes/cuckoo/plan.ts';
import { link } from '../../src/wgsl/index.ts';

const planOf = (options: CuckooOptions, items: number, duplicates: Duplicates = 'unique', growth = 0): TablePlan =>
  cuckoo(options).plan({ items, key: u32, valueWords: 1, duplicates, growth });

describe('planning', () => {
  it('has the sizes of the chapter as defaults', () => {
    expect(planOf({}, 1000).capacitySlots).toBe(1250);
    expect(planOf({ functions: 2 }, 1000).capacitySlots).toBe(2097);
    // The table, the slot of the key of all ones, and the stash, eight bytes each.
    expect(planOf({}, 1000).buffers).toMatchObject([{ name: 'slots', bytes: (1250 + 1 + 101) * 8 }]);
    expect(planOf({ stashSlots: 0, capacitySlots: 2000 }, 1000).buffers[0]?.bytes).toBe(2001 * 8);
  });

  it('limits chains to 7 lg N at four functions and 1.25 N, and to more in tighter tables', () => {
    for (const items of [100, 10_000, 100_000_000]) {
      expect(planOf({}, items).fields.chainLimit).toBe(Math.ceil(7 * Math.log2(items)));
      expect(planOf({ loadFactor: 0.1 }, items).fields.chainLimit).toBe(planOf({}, items).fields.chainLimit);
    }
    const limits = [0.8, 0.9, 0.95, 0.97].map((load) => chainLimitFor(4, 10_000, 10_000 / load));
    expect(limits).toEqual([...limits].sort((a, b) => a - b));
    expect(limits.at(-1)).toBeGreaterThan(3000);
    expect(planOf({ chainLimit: 17 }, 1000).fields.chainLimit).toBe(17);
    // More items than slots: as long as in the fullest table that works.
    expect(chainLimitFor(4, 10_000, 100)).toBe(chainLimitFor(4, 10_000, 10_000 / 0.971));
  });

  it.each([
    [2, 0.5, /2 functions reach a load of 0.477; use 3 functions/],
    [3, 0.93, /use 4 functions, which reach 0.971/],
    [4, 0.975, /use 5 functions/],
    [5, 0.99, /no number of functions reaches more than 0.981/],
  ] as const)('%d functions refuse a load of %d and say what would do', (functions, loadFactor, message) => {
    expect(() => planOf({ functions, loadFactor }, 1000)).toThrow(InvalidInputError);
    expect(() => planOf({ functions, loadFactor }, 1000)).toThrow(message);
    const capacitySlots = Math.floor(1000 / loadFactor);
    expect(() => planOf({ functions, capacitySlots }, 1000)).toThrow(message);
    // With copies among them, the items may well fit.
    expect(planOf({ functions, capacitySlots }, 1000, 'first').larger).toBeUndefined();
  });

  it('refuses options that make no sense', () => {
    const wrong: readonly CuckooOptions[] = [
      { functions: 1 as 2 },
      { functions: 6 as 5 },
      { functions: 2.5 as 2 },
      { stashSlots: -1 },
      { stashSlots: 0.5 },
      { stashSlots: 70_000 },
      { chainLimit: 0 },
      { chainLimit: 1.5 },
      { loadFactor: 0 },
      { loadFactor: Number.NaN },
      { capacitySlots: 0 },
      { capacitySlots: 10, loadFactor: 0.5 },
      { capacitySlots: 2 ** 31 + 1 },
    ];
    for (const options of wrong) expect(() => planOf(options, 5), JSON.stringify(options)).toThrow(InvalidInputError);
  });

  it('grows by a tenth', () => {
    const larger = planOf({}, 1000, 'last').larger?.();
    expect(larger?.capacitySlots).toBe(1375);
    expect(larger?.request.growth).toBe(1);
    expect(planOf({}, 1000, 'last', 7).larger).toBeDefined();
    expect(planOf({}, 1000, 'last', 8).larger).toBeUndefined();
  });

  it('is the same scheme again when made from its options', () => {
    const all: readonly CuckooOptions[] = [
      {},
      { functions: 2 },
      { functions: 5, stashSlots: 7, chainLimit: 9, loadFactor: 0.95 },
      { capacitySlots: 99 },
    ];
    for (const options of all) {
      const scheme = cuckoo({ ...options, hash: xorPrime });
      const again = cuckoo({ hash: xorPrime }).withOptions(JSON.parse(JSON.stringify(scheme.options)));
      expect(again.options).toEqual(scheme.options);
      const request = { items: 50, key: u32, valueWords: 1, duplicates: 'last', growth: 0 } as const;
      expect(again.plan(request).capacitySlots).toBe(scheme.plan(request).capacitySlots);
      expect(again.plan(request).family).toBe(xorPrime);
    }
  });

  it('refuses the options of a saved table that cannot be', () => {
    for (const saved of [{ functions: '4' }, { functions: 'toString' }, { stashSlots: '7' }, { loadFactor: null }]) {
      const plan = () =>
        cuckoo().withOptions(saved).plan({ items: 5, key: u32, valueWords: 1, duplicates: 'last', growth: 0 });
      expect(plan, JSON.stringify(saved)).toThrow(InvalidInputError);
    }
  });

  it('has searches of the same text whatever the size', () => {
    const textOf = (items: number, growth: number, duplicates: Duplicates): string => {
      const plan = planOf({}, items, duplicates, growth);
      const { find, entry } = plan.reader(new TableView(plan));
      return link([find(u32.access('needle')), entry]).code;
    };
    expect(textOf(1_000_000, 3, 'unique')).toBe(textOf(1, 0, 'last'));
  });
});
