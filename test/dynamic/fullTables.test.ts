/** Tables that are full, and cannot grow because their batches are recorded: what finds no room is listed, and nothing else is lost. */
import { expect, it } from 'vitest';
import { randomWords } from '../../src/hashing/index.ts';
import { DynamicMap, DynamicSet, dyCuckoo, regionCuckoo, valueTypes } from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { expectSoundTable } from './sound.ts';

const gpu = await sharedGpu('default');
const { u32, u64 } = keyKinds;

type Living = DynamicMap<unknown, never> | DynamicSet<unknown>;

const KEYS = 3000;
/** Items of insertions; up to 2048 change a table of regionCuckoo item by item, more go through it region by region. */
const SIZES = [1500, 2048, 257, 2049, 1, 2048, 6000, 700];
const POLICIES = ['replace', 'keep', 'sum', 'max'] as const;

it.each([
  { kind: u32, value: 'u32', scheme: regionCuckoo() },
  { kind: u32, value: 'vec4u', scheme: regionCuckoo() },
  { kind: u64, value: undefined, scheme: regionCuckoo() },
  { kind: u32, value: 'u32', scheme: dyCuckoo() },
] as const)('a full table of $kind.name and $value by $scheme.name', async ({ kind, value, scheme }) => {
  const options = { key: kind.type, scheme, seed: 7, reserve: 1600 };
  const made = value
    ? await DynamicMap.create(gpu, { ...options, value: valueTypes[value] })
    : await DynamicSet.create(gpu, options);
  using table = made as unknown as Living;
  const words = value ? valueTypes[value].words : 0;
  const random = randomWords(11);
  const keyOf = (id: number) => (BigInt(id) * 0x9e37_79b9_7f4a_7c15n) & kind.allOnes;
  const oracle = new Map<bigint, number[]>();
  let missedInAll = 0;
  for (const [i, size] of SIZES.entries()) {
    using buffers = new TestBuffers(gpu);
    const keys = Array.from({ length: size }, () => keyOf(random() % KEYS));
    const values = Uint32Array.from({ length: size * words }, random);
    const onExisting = POLICIES[words === 1 ? i % 4 : i % 2] as (typeof POLICIES)[number];
    const left = buffers.words(size);
    // The GPU counts fewer than there might be.
    const count = i % 3 === 1 ? Math.ceil(size * 0.98) : size;
    const given = { ...buffers.keys(kind, keys), count: { buffer: buffers.upload(Uint32Array.of(count)) }, left };
    await gpu.run((encoder) => {
      if (table instanceof DynamicSet) table.encodeInsert(encoder, given);
      else table.encodeInsert(encoder, { ...given, values: buffers.upload(values) }, { onExisting });
    });
    const { left: missed } = await table.settle();
    const isThere = await table.has(kind.host(keys));
    const absent = keys.slice(0, count).flatMap((_, item) => (isThere[item] ? [] : [item]));
    expect([...(await buffers.read(left, missed)).sort()]).toEqual(absent);
    expect(absent.some((item) => oracle.has(keys[item] as bigint))).toBe(false);
    missedInAll += missed;
    for (const [item, key] of keys.slice(0, count).entries()) {
      const [old, now] = [oracle.get(key), [...values.subarray(item * words, (item + 1) * words)]];
      const [a = 0, b = 0] = [old?.[0], now[0]];
      if (!isThere[item] || (old && onExisting === 'keep')) continue;
      if (!old || onExisting === 'replace') oracle.set(key, now);
      else oracle.set(key, [onExisting === 'sum' ? (a + b) >>> 0 : Math.max(a, b)]);
    }
    const gone = [...oracle.keys()].filter(() => random() % 12 === 0);
    const gonePerhaps = i % 2 === 0 ? gone : [...gone, ...gone, keyOf(KEYS + i)];
    await gpu.run((encoder) =>
      table.encodeDelete(encoder, { ...buffers.keys(kind, gonePerhaps), count: gonePerhaps.length }),
    );
    for (const key of gone) oracle.delete(key);
    await table.settle();
    expect(table.size).toBe(oracle.size);
    const there = [...oracle.keys()];
    await expectSoundTable(table.table, kind, there);
    if (table instanceof DynamicSet) continue;
    const got = await table.get(kind.host(there));
    const stored = got.values as Uint32Array;
    expect([...stored]).toEqual([...oracle.values()].flat());
  }
  expect(missedInAll).toBeGreaterThan(100);
});
