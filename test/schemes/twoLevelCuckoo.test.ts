import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { DuplicateKeyError, extentCount, Gpu, InvalidInputError, knownExtent, record } from '../../src/gpu/index.ts';
import { type HashConstants, mix, multiplyHighTwin, polynomial32, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { type Duplicates, twoLevelCuckoo } from '../../src/schemes/index.ts';
import { levelHashes } from '../../src/schemes/twoLevelCuckoo/hashes.wgsl.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { buildsLikeMap as isLikeMap, type LikeMapOptions, wordsIn } from '../oracles/likeMap.ts';

let gpu: Gpu;
beforeAll(async () => {
  // WebGPU's own limits: 256 invocations and 16 KB of workgroup memory.
  gpu = await Gpu.open({ limits: 'default' });
});
afterAll(() => gpu.destroy());

const random = randomWords(2009);
const distinctKeys = (count: number): Uint32Array<ArrayBuffer> => {
  const keys = new Set<number>();
  while (keys.size < count) keys.add(random());
  return Uint32Array.from(keys);
};
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

const PRIME = 1_900_813;
const AVERAGE = { 512: 409, 1024: 870, 2048: 1843 } as const;
const CAPACITIES = [512, 1024, 2048] as const;

/** Twin of the papers' second level. */
const paperSlots = (key: number, seed: number, size: number): number[] =>
  (
    [
      [0xffff, 0xcba9],
      [0x7531, 0xbeef],
      [0xd9f1, 0x337a],
    ] as const
  ).map(([a, b]) => (((Math.imul(seed ^ a, key) + (seed ^ b)) >>> 0) % PRIME) % size);

/** Twin of the second level by the family's hash. */
function familySlots(key: number, seed: number, size: number, constants: HashConstants): number[] {
  const [a, b, c, d] = constants;
  const [x, y] = mix.hashTwin(mix.hashTwin([key], constants), [(a ^ seed) >>> 0, b, (c ^ seed) >>> 0, d]);
  return [x >>> 16, x & 0xffff, y >>> 16].map((bits) => (bits * size) >>> 16);
}

const buildsLikeMap = (keys: Uint32Array | BigUint64Array, options: Partial<LikeMapOptions> = {}) =>
  isLikeMap(gpu, keys, { scheme: twoLevelCuckoo(), ...options });

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
        const { capacitySlots, table, own } = scheme.plan({ ...request, items });
        expect(own[0]).toBe(buckets);
        expect(capacitySlots).toBe(buckets * bucketSlots);
        expect(table).toEqual([
          { name: 'slots', bytes: (capacitySlots + 1) * 8 },
          { name: 'seeds', bytes: buckets * 4 },
        ]);
      }
      expect(scheme.plan({ ...request, items: 1e7 }).capacitySlots / 1e7).toBeCloseTo(slotsPerItem, 3);
    }
  });

  it('grows by a tenth at a time, four times', () => {
    const plans = [0, 1, 2, 3, 4].map((growth) => twoLevelCuckoo().plan({ ...request, items: 409_000, growth }));
    expect(plans.map(({ own }) => own[0])).toEqual([1000, 1100, 1211, 1332, 1465]);
    expect(plans.map(({ canGrow }) => canGrow)).toEqual([true, true, true, true, false]);
  });

  it('refuses other capacities, and tables beyond 2³¹ slots', () => {
    for (const bucketCapacity of [0, 100, 4096, '512', Number.NaN] as unknown as 512[]) {
      expect(() => twoLevelCuckoo({ bucketCapacity }).plan({ ...request, items: 1 })).toThrow(InvalidInputError);
    }
    expect(() => twoLevelCuckoo().plan({ ...request, items: 1.6e9 })).toThrow(InvalidInputError);
  });
});

describe('the layout', () => {
  it('keeps every key in one of its three slots of the bucket k mod B', async () => {
    for (const bucketCapacity of CAPACITIES) {
      const keys = distinctKeys(4000);
      using set = await HashSet.from(gpu, { keys }, { scheme: twoLevelCuckoo({ bucketCapacity }), seed: 5 });
      expect(set.report.attempts).toBe(1);
      const size = (bucketCapacity / 8) * 3;
      const buckets = Math.ceil(4000 / AVERAGE[bucketCapacity]);
      const { named } = set.table.buffers;
      const slots = await wordsIn(gpu, named.get('slots') as GPUBuffer, 3 * size * buckets + 1);
      const seeds = await wordsIn(gpu, named.get('seeds') as GPUBuffer, buckets);
      const { hash } = set.table.state.header;
      const missing = keys.filter((key) => {
        const bucket = key % buckets;
        const seed = seeds[bucket] as number;
        const places =
          seed < 0x10000 ? paperSlots(key, seed, size) : familySlots(key, seed, size, hash as unknown as HashConstants);
        const at = places.map((slot, i) => (i * buckets + bucket) * size + slot);
        return at.filter((slot) => slots[slot] === key).length !== 1;
      });
      expect(missing).toHaveLength(0);
      expect(slots.filter((word) => word !== 0xffffffff)).toHaveLength(4000);
    }
  });

  it('finds keys with at most three probes, and stops at an empty slot', async () => {
    using set = await HashSet.from(gpu, { keys: distinctKeys(5000) }, { scheme: twoLevelCuckoo() });
    const { present, absent } = await set.stats();
    expect(present.within[100]).toBe(3);
    expect(present.average).toBeLessThan(2);
    expect(absent.within[100]).toBe(3);
    expect(absent.average).toBeLessThan(2.7);
  });

  it('opens again after it was saved, whichever functions built it', async () => {
    const buckets = Math.ceil(1500 / 409);
    const sets = [distinctKeys(1500), Uint32Array.from({ length: 1500 }, (_, i) => i * buckets + 1)];
    for (const [i, keys] of sets.entries()) {
      using map = await HashMap.from(gpu, { keys, values: numbered(1500) }, { scheme: twoLevelCuckoo({ hash: mix }) });
      expect(map.report.attempts).toBe(i + 1);
      using again = await HashMap.fromBytes(gpu, await map.toBytes());
      expect(again.scheme.options).toEqual({ bucketCapacity: 512, hash: 'mix' });
      expect((await again.get(keys)).values).toEqual(numbered(1500));
    }
  });
});

describe('the hash functions', () => {
  const results = storage('results', 'array<vec4u>', 'read_write');
  const parameters = uniform('parameters', 'vec4u');
  const constantsOf = uniform('constants', 'vec4u');

  /** Runs both levels on the keys 0, 7919, 2 · 7919, … */
  async function run(count: number, attempt: number, buckets: number, seed: number, constants: HashConstants) {
    const { bucketOf, slotsOf } = levelHashes(u32 as KeyType, u32.access('needle'), mix, 192);
    const program = kernel({
      label: 'test/levels',
      threads: 64,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let key = item * 7919u;
  ${results}[item] = vec4u(
    ${bucketOf}(key, ${constantsOf}, ${parameters}.x, ${parameters}.y),
    ${slotsOf}(key, ${parameters}.z, ${constantsOf}),
  );`,
    });
    const buffer = gpu.createBuffer('test', count * 16);
    const extent = knownExtent(gpu, count);
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'test', (recorder) =>
          recorder.run(
            program,
            [
              [results, buffer],
              [parameters, gpu.constants(attempt, buckets, seed, 0)],
              [constantsOf, gpu.constants(...constants)],
              [extentCount, extent.count],
            ],
            extent,
          ),
        ),
      [{ buffer, bytes: count * 16 }],
    );
    buffer.destroy();
    const words = new Uint32Array(bytes as ArrayBuffer);
    return Array.from({ length: count }, (_, i) => [...words.subarray(4 * i, 4 * i + 4)]);
  }

  it("are the papers' and, behind them, the family's", async () => {
    const constants: HashConstants = [random(), random(), random(), random()];
    const ones = 0xffffffff;
    const [, drawn] = mix.hashTwin([ones, ones], constants);
    const first: Record<number, (key: number, buckets: number) => number> = {
      1: (key, buckets) => key % buckets,
      2: (key, buckets) => (((Math.imul(drawn & 0xffff, key) + (drawn >>> 16)) >>> 0) % PRIME) % buckets,
      3: (key, buckets) => multiplyHighTwin(mix.hashTwin([key], constants)[0], buckets),
    };
    for (const [attempt, buckets, twin] of [
      [1, 2445, 1],
      [2, 2445, 2],
      // As many buckets as get 50 values of the prime each, and one more: from there on it is too coarse.
      [2, 38_016, 2],
      [2, 38_017, 3],
      [1, 244_499, 1],
      [3, 2445, 3],
      [9, 38_016, 3],
    ] as const) {
      for (const seed of [0, 0xffff, 0x1234, 0x1abcd]) {
        const actual = await run(200, attempt, buckets, seed, constants);
        actual.forEach((row, i) => {
          const key = Math.imul(i, 7919) >>> 0;
          const slots = seed < 0x10000 ? paperSlots(key, seed, 192) : familySlots(key, seed, 192, constants);
          expect(row).toEqual([first[twin]?.(key, buckets), ...slots]);
        });
      }
    }
  });
});

describe('a build', () => {
  it('takes about 5.5 rounds a bucket', async () => {
    const keys = distinctKeys(20_000);
    using set = await HashSet.from(gpu, { keys }, { scheme: twoLevelCuckoo(), duplicates: 'unique' });
    const buckets = Math.ceil(20_000 / 409);
    expect(set.report.attempts).toBe(1);
    expect(set.report.rounds / buckets).toBeGreaterThan(4.5);
    expect(set.report.rounds / buckets).toBeLessThan(6.5);
    expect(set.report.restarts).toBeLessThan(buckets / 10);
  });

  it('fills a bucket to its capacity, beginning it again with other seeds where it must', async () => {
    for (const bucketCapacity of CAPACITIES) {
      const full = 4;
      const buckets = Math.ceil((full * bucketCapacity) / AVERAGE[bucketCapacity]);
      const keys = distinctKeys(full * bucketCapacity).map((key, i) => {
        const quotient = Math.floor(key / buckets) - 1;
        return quotient * buckets + (i % full);
      });
      expect(new Set(keys).size).toBe(keys.length);
      const scheme = twoLevelCuckoo({ bucketCapacity });
      const report = await buildsLikeMap(keys, { scheme, duplicates: 'unique' });
      expect(report.attempts).toBe(1);
      // A bucket that began again reports the rounds of all its seeds.
      expect(report.rounds).toBeGreaterThan(20 * report.restarts);
    }
  });

  it('begins phase 1 again when a bucket gets one item too many', async () => {
    // Three buckets; the first gets 512 or 513 keys, the second the rest.
    for (const [many, attempts] of [
      [512, 1],
      [513, 2],
    ] as const) {
      const keys = Uint32Array.from({ length: 900 }, (_, i) => (i < many ? 3 * i : 3 * i + 1));
      expect((await buildsLikeMap(keys, { duplicates: 'unique' })).attempts).toBe(attempts);
    }
  });

  it('succeeds on keys that are all equal modulo the number of buckets', async () => {
    const buckets = Math.ceil(3000 / 409);
    for (const step of [buckets, 2 ** 12 * buckets, 2 ** 16, PRIME]) {
      const keys = Uint32Array.from({ length: 3000 }, (_, i) => Math.imul(i, step) >>> 0);
      for (const hash of [mix, polynomial32]) {
        const { attempts } = await buildsLikeMap(Uint32Array.from(new Set(keys)), { scheme: twoLevelCuckoo({ hash }) });
        expect(attempts).toBeLessThanOrEqual(3);
      }
    }
  });

  it('holds what a Map holds, with few or many copies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 0xffffffff }), fc.constant(0xffffffff)), {
          maxLength: 1200,
          size: 'max',
        }),
        fc.constantFrom<Duplicates[]>('first', 'last', 'any'),
        fc.constantFrom(...CAPACITIES),
        fc.boolean(),
        async (list, duplicates, bucketCapacity, wide) => {
          const keys = wide
            ? BigUint64Array.from(list, (key) => (BigInt(key) << 32n) | BigInt(key))
            : Uint32Array.from(list);
          await buildsLikeMap(keys, { scheme: twoLevelCuckoo({ bucketCapacity }), duplicates });
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('copies', () => {
  const others = distinctKeys(1000);
  /** One key, thousands of times, among others. */
  const heavy = Uint32Array.from({ length: 16_000 }, (_, i) =>
    i % 20 === 7 ? (others[(i / 20) | 0] as number) : 12345,
  );

  it('that would overfill a bucket are removed in the second attempt', async () => {
    for (const duplicates of ['first', 'last', 'any'] as const) {
      expect((await buildsLikeMap(heavy, { duplicates })).attempts).toBe(2);
      const wide = BigUint64Array.from(heavy, (key) => BigInt(key) * 0x1_0000_0001n);
      expect((await buildsLikeMap(wide, { duplicates })).attempts).toBe(2);
    }
  });

  it('that fit their bucket need no second attempt', async () => {
    const keys = Uint32Array.from({ length: 3000 }, (_, i) => others[i % 1000] as number);
    expect((await buildsLikeMap(keys, { duplicates: 'first' })).attempts).toBe(1);
  });

  it('are reported where they are forbidden, also when they overfill a bucket', async () => {
    for (const duplicates of ['error', 'unique'] as const) {
      for (const keys of [heavy, Uint32Array.of(...others, others[3] as number)]) {
        const error = await HashSet.from(gpu, { keys }, { scheme: twoLevelCuckoo(), duplicates }).catch((e) => e);
        expect(error).toBeInstanceOf(DuplicateKeyError);
        const { index } = error as DuplicateKeyError;
        expect(keys.filter((key) => key === keys[index]).length).toBeGreaterThan(1);
      }
    }
  });

  it('are removed on the encoder face too, where nobody reads the status in between', async () => {
    const keys = gpu.upload('test', heavy);
    const values = gpu.upload('test', numbered(heavy.length));
    const count = { buffer: gpu.upload('test', Uint32Array.of(10_000)) };
    const encoder = gpu.device.createCommandEncoder();
    const scheme = twoLevelCuckoo();
    using map = HashMap.encodeBuild(gpu, encoder, { keys, values, count }, { key: u32, scheme, duplicates: 'last' });
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    expect(map.report.attempts).toBe(2);
    const used = heavy.subarray(0, 10_000);
    expect(map.size).toBe(new Set(used).size);
    const { values: found } = await map.get(used.slice());
    expect(found.findIndex((at, i) => at !== used.lastIndexOf(used[i] as number))).toBe(-1);
  });

  /** 64-bit keys of whose hash only some bits are left. */
  const clumsy = (left: string): KeyType =>
    ({
      ...u64,
      name: 'clumsy',
      hash: (side, family) => wgsl`
fn clumsyHash(key: vec2u, constants: vec4u) -> vec2u {
  return ${u64.hash(side, family)}(key, constants) & vec2u(${left});
}`,
    }) as KeyType;

  it('are told from other keys that look the same while a bucket is built', async () => {
    // With 1,024 tokens in all, many a bucket has two keys that share both a token and a slot.
    const keys = BigUint64Array.from(distinctKeys(12_000), BigInt);
    const report = await buildsLikeMap(keys, { key: clumsy('0xffffffffu, 0x3ffu'), duplicates: 'error', seed: 1 });
    expect(report.attempts).toBe(1);
    expect(report.restarts).toBeGreaterThan(0);
  });

  it('are found among other keys that are sorted in between', async () => {
    const keys = BigUint64Array.from(distinctKeys(1200), BigInt);
    // Seventeen keys over and over; with 4,096 words to sort by, some others come to lie between their copies.
    const repeated = BigUint64Array.from({ length: 6000 }, (_, i) => keys[i % 5 ? i % 17 : i / 5] as bigint);
    for (const duplicates of ['first', 'last'] as const) {
      const key = clumsy('0xfff00000u, 0xffffffffu');
      expect((await buildsLikeMap(repeated, { key, duplicates, seed: 1 })).attempts).toBe(2);
    }
  });
});
