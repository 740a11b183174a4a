import {
  Bool,
  type Data,
  DateMillisecond,
  DenseUnion,
  Dictionary,
  Field,
  Float16,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  makeData,
  Null,
  Schema,
  SparseUnion,
  Table,
  TimeSecond,
  TimestampSecond,
  Uint8,
  Uint32,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupBy, type TableCombiner } from '../../../src/arrow.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { sharedGpu } from '../../sharedGpu.ts';
import { type Cells, KEY_KINDS, type Kind, layouts, tableOf, text, textsOf, vectorOf } from './vectors.ts';

const gpu = await sharedGpu();

/** Rows by their cells, in the order of their first rows. */
function groupsLike(columns: readonly Cells[]): number[][] {
  const groups = new Map<string, number[]>();
  (columns[0] ?? []).forEach((_, row) => {
    const key = JSON.stringify(columns.map((cells) => cells[row]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  });
  return [...groups.values()];
}

/** Values in their order, of which all sums are exact in a double or in 64 bits. */
const VALUES: readonly (Kind & { readonly sum?: 'Int64' | 'Uint64' | 'Float64' })[] = [
  { name: 'Int8', type: new Int8(), values: [-128, 0, 127], isOrdered: true, sum: 'Int64' },
  { name: 'Uint8', type: new Uint8(), values: [0, 1, 255], isOrdered: true, sum: 'Uint64' },
  { name: 'Int32', type: new Int32(), values: [-(2 ** 31), -1, 2 ** 31 - 1], isOrdered: true, sum: 'Int64' },
  { name: 'Uint32', type: new Uint32(), values: [0, 2 ** 31, 2 ** 32 - 1], isOrdered: true, sum: 'Uint64' },
  { name: 'Int64', type: new Int64(), values: [-(2n ** 57n), -1n, 3n, 2n ** 57n], isOrdered: true, sum: 'Int64' },
  { name: 'Uint64', type: new Uint64(), values: [0n, 2n ** 32n - 1n, 2n ** 57n], isOrdered: true, sum: 'Uint64' },
  { name: 'Float16', type: new Float16(), values: [-1.5, 0.25, 8], isOrdered: true, sum: 'Float64' },
  { name: 'Float32', type: new Float32(), values: [-1.5, 0.25, 2 ** 20], isOrdered: true, sum: 'Float64' },
  { name: 'Float64', type: new Float64(), values: [-1.5, 2 ** -20, 2 ** 30], isOrdered: true, sum: 'Float64' },
  { name: 'TimeSecond', type: new TimeSecond(), values: [0, 1, 80_000], isOrdered: true },
  { name: 'Timestamp', type: new TimestampSecond(), values: [-1000, 0, 1000 * 2 ** 33], isOrdered: true },
  {
    name: 'Date',
    type: new DateMillisecond(),
    values: [new Date(-86_400_000), new Date(0), new Date(864e11)],
    isOrdered: true,
  },
];

/** What becomes of the values of a group, as texts; null if there are none. */
function combinedLike(kind: (typeof VALUES)[number], cells: readonly number[], given: string[], rows: number[]) {
  if (cells.length === 0) return { sum: null, mean: null, min: null, max: null };
  const numbers = cells.map((cell) => kind.values[cell]);
  const isFloat = kind.sum === 'Float64';
  const whole = numbers.reduce<bigint>((sum, value) => sum + (isFloat || !kind.sum ? 0n : BigInt(value as bigint)), 0n);
  const float = numbers.reduce<number>((sum, value) => sum + (isFloat ? (value as number) : 0), 0);
  const at = (best: number) => given[rows[cells.indexOf(best)] as number] as string;
  return {
    sum: text(isFloat ? float : whole),
    mean: (isFloat ? float : Number(whole)) / cells.length,
    min: at(Math.min(...cells)),
    max: at(Math.max(...cells)),
  };
}

describe('groupBy of tables', () => {
  it.each(VALUES)('combines $name values like a loop', async (kind) => {
    const keyKind = KEY_KINDS.find(({ name }) => name === 'Utf8') as Kind;
    const row = fc.tuple(fc.option(fc.nat(3), { freq: 6 }), fc.option(fc.nat(kind.values.length - 1), { freq: 4 }));
    const property = fc.asyncProperty(fc.array(row, { maxLength: 60 }), layouts, layouts, async (rows, one, other) => {
      const [keys, cells] = [rows.map(([key]) => key), rows.map(([, cell]) => cell)];
      const value = vectorOf(kind, cells, { ...other, dictionary: 'none' });
      const table = tableOf({ key: vectorOf(keyKind, keys, one), value });
      const of = (combine: TableCombiner) => ({ of: 'value', combine });
      const sums = kind.sum ? { sum: of('sum'), mean: of('mean') } : {};
      const grouped = await groupBy(gpu, table, {
        by: 'key',
        combine: { n: 'count', known: of('count'), ...sums, min: of('min'), max: of('max') },
      });
      const expected = groupsLike([keys]);
      const given = textsOf(value);
      expect(textsOf(grouped.getChild('key'))).toEqual(
        expected.map(([first]) => textsOf(table.getChild('key'))[first as number]),
      );
      expect([...(grouped.getChild('n') as Vector)]).toEqual(expected.map((group) => group.length));
      const present = expected.map((group) => group.filter((at) => cells[at] !== null));
      expect([...(grouped.getChild('known') as Vector)]).toEqual(present.map((group) => group.length));
      const results = present.map((group) =>
        combinedLike(
          kind,
          group.map((at) => cells[at] as number),
          given,
          group,
        ),
      );
      expect(textsOf(grouped.getChild('min'))).toEqual(results.map(({ min }) => min ?? 'null'));
      expect(textsOf(grouped.getChild('max'))).toEqual(results.map(({ max }) => max ?? 'null'));
      if (!kind.sum) return;
      expect(String(grouped.getChild('sum')?.type)).toBe(kind.sum);
      expect(textsOf(grouped.getChild('sum'))).toEqual(results.map(({ sum }) => sum ?? 'null'));
      for (const [i, { mean }] of results.entries()) {
        const got = grouped.getChild('mean')?.get(i);
        if (mean === null) expect(got).toBeNull();
        else expect(got).toBeCloseTo(mean, -Math.log10(Math.abs(mean) * 1e-12 + 1e-300));
      }
    });
    await fc.assert(property, {
      numRuns: 8,
      examples: [
        [[], {}, {}],
        [[[0, null]], {}, {}],
      ] as never,
    });
  });

  it('counts no entry of a dictionary that is null, and no null in a union', async () => {
    const entries = vectorFromArray(['a', null], new Utf8());
    const coded = makeData({
      type: new Dictionary(new Utf8(), new Int32()),
      data: Int32Array.of(0, 1, 0, 1),
      dictionary: entries,
    });
    const parts = [vectorFromArray([7, null], new Int32()), vectorFromArray([null, null], new Null())];
    const fields = [new Field('a', new Int32(), true), new Field('b', new Null(), true)];
    const typeIds = Int8Array.of(4, 4, 5, 4);
    const children = parts.map(({ data: [only] }) => only as Data);
    const dense = makeData({
      type: new DenseUnion([4, 5], fields),
      typeIds,
      valueOffsets: Int32Array.of(0, 1, 1, 0),
      children,
    });
    const sparse = makeData({
      type: new SparseUnion([4, 5], fields),
      typeIds,
      children: [vectorFromArray([7, null, 3, 7], new Int32()), vectorFromArray(Array(4).fill(null), new Null())].map(
        ({ data: [only] }) => only as Data,
      ),
    });
    const columns: Vector[] = [coded, dense, sparse].map((data) => new Vector([data as Data]));
    const table = new Table({
      key: vectorFromArray([1, 1, 1, 2], new Int32()),
      coded: columns[0] as Vector,
      dense: columns[1] as Vector,
      sparse: columns[2] as Vector,
    });
    const count = (of: string) => ({ of, combine: 'count' }) as const;
    const combine = { coded: count('coded'), dense: count('dense'), sparse: count('sparse') };
    const grouped = await groupBy(gpu, table.slice(0, 4), { by: 'key', combine });
    expect(grouped.toArray().map(String)).toEqual([
      '{"key": 1, "coded": 2, "dense": 1, "sparse": 1}',
      '{"key": 2, "coded": 0, "dense": 1, "sparse": 1}',
    ]);
    const rest = await groupBy(gpu, table.slice(1), { by: 'key', combine });
    expect(rest.toArray().map(String)).toEqual([
      '{"key": 1, "coded": 1, "dense": 0, "sparse": 0}',
      '{"key": 2, "coded": 0, "dense": 1, "sparse": 1}',
    ]);
  });

  it('groups by several columns, and says the columns in order', async () => {
    const kinds = ['Int64', 'Bool', 'Binary'].map((name) => KEY_KINDS.find((kind) => kind.name === name) as Kind);
    const property = fc.asyncProperty(
      fc.array(fc.tuple(...kinds.map(() => fc.option(fc.nat(1), { freq: 4 }))), { maxLength: 50 }),
      fc.tuple(...kinds.map(() => layouts)),
      async (rows, own) => {
        const cells = kinds.map((_, i) => rows.map((row) => row[i] ?? null));
        const columns = kinds.map((kind, i) => [`k${i}`, vectorOf(kind, cells[i] as Cells, own[i])] as const);
        const table = tableOf(Object.fromEntries(columns));
        const grouped = await groupBy(gpu, table, { by: ['k0', 'k1', 'k2'], combine: { n: 'count' } });
        const expected = groupsLike(cells);
        expect(grouped.schema.names).toEqual(['k0', 'k1', 'k2', 'n']);
        expect([...(grouped.getChild('n') as Vector)]).toEqual(expected.map((group) => group.length));
        for (const [name, vector] of columns) {
          const given = textsOf(vector);
          expect(textsOf(grouped.getChild(name))).toEqual(expected.map(([first]) => given[first as number]));
        }
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });

  const numbers = (values: readonly unknown[], type: Int64 | Float64 | Int32) =>
    tableOf({
      k: vectorFromArray(
        values.map(() => 0),
        new Int32(),
      ),
      v: vectorFromArray(values as never[], type),
    });
  const one = async (table: Table, combine: TableCombiner) =>
    (await groupBy(gpu, table, { by: 'k', combine: { x: { of: 'v', combine } } })).getChild('x')?.get(0);

  it('is exact where a double is not', async () => {
    const most = 2n ** 62n;
    expect(await one(numbers([most, most - 1n, -most, 1n, -1n], new Int64()), 'sum')).toBe(most - 1n);
    expect(await one(numbers([-(2n ** 63n), 1n], new Int64()), 'sum')).toBe(1n - 2n ** 63n);
    expect(await one(numbers([2n ** 63n - 1n, 2n ** 63n - 2n], new Int64()), 'max')).toBe(2n ** 63n - 1n);
  });

  it('refuses a sum of more than 64 bits', async () => {
    await expect(one(numbers([2n ** 62n, 2n ** 62n], new Int64()), 'sum')).rejects.toMatchObject({ code: 'too-large' });
    await expect(one(numbers([-(2n ** 63n), -1n], new Int64()), 'sum')).rejects.toMatchObject({ code: 'too-large' });
  });

  it('holds NaN for the greatest number', async () => {
    const values = numbers([1, Number.NaN, Number.POSITIVE_INFINITY], new Float64());
    expect(await one(values, 'max')).toBeNaN();
    expect(await one(values, 'min')).toBe(1);
    expect(await one(numbers([Number.NaN, Number.NaN], new Float64()), 'min')).toBeNaN();
  });

  it('says which columns are wrong, before anything is made', async () => {
    const table = tableOf({
      k: vectorFromArray([1], new Int32()),
      t: vectorFromArray(['x'], new Utf8()),
      b: vectorFromArray([true], new Bool()),
    });
    const wrong = async (options: unknown, message: RegExp, code = 'invalid-input') => {
      const { error, madeBytes } = await liveBuffers(gpu, () => groupBy(gpu, table, options as never));
      expect(String(error)).toMatch(message);
      expect((error as { code?: string }).code).toBe(code);
      expect(madeBytes).toBe(0);
    };
    const of = (name: string, combine: string) => ({ by: 'k', combine: { x: { of: name, combine } } });
    await wrong({ combine: {} }, /groupBy: by: there is no column undefined; there are k, t, b/);
    await wrong({ by: [], combine: {} }, /by names no column/);
    await wrong({ by: ['k', 'k'], combine: {} }, /by names k twice/);
    await wrong({ by: 'k' }, /combine must be an object of results/);
    await wrong({ by: 'k', combine: { k: 'count' } }, /combine: k is the name of a column of `by`/);
    await wrong({ by: 'k', combine: { x: 'sum' } }, /combine.x must be an object { of, combine }/);
    await wrong(of('v', 'sum'), /combine.x.of: there is no column v/);
    await wrong(of('t', 'median'), /combine.x.combine must be one of count, sum, mean, min, max/);
    await wrong(of('t', 'max'), /max takes numbers, dates and times, and t is Utf8: cast it/, 'unsupported');
    await wrong(of('b', 'sum'), /sum takes numbers, and b is Bool: cast it/, 'unsupported');
    await wrong({ ...of('k', 'sum'), scheem: 1 }, /did you mean scheme/);
  });

  it('refuses values that were transferred, and takes a table of no batches', async () => {
    const data = new Int32Array([1, 2]);
    const table = tableOf({
      k: vectorFromArray([0, 0], new Int32()),
      v: new Vector([makeData({ type: new Int32(), data })]),
    });
    structuredClone(data.buffer, { transfer: [data.buffer] });
    await expect(one(table, 'sum')).rejects.toMatchObject({ code: 'invalid-input' });

    const fields = KEY_KINDS.map(({ type }, i) => new Field(`c${i}`, type, true));
    const empty = new Table(new Schema(fields));
    for (const { name } of fields) {
      const grouped = await groupBy(gpu, empty, { by: name, combine: { n: 'count' } });
      expect([grouped.numRows, grouped.schema.names]).toEqual([0, [name, 'n']]);
    }
  });

  it.each(['sum', 'mean', 'min', 'max'] as const)('%s refuses values that are transferred meanwhile', async (how) => {
    const data = new Int32Array([1, 2]);
    const table = tableOf({
      k: vectorFromArray([0, 0], new Int32()),
      v: new Vector([makeData({ type: new Int32(), data })]),
    });
    const grouped = one(table, how);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    await expect(grouped).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('leaves no buffer behind', async () => {
    const { live, error } = await liveBuffers(gpu, () => one(numbers([1, 2], new Int32()), 'sum'));
    expect(error).toBeUndefined();
    expect(live).toEqual([]);
  });
});
