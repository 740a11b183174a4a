import {
  DenseUnion,
  Dictionary,
  Field,
  Int32,
  makeData,
  SparseUnion,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { take } from '../../../src/arrow.ts';
import { HashnestError } from '../../../src/index.ts';
import { NO_ROW } from '../../../src/relational.ts';
import { cellsOf, KEY_KINDS, layouts, OTHER_KINDS, tableOf, textsOf, vectorOf } from './vectors.ts';

describe('take', () => {
  it.each([...KEY_KINDS, ...OTHER_KINDS])('takes rows of $name in any order, and after a way as bytes', (kind) => {
    const property = fc.property(
      cellsOf(kind),
      layouts,
      fc.array(fc.option(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), { maxLength: 40 }),
      (cells, layout, places) => {
        const isNested = OTHER_KINDS.includes(kind);
        const vector = vectorOf(kind, cells, isNested ? { ...layout, dictionary: 'none' } : layout);
        const rows = Uint32Array.from(places, (place) =>
          place === null || cells.length === 0 ? NO_ROW : Math.floor(place * cells.length),
        );
        const table = tableOf({ one: vector });
        const taken = take(table, rows);
        const given = textsOf(vector);
        const expected = Array.from(rows, (row) => (row === NO_ROW ? 'null' : (given[row] as string)));
        expect(taken.numRows).toBe(rows.length);
        expect(textsOf(taken.getChild('one'))).toEqual(expected);
        expect(textsOf(tableFromIPC(tableToIPC(taken)).getChild('one'))).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: 30 });
  });

  it('takes views of texts that several chunks keep elsewhere', () => {
    const long = (name: string): string => `${name}, which is too long for its view`;
    const chunks = [['a', long('b')], [long('c'), 'd', long('e')], [long('f')]];
    const vector = new Vector(chunks.map((texts) => vectorFromArray(texts, new Utf8View()).data[0] as never));
    const all = chunks.flat();
    const rows = Uint32Array.of(5, 2, 0, 4, 1, 3, 2);
    const taken = take(tableOf({ text: vector }), rows).getChild('text');
    expect([...(taken ?? [])]).toEqual(Array.from(rows, (row) => all[row]));
  });

  it('takes rows of chunks that have dictionaries of their own', () => {
    const chunks = [
      ['a', 'b', 'a'],
      ['c', 'a'],
      ['d', 'b', 'c'],
    ];
    const coded = (texts: string[]) => vectorFromArray(texts, new Dictionary(new Utf8(), new Int32())).data[0];
    const vector = new Vector(chunks.map((texts) => coded(texts) as never));
    const all = chunks.flat();
    const rows = Uint32Array.of(7, 3, 0, 5, 6, 4, 1);
    const taken = take(tableOf({ text: vector }), rows).getChild('text');
    expect([...(taken ?? [])]).toEqual(Array.from(rows, (row) => all[row]));
  });

  it.each(['sparse', 'dense'] as const)('takes rows of %s unions', (mode) => {
    const fields = [new Field('number', new Int32(), true), new Field('text', new Utf8(), true)];
    const chunk = (typeIds: number[], numbers: (number | null)[], texts: (string | null)[]) => {
      const children = [vectorFromArray(numbers, new Int32()), vectorFromArray(texts, new Utf8())].map(
        ({ data }) => data[0],
      );
      const length = typeIds.length;
      if (mode === 'sparse') {
        const type = new SparseUnion([5, 7], fields);
        return makeData({ type, length, typeIds: Int8Array.from(typeIds), children } as never);
      }
      const valueOffsets = typeIds.map((id, i) => typeIds.slice(0, i).filter((other) => other === id).length);
      const type = new DenseUnion([5, 7], fields);
      return makeData({ type, length, typeIds: Int8Array.from(typeIds), valueOffsets, children } as never);
    };
    const isSparse = mode === 'sparse';
    const vector = new Vector([
      chunk([5, 7, 5], isSparse ? [1, null, 2] : [1, 2], isSparse ? [null, 'a', null] : ['a']),
      chunk([7, 7, 5], isSparse ? [null, null, 3] : [3], isSparse ? ['b', 'c', null] : ['b', 'c']),
    ]).slice(1);
    expect([...vector]).toEqual(['a', 2, 'b', 'c', 3]);
    const taken = take(tableOf({ one: vector }), new Uint32Array([4, 0, NO_ROW, 3, 1, 1, 2]));
    expect([...(taken.getChild('one') as Vector)]).toEqual([3, 'a', null, 'c', 2, 2, 'b']);
  });

  it('refuses rows that are not there, and what are no rows', () => {
    const table = tableOf({ one: vectorFromArray([1, 2], new Int32()) });
    expect(() => take(table, new Uint32Array([0, 2]))).toThrow('take: rows: there is no row 2 of 2');
    expect(() => take(table, [0] as never)).toThrow('take: rows must be a Uint32Array, not Array(1)');
    expect(() => take({} as never, new Uint32Array())).toThrow(HashnestError);
  });
});
