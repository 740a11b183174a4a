/** The axes of a benchmark: which tables are measured, and in what order. */
import { resolveCombiner } from '../src/collections/aggregate/combiners.wgsl.ts';
import { indexSettings } from '../src/collections/keyIndex/settings.ts';
import {
  type Duplicates,
  type HashFamily,
  InvalidInputError,
  type KeyType,
  type Scheme,
  type SchemeName,
  UnsupportedError,
  type ValueType,
  valueTypes,
} from '../src/index.ts';
import type { PlanRequest } from '../src/schemes/contract/index.ts';
import { describeScheme, type SchemeChoice, type SchemeOptions, schemeWith } from './schemeChoice.ts';

/** What users hold; behind the stroke, how it is built where there are two ways. */
export const COLLECTIONS = [
  'map',
  'set',
  'keyIndex',
  'keyIndex/sort',
  'multiMap',
  'multiMap/any',
  'aggregate',
  'aggregate/inOrder',
] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

export interface Axes {
  readonly schemes: readonly SchemeChoice[];
  readonly collections: readonly CollectionName[];
  readonly keys: readonly KeyType[];
  /** The type of values, for collections that take them. Default `u32`. */
  readonly value?: ValueType | undefined;
  readonly sizes: readonly number[];
  /** How often every key occurs. Default once. */
  readonly copies?: readonly number[];
  /** Undefined for the load that a scheme has by itself. */
  readonly loads: readonly (number | undefined)[];
  /** The hash family of the schemes that hash. */
  readonly hash?: HashFamily | undefined;
}

/** One table to build and search. */
export interface Configuration {
  readonly scheme: Scheme;
  /** Options that the scheme was asked to have, beside its load and its hash family. */
  readonly options?: SchemeOptions | undefined;
  readonly collection: CollectionName;
  readonly key: KeyType;
  /** The type of values, for collections that take them. Default `u32`. */
  readonly value?: ValueType | undefined;
  readonly items: number;
  /** How often every key occurs. Default once. */
  readonly copies?: number;
  /** As asked for; undefined for schemes that have no load to choose. */
  readonly loadFactor: number | undefined;
}

/** Whether a scheme lets the caller choose its load. */
export const hasLoadFactor = (name: SchemeName): boolean => 'loadFactor' in schemeWith(name).options;

/** Makes a scheme; a load or a hash family that it does not know is left out. */
export function makeScheme(
  name: SchemeName,
  options: { loadFactor?: number | undefined; hash?: HashFamily | undefined; own?: SchemeOptions | undefined } = {},
): Scheme {
  const known = schemeWith(name).options;
  const { loadFactor, hash, own } = options;
  return schemeWith(name, {
    ...own,
    ...('loadFactor' in known && loadFactor !== undefined && { loadFactor }),
    ...('hash' in known && hash && { hash }),
  });
}

/** Makes a scheme with so many slots an item: exactly, where the scheme can be told, so that the table does not grow. */
export function makeSchemeOfSlots(
  name: SchemeName,
  options: { slots: number; items: number; hash?: HashFamily | undefined },
): Scheme {
  const { slots, items, hash } = options;
  try {
    return schemeWith(name, { capacitySlots: Math.round(slots * items), ...(hash && { hash }) });
  } catch (error) {
    // It cannot be told.
    if (error instanceof InvalidInputError) return makeScheme(name, { loadFactor: 1 / slots, hash });
    throw error;
  }
}

/** Why there will be no such table, whatever the device; undefined if there will. */
export function refusalOf(configuration: Configuration, duplicates: Duplicates): string | undefined {
  const { scheme, collection, key, items, value = valueTypes.u32, copies = 1 } = configuration;
  const construction = collection === 'keyIndex/sort' ? 'sort' : 'table';
  const takesCopies = (collection !== 'map' && collection !== 'set') || !['unique', 'error'].includes(duplicates);
  if (copies > 1 && !takesCopies) return `a ${collection} with duplicates '${duplicates}' takes no copies of keys`;
  try {
    const asked: Pick<PlanRequest, 'valueWords' | 'duplicates'> =
      collection === 'map' || collection === 'set'
        ? { valueWords: collection === 'set' ? 0 : value.words, duplicates }
        : indexSettings(undefined, { key, scheme, construction }, undefined);
    scheme.plan({ items, key, valueWords: asked.valueWords, duplicates: asked.duplicates, growth: 0 });
    if (collection === 'aggregate') resolveCombiner('max', value);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof UnsupportedError) return error.message;
    throw error;
  }
}

/** Whether the CPU builds such tables, which cannot be recorded. */
export const isBuiltOnHost = ({ scheme, key }: Configuration): boolean =>
  scheme.plan({ items: 1, key, valueWords: 1, duplicates: 'any', growth: 0 }).build.on === 'host';

/** Every combination, those of one workload in a row: making 10⁸ items for each table would take longer than building it. */
export function configurationsOf(axes: Axes): Configuration[] {
  const made: Configuration[] = [];
  for (const key of axes.keys) {
    for (const items of axes.sizes) {
      for (const copies of axes.copies ?? [1]) {
        for (const choice of axes.schemes) {
          for (const collection of axes.collections) {
            for (const loadFactor of loadsOf(choice, axes.loads)) {
              const scheme = makeScheme(choice.name, { loadFactor, hash: axes.hash, own: choice.options });
              const { options } = choice;
              made.push({ scheme, options, collection, key, value: axes.value, items, copies, loadFactor });
            }
          }
        }
      }
    }
  }
  return made;
}

/** A load in brackets goes before those of the axis. */
function loadsOf({ name, options }: SchemeChoice, loads: Axes['loads']): Axes['loads'] {
  return hasLoadFactor(name) && options?.loadFactor === undefined ? loads : [undefined];
}

/** A configuration in words: `linearProbing map u32 10000 at 0.8`. */
export function describeConfiguration(configuration: Configuration): string {
  const { scheme, options, collection, key, value, items, copies = 1, loadFactor } = configuration;
  const types = value === undefined || value === valueTypes.u32 ? key.name : `${key.name} to ${value.name}`;
  const load = loadFactor === undefined ? '' : ` at ${loadFactor}`;
  return `${describeScheme(scheme.name, options)} ${collection} ${types} ${items}${load}${copies === 1 ? '' : `, copies ${copies}`}`;
}
