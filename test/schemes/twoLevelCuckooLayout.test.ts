import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { extentCount, knownExtent, record } from '../../src/gpu/index.ts';
import { type HashConstants, mix, multiplyHighTwin, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32 } from '../../src/keys/index.ts';
import { twoLevelCuckoo } from '../../src/schemes/index.ts';
import { levelHashes } from '../../src/schemes/twoLevelCuckoo/hashes.wgsl.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { wordsIn } from '../oracles/likeMap.ts';
import { distinctWords, numbered } from '../oracles/words.ts';
import { sharedGpu } from '../sharedGpu.ts';

// WebGPU's own limits: 256 invocations and 16 KB of workgroup memory.
const gpu = await sharedGpu('default');

const random = randomWords(2009);

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

describe('the layout', () => {
  it('keeps every key in one of its three slots of the bucket k mod B', async () => {
    for (const bucketCapacity of CAPACITIES) {
      const keys = distinctWords(random, 4000);
      using set = await HashSet.from(gpu, { keys }, { scheme: twoLevelCuckoo({ bucketCapacity }), seed: 5 });
      expect(set.report.attempts).toBe(1);
      const size = (bucketCapacity / 8) * 3;
      const buckets = Math.ceil(4000 / AVERAGE[bucketCapacity]);
      const { buffers } = set.table;
      const slots = await wordsIn(gpu, buffers.get('slots'), 3 * size * buckets + 1);
      const seeds = await wordsIn(gpu, buffers.get('seeds'), buckets);
      const { hash } = set.table.state.header;
      const missing = keys.filter((key) => {
        const bucket = key % buckets;
        const seed = seeds[bucket] as number;
        const inSubtables =
          seed < 0x10000 ? paperSlots(key, seed, size) : familySlots(key, seed, size, hash as unknown as HashConstants);
        const at = inSubtables.map((slot, i) => (i * buckets + bucket) * size + slot);
        return at.filter((slot) => slots[slot] === key).length !== 1;
      });
      expect(missing).toHaveLength(0);
      expect(slots.filter((word) => word !== 0xffffffff)).toHaveLength(4000);
    }
  });

  it('finds keys with at most three probes, and stops at an empty slot', async () => {
    using set = await HashSet.from(gpu, { keys: distinctWords(random, 5000) }, { scheme: twoLevelCuckoo() });
    const { present, absent } = await set.stats();
    expect(present.within[100]).toBe(3);
    expect(present.average).toBeLessThan(2);
    expect(absent.within[100]).toBe(3);
    expect(absent.average).toBeLessThan(2.7);
  });

  it('opens again after it was saved, whichever functions built it', async () => {
    const buckets = Math.ceil(1500 / 409);
    const sets = [distinctWords(random, 1500), Uint32Array.from({ length: 1500 }, (_, i) => i * buckets + 1)];
    for (const [i, keys] of sets.entries()) {
      const options = { scheme: twoLevelCuckoo({ hash: mix }), seed: 1 };
      using map = await HashMap.from(gpu, { keys, values: numbered(1500) }, options);
      expect(map.report.attempts).toBe(i + 1);
      using again = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: twoLevelCuckoo() });
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
