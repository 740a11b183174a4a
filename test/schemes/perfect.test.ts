import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { BuildError, DuplicateKeyError, InvalidInputError } from '../../src/gpu/index.ts';
import {
  type HashConstants,
  type HashFamily,
  mix,
  multiplyHighTwin,
  polynomial32,
  randomWords,
  rehashTwin,
  universal,
} from '../../src/hashing/index.ts';
import { type KeyType, u32, u64, utf8 } from '../../src/keys/index.ts';
import { type Duplicates, perfect } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { buildsLikeMap as isLikeMap, type LikeMapOptions, wordsIn } from '../oracles/likeMap.ts';
import { sharedGpu } from '../sharedGpu.ts';

// WebGPU's own limits: 256 invocations and 8 storage buffers.
const gpu = await sharedGpu('default');

const random = randomWords(1984);
const distinctWords = (count: number): Uint32Array<ArrayBuffer> => {
  const keys = new Set<number>();
  while (keys.size < count) keys.add(random());
  return Uint32Array.from(keys);
};
const wide = (words: ArrayLike<number>): BigUint64Array<ArrayBuffer> =>
  BigUint64Array.from(words, (word) => BigInt(word) * 0x1_0000_0001n);
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const wordsOfKey = (key: number | bigint): number[] =>
  typeof key === 'number' ? [key] : [Number(key & 0xffff_ffffn), Number(key >> 32n)];

const buildsLikeMap = (keys: Uint32Array | BigUint64Array, options: Partial<LikeMapOptions> = {}) =>
  isLikeMap(gpu, keys, { scheme: perfect(), ...options });

/** What the construction of section 2.2 gives for these keys, computed one subarray after the other. */
function construct(keys: readonly (number | bigint)[], family: HashFamily, constants: HashConstants) {
  const hashes = keys.map((key) => family.hashTwin(wordsOfKey(key), constants));
  const members: number[][] = keys.map(() => []);
  hashes.forEach(([x], i) => {
    (members[family.reduceTwin(x, keys.length)] as number[]).push(i);
  });
  const slotOf = new Map<number | bigint, number>();
  const functions: number[] = [];
  let offset = 0;
  for (const items of members) {
    const squares = items.length ** 2;
    const slotsBy = (index: number) =>
      items.map((i) => multiplyHighTwin(rehashTwin(hashes[i] as [number, number], constants, index), squares));
    let index = 0;
    while (new Set(slotsBy(index)).size < items.length) index++;
    for (const [k, slot] of slotsBy(index).entries()) {
      slotOf.set(keys[items[k] as number] as number | bigint, offset + slot);
    }
    functions.push(index);
    offset += squares;
  }
  return { slotOf, functions, sizes: members.map((items) => items.length), slots: offset };
}

describe('the plan', () => {
  const request = { key: u64 as KeyType, valueWords: 1, duplicates: 'unique', growth: 0 } as const;

  it('has as many subarrays as items, and room for their squares: 2.5 slots an item', () => {
    for (const duplicates of ['unique', 'error', 'first', 'last', 'any'] as const) {
      const { capacitySlots, fields, buffers } = perfect().plan({ ...request, duplicates, items: 1e6 });
      expect(fields).toEqual({ subarrays: 1e6 });
      expect(capacitySlots).toBe(Math.ceil(2.5 * 1e6 + 8 * Math.sqrt(2e6) + 16));
      expect(buffers.map(({ name, bytes }) => ({ name, bytes }))).toEqual([
        { name: 'subarrays', bytes: 8e6 },
        { name: 'slots', bytes: capacitySlots * 12 },
      ]);
    }
  });

  it('gives few items every slot that they could ever need', () => {
    for (const items of [0, 1, 2, 3, 5]) {
      const { capacitySlots, larger } = perfect().plan({ ...request, items });
      expect(capacitySlots).toBe(Math.max(1, items) ** 2);
      expect(larger).toBeUndefined();
    }
  });

  it('grows by a quarter at a time, four times', () => {
    const plans = [0, 1, 2, 3, 4].map((growth) => perfect().plan({ ...request, items: 10_000, growth }));
    plans.slice(1).forEach(({ capacitySlots }, i) => {
      expect(capacitySlots / (plans[i]?.capacitySlots ?? 0)).toBeCloseTo(1.25, 3);
    });
    expect(plans.map(({ larger }) => larger !== undefined)).toEqual([true, true, true, true, false]);
  });

  it('refuses more than 2³¹ slots', () => {
    expect(() => perfect().plan({ ...request, items: 1.1e9 })).toThrow(InvalidInputError);
  });

  it('has a bound that random sums of squares keep far away from', () => {
    for (const items of [6, 8, 10, 15, 30, 100, 1000]) {
      const { capacitySlots } = perfect().plan({ ...request, items });
      for (let trial = 0; trial < 2000; trial++) {
        const counts = new Uint32Array(items);
        for (let i = 0; i < items; i++) {
          const at = multiplyHighTwin(random(), items);
          counts[at] = (counts[at] as number) + 1;
        }
        expect(counts.reduce((sum, n) => sum + n * n, 0)).toBeLessThanOrEqual(capacitySlots);
      }
    }
  });
});

describe('the table', () => {
  const families: [HashFamily, (count: number) => Uint32Array | BigUint64Array][] = [
    [universal, (count) => wide(distinctWords(count))],
    [universal, distinctWords],
    [mix, (count) => wide(distinctWords(count))],
    [polynomial32, distinctWords],
  ];

  it.each(families)('of the family $name has every key where the twin has it', async (family, draw) => {
    for (const count of [1, 2, 257, 1000]) {
      const keys = draw(count);
      const list = Array.from<number | bigint>(keys);
      const scheme = perfect({ hash: family });
      using set = await HashSet.from(gpu, { keys }, { scheme, duplicates: 'unique', seed: 7 });
      const constants = set.table.state.header.hash as unknown as HashConstants;
      const { slotOf, functions, sizes, slots } = construct(list, family, constants);

      const { buffers } = set.table;
      const subarrays = await wordsIn(gpu, buffers.get('subarrays'), 2 * count);
      let offset = 0;
      sizes.forEach((size, i) => {
        expect(subarrays[2 * i]).toBe(offset);
        expect(subarrays[2 * i + 1]).toBe(size | ((functions[i] as number) << 16));
        offset += size * size;
      });
      expect(slots).toBeLessThanOrEqual(set.capacitySlots);

      const words = wordsOfKey(list[0] as number | bigint).length;
      const stored = await wordsIn(gpu, buffers.get('slots'), set.capacitySlots * words);
      for (const key of list) {
        const at = slotOf.get(key) as number;
        expect([...stored.subarray(at * words, (at + 1) * words)]).toEqual(wordsOfKey(key));
      }
      expect(set.report.rounds).toBe(Math.max(...functions) + 1);
      expect(set.report.restarts).toBe(functions.reduce((sum, n) => sum + n, 0));
    }
  });

  it('has a key of the input in every slot, so that no key is reserved', async () => {
    const keys = Uint32Array.of(0, 1, 0xffff_ffff, 0xffff_fffe, ...distinctWords(500));
    using set = await HashSet.from(gpu, { keys }, { scheme: perfect(), duplicates: 'unique' });
    const slots = await wordsIn(gpu, set.table.buffers.get('slots'), set.capacitySlots);
    expect(new Set(slots)).toEqual(new Set(keys));
  });

  it('is searched with two reads, or one where a subarray is empty', async () => {
    using set = await HashSet.from(gpu, { keys: distinctWords(5000) }, { scheme: perfect() });
    const { present, absent } = await set.stats();
    expect(present.average).toBe(2);
    expect(absent.within[100]).toBe(2);
    // A subarray is empty with chance 1/e.
    expect(absent.average).toBeGreaterThan(1.5);
    expect(absent.average).toBeLessThan(1.75);
    expect(set.report.longestProbe).toBe(2);
  });

  it('opens again after it was saved', async () => {
    const keys = distinctWords(700);
    for (const hash of [universal, mix]) {
      using map = await HashMap.from(gpu, { keys, values: numbered(700) }, { scheme: perfect({ hash }) });
      using again = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: map.scheme as never });
      expect(again.scheme.options).toEqual({ hash: hash.name });
      expect((await again.get(keys)).values).toEqual(numbered(700));
    }
  });
});

describe('a build', () => {
  it.each([0, 1, 2, 3, 5, 6, 255, 256, 257])('of %i items holds what a Map holds', async (count) => {
    for (const duplicates of ['unique', 'last'] as const) {
      const words = distinctWords(count);
      expect((await buildsLikeMap(words, { duplicates })).attempts).toBe(1);
      expect((await buildsLikeMap(wide(words), { duplicates })).attempts).toBe(1);
    }
  });

  it('of 65,536 items takes about ten rounds, of which only the last are left to one workgroup', async () => {
    const { attempts, rounds, restarts } = await buildsLikeMap(wide(distinctWords(65_536)), { duplicates: 'unique' });
    expect(attempts).toBe(1);
    expect(rounds).toBeGreaterThan(5);
    expect(rounds).toBeLessThan(20);
    // 7.0% of the subarrays collide at first, and a quarter to two fifths of those again.
    expect(restarts / 65_536).toBeGreaterThan(0.08);
    expect(restarts / 65_536).toBeLessThan(0.13);
  });

  it('succeeds at once on keys with a pattern', async () => {
    const patterns: ((i: number) => number)[] = [
      (i) => i,
      (i) => i << 16,
      (i) => 0xabcd_0000 + i,
      (i) => i * 4096 + 1,
      (i) => (i & 63) | ((i >> 6) << 26),
      (i) => i * 1_900_813,
    ];
    for (const pattern of patterns) {
      const keys = Uint32Array.from({ length: 4000 }, (_, i) => pattern(i) >>> 0);
      const distinct = Uint32Array.from(new Set(keys));
      for (const seed of [1, 2, 3]) {
        expect((await buildsLikeMap(distinct, { duplicates: 'unique', seed })).attempts).toBe(1);
      }
      const shifted = BigUint64Array.from(distinct, (key) => BigInt(key) << 32n);
      expect((await buildsLikeMap(shifted, { duplicates: 'unique', seed: 1 })).attempts).toBe(1);
    }
  });

  it('with strings finds them by their bytes', async () => {
    const keys = ['', '\0', '\0\0', 'a', 'aa', 'é', ...Array.from({ length: 800 }, (_, i) => `name ${i}`)];
    const values = numbered(keys.length);
    for (const hash of [universal, mix]) {
      const options = { key: utf8, scheme: perfect({ hash }), duplicates: 'error' as const };
      using map = await HashMap.from(gpu, { keys, values }, options);
      expect((await map.get(keys)).values).toEqual(values);
      const { found } = await map.get(['\0\0\0', 'A', 'name', 'name 800', 'name 07']);
      expect([...found]).toEqual([0, 0, 0, 0, 0]);
      expect(new Set((await map.entries()).keys)).toEqual(new Set(keys));
    }
  });

  it('holds what a Map holds, with few or many copies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 0xffffffff }), fc.constant(0xffffffff)), {
          maxLength: 700,
          size: 'max',
        }),
        fc.constantFrom<Duplicates[]>('first', 'last', 'any'),
        fc.boolean(),
        async (list, duplicates, isWide) => {
          await buildsLikeMap(isWide ? wide(list) : Uint32Array.from(list), { duplicates });
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('copies of keys', () => {
  const others = distinctWords(2000);

  it('need no second attempt if they are a tenth of the items, and are counted exactly', async () => {
    const keys = Uint32Array.from({ length: 2000 }, (_, i) => others[i % 10 === 9 ? i - 9 : i] as number);
    for (const duplicates of ['first', 'last', 'any'] as const) {
      expect((await buildsLikeMap(keys, { duplicates, seed: 1 })).attempts).toBe(1);
      expect((await buildsLikeMap(wide(keys), { duplicates, seed: 1 })).attempts).toBe(1);
    }
  });

  it('that make the squares too many are removed in the second attempt', async () => {
    const keys = Uint32Array.from({ length: 6000 }, (_, i) => others[i % 2000] as number);
    for (const duplicates of ['first', 'last', 'any'] as const) {
      expect((await buildsLikeMap(keys, { duplicates })).attempts).toBe(2);
    }
  });

  it('are reported in whichever round their subarray succeeds', async () => {
    for (let seed = 0; seed < 16; seed++) {
      const keys = wide(distinctWords(400));
      const [at, copy] = [random() % 400, random() % 400];
      keys[copy] = keys[at] as bigint;
      const built = HashSet.from(gpu, { keys }, { scheme: perfect(), duplicates: 'unique', seed });
      if (at === copy) (await built).destroy();
      else await expect(built).rejects.toMatchObject({ code: 'duplicate-key' });
    }
  });

  it('are reported where they are forbidden, also one among thousands', async () => {
    for (const duplicates of ['error', 'unique'] as const) {
      for (const keys of [Uint32Array.of(5, 5), Uint32Array.of(...others, others[3] as number)]) {
        const error = await HashSet.from(gpu, { keys }, { scheme: perfect(), duplicates }).catch((e) => e);
        expect(error).toBeInstanceOf(DuplicateKeyError);
        const { index } = error as DuplicateKeyError;
        expect(keys.filter((key) => key === keys[index]).length).toBe(2);
      }
    }
  });

  // 65,536 squared is 2³², so the sum of squares would be 0 if it were not watched.
  it.each<[number, Duplicates]>([
    [65_536, 'any'],
    [100_000, 'first'],
    [100_000, 'last'],
    [100_000, 'any'],
  ])("%i of one key are one item with duplicates '%s'", async (count, duplicates) => {
    const input = { keys: new Uint32Array(count).fill(12_345), values: numbered(count) };
    using map = await HashMap.from(gpu, input, { scheme: perfect(), duplicates });
    expect(map.size).toBe(1);
    expect(map.report.attempts).toBe(2);
    const { values, found } = await map.get(Uint32Array.of(12_345, 12_346));
    expect([...found]).toEqual([1, 0]);
    if (duplicates !== 'any') expect(values[0]).toBe(duplicates === 'first' ? 0 : count - 1);
  });

  it.each(['error', 'unique'] as const)("100,000 of one key are an error with duplicates '%s'", async (duplicates) => {
    const keys = new BigUint64Array(100_000).fill(12_345n);
    const built = HashSet.from(gpu, { keys }, { scheme: perfect(), duplicates });
    await expect(built).rejects.toBeInstanceOf(DuplicateKeyError);
  });

  it('are removed on the encoder face too, where nobody reads the status in between', async () => {
    const heavy = Uint32Array.from({ length: 4000 }, (_, i) => (i % 4 === 0 ? (others[i / 4] as number) : 77));
    const keys = gpu.upload('test', heavy);
    const values = gpu.upload('test', numbered(heavy.length));
    const count = { buffer: gpu.upload('test', Uint32Array.of(3000)) };
    const encoder = gpu.device.createCommandEncoder();
    const options = { key: u32, scheme: perfect(), duplicates: 'last' } as const;
    using map = HashMap.encodeBuild(gpu, encoder, { keys, values, count }, options);
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    expect(map.report.attempts).toBe(2);
    const used = heavy.subarray(0, 3000);
    expect(map.size).toBe(new Set(used).size);
    const { values: found } = await map.get(used.slice());
    expect(found.findIndex((at, i) => at !== used.lastIndexOf(used[i] as number))).toBe(-1);
  });
});

describe('a hash that is no good', () => {
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
  const build = (count: number, key: KeyType) =>
    HashSet.from(gpu, { keys: wide(distinctWords(count)) }, { key, scheme: perfect(), duplicates: 'unique' });

  const constant = clumsy('0u, 0u');

  it('that is the same for all keys ends in an error after a bounded number of attempts', async () => {
    for (const [count, attempts] of [
      // All slots that could ever be needed, and all rounds.
      [4, 8],
      [300, 13],
    ] as const) {
      const error = await build(count, constant).catch((e) => e);
      expect(error).toBeInstanceOf(BuildError);
      expect((error as BuildError).attempts).toBe(attempts);
      expect((error as BuildError).itemsLeft).toBe(count);
    }
  });

  it('that is the same for all keys is an error too where the squares overflow', async () => {
    const keys = gpu.upload('test', wide(distinctWords(70_000)));
    const options = { key: constant, scheme: perfect(), duplicates: 'unique' } as const;
    const encoder = gpu.device.createCommandEncoder();
    using set = HashSet.encodeBuild(gpu, encoder, { keys, count: 70_000 }, options);
    gpu.device.queue.submit([encoder.finish()]);
    const error = await set.settle().catch((e) => e);
    expect(error).toBeInstanceOf(BuildError);
    expect((error as BuildError).itemsLeft).toBe(70_000);
  });

  it('by which some keys can never be told apart ends in an error after a bounded number of rounds', async () => {
    // The subarrays are as they should be, but of 2²⁰ hashes about 34 belong to two of 8,000 keys.
    const error = await build(8000, clumsy('0xfffff000u, 0u')).catch((e) => e);
    expect(error).toBeInstanceOf(BuildError);
    expect((error as BuildError).itemsLeft).toBeGreaterThan(20);
    expect((error as BuildError).itemsLeft).toBeLessThan(400);
  });
});
