/** Groups by numbers of a small range, which take no table. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResultColumns } from '../../src/collections/aggregate/columns.ts';
import { u32 } from '../../src/index.ts';
import { mayBeDense } from '../../src/relational/denseGroups.wgsl.ts';
import { countBy, groupBy } from '../../src/relational.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

interface Expected {
  readonly row: number;
  count: number;
  sum: bigint;
  least: number;
}

/** What plain JavaScript makes of it: groups in the order of their first rows. */
function grouped(keys: Uint32Array, values: Uint32Array): ReadonlyMap<number, Expected> {
  const groups = new Map<number, Expected>();
  keys.forEach((key, row) => {
    const value = values[row] as number;
    const group = groups.get(key) ?? { row, count: 0, sum: 0n, least: value };
    group.count++;
    group.sum += BigInt(value);
    group.least = Math.min(group.least, value);
    groups.set(key, group);
  });
  return groups;
}

async function check(keys: Uint32Array, values: Uint32Array, options: object = {}, on = gpu): Promise<void> {
  const combine = {
    n: 'count',
    sum: { of: 'v', combine: 'sum' },
    wide: { of: 'v', combine: 'sum64' },
    mean: { of: 'v', combine: 'mean' },
    low: { of: 'v', combine: 'min' },
    top: { of: 'signed', combine: 'max' },
  } as const;
  const signed = new Int32Array(values.buffer, values.byteOffset, values.length);
  const found = await groupBy(on, keys, { values: { v: values, signed }, combine, ...options });
  const expected = grouped(keys, values);
  const all = [...expected.values()];
  expect(Object.keys(found).sort()).toEqual(['keys', 'rows', 'size', 'values']);
  expect(found.size).toBe(expected.size);
  expect([...found.keys]).toEqual([...expected.keys()]);
  expect([...found.rows]).toEqual(all.map(({ row }) => row));
  expect([...found.values.n]).toEqual(all.map(({ count }) => count));
  expect([...found.values.sum]).toEqual(all.map(({ sum }) => Number(sum & 0xffff_ffffn)));
  expect([...found.values.wide]).toEqual(all.map(({ sum }) => sum));
  expect([...found.values.low]).toEqual(all.map(({ least }) => least));
  const tops = new Map<number, number>();
  keys.forEach((key, row) => {
    tops.set(key, Math.max(tops.get(key) ?? -(2 ** 31), signed[row] as number));
  });
  expect([...found.values.top]).toEqual([...expected.keys()].map((key) => tops.get(key)));
  found.values.mean.forEach((mean, i) => {
    const { sum, count } = all[i] as Expected;
    expect(Math.abs(mean - Number(sum) / count)).toBeLessThanOrEqual((Number(sum) / count) * 1e-6);
  });
}

const valuesFor = (rows: number) => Uint32Array.from({ length: rows }, (_, i) => Math.imul(i, 2654435761) >>> 0);

/** The labels of buffers that a call makes: a table is among them, or not. */
async function makesTable(call: () => Promise<unknown>): Promise<boolean> {
  const { device } = gpu;
  const { createBuffer } = device;
  const labels: string[] = [];
  device.createBuffer = (descriptor) => {
    labels.push(descriptor.label ?? '');
    return createBuffer.call(device, descriptor);
  };
  try {
    await call();
  } finally {
    device.createBuffer = createBuffer;
  }
  return labels.some((label) => label.startsWith('hashnest/bucketCuckoo'));
}

describe('groups by numbers of a small range', () => {
  it.each([0, 1, 2, 3, 255, 256, 257, 4095, 4097, 65_537])(
    'are those of plain JavaScript, of %i rows',
    async (rows) => {
      const keys = Uint32Array.from(
        { length: rows },
        (_, i) => (Math.imul(i, 0x9e37_79b1) >>> 8) % Math.ceil(rows / 3 + 1),
      );
      await check(keys, valuesFor(rows));
    },
  );

  it.each([
    ['one key alone', Array(700).fill(5)],
    ['the greatest numbers there are', Array.from({ length: 700 }, (_, i) => 2 ** 32 - 1 - ((i * 7) % 600))],
    ['numbers from far above 0 on', Array.from({ length: 700 }, (_, i) => 3e9 + ((i * 11) % 1399))],
    ['every key once, from the last on', Array.from({ length: 700 }, (_, i) => 699 - i)],
    ['a range of twice the rows', [...Array(699).fill(0), 1399]],
  ])('are right for %s', async (_, numbers) => {
    const keys = Uint32Array.from(numbers);
    await check(keys, valuesFor(keys.length));
    expect(await makesTable(() => countBy(gpu, keys))).toBe(false);
  });

  it('take a table where the range is not small after all, whatever the host has seen of it', async () => {
    const keys = Uint32Array.from({ length: 3000 }, (_, i) => i % 100);
    keys[1501] = 2 ** 32 - 1;
    await check(keys, valuesFor(keys.length));
    expect(await makesTable(() => countBy(gpu, keys))).toBe(true);
    const wide = Uint32Array.from({ length: 700 }, (_, i) => (i === 699 ? 1400 : 0));
    expect(await makesTable(() => countBy(gpu, wide))).toBe(true);
    await check(wide, valuesFor(700));
  });

  it('take a table where a scheme is named, and where values are combined in order', async () => {
    const keys = Uint32Array.from({ length: 500 }, (_, i) => i % 9);
    await check(keys, valuesFor(500), { scheme: linearProbing() });
    const floats = Float32Array.from(keys, (key) => key / 2);
    const call = () => groupBy(gpu, keys, { values: floats, combine: { total: 'sum' } });
    expect(await makesTable(call)).toBe(true);
    expect([...(await call()).values.total]).toEqual(Array.from({ length: 9 }, (_, i) => (i / 2) * (i < 5 ? 56 : 55)));
  });

  it('take keys and values in buffers', async () => {
    const keys = Uint32Array.from({ length: 300 }, (_, i) => 40 + (i % 7));
    const [words, values] = [gpu.upload('keys', keys), gpu.upload('values', keys)];
    const combine = { total: { of: 'v', combine: 'sum' } } as const;
    const found = await groupBy(gpu, { values: words, key: u32, count: 300 }, { values: { v: values }, combine });
    expect([...(found.keys as Uint32Array)]).toEqual([40, 41, 42, 43, 44, 45, 46]);
    const totals = [...(found.values.total as Uint32Array)];
    expect(totals.map((total, i) => total / (40 + i))).toEqual([43, 43, 43, 43, 43, 43, 42]);
    for (const buffer of [words, values]) buffer.destroy();
  });

  it('are right for any rows, on devices with all limits and with the least', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(40), fc.nat()), { maxLength: 200 }),
        fc.constantFrom(0, 1, 1000, 2 ** 32 - 41),
        fc.boolean(),
        async (rows, first, isSmallDevice) => {
          const keys = Uint32Array.from(rows, ([key]) => first + key);
          const values = Uint32Array.from(rows, ([, value]) => value);
          await check(keys, values, {}, isSmallDevice ? small : gpu);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('leave nothing behind, and are the same every time', async () => {
    const keys = Uint32Array.from({ length: 5000 }, (_, i) => (i * i) % 1013);
    const call = () => groupBy(gpu, keys, { values: keys, combine: { n: 'count', mean: 'mean' } });
    const first = await call();
    const { result, live } = await liveBuffers(gpu, call);
    expect(live).toEqual([]);
    expect(result).toEqual(first);
  });
});

it('looks at keys that are in very many pieces', () => {
  const counts = ResultColumns.of(undefined, undefined, { counts: 'count' });
  const ofPieces = (last: number) => {
    const words = [...Array<Uint32Array>(5000).fill(new Uint32Array(64)), Uint32Array.of(last)];
    return mayBeDense([{ key: u32, rows: 320_001, words, context: undefined, valid: undefined } as never], counts);
  };
  expect([ofPieces(640_001), ofPieces(640_002)]).toEqual([true, false]);
});
