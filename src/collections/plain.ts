/** Keys and values of plain JavaScript: a `Map`, a `Set`, anything that can be iterated; and one at a time. */
import { InvalidInputError, refuse, requireOptions, UnsupportedError } from '../gpu/index.ts';
import { collectNumbers, type KeyType, u32, u64, utf8 } from '../keys/index.ts';
import { encodeKeys, type Fresh, requireKeyType } from '../table/source.ts';
import { requireKnownType, requireValueType, type ValueArray, type ValueType, valueTypes } from '../table/values.ts';

/** One key: a number, a bigint, a string, or the numbers of a vector. */
export type PlainKey = number | bigint | string | readonly number[];

/** One value: a number, a bigint, or the numbers of a vector. */
export type PlainValue = number | bigint | readonly number[];

/** The arrays that plain keys become, where no type is named: numbers are 32-bit unsigned, bigints 64-bit unsigned. */
export type PlainKeys<Key extends PlainKey> = [Key] extends [string]
  ? readonly string[]
  : [Key] extends [bigint]
    ? BigUint64Array
    : Uint32Array;

/** The arrays that plain values become, where no type is named. */
export type PlainValues<Value extends PlainValue> = [Value] extends [bigint] ? BigUint64Array : Uint32Array;

/** Plain keys: whatever gives them, or an array of them. */
export type KeyList<Key> = Iterable<Key> | { readonly keys: readonly Key[] };

/** Plain keys with their values: whatever gives pairs, or an array of each. */
export type EntryList<Key, Value> =
  | Iterable<readonly [Key, Value]>
  | { readonly keys: readonly Key[]; readonly values: readonly Value[] };

/** One key of a collection of such keys, as callers pass it. */
export type OneKey<K> = K extends readonly string[]
  ? string
  : K extends BigUint64Array | BigInt64Array
    ? bigint
    : K extends Uint32Array
      ? number
      : K extends Int32Array | Float32Array
        ? number | readonly number[]
        : K;

/** One key or value that is a number or a string, as it comes back. */
export type OneOf<Many> = Many extends readonly string[]
  ? string
  : Many extends BigUint64Array | BigInt64Array
    ? bigint
    : Many extends Uint32Array | Int32Array | Float32Array
      ? number
      : unknown;

const TypedArray = Object.getPrototypeOf(Uint8Array) as new () => object;

/** Whether that is something to iterate, and not the arrays of keys and values. */
export const isPlain = (input: unknown): input is Iterable<unknown> =>
  typeof input === 'object' && input !== null && Symbol.iterator in input && !(input instanceof TypedArray);

/** What it gives, as an array; one that is there already is not copied, for it may say that it is longer than it can be. */
export const listOf = (items: Iterable<unknown>): readonly unknown[] => (Array.isArray(items) ? items : [...items]);

/** Arrays that a collection is made from, and its options with the types of what was plain. */
export interface Given<Input, Options> {
  readonly input: Input;
  readonly options: Options;
}

/** The keys of a `Set` or the like as an array of their type; what are arrays already stays as it is. */
export function givenKeys<K, Input, Options extends { readonly key?: KeyType<K> }>(
  given: Input | Iterable<unknown>,
  options: Options,
  names: readonly string[],
): Given<Input, Options> {
  if (!isPlain(given)) return withTypes(given, options);
  requireOptions(options, names);
  const { keys, key } = keysOfPlain(given, 'keys', options.key);
  return { input: { keys } as Input, options: { ...options, key } };
}

/** Arrays of plain numbers among the keys and values of an input become arrays of their types. */
function withTypes<K, Input, Options extends { readonly key?: KeyType<K>; readonly value?: unknown }>(
  input: Input,
  options: Options,
): Given<Input, Options> {
  const { keys, values } = Object(input) as { readonly keys?: unknown; readonly values?: unknown };
  const collected = { ...input, values: numbersIn(values, options?.value as ValueType | undefined) };
  if (!isOfNumbers(keys) || options?.key !== undefined) {
    return { input: collected.values === values ? input : collected, options };
  }
  const { keys: own, key } = keysOfPlain<K>(keys);
  return { input: { ...collected, keys: own }, options: { ...options, key } };
}

/** Whether that is an array of plain numbers, by its first. */
const isOfNumbers = (items: unknown): items is readonly unknown[] =>
  Array.isArray(items) && (typeof items[0] === 'number' || typeof items[0] === 'bigint');

/** Values of plain JavaScript as an array of the type that is named, or of their own; all else stays as it is. */
function numbersIn<Values>(values: Values, named: ValueType | undefined, name = 'values'): Values {
  if (!Array.isArray(values)) return values;
  const { array, components } = valueTypeOfPlain(values, named);
  return collectNumbers(array, values, components, name) as Values;
}

/** The same for a type that is known; throws if all else is not of that type. */
export function valuesOfType<V extends ValueArray>(given: unknown, type: ValueType<V>, name?: string): V {
  const values = numbersIn(given, type as unknown as ValueType, name) as V;
  requireValueType(values, type);
  return values;
}

/** The type of plain values: the one that is named, or u32, or u64 for bigints. */
export function valueTypeOfPlain(list: readonly unknown[], named: ValueType | undefined): ValueType {
  const type = named ?? (typeof list[0] === 'bigint' ? valueTypes.u64 : valueTypes.u32);
  requireKnownType(type);
  return type;
}

/** The keys and values of a `Map` or of other pairs as arrays of their types; what are arrays already stays as it is. */
export function givenEntries<
  K,
  V extends ValueArray,
  Input,
  Options extends { readonly key?: KeyType<K>; readonly value?: ValueType<V> },
>(given: Input | Iterable<unknown>, options: Options, names: readonly string[]): Given<Input, Options> {
  if (!isPlain(given)) return withTypes(given, options);
  requireOptions(options, names);
  const { keys, values, key, value } = entriesOfPlain<K, V>(given, options);
  return { input: { keys, values } as Input, options: { ...options, key, value } };
}

/** Plain keys in an array of their type, which is the one that is named or that of the first. */
export function keysOfPlain<K>(
  keys: Iterable<unknown>,
  name = 'keys',
  named?: KeyType<K>,
): { keys: K; key: KeyType<K> } {
  const list = listOf(keys);
  const key = named === undefined ? (keyTypeOf(list[0], name) as unknown as KeyType<K>) : requireKeyType(named);
  return { keys: (key.collect ? key.collect(list, name) : list) as K, key };
}

/** The keys and values of a map, in arrays of their types. */
function entriesOfPlain<K, V extends ValueArray>(
  entries: Iterable<unknown>,
  named: { readonly key?: KeyType<K>; readonly value?: ValueType<V> },
): { keys: K; values: V; key: KeyType<K>; value: ValueType<V> } {
  const pairs = listOf(entries);
  const odd = pairs.findIndex((pair) => !Array.isArray(pair) || pair.length !== 2);
  if (odd >= 0) refuse(`entries[${odd}]`, 'an array [key, value]', pairs[odd]);
  const columns = pairs as [unknown, unknown][];
  const list = columns.map(([, value]) => value);
  const value = valueTypeOfPlain(list, named.value) as ValueType<V>;
  const { keys, key } = keysOfPlain(
    columns.map(([one]) => one),
    'keys',
    named.key,
  );
  return { keys, key, value, values: collectNumbers(value.array, list, value.components, 'values') };
}

function keyTypeOf(key: unknown, name: string) {
  if (typeof key === 'string') return utf8;
  if (typeof key === 'bigint') return u64;
  if (typeof key === 'number' || key === undefined) return u32;
  return refuse(`${name}[0]`, 'a number, a bigint or a string, or come with the option `key`', key);
}

/** An array of one key; whoever has such an array may pass it too. */
export function arrayOfOne<K>(key: KeyType<K>, one: unknown): K {
  const list = [one];
  const keys = key.accepts(one) ? one : key.collect ? key.collect(list, 'key') : list;
  if (!key.collect && !key.accepts(keys)) refuse('key', `one key of the type ${key.name}`, one);
  const { count } = encodeKeys(key, keys, 'key');
  if (count !== 1) throw new InvalidInputError(`key: there are ${count} keys`);
  return keys as K;
}

/** All keys, read at once and given out one by one, each as what `item` makes of it and of its number. */
export async function* oneByOne<K, T>(
  key: KeyType<K>,
  read: () => Promise<{ readonly keys: Fresh<K>; readonly item: (one: OneOf<K>, i: number) => T }>,
  value?: ValueType,
): AsyncGenerator<T, void, undefined> {
  requireSingle(key as KeyType, value);
  const { keys, item } = await read();
  for (const [i, one] of (keys as unknown as readonly OneOf<K>[]).entries()) yield item(one, i);
}

/** Throws unless a key and a value are one element each of the arrays that they come back in. */
function requireSingle(key: KeyType, value?: ValueType): void {
  if ((key.isWord || key.isNumber || key.hasContext) && (value?.components ?? 1) === 1) return;
  const what = value ? `${key.name} keys with ${value.name} values` : `${key.name} keys`;
  throw new UnsupportedError(`${what} do not come one by one; entries() and keys() have them all`);
}
