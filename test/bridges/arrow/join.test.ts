import {
  Dictionary,
  Field,
  Int8,
  Int32,
  LargeUtf8,
  Schema,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  tableFromIPC,
  tableToIPC,
  Uint32,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, join, take } from '../../../src/arrow.ts';
import { type How, JoinTable, NO_ROW } from '../../../src/relational.ts';
import { throwsCode } from '../../conformance/expect.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { joinLike } from '../../oracles/join.ts';
import { sharedGpu } from '../../sharedGpu.ts';
import {
  type Cells,
  cellsOf,
  KEY_KINDS,
  type Kind,
  type Layout,
  layouts,
  tableOf,
  text,
  textsOf,
  vectorOf,
} from './vectors.ts';

const gpu = await sharedGpu();

const HOWS: readonly How[] = ['inner', 'left', 'right', 'full', 'semi', 'anti'];

const ints = (values: readonly number[], type: Int8 | Int32 = new Int32()): Vector => vectorFromArray(values, type);
const numbered = (cells: Cells) => ints(cells.map((_, row) => row));
const rowsIn = (table: Table, name: string): number[] => {
  const vector = table.getChild(name) as Vector;
  return Array.from({ length: table.numRows }, (_, i) => vector.get(i) ?? NO_ROW);
};

/** Throws unless the join of two tables by columns with these cells is that of two loops. */
async function joinsRightly(left: readonly Cells[], right: readonly Cells[], vectors: Vector[][], how: How) {
  const [leftTable, rightTable] = [left, right].map((cells, side) =>
    tableOf({
      ...Object.fromEntries((vectors[side] as Vector[]).map((vector, i) => [`key${i}`, vector])),
      [['l', 'r'][side] as string]: numbered(cells[0] as Cells),
    }),
  ) as [Table, Table];
  const joined = await join(gpu, leftTable, rightTable, { on: left.map((_, i) => `key${i}`), how });
  const expected = joinLike(left, right, how);
  expect(rowsIn(joined, 'l')).toEqual([...expected.left]);
  if (how === 'semi' || how === 'anti') expect(joined.getChild('r')).toBeNull();
  else expect(rowsIn(joined, 'r')).toEqual([...expected.right]);
  for (const i of left.keys()) {
    const [onLeft, onRight] = vectors.map((side) => textsOf(side[i] as Vector));
    const keys = Array.from(expected.left, (row, k) =>
      row === NO_ROW ? onRight?.[expected.right[k] as number] : onLeft?.[row],
    );
    expect(textsOf(joined.getChild(`key${i}`))).toEqual(keys);
  }
}

describe('join of tables', () => {
  const some = KEY_KINDS.filter(({ name }) =>
    ['Int8', 'Int64', 'Float64', 'Bool', 'Decimal[60e+2]', 'Utf8', 'Utf8View', 'FixedSizeBinary[3]'].includes(name),
  );
  it.each(some)('by $name answers like two loops, every way', async (kind) => {
    const side = fc.tuple(cellsOf(kind, 25), layouts);
    const property = fc.asyncProperty(side, side, async ([left, leftLayout], [right, rightLayout]) => {
      // Both sides get one column in some joins, so they are both of dictionaries or neither.
      const dictionary = leftLayout.dictionary;
      const vectors = [vectorOf(kind, left, leftLayout), vectorOf(kind, right, { ...rightLayout, dictionary })];
      const isSame = String(vectors[0]?.type) === String(vectors[1]?.type);
      expect(isSame).toBe(true);
      for (const how of HOWS) {
        await joinsRightly([left], [right], vectors.map((vector) => [vector]) as Vector[][], how);
      }
    });
    await fc.assert(property, {
      numRuns: 3,
      examples: [
        [
          [[], {}],
          [[0], {}],
        ],
        [
          [[0], {}],
          [[], {}],
        ],
      ] as never,
    });
  });

  it('of many rows in several batches answers like a Map', async () => {
    const count = 70_001;
    const ids = Array.from({ length: count }, (_, i) => (Math.imul(i, 0x9e37_79b1) >>> 0) % 50_000);
    const cuts = [0, 1, 33_333, 65_536, count];
    const chunks = cuts.slice(1).map((end, i) => ints(ids.slice(cuts[i], end)));
    const left = tableOf({ id: (chunks[0] as Vector).concat(...chunks.slice(1)) });
    const right = tableOf({ id: ints(ids.slice(0, 20_000).filter((id, i, all) => all.indexOf(id) === i)) });
    const known = new Set(right.getChild('id')?.toArray());
    const joined = await join(gpu, left, right, { on: 'id', how: 'semi' });
    expect([...(joined.getChild('id') as Vector).toArray()]).toEqual(ids.filter((id) => known.has(id)));
  });

  it('by several columns of different types answers like two loops', async () => {
    const kinds = ['Int16', 'Utf8', 'Float32'].map((name) => KEY_KINDS.find((kind) => kind.name === name) as Kind);
    const row = fc.tuple(...kinds.map(() => fc.option(fc.nat(1), { freq: 6 })));
    const side = fc.tuple(fc.array(row, { maxLength: 30 }), ...kinds.map(() => layouts));
    const property = fc.asyncProperty(side, side, fc.constantFrom(...HOWS), async (left, right, how) => {
      const sides = [left, right].map(([rows]) => kinds.map((_, i) => rows.map((cells) => cells[i] ?? null)));
      const vectors = [left, right].map(([, ...own], k) =>
        kinds.map((kind, i) =>
          vectorOf(kind, (sides[k] as Cells[])[i] as Cells, {
            ...own[i],
            dictionary: (left[i + 1] as Layout).dictionary,
          }),
        ),
      );
      await joinsRightly(sides[0] as Cells[], sides[1] as Cells[], vectors, how);
    });
    await fc.assert(property, { numRuns: 8 });
  });

  it.each([
    ['Int8 and Int32', [ints([1, 2, -3], new Int8()), ints([-3, 2, 7])], ['-3', '2']],
    [
      'Utf8 and LargeUtf8',
      [vectorFromArray(['a', 'b'], new Utf8()), vectorFromArray(['b', 'c'], new LargeUtf8())],
      ['b'],
    ],
    [
      'a view and a dictionary',
      [
        vectorFromArray(['a', 'b', 'longer than twelve'], new Utf8View()),
        vectorFromArray(['longer than twelve', 'c'], new Dictionary(new Utf8(), new Int32())),
      ],
      ['longer than twelve'],
    ],
  ] as const)('compares %s', async (_, [left, right], expected) => {
    const joined = await join(gpu, tableOf({ a: left }), tableOf({ b: right }), { on: { a: 'b' } });
    expect([...(joined.getChild('a') as Vector)].map(String).sort()).toEqual([...expected].sort());
    await expect(
      join(gpu, tableOf({ a: left }), tableOf({ b: right }), { on: { a: 'b' }, how: 'full' }),
    ).rejects.toThrow(/join: on: a is .* on the left, and b is .* on the right; how: 'full' puts both into one column/);
  });

  it('takes record batches as they come, and keeps the metadata of fields and tables', async () => {
    const fields = [new Field('city', new Utf8(), true, new Map([['unit', 'none']]))];
    const schema = new Schema(fields, new Map([['from', 'test']]));
    const cities = tableOf({ city: vectorFromArray(['Oslo', 'Rome'], new Utf8()) });
    const left = new Table(schema, cities.concat(cities, cities).batches.map(({ data }) => data) as never);
    const batches = tableFromIPC(tableToIPC(new Table(schema, left.batches)));
    expect(batches.batches.length).toBe(3);
    const right = tableOf({
      city: vectorFromArray(['Rome'], new Utf8()),
      country: vectorFromArray(['IT'], new Utf8()),
    });
    const joined = await join(gpu, batches, right, { on: 'city' });
    expect(joined.toArray().map(String)).toEqual(Array(3).fill('{"city": "Rome", "country": "IT"}'));
    expect(joined.schema.metadata.get('from')).toBe('test');
    expect(joined.schema.fields[0]?.metadata.get('unit')).toBe('none');
    expect(tableFromIPC(tableToIPC(joined)).numRows).toBe(3);
  });

  it('says which columns are wrong', async () => {
    const left = tableOf({ a: ints([1]), b: ints([1]) });
    const right = tableOf({ a: ints([1]), b: ints([1]), t: vectorFromArray(['x'], new Utf8()) });
    const wrong = async (options: unknown, message: RegExp, table = right) => {
      const { error, madeBytes } = await liveBuffers(gpu, () => join(gpu, left, table, options as never));
      expect(String(error)).toMatch(message);
      expect((error as { code?: string }).code).toBe('invalid-input');
      expect(madeBytes).toBe(0);
    };
    await wrong({ on: 'c' }, /join: on, left: there is no column c; there are a, b/);
    await wrong({ on: { a: 'c' } }, /join: on, right: there is no column c; there are a, b, t/);
    await wrong({ on: { a: 't' } }, /a is Int32 on the left, and t is Utf8 on the right; cast one of them/);
    await wrong({ on: 'a' }, /both tables have a column b: rename one, or give the right one a `suffix`/);
    await wrong({ on: 'a', suffix: 3 }, /suffix must be a string/);
    await wrong({ on: [] }, /on names no column/);
    await wrong({ on: ['a', 'a'] }, /on names a twice/);
    await wrong({ on: 3 }, /on must be the names of columns/);
    await wrong({ on: ['a', 'b'], how: 'outer' }, /how must be one of/);
    await wrong({ on: ['a', 'b'], hwo: 'left' }, /did you mean how/);
    await wrong({ on: 'a' }, /right must be a Table of Apache Arrow/, [] as never);
    const times = [new TimestampMillisecond(), new TimestampMicrosecond()].map((type) =>
      tableOf({ at: vectorFromArray([1], type) }),
    ) as [Table, Table];
    await throwsCode(join(gpu, ...times, { on: 'at' }), 'invalid-input');
    const wide = [new Int32(), new Uint32()].map((type) => tableOf({ at: vectorFromArray([1], type) }));
    await throwsCode(join(gpu, ...(wide as [Table, Table]), { on: 'at' }), 'invalid-input');
  });

  it('gives the right side another name by a suffix', async () => {
    const left = tableOf({ a: ints([1, 2]), b: ints([3, 4]) });
    const joined = await join(gpu, left, tableOf({ a: ints([2]), b: ints([9]) }), {
      on: 'a',
      how: 'left',
      suffix: '_right',
    });
    expect(joined.toArray().map(String)).toEqual([
      '{"a": 1, "b": 3, "b_right": null}',
      '{"a": 2, "b": 4, "b_right": 9}',
    ]);
  });

  it('take puts the rows of a JoinTable together', async () => {
    const orders = tableOf({ id: ints([7, 8, 9]) });
    using table = await JoinTable.from(gpu, column(ints([9, 7, 1])));
    const { left } = await table.join(column(orders.getChild('id') as Vector));
    expect(take(orders, left).toArray().map(text)).toEqual(['{"id":7}', '{"id":9}']);
  });
});
