import { describe, expect, it } from 'vitest';
import { FormatError, InvalidInputError, UnsupportedError } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64, utf8, vec3i } from '../../src/keys/index.ts';
import { type BucketCuckooOptions, bucketCuckoo } from '../../src/schemes/bucketCuckoo/index.ts';
import { BUCKET_BYTES, MIN_BUCKETS } from '../../src/schemes/bucketCuckoo/layout.wgsl.ts';
import { chooseShape } from '../../src/schemes/bucketCuckoo/shape.ts';
import { type Duplicates, type PlanRequest, TableView } from '../../src/schemes/contract/index.ts';
import { binsFor, MAX_BINS } from '../../src/schemes/kit/partition/partition.wgsl.ts';
import { tableBytes } from '../../src/table/plan.ts';
import { link } from '../../src/wgsl/index.ts';
import { keyOfWords } from '../oracles/anyWidth.ts';
import { remainderShift } from '../oracles/bucketCuckooTwin.ts';

const random = randomWords(1993);
const below = (end: number): number => Math.floor((random() / 2 ** 32) * end);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const requestOf = (items: number, request: Partial<PlanRequest>): PlanRequest => ({
  items,
  key: u32 as KeyType,
  valueWords: 1,
  duplicates: 'last',
  growth: 0,
  ...request,
});
type Load = NonNullable<BucketCuckooOptions['loadFactor']>;
const planOf = (items: number, loadFactor: Load = 0.8, request: Partial<PlanRequest> = {}) =>
  bucketCuckoo({ loadFactor }).plan(requestOf(items, request));
const shapeOf = (items: number, loadFactor: Load = 0.8, request: Partial<PlanRequest> = {}) =>
  chooseShape({ loadFactor }, requestOf(items, request));

describe('plan', () => {
  const counts = [
    0,
    1,
    2,
    255,
    256,
    257,
    1000,
    1983,
    1984,
    12_345,
    99_999,
    100_000,
    500_000,
    1_048_575,
    1_048_576,
    1_049_000,
    1_050_000,
    2_000_003,
    10_000_000,
    50_000_000,
    67_108_863,
    67_108_864,
    67_150_000,
    67_200_000,
    100_000_000,
    200_000_000,
    ...numbers(200).map(() => Math.floor(2 ** (below(2750) / 100))),
  ];
  const loads = [0.01, 0.3, 0.5, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 1, 'densest'] as const;
  const kinds = ([u32, u64, vec3i, utf8] as readonly KeyType[]).flatMap((key) =>
    ([0, 1, 2, 4] as const).map((valueWords) => ({ key, valueWords, name: key.name })),
  );
  /** More than two choices reach would all have to go to the overflow. */
  const MOST_LOADED = new Map([
    [2, 0.86],
    [3, 0.93],
    [4, 0.968],
    [5, 0.92],
    [6, 0.94],
    [8, 0.985],
  ]);

  it.each(kinds)(
    'of $name with values of $valueWords words is consistent at every size and load',
    ({ key, valueWords }) => {
      for (const items of counts) {
        for (const loadFactor of loads) {
          for (const growth of [0, 1, 12]) {
            const plan = planOf(items, loadFactor, { key, valueWords, growth });
            const shape = shapeOf(items, loadFactor, { key, valueWords, growth });
            const { layout, regions, bucketsPerRegion, buckets, overflowSlots } = shape;
            // No binding is larger than that.
            if (buckets * BUCKET_BYTES >= 2 ** 32) continue;
            // More bins take more workgroup memory than the least there is, but only in tables of gigabytes.
            const isGiant = buckets * BUCKET_BYTES > 2 ** 31;
            const bins = binsFor(regions);
            const mostBins = MAX_BINS;
            const isSound =
              buckets === regions * bucketsPerRegion &&
              buckets >= MIN_BUCKETS &&
              items <= buckets * layout.slots * (MOST_LOADED.get(layout.slots) as number) &&
              (!shape.isQuotient || 33 - Math.floor(Math.log2(buckets)) <= layout.tagBits) &&
              bucketsPerRegion >= 2 &&
              bucketsPerRegion <= (layout.slots === 2 ? 1024 : 512) &&
              bucketsPerRegion * layout.slots <= 3072 &&
              bins.coarseBins * bins.fineBins >= regions &&
              (bins.coarseBins === 1 || Number.isInteger(Math.log2(bins.fineBins))) &&
              ((bins.coarseBins <= mostBins && bins.fineBins <= mostBins) || isGiant) &&
              overflowSlots >= 64 &&
              Object.values(plan.fields).join() ===
                [regions, bucketsPerRegion, remainderShift(shape), overflowSlots].join() &&
              plan.buffers[0]?.bytes === buckets * BUCKET_BYTES &&
              plan.buffers[1]?.bytes ===
                4 * (buckets * layout.slots * shape.payloadWords + overflowSlots * (1 + key.words + valueWords)) &&
              plan.scratch.every(({ bytes }) => Number.isInteger(bytes) && bytes >= 0);
            if (!isSound) {
              expect.fail(`${items} items, load ${loadFactor}, growth ${growth}: ${JSON.stringify(shape)}`);
            }
          }
        }
      }
    },
  );

  it('takes the load that was asked for, up to what can be reached', () => {
    for (const { key, valueWords } of kinds) {
      for (const items of counts.filter((count) => count >= 100_000)) {
        for (const loadFactor of loads.filter((load) => load !== 'densest' && load <= 0.95) as number[]) {
          // Buckets that would take more than one binding are fuller.
          if ((items / loadFactor) * 20 >= 2 ** 31) continue;
          const load = items / planOf(items, loadFactor, { key, valueWords }).capacitySlots;
          if (Math.abs(load / loadFactor - 1) > 0.02) expect.fail(`${items} items: ${load} instead of ${loadFactor}`);
        }
      }
    }
    // Pairs inside the buckets are measured in bytes, so the densest layout has room left at a load of 1.
    const dense = shapeOf(100_000_000, 1);
    expect(dense.layout.slots).toBe(6);
    expect(100_000_000 / (dense.buckets * 6)).toBeLessThan(0.7);
  });

  it.each([
    [500_000, 4],
    [2_000_000, 5],
    [10_000_000, 5],
    [100_000_000, 6],
    [200_000_000, 6],
  ])('%d pairs take 10 bytes each at a load of 0.8, %d in a bucket', (items, slots) => {
    expect(shapeOf(items).layout.slots).toBe(slots);
    expect(tableBytes(planOf(items)) / items).toBeCloseTo(10, 1);
  });

  it('has more overflow where regions run full', () => {
    for (const items of [10_000, 800_000]) {
      expect(shapeOf(items, 0.95).overflowSlots).toBe(64 + items / 80);
      expect(shapeOf(items, 0.5).overflowSlots).toBe(64 + Math.ceil(items / 1024));
    }
    // Five to a bucket at the same bytes: not full.
    expect(shapeOf(10_000_000, 0.95).overflowSlots).toBe(64 + Math.ceil(10_000_000 / 1024));
  });

  it('takes loads above 1 where a bucket holds more than plain slots, up to the densest', () => {
    for (const { key, valueWords } of kinds) {
      for (const items of counts.filter((count) => count > 0)) {
        const densest = items / planOf(items, 'densest', { key, valueWords }).capacitySlots;
        // Regions of equal size are a few buckets more than it takes; what is named can be had.
        const most = mostNamed(items, { key, valueWords });
        if (densest > most + 0.001) expect.fail(`${items} items: ${densest} of ${most}`);
        if (most === 1) continue;
        if (densest < most * 0.96) expect.fail(`${items} items: ${densest} of ${most}`);
        // Buckets that would take more than one binding are fuller.
        if (items * 12 >= 2 ** 31) continue;
        const plan = planOf(items, most, { key, valueWords });
        if (items / plan.capacitySlots > most) expect.fail(`${items} items at ${most}: ${items / plan.capacitySlots}`);
        expect(plan.larger?.().capacitySlots).toBeGreaterThan(plan.capacitySlots);
      }
    }
  });

  /** The highest load that an error says there is. */
  function mostNamed(items: number, request: Partial<PlanRequest>): number {
    try {
      planOf(items, 2, request);
    } catch (error) {
      const [, most] = /above 0 and at most ([\d.]+)( for \d+ items)?, not 2$/.exec((error as Error).message) ?? [];
      if (error instanceof InvalidInputError && most !== undefined) return Number(most);
      throw error;
    }
    throw new Error('twice as many items as plain slots');
  }

  it.each([
    [100_000_000, 1.334, 6, 6],
    [100_000_000, 1.4, 6, 5.72],
    [100_000_000, 'densest', 6, 5.69],
    [300_000_000, 'densest', 6, 5.69],
    [90_000_000, 'densest', 6, 5.98],
    [80_000_000, 'densest', 6, 6.73],
    [60_000_000, 'densest', 5, 6.98],
    [1_300_000, 'densest', 5, 6.99],
    [1_000_000, 'densest', 5, 8.41],
    [900_000, 'densest', 4, 8.43],
    [100_000, 'densest', 4, 8.52],
  ] as const)('%d pairs at %s: %d in a bucket, at most %d bytes each', (items, loadFactor, slots, bytes) => {
    expect(shapeOf(items, loadFactor).layout.slots).toBe(slots);
    const each = tableBytes(planOf(items, loadFactor)) / items;
    expect(each).toBeLessThanOrEqual(bytes);
    expect(each).toBeGreaterThan(bytes * 0.98);
  });

  it('keeps a format at the densest load too, and says how far its layout gets', () => {
    const { format } = planOf(100_000_000, 1.4);
    expect(planOf(100_000_000, 0.5).format).toBe(format);
    expect(planOf(200_000_000, 'densest', { format }).format).toBe(format);
    expect(planOf(1000, 'densest', { format }).fields).toMatchObject({ regions: 2 ** 15, bucketsPerRegion: 512 });
    expect(() => planOf(90_000_000, 1.4, { format })).toThrow(/at most 1\.\d+ for 90000000 items, not 1\.4$/);
  });

  it('grows by a twentieth, and never shrinks', () => {
    for (const items of [10, 5000, 1_048_600, 3_000_000, 100_000_000]) {
      for (const loadFactor of [0.8, 0.9, 1, 'densest'] as const) {
        const sizes = numbers(13).map((growth) => planOf(items, loadFactor, { growth }).capacitySlots);
        expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
        if (items > 1000) expect((sizes[12] as number) / (sizes[0] as number)).toBeGreaterThan(1.6);
      }
    }
    expect(planOf(5000, 0.8, { growth: 1 }).capacitySlots / planOf(5000).capacitySlots).toBeCloseTo(1.05, 2);
    expect(planOf(5000).larger?.().capacitySlots).toBe(planOf(5000, 0.8, { growth: 1 }).capacitySlots);
    expect([11, 12].map((growth) => planOf(1, 0.8, { growth }).larger !== undefined)).toEqual([true, false]);
  });

  it('numbers items only for policies that compare them', () => {
    const words = (duplicates: Duplicates) => shapeOf(1000, 0.8, { duplicates }).parcelWords;
    expect((['first', 'last', 'any', 'error', 'unique'] as const).map(words)).toEqual([3, 3, 2, 2, 2]);
  });

  it('refuses loads that cannot be', () => {
    for (const loadFactor of [0, -1, 1.0001, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => planOf(1000, loadFactor), `${loadFactor}`).toThrow(InvalidInputError);
    }
    expect(() => planOf(1000, 1.4)).toThrow('bucketCuckoo: loadFactor must be above 0 and at most 1, not 1.4');
    expect(() => planOf(10_000_000, 1.4)).toThrow('at most 1.148 for 10000000 items, not 1.4');
    expect(() => bucketCuckoo({ loadFactor: 'Densest' as never })).toThrow(
      new InvalidInputError("bucketCuckoo: loadFactor must be a number or 'bySize' or 'densest', not 'Densest'"),
    );
  });

  it('refuses items that are too wide to be partitioned, and says so', () => {
    const request = (words: number) => ({ key: keyOfWords(words) as KeyType, valueWords: 4 }) as const;
    const plan = (words: number) => planOf(1000, 0.8, request(words));
    expect(shapeOf(1000, 0.8, request(7)).parcelWords).toBe(12);
    expect(plan(7).request.key.words).toBe(7);
    expect(() => plan(8)).toThrow(UnsupportedError);
    expect(() => plan(8)).toThrow(/an item of 13 words .* use another scheme/);
  });

  it('is the same scheme again when made from its options', () => {
    for (const options of [{}, { loadFactor: 0.95 }, { loadFactor: 'bySize' }, { loadFactor: 'densest' }] as const) {
      const scheme = bucketCuckoo(options);
      const again = bucketCuckoo().withOptions(JSON.parse(JSON.stringify(scheme.options)));
      expect(again.options).toEqual(scheme.options);
      const request = requestOf(5000, {});
      expect(again.plan(request).capacitySlots).toBe(scheme.plan(request).capacitySlots);
    }
  });
});

describe('format', () => {
  /** All that a kernel may read and write of a finished table, as text. */
  function readerText(items: number, loadFactor: number, request: Pick<PlanRequest, 'key' | 'valueWords' | 'format'>) {
    const plan = planOf(items, loadFactor, request);
    const reader = plan.reader(new TableView(plan));
    const store = request.valueWords === 1 && plan.valueStore ? [plan.valueStore().store] : [];
    const { code } = link([reader.find(request.key.access('needle')), reader.entry, ...store]);
    return { format: plan.format, code };
  }
  const sizes = [
    ...[0, 1, 100, 200, 205, 210, 215, 500, 1000, 1300, 1500, 1640, 2500, 5000, 10_000, 30_000, 100_000, 300_000],
    ...[1_000_000, 3_000_000, 20_000_000, 100_000_000],
    ...numbers(60).map(() => Math.floor(2 ** (below(2600) / 100))),
  ];
  const kinds = ([u32, u64, vec3i, utf8] as readonly KeyType[]).flatMap((key) =>
    ([0, 1, 2] as const).map((valueWords) => ({ key, valueWords, name: key.name })),
  );

  it.each(kinds)('of $name with values of $valueWords words is the same where readers are, and only there', (kind) => {
    const codes = new Map<string, string>();
    const formats = new Map<string, string>();
    for (const items of sizes) {
      for (const loadFactor of [0.5, 0.8, 0.95]) {
        const { format, code } = readerText(items, loadFactor, kind);
        if ((codes.get(format) ?? code) !== code) expect.fail(`${format} has two readers, one for ${items} items`);
        if ((formats.get(code) ?? format) !== format) expect.fail(`${format} and ${formats.get(code)} read alike`);
        codes.set(format, code);
        formats.set(code, format);
      }
    }
    // Some sizes have readers of their own, but not many.
    expect(codes.size).toBeGreaterThanOrEqual(2);
    expect(codes.size).toBeLessThan(6);
  });

  it.each(kinds)('of $name with values of $valueWords words is kept where it is asked for, at any size', (kind) => {
    for (const items of [0, 1000, 20_000_000]) {
      const { format, code } = readerText(items, 0.8, kind);
      for (const others of sizes.filter((size) => size >= items)) {
        expect(readerText(others, 0.8, { ...kind, format })).toEqual({ format, code });
      }
    }
  });

  it('is refused if there is none of that name for such a table', () => {
    for (const format of [
      '',
      'bucketCuckoo/1',
      'bucketCuckoo/1/8x27',
      'bucketCuckoo/1/4x27/511',
      'bucketCuckoo/2/4x27',
    ]) {
      expect(() => planOf(1000, 0.8, { format })).toThrow(FormatError);
    }
  });

  it('names the layout of the buckets, and the buckets of a region where there are many regions', () => {
    const formats = [1, 5000, 300_000, 3_000_000, 100_000_000].map((items) => planOf(items).format);
    const ends = ['4x27', '4x27', '4x27/512', '5x15/512', '6x9/512'];
    expect(formats).toEqual(ends.map((end) => `bucketCuckoo/1/${end}`));
    expect(planOf(3_000_000, 0.8, { valueWords: 0 }).format).toBe('bucketCuckoo/1/8x27/256');
  });
});
