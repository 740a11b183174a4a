import { describe, expect, it } from 'vitest';
import { compareRuns, isTimed } from '../../bench/compare.ts';

const measured = (minMs: number, medianMs: number, fields: object = {}) => ({
  scheme: 'cuckoo',
  items: 1000,
  op: 'build',
  loadFactor: 0.8,
  minMs,
  medianMs,
  ...fields,
});
const verdictOf = (before: [number, number], after: [number, number]) =>
  compareRuns([measured(...before)], [measured(...after)]).rows[0]?.verdict;

describe('a comparison of two runs', () => {
  it('tells apart what does not overlap, by more than a little', () => {
    expect(verdictOf([1, 1.1], [0.8, 0.9])).toBe('faster');
    expect(verdictOf([1, 1.1], [1.2, 1.3])).toBe('slower');
    expect(verdictOf([1, 1.1], [0.9, 1.05])).toBe('alike');
    expect(verdictOf([1, 1.1], [1.05, 3])).toBe('alike');
    expect(verdictOf([1, 1], [0.99, 0.99])).toBe('alike');
    expect(verdictOf([1, 1], [1.01, 1.01])).toBe('alike');
  });

  it('compares only what is the same measurement', () => {
    const before = [measured(1, 1), measured(2, 2, { op: 'hit' }), measured(3, 3, { loadFactor: 0.5 })];
    const after = [measured(1, 1, { loadFactor: 0.8001 }), measured(5, 5, { op: 'miss' })];
    const { rows, onlyBefore, onlyAfter } = compareRuns(before, after);
    expect(rows.map(({ name, ratio }) => [name, ratio])).toEqual([
      ['cuckoo map u32 1000 build unique 1 mix load 0.80', 1],
    ]);
    expect(onlyBefore).toEqual([
      'cuckoo map u32 1000 hit unique 1 mix load 0.80',
      'cuckoo map u32 1000 build unique 1 mix load 0.50',
    ]);
    expect(onlyAfter).toEqual(['cuckoo map u32 1000 miss unique 1 mix load 0.80']);
  });

  it('tells apart options of schemes, shares of absent keys and orders of queries', () => {
    const searches = [
      measured(1, 1, { op: 'mixed', absent: 0.25, queries: 'shuffled' }),
      measured(2, 2, { op: 'mixed', absent: 0.5, queries: 'shuffled' }),
      measured(3, 3, { op: 'hit', queries: 'sorted' }),
      measured(4, 4, { op: 'hit', queries: 'shuffled' }),
      measured(5, 5, { options: { functions: 3 } }),
      measured(6, 6, { options: { functions: 4 } }),
    ];
    // An earlier run, which could not say that its queries were shuffled.
    const earlier = [measured(4, 4, { op: 'hit' })];
    expect(compareRuns(searches, searches).rows).toHaveLength(searches.length);
    const { rows, onlyBefore } = compareRuns(searches, earlier);
    expect(rows.map(({ name }) => name)).toEqual(['cuckoo map u32 1000 hit unique 1 mix load 0.80']);
    expect(onlyBefore).toEqual([
      'cuckoo map u32 1000 mixed unique 1 mix load 0.80 absent 0.25',
      'cuckoo map u32 1000 mixed unique 1 mix load 0.80 absent 0.5',
      'cuckoo map u32 1000 hit unique 1 mix load 0.80 sorted',
      'cuckoo(functions=3) map u32 1000 build unique 1 mix load 0.80',
      'cuckoo(functions=4) map u32 1000 build unique 1 mix load 0.80',
    ]);
  });

  it('knows a measurement from something else', () => {
    expect(isTimed(measured(1, 2))).toBe(true);
    for (const other of [null, 7, {}, { medianMs: 1 }, { medianMs: 0, minMs: 0 }, { medianMs: '1', minMs: 1 }]) {
      expect(isTimed(other)).toBe(false);
    }
  });
});
