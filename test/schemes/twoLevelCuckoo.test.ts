import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { DuplicateKeyError } from '../../src/gpu/index.ts';
import { mix, polynomial32, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { type Duplicates, twoLevelCuckoo } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { buildsLikeMap as isLikeMap, type LikeMapOptions } from '../oracles/likeMap.ts';
import { distinctWords, numbered } from '../oracles/words.ts';
import { sharedGpu } from '../sharedGpu.ts';

// WebGPU's own limits: 256 invocations and 16 KB of workgroup memory.
const gpu = await sharedGpu('default');

const random = randomWords(2009);

const PRIME = 1_900_813;
const AVERAGE = { 512: 409, 1024: 870, 2048: 1843 } as const;
const CAPACITIES = [512, 1024, 2048] as const;

const buildsLikeMap = (keys: Uint32Array | BigUint64Array, options: Partial<LikeMapOptions> = {}) =>
  isLikeMap(gpu, keys, { scheme: twoLevelCuckoo(), ...options });

describe('a build', () => {
  it('takes about 5.5 rounds a bucket', async () => {
    const keys = distinctWords(random, 20_000);
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
      const keys = distinctWords(random, full * bucketCapacity).map((key, i) => {
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
      // A seed: one in a hundred of the second functions is no better for such keys.
      expect((await buildsLikeMap(keys, { duplicates: 'unique', seed: 1 })).attempts).toBe(attempts);
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
  const others = distinctWords(random, 1000);
  /** One key, more often than a workgroup takes, among others. */
  const heavy = Uint32Array.from({ length: 18_000 }, (_, i) =>
    i % 20 === 7 ? (others[(i / 20) | 0] as number) : 12345,
  );

  it('that are more than a workgroup takes are removed in the second attempt', async () => {
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
    const count = { buffer: gpu.upload('test', Uint32Array.of(17_500)) };
    const encoder = gpu.device.createCommandEncoder();
    const scheme = twoLevelCuckoo();
    using map = HashMap.encodeBuild(gpu, encoder, { keys, values, count }, { key: u32, scheme, duplicates: 'last' });
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    expect(map.report.attempts).toBe(2);
    const used = heavy.subarray(0, 17_500);
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
    const keys = BigUint64Array.from(distinctWords(random, 12_000), BigInt);
    const report = await buildsLikeMap(keys, { key: clumsy('0xffffffffu, 0x3ffu'), duplicates: 'error', seed: 1 });
    expect(report.attempts).toBe(1);
    expect(report.restarts).toBeGreaterThan(0);
  });

  it('are found among other keys that are sorted in between', async () => {
    const keys = BigUint64Array.from(distinctWords(random, 9000), BigInt);
    // Two keys over and over; with 4,096 words to sort by, some others come to lie between their copies.
    const repeated = BigUint64Array.from({ length: 45_000 }, (_, i) => keys[i % 5 ? i % 2 : i / 5] as bigint);
    for (const duplicates of ['first', 'last'] as const) {
      const key = clumsy('0xfff00000u, 0xffffffffu');
      expect((await buildsLikeMap(repeated, { key, duplicates, seed: 1 })).attempts).toBe(2);
    }
  });
});

describe('a bucket with more items than slots', () => {
  // All keys are in the first bucket by the first function, the key modulo the number of buckets.
  const crowd = (distinct: number, items: number): Uint32Array<ArrayBuffer> =>
    Uint32Array.from({ length: items }, (_, i) => Math.ceil(items / 409) * ((i * 11) % distinct));

  it.each(['first', 'last', 'any'] as const)(
    'is built in the first attempt if these are copies: %s',
    async (duplicates) => {
      for (const [distinct, items] of [
        [1, 1200],
        [300, 1200],
        [511, 1200],
        [512, 1200],
      ] as const) {
        const report = await buildsLikeMap(crowd(distinct, items), { duplicates });
        expect(report).toMatchObject({ attempts: 1, copies: items - distinct });
      }
    },
  );

  it('of wide keys is built in the first attempt too', async () => {
    const keys = BigUint64Array.from({ length: 2000 }, (_, i) => BigInt((i * 7) % 400) << 31n);
    expect(await buildsLikeMap(keys)).toMatchObject({ attempts: 1, copies: 1600 });
  });

  it('with one key too many begins phase 1 again', async () => {
    expect((await buildsLikeMap(crowd(513, 1200), { seed: 1 })).attempts).toBe(2);
  });

  it('with more than a workgroup takes begins phase 1 again', async () => {
    expect((await buildsLikeMap(crowd(500, 16_384))).attempts).toBe(1);
    expect((await buildsLikeMap(crowd(500, 16_385), { seed: 1 })).attempts).toBe(2);
  });

  it.each(['error', 'unique'] as const)('reports a copy if there must be none: %s', async (duplicates) => {
    const keys = crowd(400, 1200);
    const error = await HashSet.from(gpu, { keys }, { scheme: twoLevelCuckoo(), duplicates }).catch((e) => e);
    expect(error).toBeInstanceOf(DuplicateKeyError);
    expect(keys.filter((key) => key === keys[error.index]).length).toBeGreaterThan(1);
  });
});
