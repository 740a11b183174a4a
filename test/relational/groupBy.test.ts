import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USAGE } from '../../src/gpu/index.ts';
import { sliceKeys, u32, utf8, valueTypes } from '../../src/index.ts';
import { type Columns, countBy, distinct, groupBy } from '../../src/relational.ts';
import { cuckoo } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { throwsCode } from '../conformance/expect.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { type Cell, columnsOf } from '../oracles/columns.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

/** Rows by their key, in the order of their first rows; rows without a value are one group. */
function groupsLike(columns: readonly (readonly Cell[])[]): number[][] {
  const groups = new Map<string, number[]>();
  (columns[0] ?? []).forEach((_, row) => {
    const key = JSON.stringify(columns.map((column) => column[row]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  });
  return [...groups.values()];
}

/** The cells of a column that came back. */
function cellsOf(column: unknown, count: number): Cell[] {
  const { values, valid } =
    ArrayBuffer.isView(column) || Array.isArray(column)
      ? { values: column, valid: undefined }
      : (column as { values: unknown; valid?: Uint8Array });
  return Array.from({ length: count }, (_, i) => {
    if (valid && (((valid[i >> 3] as number) >> (i & 7)) & 1) === 0) return null;
    const cell = (values as ArrayLike<number | string>)[i] as number | string;
    return typeof cell === 'string' ? Number(cell.slice('name '.length)) : cell;
  });
}

/** Throws unless groups, counts and distinct rows of columns are those of a loop. */
async function groupsRightly(device: typeof gpu, cells: readonly (readonly Cell[])[], by: Columns): Promise<void> {
  const count = cells[0]?.length as number;
  const price = Uint32Array.from({ length: count }, (_, i) => Math.imul(i, 0x9e37_79b1) >>> 0);
  const weight = Float32Array.from(price, (value) => value % 50);
  const expected = groupsLike(cells);
  const firsts = expected.map(([first]) => first as number);
  const { size, rows, keys, values } = await groupBy(device, by, {
    values: { price, weight },
    combine: {
      n: 'count',
      total: { of: 'price', combine: 'sum64' },
      low: { of: 'weight', combine: 'min' },
    },
  });
  expect(size).toBe(expected.length);
  expect([...rows]).toEqual(firsts);
  expect([...values.n]).toEqual(expected.map((group) => group.length));
  const sum = (group: readonly number[]) => group.reduce((all, row) => all + BigInt(price[row] as number), 0n);
  expect([...values.total]).toEqual(expected.map(sum));
  expect([...values.low]).toEqual(expected.map((group) => Math.min(...group.map((row) => weight[row] as number))));
  const columns = cells.length === 1 ? [keys] : (keys as readonly unknown[]);
  for (const [i, column] of columns.entries()) {
    expect(cellsOf(column, size)).toEqual(firsts.map((row) => (cells[i] as readonly Cell[])[row]));
  }
  expect([...(await distinct(device, by))]).toEqual(firsts);
  expect([...(await countBy(device, by)).counts]).toEqual([...values.n]);
}

describe('groupBy, countBy and distinct', () => {
  it('take keys in several pieces, which are not joined', async () => {
    const piece = (...words: number[]) => ({ type: u32, count: words.length, words: Uint32Array.from(words) });
    const { rows, counts } = await countBy(gpu, { values: [piece(7, 9), piece(), piece(9, 1, 7)], key: u32 });
    expect([...rows]).toEqual([0, 1, 3]);
    expect([...counts]).toEqual([2, 2, 1]);
    const names = [0, 1].map(() => sliceKeys(utf8, { bytes: new Uint8Array(), offsets: new Uint32Array([0, 0]) }));
    await expect(distinct(gpu, { values: names, key: utf8 })).rejects.toThrow('columns: utf8 keys come in one piece');
    const wrong = distinct(gpu, { values: [piece(1), { ...piece(2), count: 5 }], key: u32 });
    await throwsCode(wrong, 'invalid-input');
  });

  it('give back a list of columns for a list, also for one of a single column', async () => {
    // The first have a small range, the second do not.
    for (const values of [Uint32Array.of(3, 1, 3), Uint32Array.of(3, 0xffff_0000, 3)]) {
      const { keys } = await countBy(gpu, [values]);
      expectTypeOf(keys[0]).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
      expect(keys).toEqual([values.slice(0, 2)]);
      expect((await countBy(gpu, values)).keys).toEqual(values.slice(0, 2));
    }
    expect((await countBy(gpu, [['a', 'b', 'a']])).keys).toEqual([['a', 'b']]);
  });

  it.each([
    ['numbers', ['u32']],
    ['strings', ['string']],
    ['strings and numbers', ['string', 'u32']],
  ] as const)('answer like a loop, in the order of the first rows, for %s', async (_, kinds) => {
    const cell = fc.boolean().chain((nulls) => fc.constant(nulls ? fc.oneof(fc.nat(3), fc.constant(null)) : fc.nat(3)));
    await fc.assert(
      fc.asyncProperty(
        cell.chain((one) => fc.array(fc.tuple(one, one), { maxLength: 60 })),
        async (rows) => {
          const cells = kinds.map((_, i) => rows.map((row) => row[i] as Cell));
          await groupsRightly(gpu, cells, columnsOf(kinds, cells));
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each([0, 1, 2, 255, 257, 3001])('do so for %i rows, with the default limits of WebGPU', async (count) => {
    const cells = [7, 90].map((keys) =>
      Array.from({ length: count }, (_, i) => (Math.imul(i, 0x9e37_79b1) >>> 5) % keys),
    );
    await groupsRightly(small, cells, columnsOf(['string', 'u32'], cells));
  });

  it('take columns and values in buffers', async () => {
    using buffers = new TestBuffers(gpu);
    const values = { weight: buffers.upload(Float32Array.of(1, 2, 4)) };
    const by = { values: buffers.upload(Uint32Array.of(5, 6, 5)), key: u32, count: 3 };
    const combine = { mean: { of: 'weight', combine: 'mean' } } as const;
    const groups = await groupBy(gpu, by, {
      values,
      combine,
      value: { weight: valueTypes.f32 },
      scheme: cuckoo(),
      seed: 1,
    });
    expect([...groups.values.mean]).toEqual([2.5, 2]);
    expect(groups.keys).toEqual(Uint32Array.of(5, 6));
  });

  it('take strings in buffers that only kernels may read', async () => {
    const kernelsOnly = (data: Uint32Array<ArrayBuffer>): GPUBuffer => {
      const buffer = gpu.createBuffer('test', data.byteLength, USAGE.STORAGE | USAGE.COPY_DST);
      gpu.write(buffer, data);
      return buffer;
    };
    const context = kernelsOnly(new Uint32Array(new TextEncoder().encode('OsloRome').buffer));
    const values = kernelsOnly(Uint32Array.of(0, 4, 4, 4, 0, 4));
    const by = { values, key: utf8, context, count: 3 };
    const { keys, counts } = await countBy(gpu, [by, [1, 1, 1]]);
    expect([keys, counts]).toEqual([[['Oslo', 'Rome'], Uint32Array.of(1, 1)], Uint32Array.of(2, 1)]);
    for (const buffer of [context, values]) buffer.destroy();
  });

  it('read arrays before they return', async () => {
    const by = ['a', 'b', 'a'];
    const years = Uint32Array.of(1, 1, 1);
    const price = Uint32Array.of(1, 2, 3);
    const called = groupBy(gpu, [by, years], { values: price, combine: { total: 'sum' } });
    by.fill('c');
    years.fill(9);
    price.fill(100);
    const { keys, values } = await called;
    expect([keys, values]).toEqual([[['a', 'b'], Uint32Array.of(1, 1)], { total: Uint32Array.of(4, 2) }]);
  });

  it('read lists of columns, and what is to be combined, before they return', async () => {
    const by = [
      ['a', 'b', 'a'],
      ['c', 'c', 'c'],
    ];
    const total = { of: 'price' as const, combine: 'sum' as 'sum' | 'max' };
    const combine = { n: 'count' as const, total };
    const grouped = groupBy(gpu, by, { values: { price: Uint32Array.of(1, 2, 3) }, combine });
    const counted = countBy(gpu, by);
    by.length = 0;
    total.combine = 'max';
    Reflect.deleteProperty(combine, 'n');
    const { keys, values } = await grouped;
    expect([keys, values]).toEqual([
      [
        ['a', 'b'],
        ['c', 'c'],
      ],
      { n: Uint32Array.of(2, 1), total: Uint32Array.of(4, 2) },
    ]);
    expect((await counted).keys).toEqual(keys);
  });

  it('have types that the compiler knows', async () => {
    const price = Float32Array.of(1, 2);
    const { values, keys } = await groupBy(gpu, Uint32Array.of(1, 1), {
      values: { price },
      combine: { n: 'count', sum: { of: 'price', combine: 'sum' } },
    });
    expectTypeOf(values.n).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(values.sum).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf(keys).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expect([...values.sum]).toEqual([3]);
    const wrong = { of: 'weight', combine: 'sum' } as const;
    // @ts-expect-error: there is no such column
    await throwsCode(groupBy(gpu, ['a', 'b'], { values: { price }, combine: { wrong } }), 'invalid-input');
    const strings = await countBy(gpu, [['a', 'b'], price]);
    expectTypeOf(strings.keys).toEqualTypeOf<readonly [readonly string[], Float32Array<ArrayBuffer>]>();
    expect(strings.keys).toEqual([['a', 'b'], price]);
  });

  it('refuse what makes no sense before they make a buffer', async () => {
    const words = Uint32Array.of(1, 2);
    const refused: readonly (() => Promise<unknown>)[] = [
      () => groupBy(gpu, words, { combine: 'sum' as never }),
      () => groupBy(gpu, words, { combine: { n: 'sum' } }),
      () => groupBy(gpu, words, { values: Uint32Array.of(1), combine: { n: 'sum' } }),
      () => groupBy(gpu, words, { vales: words, combine: { n: 'count' } } as never),
      () => groupBy(gpu, [words, ['a']], { combine: { n: 'count' } }),
      () => countBy(gpu, words, { by: 1 } as never),
      () => distinct(gpu, new Float64Array(1) as never),
    ];
    for (const call of refused) {
      const { error, madeBytes } = await liveBuffers(gpu, call);
      expect([String(call), (error as { code?: string } | undefined)?.code]).toEqual([String(call), 'invalid-input']);
      expect(madeBytes).toBe(0);
    }
    const { live } = await liveBuffers(gpu, () => groupBy(gpu, [['a', null], words], { combine: { n: 'count' } }));
    expect(live).toEqual([]);
  });
});

describe('rows with copies of a key', () => {
  it('take the way for copies at once: one attempt, and no submission in vain', async () => {
    const keys = Uint32Array.from({ length: 3000 }, (_, i) => Math.imul(i % 100, 2654435761));
    await countBy(gpu, keys);
    const { queue } = gpu.device;
    const { submit } = queue;
    let submissions = 0;
    queue.submit = (list) => {
      if ([...list].length > 0) submissions++;
      return submit.call(queue, list);
    };
    try {
      expect([...(await countBy(gpu, keys)).counts]).toEqual(Array(100).fill(30));
    } finally {
      queue.submit = submit;
    }
    // The build, the results, and what is read.
    expect(submissions).toBe(3);
  });
});
