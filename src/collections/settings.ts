import {
  type Abortable,
  type Gpu,
  InvalidInputError,
  refuse,
  requireGpu,
  requireOptions,
  requireSignal,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { DynamicScheme, Scheme, ValueWords } from '../schemes/contract/index.ts';
import type { SavedKind } from '../table/saved/format.ts';
import type { OpenRequest } from '../table/saved/open.ts';
import type { TableSettings } from '../table/settings.ts';
import { type GivenKeys, inferKeyType, requireInput, requireKeyType } from '../table/source.ts';
import { requireKnownType, type ValueType } from '../table/values.ts';
import type { CollectionOptions } from './collection.ts';
import { Searched } from './searched.ts';

/** The scheme of a collection that names none; nothing, where one has to be named. */
export type DefaultScheme = Scheme | undefined;

/** The scheme that was named, or the default one. */
export function requireScheme(scheme: unknown, defaultScheme: DefaultScheme): Scheme {
  const chosen = scheme === undefined ? defaultScheme : (scheme as Scheme);
  if (chosen === undefined)
    throw new InvalidInputError('name a scheme: there is no default in hashnest/bare, so nobody bundles one');
  if (typeof chosen?.plan === 'function' && typeof chosen.withOptions === 'function') return chosen;
  if (typeof (scheme as Partial<DynamicScheme> | null)?.mostFilled === 'number') {
    throw new InvalidInputError(
      `scheme: ${(scheme as DynamicScheme).name} is for tables that live, such as DynamicMap`,
    );
  }
  if (typeof scheme === 'function') throw new InvalidInputError('scheme must be called: { scheme: linearProbing() }');
  return refuse('scheme', 'a scheme such as linearProbing()', scheme);
}

/** Throws unless a collection can be built from such arguments, as far as their names and kinds go. */
export function requireBuild(gpu: Gpu, input: unknown, options: unknown, names: readonly string[]): void {
  requireGpu(gpu);
  requireInput(input);
  requireOptions(options, names);
}

/** What a collection's table is, from the caller's keys and options: the defaults of all collections are here. */
export function tableSettings<K>(
  keys: GivenKeys<K>,
  options: CollectionOptions<K>,
  valueWords: ValueWords,
  defaultScheme: DefaultScheme,
): TableSettings & { readonly key: KeyType<K> } {
  const { duplicates = 'last', seed } = options;
  return {
    scheme: requireScheme(options.scheme, defaultScheme),
    key: inferKeyType(keys, options.key),
    valueWords,
    duplicates,
    seed,
  };
}

/** How a saved collection is opened. What is not named here, only the saved bytes know: keys are `unknown` then. */
export interface SavedOptions<Key extends KeyType = KeyType> extends Abortable {
  /** The type of the keys; required for tuples and types of your own. */
  readonly key?: Key;
  /** The scheme that built the table; its options are those of the saved one. Default `bucketCuckoo()`. */
  readonly scheme?: Scheme<never>;
}

/** How a saved collection with values is opened. */
export interface SavedMapOptions<Key extends KeyType = KeyType, Value extends ValueType = ValueType>
  extends SavedOptions<Key> {
  /** The type of the values. */
  readonly value?: Value;
}

/** The arrays of keys that a key type is for. */
export type KeysOfType<Key extends KeyType> = Key extends KeyType<infer K> ? K : never;

/** The arrays of values that a value type is for. */
export type ValuesOfType<Value extends ValueType> = Value extends ValueType<infer V> ? V : never;

/** How a collection of that kind is opened: by the default scheme unless another is named. */
export function openRequest(
  gpu: Gpu,
  kind: SavedKind,
  options: SavedMapOptions,
  defaultScheme: DefaultScheme,
): OpenRequest {
  requireGpu(gpu);
  // A collection that is still there has all of them, and more.
  if (!(options instanceof Searched)) requireOptions(options, ['key', 'scheme', 'value', 'signal']);
  const { key, value, scheme, signal } = options;
  if (key !== undefined) requireKeyType(key);
  if (value !== undefined) requireKnownType(value);
  requireSignal(signal);
  return { kind, key, value, scheme: requireScheme(scheme, defaultScheme), signal };
}

/** Whoever has a map's input can make a set of its keys. */
export function withoutValues<T>(input: T): T & { readonly values: undefined } {
  requireInput(input);
  return { ...input, values: undefined };
}
