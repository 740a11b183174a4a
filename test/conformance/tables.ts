/** Tables of a subject, with their types inferred from the arrays as a user's would be. */
import { type CollectionOptions, HashMap, HashSet } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { Keys } from './keySets.ts';
import type { SizeOptions, Subject } from './subjects.ts';

/** Items of a map. */
export interface Items {
  readonly keys: Keys;
  readonly values: Uint32Array;
}

/** Options of the collection, and those of the scheme beside them. */
export type TableOptions = Pick<CollectionOptions<Keys>, 'duplicates' | 'seed'> & SizeOptions;

const optionsOf = ({ make }: Subject, { duplicates, seed, ...options }: TableOptions) => ({
  scheme: make(options),
  ...(duplicates !== undefined && { duplicates }),
  ...(seed !== undefined && { seed }),
});

export const buildMap = (
  gpu: Gpu,
  subject: Subject,
  items: Items,
  options: TableOptions = {},
): Promise<HashMap<Keys, Uint32Array>> => HashMap.from(gpu, items, optionsOf(subject, options));

export const buildSet = (gpu: Gpu, subject: Subject, keys: Keys, options: TableOptions = {}): Promise<HashSet<Keys>> =>
  HashSet.from(gpu, { keys }, optionsOf(subject, options));
