/** The collections as `hashnest` has them: whoever names no scheme gets `bucketCuckoo`. */
import { bucketCuckoo } from '../schemes/bucketCuckoo/index.ts';
import type { ValueArray } from '../table/values.ts';
import { Aggregate as BareAggregate } from './aggregate/aggregate.ts';
import type { Results } from './aggregate/options.ts';
import { HashMap as BareHashMap } from './hashMap.ts';
import { HashSet as BareHashSet } from './hashSet.ts';
import { KeyIndex as BareKeyIndex } from './keyIndex/keyIndex.ts';
import { MultiMap as BareMultiMap } from './multiMap/multiMap.ts';

const DEFAULT = bucketCuckoo();

/**
 * A map from keys to values, built at once and searched in parallel.
 * @example
 * const map = await HashMap.from(gpu, { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) });
 * const { values, found } = await map.get(new Uint32Array([9, 8])); // [2, 0], [1, 0]
 */
export class HashMap<K, V extends ValueArray = Uint32Array> extends BareHashMap<K, V> {
  /** @internal */
  static override readonly defaultScheme = DEFAULT;
}

/**
 * A set of keys; it stores nothing else, so it takes half the bytes of a map.
 * @example
 * const set = await HashSet.from(gpu, { keys: new Uint32Array([3, 5, 5]) });
 * await set.has(new Uint32Array([5, 6])); // [1, 0]
 */
export class HashSet<K> extends BareHashSet<K> {
  /** @internal */
  static override readonly defaultScheme = DEFAULT;
}

/**
 * The distinct keys of an input with repetitions, each with an id from 0 to size − 1: a two-way index (Alcantara et al.
 * 2009, section 4.3). The same input has the same ids in every build: in the order of the keys where these are words, else in the
 * order in which keys first occur (`construction`).
 * @example
 * const index = await KeyIndex.from(gpu, { keys: new Uint32Array([7, 9, 7]) });
 * const ids = await index.ids(new Uint32Array([9, 8])); // [1, 0xffffffff]
 */
export class KeyIndex<K> extends BareKeyIndex<K> {
  /** @internal */
  static override readonly defaultScheme = DEFAULT;
}

/**
 * A map in which a key may have many values; those of a key lie next to each other.
 * @example
 * const map = await MultiMap.from(gpu, { keys: new Uint32Array([7, 9, 7]), values: new Uint32Array([1, 2, 3]) });
 * const [ofSeven, ofEight] = await map.get(new Uint32Array([7, 8])); // [1, 3], []
 */
export class MultiMap<K, V extends ValueArray = Uint32Array> extends BareMultiMap<K, V> {
  /** @internal */
  static override readonly defaultScheme = DEFAULT;
}

/**
 * One result a key, or several, combined from the values of all items with that key; the values themselves are not kept. A `'sum'` of
 * u32 or i32 values wraps around at 2³²; `'sum64'` is exact.
 * @example
 * const keys = new Uint32Array([7, 9, 7]);
 * const sums = await Aggregate.from(gpu, { keys, values: new Uint32Array([1, 2, 3]) }, { combine: 'sum' });
 * const { values } = await sums.get(new Uint32Array([7, 8])); // [4, 0]
 */
export class Aggregate<K, R extends Results = Uint32Array> extends BareAggregate<K, R> {
  /** @internal */
  static override readonly defaultScheme = DEFAULT;
}
