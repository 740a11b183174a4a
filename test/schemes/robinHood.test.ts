import { describe, expect, it } from 'vitest';
import { type Collection, HashMap, HashSet } from '../../src/collections/index.ts';
import { type HashConstants, randomWords } from '../../src/hashing/index.ts';
import {
  i64,
  type KeyType,
  morton,
  type PlaceOrder,
  rowMajor,
  u32,
  u64,
  utf8,
  vec2i,
  vec3i,
} from '../../src/keys/index.ts';
import { type RobinHoodOptions, robinHood } from '../../src/schemes/index.ts';
import { wordsIn } from '../oracles/likeMap.ts';
import { type RobinHoodTwin, robinHoodTwin } from '../oracles/robinHoodTwin.ts';
import { distinctWords, numbered } from '../oracles/words.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const random = randomWords(2011);
const SEQUENCES = ['coherent', 'random', 'stride'] as const;

/** Distinct points near each other, on both sides of 0. */
function points(count: number, dimensions: 2 | 3): Int32Array {
  const side = Math.ceil((3 * count) ** (1 / dimensions));
  const all = new Set<number>();
  while (all.size < count) all.add(random() % side ** dimensions);
  const axes = Array.from({ length: dimensions }, (_, axis) => side ** axis);
  return Int32Array.from([...all].flatMap((n) => axes.map((step) => (Math.floor(n / step) % side) - 5)));
}

/** What tables are built from. */
const KINDS: readonly {
  readonly name: string;
  readonly type: KeyType;
  readonly order?: PlaceOrder;
  make(count: number): unknown;
}[] = [
  { name: 'random words', type: u32 as KeyType, make: (count) => distinctWords(random, count) },
  {
    name: 'a run of words',
    type: u32 as KeyType,
    make: (count) => Uint32Array.from({ length: count }, (_, i) => 0xffff_ffff - 3 * i),
  },
  {
    name: 'numbers of two words',
    type: u64 as KeyType,
    make: (count) => BigUint64Array.from({ length: count }, (_, i) => BigInt(i) << 30n),
  },
  {
    name: 'signed numbers',
    type: i64 as KeyType,
    make: (count) => BigInt64Array.from({ length: count }, (_, i) => BigInt(i) - 300n),
  },
  { name: 'points in Morton order', type: vec2i as KeyType, make: (count) => points(count, 2) },
  { name: 'points row by row', type: vec2i as KeyType, order: rowMajor(4096), make: (count) => points(count, 2) },
  { name: 'voxels', type: vec3i as KeyType, order: morton, make: (count) => points(count, 3) },
];

/** The first words of all slots, as they lie on the GPU. */
async function firstWords({ table }: Collection<unknown>): Promise<Uint32Array> {
  const { plan, state } = table;
  const [size = 0] = state.header.hash;
  // Those of wide keys have a buffer of their own, the first.
  const { name = '', bytes = 0 } = plan.buffers[0] ?? {};
  const slotWords = bytes / plan.slotCount / 4;
  const all = await wordsIn(gpu, table.buffers.get(name), size * slotWords);
  return all.filter((_, i) => i % slotWords === 0);
}

/** The same table by the twin. */
function twinOf(
  { table }: Collection<unknown>,
  type: KeyType,
  keys: unknown,
  options: RobinHoodOptions,
): RobinHoodTwin {
  const { hash, own } = table.state.header;
  const { sequence = 'coherent', order } = options;
  const { ageShift = 0, maximumBits = 0 } = own;
  const { words, count } = type.encode(keys);
  return robinHoodTwin(
    { sequence, order, hash: hash as unknown as HashConstants, ageShift, maximumBits },
    type,
    Array.from({ length: count }, (_, i) => [...words.subarray(i * type.words, (i + 1) * type.words)]),
  );
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

describe('the table', () => {
  const cases = KINDS.flatMap((kind) =>
    SEQUENCES.map((sequence) => ({ ...kind, sequence, title: `${kind.name}, ${sequence}` })),
  );

  it.each(cases)('is that of the twin, word by word: $title', async ({ type, order, sequence, make }) => {
    for (const [count, loadFactor] of [
      [0, 0.8],
      [1, 0.8],
      [30, 0.9],
      [1000, 0.99],
      [3001, 0.8],
    ] as const) {
      const keys = make(count);
      const options = { sequence, loadFactor, ...(order && { order }) };
      using set = await HashSet.from(gpu, { keys }, { key: type, scheme: robinHood(options), seed: count });
      const twin = twinOf(set, type, keys, options);
      expect(await firstWords(set)).toEqual(twin.words);
      expect(set.report.longestProbe).toBe(twin.longest);
    }
  });

  it('does not depend on the order of the input', async () => {
    const words = [...distinctWords(random, 4000)];
    const inputs: readonly [KeyType, (items: readonly number[]) => unknown][] = [
      [u32 as KeyType, (items) => Uint32Array.from(items)],
      [u64 as KeyType, (items) => BigUint64Array.from(items, (word) => BigInt(word) * 0x1_0000_0001n)],
      [utf8 as KeyType, (items) => items.map((word) => `key ${word}`)],
    ];
    for (const [key, make] of inputs) {
      const build = async (items: readonly number[]) => {
        const options = { key, scheme: robinHood({ loadFactor: 0.95 }), seed: 7 };
        using map = await HashMap.from(gpu, { keys: make(items), values: Uint32Array.from(items) }, options);
        expect((await map.get(make(items))).values).toEqual(Uint32Array.from(items));
        return firstWords(map);
      };
      const layout = await build(words);
      expect(await build([...words].reverse())).toEqual(layout);
      expect(await build(shuffled(words))).toEqual(layout);
      const withCopies = [...words.slice(0, 3000), ...words.slice(0, 1000)];
      expect(await build(shuffled(withCopies))).toEqual(await build(withCopies));
    }
  });

  it('has prime sizes, and no pattern of keys fills the same slots', async () => {
    for (const stride of [2, 1024, 1920, 3840, 4096, 8192, 65_536]) {
      const keys = Uint32Array.from({ length: 30_000 }, (_, i) => i * stride);
      using set = await HashSet.from(gpu, { keys }, { scheme: robinHood({ loadFactor: 0.99 }), seed: stride });
      expect(set.report).toMatchObject({ attempts: 1, growths: 0 });
      expect(set.size).toBe(30_000);
      expect(await set.has(keys)).toEqual(new Uint8Array(30_000).fill(1));
      expect(set.loadFactor).toBeGreaterThan(0.97);
    }
  });

  it('takes another size for every attempt, so that builds on an encoder do not fail either', async () => {
    // All of them have the remainder 0 in tables of the first two sizes.
    const { family } = robinHood().plan({
      items: 40,
      key: u32 as KeyType,
      valueWords: 0,
      duplicates: 'last',
      growth: 0,
    });
    const sizes = [1, 2, 3].map((attempt) => family.draw(random, attempt)[0]);
    expect(new Set(sizes).size).toBe(3);
    const [first = 0, second = 0] = sizes;
    const keys = Uint32Array.from({ length: 40 }, (_, i) => i * first * second);
    const buffer = gpu.upload('test/keys', keys);
    for (const seed of [1, 2, 3]) {
      let set: HashSet<Uint32Array> | undefined;
      await gpu.run((encoder) => {
        set = HashSet.encodeBuild(gpu, encoder, { keys: buffer, count: 40 }, { key: u32, scheme: robinHood(), seed });
      });
      using built = set as HashSet<Uint32Array>;
      await built.settle();
      expect(built.report.attempts).toBe(3);
      expect(await built.has(keys)).toEqual(new Uint8Array(40).fill(1));
    }
    buffer.destroy();
  });

  it('gets another size if too many keys have one remainder', async () => {
    const options = { scheme: robinHood(), seed: 3 };
    using first = await HashSet.from(gpu, { keys: distinctWords(random, 3000) }, options);
    const [size = 0] = first.table.state.header.hash;
    // With the same seed, the first attempt has the same size.
    const keys = Uint32Array.from({ length: 3000 }, (_, i) => i * size);
    using set = await HashSet.from(gpu, { keys }, options);
    expect(set.report.attempts).toBeGreaterThan(1);
    expect(set.table.state.header.hash[0]).not.toBe(size);
    expect(await set.has(keys)).toEqual(new Uint8Array(3000).fill(1));
  });
});

describe('searches', () => {
  it.each(SEQUENCES)('probe as the twin does, for keys that are there and for others: %s', async (sequence) => {
    const options = { sequence, loadFactor: 0.9 };
    const [keys, others] = [distinctWords(random, 5000), distinctWords(random, 5000)];
    using set = await HashSet.from(gpu, { keys }, { scheme: robinHood(options), seed: 11 });
    const twin = twinOf(set, u32 as KeyType, keys, options);
    const averageOf = (words: Uint32Array) =>
      words.reduce((sum, word) => sum + twin.probesFor([word]), 0) / words.length;
    const { present, absent } = await set.stats({ absent: others });
    expect(present.average).toBeCloseTo(averageOf(keys), 6);
    expect(absent.average).toBeCloseTo(averageOf(others), 6);
  });

  it('are right without evictions and without maximum ages, however small the table', async () => {
    for (const sequence of SEQUENCES) {
      for (const evict of [true, false]) {
        for (const reject of [true, false]) {
          for (const count of [1, 20, 700, 3000]) {
            const [keys, others] = [distinctWords(random, count), distinctWords(random, count)];
            const scheme = robinHood({ sequence, evict, reject });
            using map = await HashMap.from(gpu, { keys, values: numbered(count) }, { scheme, seed: count });
            expect((await map.get(keys)).values).toEqual(numbered(count));
            const inside = new Set(keys);
            expect(await map.has(others)).toEqual(Uint8Array.from(others, (key) => Number(inside.has(key))));
          }
        }
      }
    }
  });

  it('that reject by ages and by order take fewer probes than by one of them', async () => {
    const [keys, others] = [distinctWords(random, 20_000), distinctWords(random, 20_000)];
    const averages = [];
    for (const options of [{}, { reject: false }, { evict: false }] satisfies RobinHoodOptions[]) {
      using set = await HashSet.from(gpu, { keys }, { scheme: robinHood({ loadFactor: 0.8, ...options }), seed: 1 });
      averages.push((await set.stats({ absent: others })).absent.average);
    }
    const [both = 0, orderAlone = 0, agesAlone = 0] = averages;
    expect(both).toBeLessThan(1.7);
    expect(orderAlone).toBeGreaterThan(both + 0.4);
    expect(agesAlone).toBeGreaterThan(both);
  });
});

describe('options', () => {
  it('that cannot be are refused', () => {
    const refused: readonly [unknown, RegExp][] = [
      [{ sequence: 'linear' }, /robinHood: sequence must be 'coherent', 'random' or 'stride'/],
      [{ evict: 1 }, /robinHood: evict must be true or false/],
      [{ reject: 'no' }, /robinHood: reject must be true or false/],
      [{ order: 'morton' }, /robinHood: order must be an order such as morton/],
      [{ loadFactor: '0.5' }, /robinHood: loadFactor must be a number/],
      [{ capacitySlots: 7 }, /capacitySlots/],
      [null, /robinHood/],
    ];
    for (const [options, message] of refused) expect(() => robinHood(options as RobinHoodOptions)).toThrow(message);
  });

  it('an order needs keys with coordinates', async () => {
    const input = { keys: Uint32Array.of(1) };
    await expect(HashSet.from(gpu, input, { scheme: robinHood({ order: morton }) })).rejects.toThrow(
      'robinHood: order is for keys with coordinates, such as vec2i; u32 has none',
    );
  });

  it('without evictions leave as many bits to ages as there are', async () => {
    const keys = distinctWords(random, 1000);
    using set = await HashSet.from(gpu, { keys }, { scheme: robinHood({ evict: false, loadFactor: 0.95 }), seed: 2 });
    expect(set.report).toMatchObject({ attempts: 1, growths: 0 });
    expect(set.report.longestProbe).toBeGreaterThan(31);
  });

  it('do not tell the default order from none', async () => {
    expect(robinHood({ order: morton }).options).toEqual(robinHood().options);
    const keys = points(100, 2);
    using set = await HashSet.from(gpu, { keys }, { key: vec2i, scheme: robinHood() });
    using again = await HashSet.fromBytes(gpu, await set.toBytes(), {
      key: vec2i,
      scheme: robinHood({ order: morton }),
    });
    expect(await again.has(keys)).toEqual(new Uint8Array(100).fill(1));
  });

  it('are saved with the table, which opens with the order that it was built by', async () => {
    const keys = points(500, 2);
    const made = { sequence: 'coherent', loadFactor: 0.9, evict: true, reject: false } as const;
    const scheme = robinHood({ ...made, order: rowMajor(640) });
    using set = await HashSet.from(gpu, { keys }, { key: vec2i, scheme });
    const bytes = await set.toBytes();
    const open = (order?: PlaceOrder) =>
      HashSet.fromBytes(gpu, bytes, { key: vec2i, scheme: robinHood(order && { order }) });
    using again = await open(rowMajor(7));
    expect(again.scheme.options).toEqual({ ...made, order: 'rowMajor', width: 640 });
    expect(await again.has(keys)).toEqual(new Uint8Array(500).fill(1));
    await expect(open(morton)).rejects.toThrow(/robinHood/);
    await expect(open()).rejects.toThrow(/robinHood/);
  });
});
