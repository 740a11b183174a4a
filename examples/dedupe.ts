/**
 * The rows whose key was not there before, by one column or several. A `KeyIndex` also numbers the keys, and tells the
 * number of every row.
 */
import { type Gpu, KeyIndex } from 'hashnest';
import { distinct } from 'hashnest/relational';

/** Visits without those that repeat city and year, and every visit's city as a number. */
export async function dedupe(gpu: Gpu): Promise<{ rows: number[]; cities: string[]; cityOfRow: number[] }> {
  const city = ['Oslo', 'Rome', 'Oslo', 'Oslo'];
  const year = new Uint32Array([2025, 2025, 2025, 2026]);
  const rows = await distinct(gpu, [city, year]); // [0, 1, 3]

  using index = await KeyIndex.from(gpu, { keys: city }, { keepItems: true });
  const cities = await index.keys(); // ['Oslo', 'Rome']
  const cityOfRow = await index.idsOfItems(); // [0, 1, 0, 0]
  return { rows: [...rows], cities: [...cities], cityOfRow: [...cityOfRow] };
}
