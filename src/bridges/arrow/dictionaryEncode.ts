import { type DataType, Dictionary, Int32, makeData, Vector } from 'apache-arrow';
import { type Abortable, type Gpu, requireGpu, requireOptions, within } from '../../gpu/index.ts';
import { numberRows } from '../../relational/groupBy.ts';
import type { RowOptions } from '../../relational/rowKeys.ts';
import { bitAt, emptyBits, setBit } from './bits.ts';
import { columnOf } from './column.ts';
import { requireVector, valueTypeOf } from './keys.ts';
import { takeValues } from './takeData.ts';

/** The type of the entries of a vector: of its dictionary, if it has one already. */
export type EntryType<T extends DataType> = T extends Dictionary<infer V> ? V : T;

/**
 * A vector with each value once in a dictionary, in the order of their first rows, and its number in every row; nulls stay nulls. A vector that has
 * dictionaries, one or several, gets a single one without entries that nobody uses.
 * @example
 * const cities = await dictionaryEncode(gpu, table.getChild('city')); // Vector<Dictionary<Utf8, Int32>>
 */
export function dictionaryEncode<T extends DataType>(
  gpu: Gpu,
  vector: Vector<T> | null,
  options: RowOptions & Abortable = {},
): Promise<Vector<Dictionary<EntryType<T>, Int32>>> {
  return within('dictionaryEncode', async () => {
    requireGpu(gpu);
    requireVector(vector, 'vector');
    requireOptions(options, ['scheme', 'seed', 'signal']);
    const given = vector as Vector;
    const column = columnOf(given, 'vector');
    const { numbers, rows } = await numberRows(gpu, column, options);
    const valid = column.valid as Uint8Array | undefined;
    const missing = valid ? rows.findIndex((row) => bitAt(valid, row) === 0) : -1;
    const type = new Dictionary(valueTypeOf(given.type), new Int32()) as Dictionary<EntryType<T>, Int32>;
    const present = rows.filter((_, number) => number !== missing);
    const dictionary = new Vector([takeValues(given, present, 'vector')]);
    // Rows without a value are numbered as one key, which is left out: the entries behind it move up.
    const data = Int32Array.from(numbers, (number) => (missing >= 0 && number > missing ? number - 1 : number));
    const nullBitmap = missing < 0 ? undefined : emptyBits(numbers.length);
    let nullCount = 0;
    if (nullBitmap) {
      for (let i = 0; i < numbers.length; i++) {
        if (numbers[i] !== missing) setBit(nullBitmap, i);
        else [data[i], nullCount] = [0, nullCount + 1];
      }
    }
    return new Vector([
      makeData({ type, length: numbers.length, nullCount, nullBitmap, data, dictionary } as never),
    ]) as unknown as Vector<Dictionary<EntryType<T>, Int32>>;
  });
}
