/**
 * The ways by which items of bucketCuckoo come to their regions: gathered, in bins that nobody counts, and counted. Every way is
 * taken on the host, where the quick way is tried first, and recorded, where both are one.
 */
import { describe, expect, it } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import { DuplicateKeyError, type Gpu } from '../../src/gpu/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { bucketCuckoo } from '../../src/schemes/bucketCuckoo/index.ts';
import { chooseShape } from '../../src/schemes/bucketCuckoo/shape.ts';
import type { Duplicates } from '../../src/schemes/contract/index.ts';
import { binsFor } from '../../src/schemes/kit/partition/partition.wgsl.ts';
import { inFull } from '../inFull.ts';
import { findsLikeMap } from '../oracles/likeMap.ts';
import { sharedGpu } from '../sharedGpu.ts';

const quick = await sharedGpu();
const small = await sharedGpu('default');

type Keys = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;
interface Table {
  readonly items: number;
  readonly loadFactor: number;
}

const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
/** Keys far apart, each so often; copies are far apart too. */
const keysOf = (kind: 'u32' | 'u64', items: number, copies: number): Keys => {
  const distinct = Math.ceil(items / copies);
  const words = Uint32Array.from({ length: items }, (_, i) => Math.imul((i % distinct) + 1, 0x9e37_79b1) >>> 0);
  return kind === 'u32' ? words : BigUint64Array.from(words, (word) => BigInt(word) * 0x9e37_79b9_7f4a_7c15n);
};
const typeOf = (keys: Keys) => (keys instanceof Uint32Array ? u32 : u64) as KeyType;
const shapeOf = (kind: 'u32' | 'u64', { items, loadFactor }: Table) =>
  chooseShape(
    { loadFactor },
    { items, key: (kind === 'u32' ? u32 : u64) as KeyType, valueWords: 1, duplicates: 'last', growth: 0 },
  );

/** A table for each way. The last has as many regions as large tables, and few items. */
const TABLES = {
  'all regions gather': { items: 9_000, loadFactor: 0.8 },
  'regions with an overflow gather': { items: 40_000, loadFactor: 0.8 },
  'bins in one pass': { items: 330_000, loadFactor: 0.8 },
  'bins in two passes': { items: 30_000, loadFactor: 30_000 / (4 * 1025 * 512) },
} satisfies Record<string, Table>;

describe.each(Object.entries(TABLES))('%s', (name, table) => {
  const { items, loadFactor } = table;
  const kinds = items > 20_000 ? (['u32'] as const) : (['u32', 'u64'] as const);

  const optionsFor = (keys: Keys, duplicates: Duplicates) => ({
    key: typeOf(keys),
    scheme: bucketCuckoo({ loadFactor }),
    duplicates,
    seed: 3,
  });
  /** The same table by both faces; every day large ones only by one, which the tests take in turn. */
  async function eachFace(
    gpu: Gpu,
    keys: Keys,
    duplicates: Duplicates,
    turn: 'host' | 'encoder',
    check: (map: HashMap<unknown>) => Promise<void>,
  ) {
    const isMeant = (face: 'host' | 'encoder') => inFull || items < 20_000 || face === turn;
    if (isMeant('host')) {
      using built = await HashMap.from(gpu, { keys, values: numbered(keys.length) }, optionsFor(keys, duplicates));
      await check(built);
    }
    if (!isMeant('encoder')) return;
    const bytes = new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4);
    using keyBuffer = disposable(gpu.upload('keys', bytes));
    using valueBuffer = disposable(gpu.upload('values', numbered(keys.length)));
    const encoder = gpu.device.createCommandEncoder();
    const input = { keys: keyBuffer.buffer, values: valueBuffer.buffer, count: keys.length };
    using encoded = HashMap.encodeBuild(gpu, encoder, input, optionsFor(keys, duplicates));
    gpu.device.queue.submit([encoder.finish()]);
    await encoded.settle();
    await check(encoded as HashMap<unknown>);
  }
  const disposable = (buffer: GPUBuffer) => ({ buffer, [Symbol.dispose]: () => buffer.destroy() });

  it('is the way that is meant', () => {
    const { way, regions } = shapeOf('u32', table);
    const expected = {
      'all regions gather': { gathers: 'all', passes: 1 },
      'regions with an overflow gather': { gathers: 'crowded', passes: 1 },
      'bins in one pass': { gathers: 'none', passes: 1 },
      'bins in two passes': { gathers: 'none', passes: 2 },
    }[name];
    expect({ gathers: way?.gathers, passes: binsFor(regions).coarseBins > 1 ? 2 : 1 }).toEqual(expected);
  });

  it.each(kinds)('%s: distinct keys', async (kind) => {
    const keys = keysOf(kind, items, 1);
    await eachFace(quick, keys, 'unique', 'host', async (map) => {
      expect(map.report.attempts).toBe(1);
      await findsLikeMap(map, keys, 'unique');
      expect((await map.has(keysOf(kind, items + 999, 1).slice(items))).indexOf(1)).toBe(-1);
    });
  });

  const copied = [
    [2, 'last', 'encoder'],
    [500, 'any', 'host'],
  ] as const;
  it.each(inFull || items < 20_000 ? copied : copied.slice(0, 1))(
    'every key %i times, %s',
    async (copies, duplicates, turn) => {
      const keys = keysOf('u32', items, copies);
      await eachFace(quick, keys, duplicates, turn, async (map) => {
        await findsLikeMap(map, keys, duplicates);
      });
    },
  );

  // The rooms of bins are then too small, and all is counted after all.
  it('few keys, recorded', async () => {
    const keys = keysOf('u32', items, 3_000);
    await eachFace(quick, keys, 'last', 'encoder', async (map) => {
      expect(map.report.attempts).toBe(1);
      await findsLikeMap(map, keys, 'last');
    });
  });

  it('without a quick way', async () => {
    const keys = keysOf('u32', items, 2);
    await eachFace(small, keys, 'first', 'encoder', async (map) => {
      await findsLikeMap(map, keys, 'first');
    });
  });

  it('a single copy is found out, by its item', async () => {
    const keys = keysOf('u32', items, 1) as Uint32Array<ArrayBuffer>;
    keys[items - 7] = keys[items >> 1] as number;
    const built = HashMap.from(quick, { keys, values: numbered(items) }, optionsFor(keys, 'error'));
    const error = await built.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DuplicateKeyError);
    expect([items >> 1, items - 7]).toContain((error as DuplicateKeyError).index);
  });
});

// The last items of a region find full buckets, so two copies among them meet neither each other nor a third one.
it.each(['u32', 'u64'] as const)('%s: two copies that come last are found out, whatever the seed', async (kind) => {
  const items = 2_000;
  const keys = keysOf(kind, items, 1);
  keys[items - 1] = keys[items - 2] as never;
  const unnoticed: number[] = [];
  for (let seed = 1; seed <= (inFull ? 60 : 15); seed++) {
    const options = { key: typeOf(keys), scheme: bucketCuckoo({ loadFactor: 0.85 }), duplicates: 'any', seed } as const;
    using map = await HashMap.from(quick, { keys, values: numbered(items) }, options);
    if (map.size !== items - 1) unnoticed.push(seed);
  }
  expect(unnoticed).toEqual([]);
});
