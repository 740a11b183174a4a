import { describe, expect, it } from 'vitest';
import { plainList } from '../../examples/plain-list/index.ts';
import { HashSet } from '../../src/collections/index.ts';
import { type EncodedKeys, type KeyType, u32, u64, utf8 } from '../../src/keys/index.ts';
import { drawKeys } from '../../src/table/drawnKeys.ts';
import { summarise } from '../../src/table/stats.wgsl.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('the summary of a histogram of probe lengths', () => {
  it('has the average and the points within which so many searches ended', () => {
    const histogram = new Uint32Array(200);
    histogram[1] = 50;
    histogram[2] = 30;
    histogram[3] = 10;
    histogram[7] = 9;
    histogram[150] = 1;
    expect(summarise(histogram)).toEqual({
      searches: 100,
      average: (50 + 60 + 30 + 63 + 150) / 100,
      within: { 50: 1, 80: 2, 90: 3, 99: 7, 100: 150 },
    });
  });

  it('rounds shares up: one search more than half is past the middle', () => {
    expect(summarise(new Uint32Array([0, 5, 6])).within).toEqual({ 50: 2, 80: 2, 90: 2, 99: 2, 100: 2 });
    expect(summarise(new Uint32Array([0, 3])).within[50]).toBe(1);
  });

  it('of no searches is zero', () => {
    expect(summarise(new Uint32Array(10))).toEqual({
      searches: 0,
      average: 0,
      within: { 50: 0, 80: 0, 90: 0, 99: 0, 100: 0 },
    });
  });
});

describe('the statistics of a table', () => {
  it('count searches of every length once, also where a workgroup has no counter of its own', async () => {
    // The key in slot i takes i + 1 probes.
    const keys = Uint32Array.from({ length: 600 }, (_, i) => i);
    using set = await HashSet.from(gpu, { keys }, { scheme: plainList() });
    const { present, absent } = await set.stats({ absent: Uint32Array.of(1000, 1001) });
    expect(present).toEqual({
      searches: 600,
      average: 300.5,
      within: { 50: 300, 80: 480, 90: 540, 99: 594, 100: 600 },
    });
    expect(absent).toMatchObject({ searches: 2, average: 600 });
  });
});

const wordsAndBytes = ({ words, context }: EncodedKeys) => [words, context?.[0]] as const;

describe('drawn keys', () => {
  it('are as many as wanted, and the same for the same seed', () => {
    expect(drawKeys(u64 as KeyType, 500, 9)).toMatchObject({ count: 500, words: { length: 1000 } });
    expect(drawKeys(u64 as KeyType, 500, 9)).toEqual(drawKeys(u64 as KeyType, 500, 9));
    expect(new Set(utf8.decode(...wordsAndBytes(drawKeys(utf8 as KeyType, 500)))).size).toBe(500);
    expect([...drawKeys(utf8 as KeyType, 3).words]).toEqual([0, 16, 16, 16, 32, 16]);
    expect(drawKeys(u32 as KeyType, 500)).not.toEqual(drawKeys(u32 as KeyType, 500));
  });
});
