/** Dates are keys of one word, on the host and in shaders, and come back as dates. */
import { type Gpu, HashMap, wordsKey } from 'hashnest';

/** A date, as a caller has it. */
export type Day = { readonly year: number; readonly month: number; readonly day: number };

/** Dates in one word: year, month and day are bits 9 to 31, 5 to 8 and 0 to 4, so that dates are ordered like words. */
export const date = wordsKey<readonly Day[]>({
  name: 'date',
  words: 1,
  accepts: (keys): keys is readonly Day[] => Array.isArray(keys) && keys.every((key) => 'year' in key),
  encode: (keys) => Uint32Array.from(keys, ({ year, month, day }) => (year << 9) | (month << 5) | day),
  decode: (words) => Array.from(words, (word) => ({ year: word >> 9, month: (word >> 5) & 15, day: word & 31 })),
  order: (key) => [key],
});

/** Finds holidays by their date. */
export async function holidays(gpu: Gpu): Promise<number[]> {
  const keys = [
    { year: 2026, month: 1, day: 1 },
    { year: 2026, month: 5, day: 1 },
  ];
  using names = await HashMap.from(gpu, { keys, values: new Uint32Array([100, 200]) }, { key: date });
  const { values } = await names.get([
    { year: 2026, month: 5, day: 1 },
    { year: 2027, month: 5, day: 1 },
  ]);
  return [...values]; // [200, 0]
}
