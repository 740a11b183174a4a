import { describe, expect, it } from 'vitest';
import type { BenchRecord } from '../../bench/benchmark.ts';
import { cuckooTables } from '../../bench/figures/cuckooFailures.ts';
import { DUE_ITEMS, dueRows } from '../../bench/figures/dueTable1.ts';
import { type BuildLine, buildMany } from '../../bench/figures/manyBuilds.ts';
import { twoLevelRestarts } from '../../bench/figures/twoLevelRestarts.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { cuckoo, type Scheme, twoLevelCuckoo } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('many builds', () => {
  it('leave a line each, over more than one submission', async () => {
    const lines: BuildLine[] = [];
    const progress: number[] = [];
    const plan = await buildMany(
      gpu,
      {
        scheme: cuckoo(),
        items: 40,
        builds: 253,
        random: randomWords(5),
        onProgress: (done) => progress.push(done),
      },
      (line) => lines.push(line),
    );
    expect(plan.capacitySlots).toBe(50);
    expect(lines).toHaveLength(253);
    expect(progress).toEqual([250, 253]);
    // Different keys and functions: not all can be equally lucky.
    expect(new Set(lines.map(({ longest }) => longest)).size).toBeGreaterThan(1);
  });

  it('say that there are more items than the device holds', async () => {
    const options = { scheme: cuckoo(), items: 1_500_000_000, builds: 1, random: randomWords(1) };
    await expect(buildMany(gpu, options, () => {})).rejects.toThrow('this device holds at most');
  });
});

describe('the tables of cuckoo', () => {
  it('leave out what is too full for the number of functions', () => {
    const tables = cuckooTables({ functions: [2, 3], slots: ['least', 1.25], items: [10, 20], stashSlots: 7 });
    expect(tables.map(({ functions, slots, items }) => [functions, slots.toFixed(2), items])).toEqual([
      [2, '2.10', 10],
      [2, '2.10', 20],
      [3, '1.10', 10],
      [3, '1.10', 20],
      [3, '1.25', 10],
      [3, '1.25', 20],
    ]);
    expect(tables[0]?.scheme.options).toMatchObject({ stashSlots: 7 });
  });
});

describe('restarts of twoLevelCuckoo', () => {
  it('count a build in which a bucket is too full, and nothing of its phase two', async () => {
    const scheme = twoLevelCuckoo();
    // So few buckets that one of them must get more than 512 items.
    const tooFew: Scheme = { ...scheme, plan: (request) => scheme.plan({ ...request, growth: -3 }) };
    const table = { capacity: 512, items: 5000, scheme: tooFew } as const;
    expect(await twoLevelRestarts(gpu, table, { builds: 3, random: randomWords(1) })).toEqual({
      capacity: 512,
      items: 5000,
      builds: 3,
      buckets: 10,
      begunAgain: 3,
      gaveUp: 0,
      bucketsBuilt: 0,
      rounds: 0,
      restarts: 0,
    });
  });
});

describe('Table 1 of Due et al.', () => {
  const record = (scheme: string, key: string, op: string, medianMs: number, items = DUE_ITEMS) =>
    ({ scheme, key, op, medianMs, items, software: false }) as BenchRecord;
  const recordsOf = (scheme: string, ms: readonly number[], items?: number) =>
    ['u64', 'utf8'].flatMap((key, k) =>
      ['build', 'hit', 'has'].map((op, o) => record(scheme, key, op, ms[3 * k + o] as number, items)),
    );

  it('holds schemes against the row of the paper that does the same', () => {
    const rows = dueRows([
      ...recordsOf('perfect', [18.3, 3.3, 1.6, 33.2, 4.3, 2.8]),
      ...recordsOf('eytzinger', [1, 1, 1, 1, 1, 5.4]),
      ...recordsOf('cuckoo', [1, 1, 1, 1, 1, 1]),
    ]);
    expect(rows).toMatchObject([
      { scheme: 'perfect', paper: { name: 'Futhark, hash maps' }, isAsFast: true },
      { scheme: 'eytzinger', paper: { name: 'Futhark, Eytzinger' }, isAsFast: false },
      { scheme: 'cuckoo', paper: undefined, isAsFast: undefined },
    ]);
    expect(rows[1]?.times).toEqual([1, 1, 1, 1, 1, 5.4]);
  });

  it('makes no comparison between different numbers of items, and no time out of a missing one', () => {
    const [fewer] = dueRows(recordsOf('perfect', [0, 0, 0, 0, 0, 0], 1000));
    expect(fewer?.isAsFast).toBeUndefined();
    const [cutOff] = dueRows(recordsOf('perfect', [0, 0, 0, 0, 0, 0]).slice(0, 4));
    expect(cutOff).toMatchObject({ isAsFast: false, times: [0, 0, 0, 0, undefined, undefined] });
  });
});
