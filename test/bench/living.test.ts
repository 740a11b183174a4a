import { describe, expect, it } from 'vitest';
import { measureAtomics } from '../../bench/figures/liAtomics.ts';
import { measureDynamic } from '../../bench/figures/liDynamic.ts';
import { measureStatic } from '../../bench/figures/liStatic.ts';
import { measureGrowth } from '../../bench/living/batches.ts';
import { keysPerChain } from '../../bench/living/slab.wgsl.ts';
import { CONTENDER_NAMES, CONTENDERS, STATIC_NAMES, staticContender, subtables } from '../../bench/living/tables.ts';
import { watch } from '../../bench/living/timing.ts';
import { DynamicMap, u32 } from '../../src/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const bounds = { lowest: 0.5, highest: 0.85 };

describe('the dynamic workload of Li et al.', () => {
  it.each(CONTENDER_NAMES)('gets right answers and ends with nothing: %s', async (name) => {
    const line = {
      set: 'TW',
      scale: 0.00005,
      batch: 700,
      ratio: 0.3,
      runs: 2,
      seed: 3,
      unique: false,
      ...bounds,
    } as const;
    const record = await measureDynamic(gpu, { contender: CONTENDERS[name], ...line });
    expect(record).toMatchObject({ scheme: name, wrong: 0, pairs: 2544 });
    // Four batches there, four back.
    expect(record.trace).toHaveLength(2 * 8);
    const sizes = record.trace.map(({ size }) => size);
    expect(sizes[3]).toBeGreaterThan(800);
    expect([sizes[7], sizes[15]]).toEqual([0, 0]);
    expect(record.operations).toBe(2 * 2 * (2 * 2544 + 4 * 210));
  });

  it('keeps dyCuckoo between its bounds once it is not small any more', async () => {
    const line = {
      set: 'RAND',
      scale: 0.0002,
      batch: 2000,
      ratio: 0.2,
      runs: 1,
      seed: 3,
      unique: false,
      ...bounds,
    } as const;
    const { trace, wrong, upsize, downsize } = await measureDynamic(gpu, { contender: CONTENDERS.dyCuckoo, ...line });
    expect(wrong).toBe(0);
    for (const { size, filled } of trace) {
      expect(filled).toBeLessThanOrEqual(0.85);
      if (size > 1000) expect(filled).toBeGreaterThanOrEqual(0.5);
    }
    expect(upsize.wallMs).toBeGreaterThan(0);
    expect(downsize.wallMs).toBeGreaterThan(0);
  });
});

describe('static tables as Li et al. compare them', () => {
  const request = { set: 'COM', scale: 0.001, unique: false, theta: 0.85, repeat: 1, seed: 5 } as const;

  it.each(['dyCuckoo', 'regionCuckoo', 'slab'] as const)('are filled as wanted: %s', async (name) => {
    const record = await measureStatic(gpu, CONTENDERS[name], { ...request, scale: 0.005 });
    expect(record).toMatchObject({ scheme: name, wrong: 0 });
    expect(record.filled).toBeCloseTo(0.85, 1);
  });

  it.each(STATIC_NAMES)('are built from all items: %s', async (name) => {
    expect(await measureStatic(gpu, staticContender(name), request)).toMatchObject({ scheme: name, wrong: 0 });
  });

  it('look at two buckets at most, whatever the number of subtables', async () => {
    const { averageProbes, wrong } = await measureStatic(gpu, subtables(7), { ...request, set: 'RAND', scale: 0.0001 });
    expect(wrong).toBe(0);
    expect(averageProbes).toBeLessThan(1.5);
  });
});

describe('slab lists', () => {
  it('have so many keys a chain that their slabs are filled as wanted', () => {
    // Of the last of several slabs, seven slots are free on average: m / (m + 7).
    expect(keysPerChain(0.85) / (keysPerChain(0.85) + 7)).toBeCloseTo(0.85, 2);
    expect(keysPerChain(0.7)).toBeLessThan(keysPerChain(0.85));
  });
});

describe('atomics with conflicts', () => {
  it('leave what one of the operations at an address wrote', async () => {
    const records = await measureAtomics(gpu, { operations: 4000, conflicts: [1, 64], repeat: 1 });
    expect(records.map(({ op, conflicts, wrong }) => [op, conflicts, wrong])).toEqual([
      ['compare-exchange', 1, 0],
      ['exchange', 1, 0],
      ['read', 1, 0],
      ['compare-exchange', 64, 0],
      ['exchange', 64, 0],
      ['read', 64, 0],
    ]);
  });
});

describe('growth', () => {
  it('is measured, and loses no key', async () => {
    const scheme = regionCuckoo();
    const record = await measureGrowth(gpu, { scheme, items: 3000, loadFactor: 0.8, repeat: 1, seed: 5 }, 2);
    expect(record).toMatchObject({ op: 'grow 2', items: 3000, batch: 3000, wrong: 0 });
    expect(record.medianMs).toBeGreaterThan(0);
  });

  it('is GPU time of what the calls of the library submit', async () => {
    const map = await DynamicMap.create(gpu, { key: u32, reserve: 1000 });
    await map.insert(Uint32Array.of(1, 2), Uint32Array.of(3, 4));
    const { gpuMs } = await watch(gpu, () => map.reserve(100_000));
    if (gpu.device.features.has('timestamp-query')) expect(gpuMs).toBeGreaterThan(0);
    else expect(gpuMs).toBeUndefined();
    expect([...(await map.get(Uint32Array.of(2, 1))).values]).toEqual([4, 3]);
    map.destroy();
  });
});
