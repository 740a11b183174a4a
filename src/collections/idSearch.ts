/** What indexes answer beside what all collections do: ids. */
import { type Followed, requireOptions } from '../gpu/index.ts';
import type { Keys } from '../table/source.ts';
import { valueTypes, wordsOfValue } from '../table/values.ts';
import { intoArray } from './into.ts';
import { FOLLOWED, type Searched } from './searched.ts';

/** The id of a key that is not there, unless the caller names another. */
export const NO_ID = 0xffff_ffff;

/** How ids are asked for. */
export interface IdOptions {
  /** Stands for the id of a key that is not there. Default 0xffffffff. */
  readonly missing?: number;
  /** Gets the ids, instead of a new array: at least as long as there are keys. */
  readonly into?: Uint32Array<ArrayBuffer>;
}

export async function searchIds<K>(
  index: Searched<K>,
  keys: Keys<K>,
  options: IdOptions & Followed,
): Promise<Uint32Array<ArrayBuffer>> {
  requireOptions(options, ['missing', 'into', ...FOLLOWED]);
  const { missing = NO_ID, into } = options;
  const needles = index.needlesOf(keys, options);
  const ids = intoArray(into, 'into', Uint32Array, needles.count);
  await index.search(needles, wordsOfValue(missing, valueTypes.u32), { values: ids });
  return ids;
}
