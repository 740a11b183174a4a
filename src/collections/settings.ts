import type { KeyType, PreparedKeys } from '../keys/index.ts';
import { bucketCuckoo } from '../schemes/bucketCuckoo/index.ts';
import type { Scheme, ValueWords } from '../schemes/contract/scheme.ts';
import { inferKeyType } from '../table/source.ts';
import type { TableSettings } from '../table/table.ts';
import type { CollectionOptions } from './collection.ts';

/** What a collection's table is, from the caller's keys and options: the defaults of all collections are here. */
export function tableSettings<K>(
  keys: K | PreparedKeys<K> | GPUBuffer,
  options: CollectionOptions<K>,
  valueWords: ValueWords,
): TableSettings & { readonly key: KeyType<K> } {
  const { scheme = bucketCuckoo(), duplicates = 'last', seed } = options;
  return { scheme: scheme as Scheme, key: inferKeyType(keys, options.key), valueWords, duplicates, seed };
}
