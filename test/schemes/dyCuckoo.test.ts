import { afterEach, describe, expect, it } from 'vitest';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { recordBatch } from '../../src/dynamic/batch.wgsl.ts';
import { Body } from '../../src/dynamic/body.ts';
import { moveAll } from '../../src/dynamic/move.ts';
import { DynamicTable } from '../../src/dynamic/table.ts';
import { InvalidInputError, record, Workspace } from '../../src/gpu/index.ts';
import { type HashConstants, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32 } from '../../src/keys/index.ts';
import type { OnExisting, ValueWords, WordCombiner } from '../../src/schemes/contract/index.ts';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { readContents } from '../../src/table/contents.wgsl.ts';
import { sourceOf } from '../../src/table/source.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { type KeyKind, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import { adversarialSets, randomKeys } from '../conformance/keySets.ts';
import { inFull } from '../inFull.ts';
import { expectSoundSubtables, subtablesOf } from '../oracles/dyCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const sum: WordCombiner = { combine: wgsl`fn add(a: u32, b: u32) -> u32 { return a + b; }`, identity: 0 };

/** Values that no two items have in common. */
const valueFor = (item: number, words: number): number[] =>
  Array.from({ length: words }, (_, w) => (Math.imul(item + 1, 0x9e37_79b1) + w) >>> 0);

const made: DynamicTable[] = [];
afterEach(() => {
  for (const table of made.splice(0)) table.destroy();
});

/** A table with the `Map` that it has to be like. */
class Checked {
  readonly oracle = new Map<bigint, readonly number[]>();
  /** Slots of the smallest table. */
  least: number;
  #batches = 0;

  private constructor(
    readonly kind: KeyKind,
    readonly valueWords: ValueWords,
    readonly subtables: number,
    readonly table: DynamicTable,
  ) {
    this.least = table.plan.capacitySlots;
  }

  static async create(kind: KeyKind, valueWords: ValueWords = 1, subtables = 4, highest = 0.85): Promise<Checked> {
    const scheme = dyCuckoo({ subtables });
    const bounds = { lowest: Math.min(0.6, (highest * subtables) / (subtables + 1)), highest };
    const table = await DynamicTable.create(gpu, { scheme, key: kind.type, valueWords, bounds, seed: 5 }, 0);
    made.push(table);
    return new Checked(kind, valueWords, subtables, table);
  }

  async insert(keys: Keys, onExisting: OnExisting = 'replace', unique = false): Promise<void> {
    const { kind, valueWords, oracle, table } = this;
    this.#batches++;
    const values = keys.map((_, i) => valueFor(i + 100_003 * this.#batches, valueWords));
    const source = sourceOf(
      gpu,
      kind.type,
      { keys: kind.host(keys), ...(valueWords > 0 && { values: Uint32Array.from(values.flat()) }) },
      valueWords,
    );
    const found = await table.insert(source, { onExisting, unique });
    source.release();
    expect([...found]).toEqual(keys.map((key) => Number(oracle.has(key))));
    for (const [i, key] of keys.entries()) {
      const old = oracle.get(key);
      const value = values[i] as number[];
      if (old === undefined || onExisting === 'replace') oracle.set(key, value);
      else if (typeof onExisting === 'object') oracle.set(key, [((old[0] as number) + (value[0] as number)) >>> 0]);
    }
    expect(table.size).toBe(oracle.size);
  }

  async delete(keys: Keys): Promise<void> {
    const { kind, oracle, table } = this;
    const source = sourceOf(gpu, kind.type, { keys: kind.host(keys) }, 0);
    const found = await table.delete(source);
    source.release();
    expect([...found]).toEqual(keys.map((key) => Number(oracle.has(key))));
    for (const key of keys) oracle.delete(key);
    expect(table.size).toBe(oracle.size);
  }

  /** Compares all contents, and looks at the raw table. */
  async check(): Promise<void> {
    const { kind, valueWords, oracle, table } = this;
    const { lowest, highest } = table.settings.bounds;
    const { capacitySlots } = table.plan;
    expect(table.size).toBeLessThanOrEqual(highest * capacitySlots);
    if (capacitySlots > this.least) expect(table.size).toBeGreaterThanOrEqual(Math.floor(lowest * capacitySlots));
    const { keys, values, context } = await readContents(table);
    const numbers = kind.numbers(kind.type.decode(keys, context));
    expect(numbers.length).toBe(oracle.size);
    const got = numbers.map((key, i) => [key, [...values.subarray(i * valueWords, (i + 1) * valueWords)]] as const);
    expect(new Map(got)).toEqual(oracle);
    const [header] = await gpu.run(() => {}, [{ buffer: table.buffers.header, bytes: 16 }]);
    const constants = [...new Uint32Array(header as ArrayBuffer)] as unknown as HashConstants;
    expectSoundSubtables(await this.buckets(), table.plan, constants, kind, [...oracle.keys()]);
  }

  /** The words of all buckets. */
  async buckets(): Promise<Uint32Array> {
    const { table, subtables } = this;
    const { bucketBits, doubled } = table.plan.fields;
    const bytes = 32 * ((subtables + (doubled as number)) << (bucketBits as number));
    const [words] = await gpu.run(() => {}, [{ buffer: table.buffers.get('buckets'), bytes }]);
    return new Uint32Array(words as ArrayBuffer);
  }
}

const { u32: words, u64, vec3i, utf8, wideTuples } = keyKinds;

describe('dyCuckoo', () => {
  it.each([0, 1, 2, 3, 255, 256, 257, 20_000])('takes %i keys at once, and gives them back', async (n) => {
    const table = await Checked.create(words);
    const keys = randomKeys(words, 2 * n);
    await table.insert(keys.slice(0, n));
    await table.check();
    await table.delete(keys.filter((_, i) => i % 3 !== 0));
    await table.check();
    await table.insert(keys.slice(n));
    await table.check();
    await table.delete(keys);
    await table.check();
  });

  it.each([words, u64, vec3i, utf8, wideTuples])('takes keys that are hard on weak functions: $name', async (kind) => {
    const table = await Checked.create(kind);
    for (const { present, absent } of adversarialSets(kind, 300)) {
      await table.insert([...present, 0n, kind.allOnes]);
      await table.delete(absent);
      await table.check();
      await table.delete(present.slice(7));
    }
    await table.check();
  });

  it.each(
    [words, u64, vec3i, utf8].flatMap((kind, k) =>
      ([0, 1, 2, 3, 4] as const)
        // Every day, each width with half of the key types.
        .filter((valueWords) => inFull || (valueWords + k) % 2 === 0)
        .map((valueWords) => ({ kind, valueWords })),
    ),
  )('keeps values of $valueWords words for $kind.name keys', async ({ kind, valueWords }) => {
    const table = await Checked.create(kind, valueWords);
    const keys = randomKeys(kind, 900);
    await table.insert(keys.slice(0, 300));
    await table.insert(keys.slice(150, 900));
    await table.check();
    await table.insert(keys.slice(100, 200), 'keep');
    await table.delete(keys.slice(50, 700));
    await table.check();
  });

  it.each(inFull ? [2, 3, 5, 8] : [2, 5])('grows and shrinks by %i subtables', async (subtables) => {
    const table = await Checked.create(words, 1, subtables);
    const keys = randomKeys(words, 5000);
    const capacities = new Set<number>();
    for (let first = 0; first < keys.length; first += 500) {
      await table.insert(keys.slice(first, first + 500));
      await table.check();
      capacities.add(table.table.plan.capacitySlots);
    }
    for (let first = 0; first < keys.length; first += 500) {
      await table.delete(keys.slice(first, first + 500));
      await table.check();
    }
    expect(capacities.size).toBeGreaterThan(3);
    expect(table.table.plan.capacitySlots).toBe(table.least);
    expect(table.table.report.reseeds).toBe(0);
  });

  it.each([words, utf8])('moves wide values along when it grows and shrinks: $name', async (kind) => {
    const table = await Checked.create(kind, 3, 3);
    const keys = randomKeys(kind, 4000);
    for (let first = 0; first < keys.length; first += 1000) await table.insert(keys.slice(first, first + 1000));
    await table.check();
    for (let first = 0; first < keys.length; first += 1000) {
      await table.delete(keys.slice(first, first + 900));
      await table.check();
    }
  });

  it.each(['replace', 'keep', sum] as const)(
    'takes many copies of few keys, as if one after the other',
    async (onExisting) => {
      const table = await Checked.create(words);
      const random = randomWords(3);
      const some = (n: number, below: number): Keys => Array.from({ length: n }, () => BigInt(random() % below));
      for (const below of [1, 7, 300, 3000]) {
        await table.insert(some(3000, below), onExisting);
        await table.delete(some(1000, 2 * below));
        await table.check();
      }
    },
  );

  it('needs no promise that keys are unique, and survives a false one', async () => {
    const table = await Checked.create(u64, 0);
    const keys = randomKeys(u64, 500);
    await table.insert([...keys, ...keys, ...keys], 'replace', true);
    await table.check();
    await table.delete([...keys, ...keys]);
    await table.check();
  });

  it('is filled to 0.9 without another hash function', async () => {
    const table = await Checked.create(words, 1, 4, 0.9);
    const keys = randomKeys(words, 20_000);
    await table.table.reserve(18_000, undefined);
    table.least = table.table.plan.capacitySlots;
    const most = Math.floor(table.table.plan.capacitySlots * 0.9);
    await table.insert(keys.slice(0, most - 500));
    await table.insert(keys.slice(most - 500, most));
    await table.check();
    expect(table.table.report).toEqual({ growths: 1, shrinks: 0, reseeds: 0 });
    expect(table.table.size).toBe(most);
  });

  describe('items are shared out among subtables by their sizes', () => {
    /** Pairs of items that meet in a bucket, but for a factor: what Li et al. 2021, Theorem 1, wants to be least. */
    const collisions = (items: readonly number[], sizes: readonly number[], pairs: (m: number) => number) =>
      items.reduce((sum, m, i) => sum + pairs(m) / (sizes[i] as number), 0);
    const choose2 = (m: number) => (m * (m - 1)) / 2;

    it('because equal filled factors make collisions least, and equal C(m, 2) / n does not', () => {
      // Sizes 1 and 2 and three items; of many items C(m, 2) is m² / 2.
      const half = (m: number) => m ** 2 / 2;
      const theirs = [3 / (1 + Math.SQRT2), (3 * Math.SQRT2) / (1 + Math.SQRT2)] as const;
      expect(half(theirs[0]) / 1).toBeCloseTo(half(theirs[1]) / 2, 12);
      expect(collisions(theirs, [1, 2], half)).toBeCloseTo(1.544, 3);
      expect(collisions([1, 2], [1, 2], half)).toBe(1.5);
      const all = Array.from({ length: 3001 }, (_, i) => collisions([i / 1000, 3 - i / 1000], [1, 2], half));
      expect(all.indexOf(Math.min(...all))).toBe(1000);
    });

    it('and a table with larger and smaller subtables comes nearer to that', async () => {
      const checked = await Checked.create(words, 1, 4, 0.9);
      const { table } = checked;
      await table.reserve(17_000, undefined);
      // One subtable has doubled.
      expect(table.plan.fields.doubled).toBe(1);
      const keys = randomKeys(words, Math.floor(0.85 * table.plan.capacitySlots));
      // Batch by batch: items of one do not see where the others go.
      for (let first = 0; first < keys.length; first += 1000) await checked.insert(keys.slice(first, first + 1000));
      const subtables = subtablesOf(4, table.plan.fields);
      const raw = await checked.buckets();
      const held = subtables.map(({ start, buckets }) => {
        let items = 0;
        for (let at = 0; at < 4 * buckets; at++) {
          const tag = raw[(start + (at >> 2)) * 8 + (at & 3)] as number;
          items += Number(tag % buckets === at >> 2);
        }
        return items;
      });
      const slots = subtables.map(({ buckets }) => 4 * buckets);
      // The same items with equal C(m, 2) / n: √2 times as many of them where there is twice the room.
      const parts = slots.map((size) => Math.sqrt(size));
      const whole = parts.reduce((sum, part) => sum + part);
      const theirs = parts.map((part) => (keys.length * part) / whole);
      expect(collisions(held, slots, choose2)).toBeLessThan(collisions(theirs, slots, choose2));
      expect(held[0]).toBeGreaterThan(theirs[0] as number);
    });
  });

  it('takes batches whose counts only the GPU knows, one after the other in one encoder', async () => {
    const map = await DynamicMap.create(gpu, { key: u32, scheme: dyCuckoo(), reserve: 1000, seed: 4 });
    const keys = Uint32Array.from({ length: 1000 }, (_, i) => (i * 77) >>> 0);
    const uploads = [keys, keys.map((key) => key + 1), Uint32Array.of(900), Uint32Array.of(300), Uint32Array.of(0)];
    const [keyWords, values, many, some, none] = uploads.map((words) => gpu.upload('test', words)) as GPUBuffer[] as [
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
    ];
    for (let round = 0; round < 2; round++) {
      const encoder = gpu.device.createCommandEncoder();
      map.encodeDelete(encoder, { keys: keyWords, count: { buffer: many } });
      map.encodeInsert(encoder, { keys: keyWords, values, count: { buffer: many } });
      map.encodeInsert(encoder, { keys: keyWords, values, count: { buffer: some } }, { onExisting: 'sum' });
      map.encodeInsert(encoder, { keys: keyWords, values, count: { buffer: none } });
      map.encodeDelete(encoder, { keys: keyWords, count: { buffer: some } });
      map.encodeDelete(encoder, { keys: keyWords, count: { buffer: none } });
      gpu.device.queue.submit([encoder.finish()]);
      expect(await map.settle()).toEqual({ left: 0 });
      expect(map.size).toBe(600);
      const { values: got, found } = await map.get(keys);
      expect([...found]).toEqual([...keys].map((_, i) => Number(i >= 300 && i < 900)));
      expect([...got]).toEqual([...keys].map((key, i) => (i >= 300 && i < 900 ? key + 1 : 0)));
    }
    for (const buffer of [keyWords, values, many, some, none]) buffer.destroy();
    map.destroy();
  });

  it('refuses what cannot be', () => {
    for (const subtables of [1, 9, 2.5]) expect(() => dyCuckoo({ subtables })).toThrow(InvalidInputError);
  });

  it('refuses bounds that a single step could break', async () => {
    const settings = { key: u32, valueWords: 1, bounds: { lowest: 0.6, highest: 0.85 } } as const;
    await expect(DynamicTable.create(gpu, { ...settings, scheme: dyCuckoo({ subtables: 2 }) }, 0)).rejects.toThrow(
      InvalidInputError,
    );
    (await DynamicTable.create(gpu, { ...settings, scheme: dyCuckoo({ subtables: 3 }) }, 0)).destroy();
  });
});

describe('a table of dyCuckoo that is too small', () => {
  const scheme = dyCuckoo();
  const key = u32 as unknown as KeyType;

  /** Inserts keys whose values are their places in the batch, and tells which found no room. */
  async function insert(body: Body, keys: Uint32Array, workspace: Workspace) {
    const buffers = [
      gpu.upload('keys', keys),
      gpu.upload(
        'values',
        keys.map((_, i) => i),
      ),
      gpu.createBuffer('left', keys.length * 4),
    ];
    const [keyWords, values, left] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer];
    const [counters, list] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'test', (recorder) =>
          recordBatch(
            recorder,
            { body, context: undefined, workspace, number: 1, extent: recorder.extent(keys.length) },
            { keys: keyWords, values, context: undefined, contextStart: 0 },
            { kind: 'insert', left, onExisting: 'replace', unique: false },
          ),
        ),
      [
        { buffer: body.counters, bytes: 8 },
        { buffer: left, bytes: keys.length * 4 },
      ],
    );
    for (const buffer of buffers) buffer.destroy();
    const [size, count] = new Uint32Array(counters as ArrayBuffer) as unknown as [number, number];
    return { size, left: [...new Uint32Array(list as ArrayBuffer)].slice(0, count).sort((a, b) => a - b) };
  }

  /** The keys and values in a table. */
  async function contents(body: Body): Promise<Map<number, number>> {
    const { keys, values } = await readContents({
      gpu,
      plan: body.plan,
      reading: body.reading,
      bound: body.bound(undefined),
      buffers: body.buffers(undefined),
      size: body.plan.slotCount,
      unchanged: () => () => {},
    } as never);
    const { size } = await insert(body, new Uint32Array(0), new Workspace(gpu));
    return new Map(Array.from({ length: size }, (_, i) => [keys[i] as number, values[i] as number]));
  }

  it('lists the items that found no room, all copies of a key or none, and changes nothing for them', async () => {
    const workspace = new Workspace(gpu);
    const plan = scheme.plan({ slots: 1000, key, valueWords: 1 });
    const body = await Body.make(gpu, { scheme, plan, hash: plan.family.draw(randomWords(9)) });
    const first = Uint32Array.from({ length: 200 }, (_, i) => i);
    expect(await insert(body, first, workspace)).toEqual({ size: 200, left: [] });
    const second = Uint32Array.from({ length: 5000 }, (_, i) => 100 + Math.floor(i / 2));
    const { size, left } = await insert(body, second, workspace);
    const stored = await contents(body);
    expect(stored.size).toBe(size);
    expect(size).toBeGreaterThan(0.8 * plan.capacitySlots);
    expect(left.length).toBe(2 * (2600 - size));
    const isLeft = new Set(left);
    const expected = new Map([...first].map((k) => [k, k] as const));
    for (const [i, k] of second.entries()) if (!isLeft.has(i)) expected.set(k, i);
    expect(stored).toEqual(expected);
    for (const i of left) expect(isLeft.has(i ^ 1)).toBe(true);
    body.destroy();
    workspace.destroy();
  });

  it('loses nothing on the long ways of the last keys', async () => {
    const workspace = new Workspace(gpu);
    const two = dyCuckoo({ subtables: 2 });
    const plan = two.plan({ slots: 0, key, valueWords: 1 });
    for (let seed = 1; seed <= 12; seed++) {
      const random = randomWords(seed);
      const body = await Body.make(gpu, { scheme: two, plan, hash: plan.family.draw(random) });
      const expected = new Map<number, number>();
      for (let batch = 0; batch < 6; batch++) {
        const keys = Uint32Array.from({ length: batch === 0 ? 100 : 8 }, random);
        const { left, size } = await insert(body, keys, workspace);
        for (const [i, k] of keys.entries()) if (!left.includes(i)) expected.set(k, i);
        expect(size).toBe(expected.size);
      }
      expect(await contents(body)).toEqual(expected);
      expect(expected.size).toBeGreaterThan(0.8 * plan.capacitySlots);
      body.destroy();
    }
    workspace.destroy();
  });

  it('goes to any other size and back', async () => {
    const workspace = new Workspace(gpu);
    const make = (slots: number, hash: Body['hash']) =>
      Body.make(gpu, { scheme, plan: scheme.plan({ slots, key, valueWords: 1 }), hash });
    const hash = scheme.plan({ slots: 0, key, valueWords: 1 }).family.draw(randomWords(2));
    let body = await make(1000, hash);
    const keys = Uint32Array.from({ length: 800 }, (_, i) => i * 7919);
    await insert(body, keys, workspace);
    const before = await contents(body);
    for (const slots of [1100, 1300, 5000, 40_000, 2000, 1700, 1000, 3000, 1000]) {
      const next = await make(slots, hash);
      expect(await moveAll(body, next, keys.length, undefined, workspace)).toBe(true);
      body.destroy();
      body = next;
      expect(await contents(body)).toEqual(before);
    }
    body.destroy();
    workspace.destroy();
  });
});
