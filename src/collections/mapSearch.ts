/** What maps answer beside what all collections do: values. */
import {
  type Abortable,
  type Followed,
  type GpuCount,
  requireMembers,
  requireOptions,
  type Target,
  UnsupportedError,
} from '../gpu/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { readContents } from '../table/contents.wgsl.ts';
import type { EntryBuffers } from '../table/entryBuffers.ts';
import type { LookupBuffers } from '../table/lookup.wgsl.ts';
import { decodeKeys, type Fresh, type Keys } from '../table/source.ts';
import { decodeValues, type ValueArray, type ValueOf, type ValueType, wordsOfValue } from '../table/values.ts';
import { type IntoArrays, intoArrays, wordsIn } from './into.ts';
import { arrayOfOne, type OneKey, type OneOf, oneByOne } from './plain.ts';
import { FOLLOWED, type Searched } from './searched.ts';

/** A collection with values. */
interface MapSearched<K, V extends ValueArray> extends Searched<K> {
  readonly value: ValueType<V>;
}

/** How values are asked for. */
export interface GetOptions<V extends ValueArray> {
  /** Stands for the value of a key that is not there: a number for all components of a vector, or one for each. Default 0. */
  readonly missing?: ValueOf<V>;
  /** Arrays that get the answers, instead of new ones: at least as long as what is put into them. */
  readonly into?: IntoArrays<V>;
}

/** Buffers of an encoded search for values. */
export interface GetBuffers<V extends ValueArray> extends LookupBuffers, Pick<GetOptions<V>, 'missing'> {
  readonly values: GPUBuffer;
  readonly count: number | GpuCount;
}

const SEARCH = ['queries', 'count', 'values', 'found', 'context', 'missing'];

export async function getValues<K, V extends ValueArray>(
  map: MapSearched<K, V>,
  keys: Keys<K>,
  options: GetOptions<V> & Followed,
): Promise<{ values: Fresh<V>; found: Uint8Array<ArrayBuffer> }> {
  requireOptions(options, ['missing', 'into', ...FOLLOWED]);
  const { missing = 0, into } = options;
  const needles = map.needlesOf(keys, options);
  const { values, found } = intoArrays(into, map.value, needles.count * map.value.words, needles.count);
  const words = wordsOfValue(missing, map.value);
  await map.search(needles, words, { values: wordsIn(values), found });
  return { values, found };
}

/** The value of one key, or nothing. */
export async function getOneValue<K, V extends ValueArray>(
  map: MapSearched<K, V>,
  key: OneKey<K>,
): Promise<OneOf<V> | undefined> {
  if (map.value.components > 1) {
    throw new UnsupportedError(`getOne is for values of one number, and ${map.value.name} has more: use get`);
  }
  const { values, found } = await getValues(map, arrayOfOne(map.key, key), {});
  return found[0] === 1 ? (values[0] as OneOf<V>) : undefined;
}

export function encodeGetValues<K, V extends ValueArray>(
  map: MapSearched<K, V>,
  target: Target,
  buffers: GetBuffers<V>,
): void {
  requireMembers(buffers, 'buffers', SEARCH);
  const { missing = 0, ...io } = buffers;
  requireStorage(io.values, 'values');
  map.encodeSearch(target, io, wordsOfValue(missing, map.value));
}

export function encodeMapEntries<K, V extends ValueArray>(
  map: MapSearched<K, V>,
  target: Target,
  buffers: EntryBuffers,
): void {
  requireMembers(buffers, 'buffers', ['keys', 'values', 'count']);
  map.encodeContents(target, buffers, 'values', buffers.values);
}

export async function readEntries<K, V extends ValueArray>(
  map: MapSearched<K, V>,
  options: Abortable = {},
): Promise<{ keys: Fresh<K>; values: Fresh<V> }> {
  const { keys, values, context } = await map.readFor(options, () => readContents(map.table));
  return { keys: decodeKeys(map.key, keys, context), values: decodeValues(map.value, values) };
}

/** All entries one by one. */
export function eachEntry<K, V extends ValueArray>(
  map: MapSearched<K, V>,
): AsyncGenerator<[OneOf<K>, OneOf<V>], void, undefined> {
  const read = async () => {
    const { keys, values } = await readEntries(map);
    return { keys, item: (one: OneOf<K>, i: number): [OneOf<K>, OneOf<V>] => [one, values[i] as OneOf<V>] };
  };
  return oneByOne(map.key, read, map.value);
}
