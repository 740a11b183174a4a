import { FormatError } from '../gpu/errors.ts';
import { mix, polynomial32, polynomial64, universal, xorPrime } from '../hashing/index.ts';
import { bucketCuckoo } from './bucketCuckoo/index.ts';
import { chaining } from './chaining/index.ts';
import type { Scheme } from './contract/scheme.ts';
import { cuckoo } from './cuckoo/index.ts';
import { eytzinger } from './eytzinger/index.ts';
import { doubleHashing, linearProbing, type OpenAddressingOptions, quadraticProbing } from './openAddressing/index.ts';
import { perfect } from './perfect/index.ts';
import { type PerfectSpatialOptions, perfectSpatial } from './perfectSpatial/index.ts';
import { sortedArray } from './sortedArray/index.ts';
import { twoLevelCuckoo } from './twoLevelCuckoo/index.ts';

const FAMILIES = [mix, universal, polynomial32, polynomial64, xorPrime];

/** Every scheme that comes with the library, by name. */
export const schemes = {
  linearProbing,
  quadraticProbing,
  doubleHashing,
  sortedArray,
  eytzinger,
  chaining,
  twoLevelCuckoo,
  cuckoo,
  bucketCuckoo,
  perfect,
  // Whoever takes schemes by their name learns from the plan what they can carry.
  perfectSpatial: perfectSpatial as (options?: PerfectSpatialOptions) => Scheme,
} as const;

/** A scheme's name. */
export type SchemeName = keyof typeof schemes;

/** The scheme that a saved table names. */
export function reviveScheme(name: string, options: Readonly<Record<string, unknown>>): Scheme {
  const make = Object.hasOwn(schemes, name) ? schemes[name as SchemeName] : undefined;
  if (!make) {
    throw new FormatError(`the table was built by the scheme '${name}', which is not built in: pass it as an option`);
  }
  const { hash: family, ...rest } = options;
  const hash = FAMILIES.find(({ name }) => name === family);
  if (family !== undefined && !hash) throw new FormatError(`unknown hash family '${family}'`);
  return make({ ...rest, ...(hash && { hash }) } as OpenAddressingOptions);
}
