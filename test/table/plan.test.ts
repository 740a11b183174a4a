import { describe, expect, it } from 'vitest';
import { InvalidInputError, TooLargeError } from '../../src/gpu/index.ts';
import { linearProbing, type Scheme, sortedArray, u32 } from '../../src/index.ts';
import { peakBytes, planOf, planTable, tableBytes } from '../../src/table/plan.ts';

const limits = { maxBufferSize: 1000, maxStorageBufferBindingSize: 800 } as GPUSupportedLimits;
const request = { items: 10, key: u32, valueWords: 1, duplicates: 'last', growth: 0 } as const;

describe('a plan', () => {
  it('is refused by the smaller of the two limits of a buffer', () => {
    // 800 bytes are 100 pairs, one of which is the home of the key that looks like an empty slot.
    const fits = (items: number) => planTable(linearProbing({ loadFactor: 1 }), { ...request, items }, limits);
    expect(fits(99).capacitySlots).toBe(99);
    expect(() => fits(100)).toThrow(TooLargeError);
  });

  it('counts the input and the scratch buffers too', () => {
    const hungry: Scheme = {
      ...sortedArray(),
      plan: (wanted) => ({ ...sortedArray().plan(wanted), scratch: [{ name: 'all', bytes: wanted.items * 100 }] }),
    };
    expect(() => planTable(hungry, { ...request, items: 9 }, limits)).toThrow(/'all' would need 900 bytes/);
    const lean: Scheme = {
      ...sortedArray(),
      plan: (wanted) => ({ ...sortedArray().plan(wanted), table: [], scratch: [] }),
    };
    expect(() => planTable(lean, { ...request, items: 201 }, limits)).toThrow(/at most 200/);
  });

  it('that is too large names the most items that fit, also where fewer are refused for another reason', () => {
    const picky: Scheme = {
      ...sortedArray(),
      plan: (wanted) => {
        if (wanted.items % 2 === 1) throw new InvalidInputError('items come in pairs');
        return sortedArray().plan(wanted);
      },
    };
    expect(() => planTable(picky, { ...request, items: 1000 }, limits)).toThrow(TooLargeError);
    const broken: Scheme = {
      ...sortedArray(),
      plan: (wanted) => {
        if (wanted.items < 1000) throw new RangeError('a fault of the scheme');
        return sortedArray().plan(wanted);
      },
    };
    expect(() => planTable(broken, { ...request, items: 1000 }, limits)).toThrow(RangeError);
  });

  it('takes the bytes of its buffers, and while it is built those of its scratch as well', () => {
    const sized: Scheme = {
      ...sortedArray(),
      plan: (wanted) => ({
        ...sortedArray().plan(wanted),
        buffers: [
          { name: 'a', bytes: 100, type: 'array<u32>' },
          { name: 'b', bytes: 24, type: 'array<u32>' },
        ],
        scratch: [{ name: 'c', bytes: 3 }],
      }),
    };
    const plan = planTable(sized, request, limits);
    expect(tableBytes(plan)).toBe(124);
    expect(peakBytes(plan)).toBe(127);
  });

  it('is made once for one request, as long as there are not eight others', () => {
    const scheme = linearProbing();
    const first = planOf(scheme, request);
    const others = (count: number) => {
      for (let items = 0; items < count; items++) planOf(scheme, { ...request, items: 100 + items });
    };
    others(7);
    expect(planOf(scheme, { ...request })).toBe(first);
    others(8);
    expect(planOf(scheme, request)).not.toBe(first);
  });

  it.each([{ items: 11 }, { valueWords: 2 }, { duplicates: 'first' }, { growth: 1 }] as const)(
    'is another for a request with %o',
    (change) => {
      const scheme = linearProbing();
      expect(planOf(scheme, { ...request, ...change })).not.toBe(planOf(scheme, request));
    },
  );

  it('that no number of items would make fit says 0', () => {
    const scheme = linearProbing({ capacitySlots: 1000 });
    expect(() => planTable(scheme, request, limits)).toThrow(expect.objectContaining({ largestItems: 0 }));
  });

  it('passes on why the scheme refuses', () => {
    expect(() => planTable(linearProbing({ loadFactor: 7 }), request, limits)).toThrow(InvalidInputError);
  });
});
