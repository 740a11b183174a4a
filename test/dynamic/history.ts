/** Histories of batches, taken through a collection that lives and through a `Map`. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { DynamicSet } from '../../src/collections/dynamic/dynamicSet.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { type ValueType, valueTypes } from '../../src/table/values.ts';
import type { KeyKind, Keys } from '../conformance/keyKinds.ts';

/** What is done with a batch whose keys follow from a few numbers. */
export interface Step {
  readonly kind: 'insert' | 'keep' | 'sum' | 'delete' | 'getOrInsert' | 'clear' | 'shrink' | 'compact' | 'reserve';
  readonly count: number;
  readonly seed: number;
  /** Keys are of so many different ones: few make many copies. */
  readonly different: number;
}

const KINDS: Step['kind'][] = ['insert', 'insert', 'insert', 'keep', 'sum', 'delete', 'delete', 'getOrInsert'];

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS, 'clear', 'shrink', 'compact', 'reserve'),
  count: fc.oneof(fc.constantFrom(0, 1, 2, 3, 255, 256, 257), fc.nat(3000)),
  seed: fc.nat(2 ** 31),
  different: fc.constantFrom(4, 300, 5000, 2 ** 32),
});

/** Every kind of step once. */
export const LONG_HISTORY: readonly Step[] = [
  { kind: 'insert', count: 3000, seed: 1, different: 2 ** 32 },
  { kind: 'keep', count: 1000, seed: 2, different: 300 },
  { kind: 'insert', count: 1000, seed: 3, different: 300 },
  { kind: 'delete', count: 2500, seed: 1, different: 2 ** 32 },
  { kind: 'getOrInsert', count: 700, seed: 4, different: 5000 },
  { kind: 'compact', count: 10, seed: 4, different: 5000 },
  { kind: 'shrink', count: 0, seed: 0, different: 1 },
  { kind: 'insert', count: 257, seed: 5, different: 4 },
  { kind: 'clear', count: 10, seed: 5, different: 4 },
  { kind: 'insert', count: 5, seed: 6, different: 4 },
];

/** Keys of a step, by their numbers: the same number is the same key in every step. */
export function keysOf({ bits, allOnes }: KeyKind, { count, seed, different }: Step): Keys {
  const random = randomWords(seed);
  return Array.from({ length: count }, () => {
    const number = BigInt(random() % different);
    if (number === 3n) return allOnes;
    // All words differ from key to key, and 0 is a key.
    return bits === 32 ? number : (number * 0x9e37_79b9_7f4a_7c15n + (number << BigInt(bits - 32))) & allOnes;
  });
}

const WIDTHS = [undefined, valueTypes.u32, valueTypes.u64, valueTypes.vec3u, valueTypes.vec4u] as const;
type Words = 0 | 1 | 2 | 3 | 4;

/** A map, or a set as a map of nothing, that speaks of keys by number and of values by words. */
class Subject {
  private constructor(
    readonly kind: KeyKind,
    readonly words: Words,
    readonly table: DynamicMap<unknown, never> | DynamicSet<unknown>,
  ) {}

  static async create(gpu: Gpu, kind: KeyKind, words: Words, scheme: DynamicScheme): Promise<Subject> {
    const key = kind.type;
    const value = WIDTHS[words] as ValueType | undefined;
    const table = value
      ? await DynamicMap.create(gpu, { key, value, scheme })
      : await DynamicSet.create(gpu, { key, scheme });
    return new Subject(kind, words, table as DynamicSet<unknown>);
  }

  #host(values: Uint32Array<ArrayBuffer>): never {
    return (this.words === 2 ? new BigUint64Array(values.buffer) : values) as never;
  }

  async insert(keys: Keys, values: Uint32Array<ArrayBuffer>, onExisting: 'replace' | 'keep' | 'sum') {
    const { table, kind } = this;
    const given = kind.host(keys);
    if (table instanceof DynamicSet) return table.insert(given);
    return table.insert(given, this.#host(values), { onExisting });
  }

  async getOrInsert(keys: Keys, values: Uint32Array<ArrayBuffer>) {
    const { table, kind, words } = this;
    const given = kind.host(keys);
    if (table instanceof DynamicSet) return { fresh: await table.insert(given), values: new Uint32Array() };
    const answers = await table.getOrInsert(given, this.#host(values));
    return { fresh: answers.fresh, values: wordsIn(answers.values, words) };
  }

  async get(keys: Keys) {
    const { table, kind, words } = this;
    const given = kind.host(keys);
    if (table instanceof DynamicSet) return { found: await table.has(given), values: new Uint32Array() };
    const { found, values } = await table.get(given);
    return { found, values: wordsIn(values, words) };
  }

  /** All keys with the words of their values. */
  async entries(): Promise<Map<bigint, string>> {
    const { table, kind, words } = this;
    const all =
      table instanceof DynamicSet ? { keys: await table.keys(), values: new Uint32Array() } : await table.entries();
    const values = wordsIn(all.values, words);
    return new Map(kind.numbers(all.keys).map((key, i) => [key, valueAt(values, words, i)]));
  }
}

const wordsIn = ({ buffer }: Uint32Array | BigUint64Array, words: Words): Uint32Array =>
  words === 0 ? new Uint32Array() : new Uint32Array(buffer as ArrayBuffer);

const valueAt = (values: Uint32Array, words: Words, i: number): string =>
  values.subarray(i * words, (i + 1) * words).join();

/** Takes steps with a collection and a `Map`, and compares every answer. */
export async function play(
  gpu: Gpu,
  kind: KeyKind,
  words: Words,
  steps: readonly Step[],
  scheme: DynamicScheme = regionCuckoo(),
): Promise<void> {
  const subject = await Subject.create(gpu, kind, words, scheme);
  const { table } = subject;
  const oracle = new Map<bigint, string>();
  try {
    for (const at of steps) {
      const keys = keysOf(kind, at);
      const values = Uint32Array.from({ length: keys.length * words }, (_, i) => Math.imul(at.seed + i, 0x9e3779b1));
      const value = (i: number) => valueAt(values, words, i);
      const news = keys.map((key) => Number(!oracle.has(key)));
      if (at.kind === 'insert' || at.kind === 'keep' || at.kind === 'sum') {
        const onExisting = at.kind === 'insert' ? 'replace' : at.kind === 'sum' && words === 1 ? 'sum' : 'keep';
        const fresh = await subject.insert(keys, values, onExisting);
        for (const [i, key] of keys.entries()) {
          const old = oracle.get(key);
          if (old === undefined || onExisting === 'replace') oracle.set(key, value(i));
          else if (onExisting === 'sum') oracle.set(key, String((Number(old) + Number(value(i))) >>> 0));
        }
        expect([...fresh], 'which keys were new').toEqual(news);
      } else if (at.kind === 'getOrInsert') {
        const answers = await subject.getOrInsert(keys, values);
        for (const [i, key] of keys.entries()) if (!oracle.has(key)) oracle.set(key, value(i));
        expect([...answers.fresh]).toEqual(news);
        expect(keys.map((_, i) => valueAt(answers.values, words, i))).toEqual(keys.map((key) => oracle.get(key)));
      } else if (at.kind === 'delete') {
        expect([...(await table.delete(kind.host(keys)))], 'which were there').toEqual(news.map((flag) => 1 - flag));
        for (const key of keys) oracle.delete(key);
      } else if (at.kind === 'clear') {
        await table.clear();
        oracle.clear();
      } else if (at.kind === 'shrink') await table.shrink();
      else if (at.kind === 'compact') await table.compact();
      else await table.reserve(at.count * 40, at.count);
      expect(table.size).toBe(oracle.size);
      expect(table.filledFactor).toBeLessThanOrEqual(0.85);
      expect(await subject.entries()).toEqual(oracle);
      const { values: got, found } = await subject.get(keys);
      expect([...found]).toEqual(keys.map((key) => Number(oracle.has(key))));
      const absent = Array(words).fill(0).join();
      expect(keys.map((_, i) => valueAt(got, words, i))).toEqual(keys.map((key) => oracle.get(key) ?? absent));
    }
  } finally {
    table.destroy();
  }
}
