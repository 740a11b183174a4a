import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { DuplicateKeyError, InvalidInputError } from '../../src/gpu/index.ts';
import { type HashConstants, type HashFamily, mix, polynomial64, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { type ChainingOptions, chaining, type Duplicates, type ValueWords } from '../../src/schemes/index.ts';
import { Lookup } from '../../src/table/lookup.wgsl.ts';
import { Table } from '../../src/table/table.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { keyOfWords } from '../oracles/anyWidth.ts';
import { bufferSource } from '../oracles/bufferSource.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const random = randomWords(2011);
const distinctKeys = (count: number): Uint32Array<ArrayBuffer> => {
  const keys = new Set<number>();
  while (keys.size < count) keys.add(random());
  return Uint32Array.from(keys);
};
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

/** A family whose first hash word is the given expression of the key, and whose second word is the key itself. */
const family = (name: string, { unhash: _, ...reduced }: HashFamily, expression: string): HashFamily => ({
  ...reduced,
  name,
  maxWords: 1,
  hash: () => wgsl`fn ownHash(key: u32, constants: vec4u) -> vec2u { return vec2u(${expression}, key); }`,
});
const constantHash = family('constant', mix, '0x80000000u');

/** What a `Map` would hold. */
function expected(keys: ArrayLike<number | bigint>, duplicates: Duplicates): Map<number | bigint, number> {
  const map = new Map<number | bigint, number>();
  Array.from(keys).forEach((key, i) => {
    if (duplicates === 'last' || !map.has(key)) map.set(key, i);
  });
  return map;
}

/** Builds a map from keys to their positions and compares it with a `Map`. */
async function buildsLikeMap(
  keys: Uint32Array | BigUint64Array,
  options: ChainingOptions,
  duplicates: Duplicates,
  absent: Uint32Array | BigUint64Array,
): Promise<void> {
  const settings = { key: (keys instanceof Uint32Array ? u32 : u64) as KeyType, duplicates, scheme: chaining(options) };
  using map = await HashMap.from(gpu, { keys, values: numbered(keys.length) }, settings);
  const oracle = expected(keys, duplicates);
  expect(map.size).toBe(oracle.size);
  expect(map.report).toMatchObject({ attempts: 1, copies: keys.length - oracle.size });
  const { values, found } = await map.get(keys);
  expect(found.indexOf(0)).toBe(-1);
  const wrong = (at: number, i: number) =>
    duplicates === 'any' ? keys[at] !== keys[i] : at !== oracle.get(keys[i] as number | bigint);
  expect(values.findIndex(wrong)).toBe(-1);
  expect((await map.has(absent)).indexOf(1)).toBe(-1);
  expect((await map.entries()).values.length).toBe(oracle.size);
}

describe('the layout of chapter 4', () => {
  it.each([
    [0.1, 1.05],
    [0.5, 1.25],
    [2, 2],
  ])('%d buckets an item take %d times the bytes of the items', async (bucketsPerItem, times) => {
    const keys = distinctKeys(1000);
    using map = await HashMap.from(gpu, { keys, values: keys }, { scheme: chaining({ bucketsPerItem }) });
    expect(map.tableBytes).toBe(8 * keys.length * times);
    expect(map.capacitySlots).toBe(keys.length);
  });

  it.each(['unique', 'error', 'first', 'last'] as const)('has every item in its bucket (%s)', async (duplicates) => {
    const buckets = 700;
    const keys = distinctKeys(2000);
    const table = await tableOf(u32 as KeyType, keys, numbered(2000), 1, duplicates, { buckets });
    const { hash, count, copies, longest } = table.state.header;
    const [startBytes, contentBytes] = await gpu.run(() => {}, [
      { buffer: table.buffers.get('starts'), bytes: buckets * 4 },
      { buffer: table.buffers.get('contents'), bytes: 2000 * 8 },
    ]);
    const starts = new Uint32Array(startBytes as ArrayBuffer);
    const contents = new Uint32Array(contentBytes as ArrayBuffer);
    expect(starts.at(-1)).toBe(count - copies);
    let [slot, longestSeen] = [0, 0];
    starts.forEach((end, bucket) => {
      longestSeen = Math.max(longestSeen, end - slot);
      for (; slot < end; slot++) {
        const [key, value] = contents.subarray(slot * 2, slot * 2 + 2) as unknown as [number, number];
        expect(keys[value]).toBe(key);
        expect(mix.reduceTwin(mix.hashTwin([key], hash as unknown as HashConstants)[0], buckets)).toBe(bucket);
      }
    });
    expect(longest).toBe(longestSeen);
    table.destroy();
  });

  it('takes the probes of Table 4.1, the two reads of the bucket not counted', async () => {
    const keys = distinctKeys(20_000);
    for (const hash of [mix, polynomial64]) {
      for (const [bucketsPerItem, present, absent] of [
        [0.1, 6, 10],
        [0.5, 2, 2],
        [2, 1.25, 0.5],
      ] as const) {
        using set = await HashSet.from(gpu, { keys }, { scheme: chaining({ bucketsPerItem, hash }), seed: 1 });
        const stats = await set.stats({ absent: distinctKeys(20_000) });
        expect(Math.abs(stats.present.average / present - 1)).toBeLessThan(0.03);
        expect(Math.abs(stats.absent.average / absent - 1)).toBeLessThan(0.05);
        expect(stats.present.within[100]).toBe(set.report.longestProbe);
      }
    }
  });
});

describe('buckets of any number and length', () => {
  it('finds the boundaries among very many empty buckets', async () => {
    for (const keys of [new Uint32Array(), Uint32Array.of(5), Uint32Array.of(0, 0xffffffff, 77)]) {
      await buildsLikeMap(keys, { buckets: 500_000 }, 'last', Uint32Array.of(6, 78));
      await buildsLikeMap(keys, { buckets: 500_000 }, 'unique', Uint32Array.of(6, 78));
    }
  });

  it.each(['0u', '0x80000000u', '0xffffffffu'])('builds at once with all items in one bucket (%s)', async (hash) => {
    const options = { bucketsPerItem: 5, hash: family('constant', mix, hash) };
    const keys = Uint32Array.from({ length: 900 }, (_, i) => (i % 300) * 7);
    await buildsLikeMap(keys, options, 'first', Uint32Array.of(1, 8));
    await buildsLikeMap(keys, options, 'last', Uint32Array.of(1, 8));
    await buildsLikeMap(keys.subarray(0, 300), options, 'unique', Uint32Array.of(1, 8));
    using set = await HashSet.from(gpu, { keys }, { scheme: chaining(options) });
    expect(set.report).toMatchObject({ attempts: 1, longestProbe: 300 });
    expect((await set.stats()).present.average).toBe(150.5);
  });

  it('has one bucket where one is asked for, and at least one', async () => {
    const keys = distinctKeys(50);
    await buildsLikeMap(keys, { buckets: 1 }, 'last', distinctKeys(5));
    await buildsLikeMap(keys, { bucketsPerItem: 0.0001 }, 'unique', distinctKeys(5));
  });
});

describe('copies', () => {
  const sorts: [string, ChainingOptions][] = [
    ['by hash', {}],
    ['by second hash, then bucket', { hash: polynomial64 }],
    ['by a hash that keys share', { hash: family('few', mix, 'key * 0x40000000u') }],
    ['by bucket, where all share one', { hash: family('one', polynomial64, '3u') }],
  ];
  it.each(sorts)('are dropped exactly when sorted %s', async (_, options) => {
    const keys = Uint32Array.from({ length: 1500 }, () => random() % 200);
    for (const duplicates of ['first', 'last', 'any'] as const) {
      await buildsLikeMap(keys, options, duplicates, Uint32Array.of(200, 0xffffffff));
    }
    const set = await HashSet.from(gpu, { keys }, { scheme: chaining(options) });
    expect(Array.from(await set.keys()).toSorted((a, b) => a - b)).toEqual(
      [...new Set(keys)].toSorted((a, b) => a - b),
    );
    set.destroy();
  });

  it('of one key, nearly all items, cost no more than other keys', async () => {
    const count = 50_000;
    const keys = Uint32Array.from({ length: count }, (_, i) => (i % 1000 === 0 ? i : 42));
    for (const duplicates of ['first', 'last'] as const) {
      await buildsLikeMap(keys, {}, duplicates, Uint32Array.of(1));
      await buildsLikeMap(keys, { hash: polynomial64 }, duplicates, Uint32Array.of(1));
    }
    await buildsLikeMap(BigUint64Array.from(keys, BigInt), {}, 'last', BigUint64Array.of(1n));
    const lie = HashSet.from(gpu, { keys }, { duplicates: 'unique', scheme: chaining() });
    await expect(lie).rejects.toThrow(DuplicateKeyError);
  });

  it.each([
    ['sorted by bucket', {}],
    ['sorted by hash', { buckets: 70_000 }],
    ['with another family', { hash: polynomial64 }],
  ] as [string, ChainingOptions][])('are found out by unique and error, %s', async (_, options) => {
    const keys = distinctKeys(3000);
    keys[2999] = keys[10] as number;
    for (const duplicates of ['unique', 'error'] as const) {
      for (const input of [keys, BigUint64Array.from(keys, BigInt)]) {
        if (options.hash && input instanceof BigUint64Array) continue;
        const build = HashMap.from(
          gpu,
          { keys: input, values: numbered(3000) },
          { duplicates, scheme: chaining(options) },
        );
        await expect(build).rejects.toMatchObject({ code: 'duplicate-key', index: 2999 });
      }
    }
  });

  it("far apart in an endless bucket are beyond the bounded work of 'unique', but not of 'error'", async () => {
    const keys = numbered(200);
    keys[150] = 20;
    const options = { scheme: chaining({ hash: constantHash }) };
    const trusting = await HashSet.from(gpu, { keys }, { ...options, duplicates: 'unique' });
    expect(await trusting.has(keys)).toEqual(new Uint8Array(200).fill(1));
    const careful = HashSet.from(gpu, { keys }, { ...options, duplicates: 'error' });
    await expect(careful).rejects.toMatchObject({ code: 'duplicate-key', index: 150 });
  });

  it('of random keys are handled as in a Map', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant(0xffffffff)), { maxLength: 60 }),
        fc.constantFrom<Duplicates>('first', 'last', 'any'),
        fc.record({ buckets: fc.integer({ min: 1, max: 40 }), hash: fc.constantFrom(mix, polynomial64, constantHash) }),
        (keys, duplicates, options) =>
          buildsLikeMap(Uint32Array.from(keys), options, duplicates, Uint32Array.of(13, 0xfffffffe)),
      ),
      { numRuns: 25, seed: 4 },
    );
  });
});

/** Keys of three words, to show that no width is special. */
const threeWords = keyOfWords(3);

/** A table straight from words, of widths that the collections do not offer. */
async function tableOf(
  key: KeyType,
  keys: Uint32Array,
  values: Uint32Array,
  valueWords: ValueWords,
  duplicates: Duplicates,
  options: ChainingOptions = {},
): Promise<Table> {
  const buffers = [gpu.upload('test/keys', keys), gpu.upload('test/values', values)] as const;
  const count = keys.length / key.words;
  const settings = { scheme: chaining(options), key, valueWords, duplicates };
  const source = { keys: buffers[0], values: valueWords ? buffers[1] : undefined, count, maxCount: count };
  try {
    return await Table.build(gpu, settings, bufferSource(source));
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

describe('keys and values of any width', () => {
  const keyTypes = [u32, u64, threeWords] as KeyType[];
  const widths = keyTypes.flatMap((key) => ([0, 1, 2, 3, 4] as const).map((words) => [key.name, words, key] as const));
  it.each(widths)('%s keys with values of %d words', async (_, words, key) => {
    const count = 300;
    const keys = Uint32Array.from({ length: count * key.words }, (_, i) => (i < 2 * key.words ? 0xffffffff : random()));
    const values = Uint32Array.from({ length: count * words }, random);
    const table = await tableOf(key, keys, values, words, 'last');
    // Items 0 and 1 are the same key: all ones.
    expect(table.size).toBe(count - 1);
    const [queries, found, got] = [
      gpu.upload('test/queries', keys),
      gpu.createBuffer('test/found', count * 4),
      gpu.createBuffer('test/got', count * words * 4),
    ];
    const [foundBytes, gotBytes] = await gpu.run(
      (encoder) => new Lookup(table).encode(encoder, { queries, count, found, ...(words > 0 && { values: got }) }, []),
      [
        { buffer: found, bytes: count * 4 },
        { buffer: got, bytes: count * words * 4 },
      ],
    );
    expect(new Uint32Array(foundBytes as ArrayBuffer).every((word) => word === 1)).toBe(true);
    const answers = new Uint32Array(gotBytes as ArrayBuffer);
    expect(answers.subarray(words)).toEqual(values.subarray(words));
    expect(answers.subarray(0, words)).toEqual(values.subarray(words, 2 * words));
    for (const buffer of [queries, found, got]) buffer.destroy();
    table.destroy();
  });
});

describe('on the encoder face', () => {
  it('builds from a count that only the GPU knows, also none', async () => {
    const keys = distinctKeys(5000);
    const io = { keys: gpu.upload('test/keys', keys), values: gpu.upload('test/values', numbered(5000)) };
    for (const duplicates of ['last', 'unique'] as const) {
      for (const count of [0, 1, 4999]) {
        const countBuffer = gpu.upload('test/count', Uint32Array.of(count));
        const encoder = gpu.device.createCommandEncoder();
        using map = HashMap.encodeBuild(
          gpu,
          encoder,
          { ...io, count: { buffer: countBuffer } },
          { key: u32, duplicates, scheme: chaining() },
        );
        gpu.device.queue.submit([encoder.finish()]);
        await map.settle();
        expect(map.size).toBe(count);
        expect(await map.has(keys)).toEqual(Uint8Array.from(keys, (_, i) => Number(i < count)));
        countBuffer.destroy();
      }
    }
    for (const buffer of Object.values(io)) buffer.destroy();
  });
});

describe('options', () => {
  const request = { items: 100, key: u32 as KeyType, valueWords: 1, duplicates: 'last', growth: 0 } as const;

  it.each([
    [{ buckets: 0 }, /integer from 1/],
    [{ buckets: 1.5 }, /integer from 1/],
    [{ buckets: 2 ** 31 + 1 }, /integer from 1/],
    [{ buckets: Number.NaN }, /integer from 1/],
    [{ bucketsPerItem: 0 }, /above 0/],
    [{ bucketsPerItem: -1 }, /above 0/],
    [{ bucketsPerItem: Number.NaN }, /above 0/],
    [{ bucketsPerItem: Number.POSITIVE_INFINITY }, /above 0/],
    [{ bucketsPerItem: 1e9 }, /can address/],
    [{ buckets: 10, bucketsPerItem: 1 }, /not both/],
  ])('%o is refused with a reason', (options, reason) => {
    const plan = () => chaining(options).plan(request);
    expect(plan).toThrow(InvalidInputError);
    expect(plan).toThrow(reason);
  });

  it('are saved with the table', async () => {
    const keys = distinctKeys(400);
    for (const options of [{}, { buckets: 33 }, { bucketsPerItem: 1.7, hash: polynomial64 }]) {
      using map = await HashMap.from(gpu, { keys, values: keys }, { scheme: chaining(options) });
      using reopened = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: map.scheme as never });
      expect((await reopened.get(keys)).values).toEqual(keys);
      expect(reopened.tableBytes).toBe(map.tableBytes);
    }
  });

  it('let a sort look at the bits of the buckets only, where keys are unique', () => {
    const digits = (duplicates: Duplicates) =>
      chaining({ buckets: 16 })
        .plan({ ...request, items: 3000, duplicates })
        .scratch.find(({ name }) => name === 'sort/digits')?.bytes;
    // The counts of the only tile, of the only chunk of tiles, and their sums.
    expect(digits('unique')).toBe(3 * 16 * 4);
    expect(digits('last')).toBe(3 * 256 * 4);
  });
});
