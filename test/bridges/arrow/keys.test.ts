import {
  type Data,
  Dictionary,
  Float32,
  Float64,
  Int32,
  makeData,
  Table,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, dictionaryEncode, distinct, take, topK } from '../../../src/arrow.ts';
import { countBy, distinct as distinctRows } from '../../../src/relational.ts';
import { throwsCode } from '../../conformance/expect.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { sharedGpu } from '../../sharedGpu.ts';
import { type Cells, cellsOf, KEY_KINDS, layouts, OTHER_KINDS, tableOf, textsOf, vectorOf } from './vectors.ts';

const gpu = await sharedGpu();

/** The first row of each cell, in the order of the rows. */
const firstRows = (cells: Cells): number[] => cells.flatMap((cell, row) => (cells.indexOf(cell) === row ? row : []));

describe('vectors of every type', () => {
  it.each(KEY_KINDS)('$name: dictionaryEncode and distinct answer like a loop', async (kind) => {
    const property = fc.asyncProperty(cellsOf(kind), layouts, async (cells, layout) => {
      const vector = vectorOf(kind, cells, layout);
      expect(vector.length).toBe(cells.length);
      const coded = await dictionaryEncode(gpu, vector);
      expect(textsOf(coded)).toEqual(textsOf(vector));
      const [data] = coded.data;
      const rows = firstRows(cells);
      const present = rows.filter((row) => cells[row] !== null);
      expect(textsOf(data?.dictionary as Vector)).toEqual(present.map((row) => textsOf(vector)[row]));
      expect(String(coded.type)).toBe(String(new Dictionary(kind.type, new Int32())));
      // Nothing but zeros stands where there is no value.
      expect(cells.flatMap((cell, row) => (cell === null ? data?.values[row] : []))).toEqual(
        cells.filter((cell) => cell === null).map(() => 0),
      );
      expect(coded.nullCount).toBe(cells.filter((cell) => cell === null).length);

      const unique = await distinct(gpu, tableOf({ key: vector }));
      expect(textsOf(unique.getChild('key'))).toEqual(rows.map((row) => textsOf(vector)[row]));
    });
    await fc.assert(property, {
      numRuns: 6,
      examples: [
        [[], {}],
        [[0], {}],
        [[null], {}],
      ] as never,
    });
  });

  it.each(KEY_KINDS.filter(({ isOrdered }) => isOrdered))('$name: topK has their order', async (kind) => {
    const property = fc.asyncProperty(cellsOf(kind), layouts, fc.nat(10), async (cells, layout, k) => {
      const vector = vectorOf(kind, cells, layout);
      const rows = vectorFromArray(
        cells.map((_, row) => row),
        new Int32(),
      );
      for (const order of ['greatest', 'least'] as const) {
        const top = await topK(gpu, tableOf({ key: vector, row: rows }), k, { by: 'key', order });
        const sign = order === 'greatest' ? -1 : 1;
        const expected = cells
          .flatMap((cell, row) => (cell === null ? [] : [[cell, row] as const]))
          .sort(([a, i], [b, j]) => sign * (a - b) || i - j)
          .slice(0, k)
          .map(([, row]) => row);
        expect([...(top.getChild('row') ?? [])]).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 3 });
  });

  it.each(KEY_KINDS.filter(({ isOrdered }) => !isOrdered))('$name: topK says that there is no order', async (kind) => {
    await throwsCode(topK(gpu, tableOf({ key: vectorOf(kind, [0, 1]) }), 1, { by: 'key' }), 'unsupported');
  });

  it.each(OTHER_KINDS)('$name is no key, and the error names the column', async (kind) => {
    const table = tableOf({ odd: vectorOf(kind, [0, 0]) });
    await expect(distinct(gpu, table)).rejects.toThrow(/distinct: odd is /);
    await throwsCode(distinct(gpu, table), 'unsupported');
  });
});

describe('views', () => {
  it('of texts in several buffers, anywhere in them, are what they point to', async () => {
    const long = (name: string): string => `${name}, which is too long for its view`;
    const chunks = [
      ['a', long('b'), long('bb')],
      [long('c'), 'd', long('e')],
      [long('f'), long('b')],
    ];
    const vector = new Vector(chunks.map((texts) => vectorFromArray(texts, new Utf8View()).data[0] as never));
    const all = chunks.flat();
    const rows = Uint32Array.of(5, 2, 0, 4, 1, 3, 2, 6, 7);
    const taken = take(tableOf({ text: vector }), rows).getChild('text') as Vector;
    expect((taken.data[0] as Data).variadicBuffers.length).toBeGreaterThan(1);
    const coded = await dictionaryEncode(gpu, taken);
    expect([...coded]).toEqual(Array.from(rows, (row) => all[row]));
    expect(coded.data[0]?.dictionary?.length).toBe(new Set(all).size);
  });
});

describe('numbers', () => {
  it.each([
    ['Float32', new Float32(), new Uint32Array([0x7fc0_0001, 0xffc0_0000])],
    ['Float64', new Float64(), new Uint32Array([1, 0x7ff8_0000, 0, 0xfff8_0000])],
  ] as const)('%s: −0 is 0, and every NaN is every other, as in a Map', async (_, type, nans) => {
    const array = new type.ArrayType(6);
    array.set([0, -0, 1, -0], 0);
    new Uint32Array(array.buffer).set(nans, 4 * (array.BYTES_PER_ELEMENT / 4));
    const given = array.slice();
    const vector = new Vector([makeData({ type, data: array } as never)]);
    const coded = await dictionaryEncode(gpu, vector);
    expect([...(coded.data[0] as Data).values]).toEqual([0, 0, 1, 0, 2, 2]);
    // The caller's memory is left alone.
    expect(new Uint32Array(array.buffer)).toEqual(new Uint32Array(given.buffer));
  });
});

describe('memory', () => {
  it('chunks of numbers are uploaded from where they lie', () => {
    const parts = [new Int32Array([1, 2, 3]), new Int32Array([4, 5])];
    const vector = new Vector(parts.map((data) => makeData({ type: new Int32(), data })));
    const { values } = column(vector.slice(1));
    const pieces = values as unknown as { words: Uint32Array }[];
    expect(pieces.map(({ words }) => [...words])).toEqual([
      [2, 3],
      [4, 5],
    ]);
    expect(pieces.map(({ words }) => words.buffer)).toEqual(parts.map(({ buffer }) => buffer));
    for (const [i, { words }] of pieces.entries()) expect(words.buffer).toBe(parts[i]?.buffer);
  });

  it('so are the bytes of strings and the bits of nulls', () => {
    const vector = vectorFromArray(['ada', null, 'bob', 'eve'], new Utf8()).slice(0, 3);
    const { values, valid } = column(vector);
    const [data] = vector.data;
    const { context } = values as unknown as { context: Uint8Array[] };
    expect(context.map((piece) => piece.buffer)).toEqual([data?.values.buffer]);
    expect((valid as Uint8Array).buffer).toBe(data?.nullBitmap.buffer);
  });

  it('slices as long as the bits of nulls behind them have bytes are not taken for a mask', async () => {
    const cells = Array.from({ length: 512 }, (_, row) => (row % 7 === 0 ? null : row % 10));
    const vector = vectorFromArray(cells, new Int32());
    for (const [from, to] of [
      [0, 64],
      [256, 288],
    ] as const) {
      expect([...(await distinctRows(gpu, column(vector.slice(from, to))))]).toEqual(
        firstRows(cells.slice(from, to) as Cells),
      );
    }
  });

  it('a column goes to the calls of hashnest/relational', async () => {
    const vector = vectorFromArray(['a', 'b', null, 'a', null], new Dictionary(new Utf8(), new Int32()));
    const { rows, counts } = await countBy(gpu, column(vector));
    expect([...rows]).toEqual([0, 1, 2]);
    expect([...counts]).toEqual([2, 1, 2]);
  });

  it('a transferred array, an entry that is not there and offsets that go back are refused', async () => {
    const data = new Int32Array([1, 2]);
    const moved = new Vector([makeData({ type: new Int32(), data })]);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    await throwsCode(dictionaryEncode(gpu, moved), 'invalid-input');

    const dictionary = vectorFromArray(['a'], new Utf8());
    const type = new Dictionary(new Utf8(), new Int32());
    const lost = new Vector([makeData({ type, data: new Int32Array([0, 1]), dictionary })]);
    await expect(dictionaryEncode(gpu, lost)).rejects.toThrow('vector[1] is entry 1 of a dictionary of 1');
    await throwsCode(dictionaryEncode(gpu, lost), 'invalid-input');

    const back = makeData({ type: new Utf8(), valueOffsets: new Int32Array([0, 2, 1]), data: new Uint8Array(2) });
    await throwsCode(dictionaryEncode(gpu, new Vector([back])), 'invalid-input');
  });

  it('leaves no buffer behind, whether it succeeds or not', async () => {
    const table = new Table({ name: vectorFromArray(['ada', null, 'bob'], new Utf8()) });
    const { live, error } = await liveBuffers(gpu, () => distinct(gpu, table));
    expect(error).toBeUndefined();
    expect(live).toEqual([]);
    const failed = await liveBuffers(gpu, () => distinct(gpu, table, { by: 'nome' }));
    expect(String(failed.error)).toContain('distinct: by: there is no column nome; there are name');
    expect(failed.madeBytes).toBe(0);
  });
});
