import { describe, expect, it } from 'vitest';
import type { BenchRecord } from '../../bench/benchmark.ts';
import { choosingTables, gridTables, ranking, sizeName, withTables } from '../../bench/choosing.ts';
import type { HostRecord } from '../../bench/hostCalls.ts';
import { crossingsOf } from '../../bench/mapCalls.ts';

const measured = (fields: Partial<BenchRecord>): BenchRecord => ({
  scheme: 'cuckoo',
  collection: 'map',
  key: 'u32',
  value: 'u32',
  items: 1_000_000,
  loadFactor: 0.8,
  op: 'build',
  medianMs: 1,
  minMs: 1,
  itemsPerSecond: 1e9,
  tableBytes: 10_000_000,
  correct: true,
  adapter: 'a GPU',
  software: false,
  timer: 'timestamp',
  timestampsQuantised: false,
  repeat: 3,
  operationsPerPass: 1,
  holdMs: 10,
  duplicates: 'unique',
  copies: 1,
  hash: 'mix',
  seed: 1,
  ...fields,
});

/** A table with all its operations. */
const table = (fields: Partial<BenchRecord>, [build, hit, mixed, miss]: readonly [number, number, number, number]) => [
  measured({ ...fields, op: 'build', medianMs: build }),
  measured({ ...fields, op: 'hit', medianMs: hit }),
  measured({ ...fields, op: 'mixed', absent: 0.5, medianMs: mixed }),
  measured({ ...fields, op: 'miss', medianMs: miss }),
];

const RECORDS = [
  ...table({ scheme: 'cuckoo' }, [4, 0.5, 0.5, 0.5]),
  ...table({ scheme: 'cuckoo', loadFactor: 0.5, tableBytes: 16_000_000 }, [1, 0.25, 0.25, 0.25]),
  ...table({ scheme: 'sortedArray', loadFactor: 1, tableBytes: 8_000_000 }, [2, 5, 5, 5]),
  ...table({ scheme: 'chaining', options: { bucketsPerItem: 2 }, tableBytes: 16_000_000 }, [3, 1, 0.5, 0.2]),
];
const rowsOf = (text: string, begin: string) => text.split('\n').find((line) => line.startsWith(begin));

describe('the tables of a grid', () => {
  it('have all their operations, and are told apart by bytes and options', () => {
    const tables = gridTables(RECORDS);
    expect(tables.map(({ name, bytesPerItem }) => [name, bytesPerItem])).toEqual([
      ['cuckoo', 10],
      ['cuckoo', 16],
      ['sortedArray', 8],
      ['chaining(bucketsPerItem=2)', 16],
    ]);
    expect(tables[0]?.ms).toEqual({ build: 4, hit: 0.5, mixed: 0.5, miss: 0.5 });
  });

  it('are as the last record has them, operation by operation', () => {
    const [first] = gridTables([
      ...RECORDS,
      measured({ medianMs: 3 }),
      measured({ op: 'hit', medianMs: 9, correct: false }),
    ]);
    expect(first?.ms).toEqual({ build: 3, hit: 0.5, mixed: 0.5, miss: 0.5 });
  });

  it.each([
    { correct: false },
    { software: true },
    { key: 'u64' },
    { collection: 'set' as const },
    { copies: 2 },
    { queries: 'sorted' as const },
    { op: 'has' as const },
    { op: 'mixed' as const, absent: 0.25 },
  ])('leave out %j', (fields) => {
    expect(gridTables([measured(fields)])).toEqual([]);
  });

  it('rank the best table of each scheme', () => {
    const ranked = ranking(gridTables(RECORDS), ({ ms }) => ms.build);
    expect(ranked.map(({ table: { scheme, loadFactor }, cost }) => [scheme, loadFactor, cost])).toEqual([
      ['cuckoo', 0.5, 1],
      ['sortedArray', 1, 2],
      ['chaining', 0.8, 3],
    ]);
  });

  it('become a document: the best of what fits into so many bytes', () => {
    const text = choosingTables(gridTables(RECORDS));
    expect(rowsOf(text, '| 16.0')).toBe(
      '| 16.0 (load 0.50) | **`cuckoo` 1.0**, `sortedArray` 0.5 | **`cuckoo` 4.0**, `chaining(bucketsPerItem=2)` 1.0 | **`cuckoo` 4.0**, `chaining(bucketsPerItem=2)` 2.0 | **`chaining(bucketsPerItem=2)` 5.0**, `cuckoo` 4.0 |',
    );
    expect(rowsOf(text, '| 10.0')).toMatch(/\*\*`sortedArray` 0\.5\*\*, `cuckoo` 0\.3 \| \*\*`cuckoo` 2\.0\*\*/);
    expect(rowsOf(text, '| 8.1')).toMatch(/^\| 8\.1 \(load 0\.99\) \| \*\*`sortedArray` 0\.5\*\* \| /);
    expect(rowsOf(text, '| 10⁶ | **`cuckoo` 1.25 ms')).toContain('`cuckoo` 26.0 ms at 16.0 bytes');
    expect(text).toContain('| 10⁶ | **`sortedArray` 8.00**, `cuckoo` 10.00 |');
    expect(rowsOf(text, '| `sortedArray` |')).toContain('100% (best in 4 of 5)');
    expect(text).not.toContain('JavaScript');
  });

  it('are written between the marks of a document, again and again', () => {
    const marks = 'before\n<!-- made by hashnest choose -->\nold\n<!-- end of what hashnest choose makes -->\nafter';
    const once = withTables(marks, 'new') as string;
    expect(once).toBe(
      'before\n<!-- made by hashnest choose -->\n\nnew\n\n<!-- end of what hashnest choose makes -->\nafter',
    );
    expect(withTables(once, 'new')).toBe(once);
    expect(withTables('no marks', 'new')).toBeUndefined();
  });

  it('name sizes', () => {
    expect([1, 10, 1000, 2500, 1e8].map(sizeName)).toEqual(['1', '10', '10³', '2,500', '10⁸']);
  });
});

describe('where a Map loses', () => {
  const call = (what: string, items: number, median: number): HostRecord => ({
    what,
    items,
    unit: 'ms',
    median,
    min: median,
    max: median,
    calls: 3,
    correct: true,
  });
  const records = [10, 100, 1000].flatMap((items) => [
    call('Map: set', items, items / 100),
    call('Map: get', items, items / 100),
    call('HashMap: from', items, 5),
    call('HashMap: get', items, 20),
    // It happens to be slower at the middle size alone.
    call('GPU: encodeRebuild', items, items === 100 ? 2 : 0.01),
    call('GPU: encodeGet', items, 0.001),
  ]);

  it('is the size from which on it is slower at all that were measured', () => {
    expect(crossingsOf(records)).toEqual([
      { task: 'build', against: 'host', items: 1000 },
      { task: 'build', against: 'GPU', items: 1000 },
      { task: 'get', against: 'host', items: undefined },
      { task: 'get', against: 'GPU', items: 10 },
      { task: 'build and get', against: 'host', items: undefined },
      { task: 'build and get', against: 'GPU', items: 1000 },
    ]);
  });

  it('stands in the document', () => {
    const text = choosingTables(gridTables(RECORDS), records);
    expect(text).toContain('- **build**: a `Map` loses to whole calls of a `HashMap` from 10³ keys on.');
    expect(text).toContain('- **get**: a `Map` loses to whole calls of a `HashMap` at none of these sizes.');
    expect(rowsOf(text, '| 100 |') ?? rowsOf(text, '| 10² |')).toContain('| 1.00 | 5.00 | 2.00 |');
  });
});
