import { refuse, type Workspace } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { TableSettings } from '../../table/settings.ts';
import type { GivenKeys } from '../../table/source.ts';
import type { CollectionOptions } from '../collection.ts';
import { type DefaultScheme, tableSettings } from '../settings.ts';
import { type Construction, policyOf, requireConstruction } from './build.ts';

/** Options of a `KeyIndex`, and of the collections that stand on one. */
export interface KeyIndexOptions<K, Named = unknown> extends Omit<CollectionOptions<K, Named>, 'duplicates'> {
  /**
   * How keys get their ids. `'table'` numbers the slots of a table built from all items; `'sort'` sorts the keys, and
   * builds a table of the distinct ones. Default `'sort'` for keys of one word that have an order, else `'table'`: see docs/collections.md.
   */
  readonly construction?: Construction;
  /**
   * Whether the index keeps the id of every item and the first item of every key, for `idsOfItems`, `firstItems` and
   * `itemsOnGpu`: four bytes an item, and four a key. Default false.
   */
  readonly keepItems?: boolean;
}

/** What an index is and stays. */
export type IndexSettings<K> = TableSettings & {
  readonly key: KeyType<K>;
  readonly construction: Construction;
  readonly keepItems: boolean;
} & WithinCall;

/** What is known of a collection that lives no longer than a call. */
interface WithinCall extends Pick<TableSettings, 'effort'> {
  /** Where its arrays by id are. */
  readonly arrays?: Workspace | undefined;
}

const WITHIN = Symbol('within');

/** An option that callers do not have. @internal */
export const withinCall = (call: WithinCall): object => ({ [WITHIN]: call });

/** The settings of an index: which copy of a key owns its slot does not matter, and the value of a slot is an id. @internal */
export function indexSettings<K>(
  keys: GivenKeys<K>,
  options: KeyIndexOptions<K>,
  defaultScheme: DefaultScheme,
): IndexSettings<K> {
  const settings = tableSettings(keys, options, 1, defaultScheme);
  const { construction = settings.key.isWord && settings.key.order ? 'sort' : 'table', keepItems = false } = options;
  requireConstruction(settings.key, construction);
  if (typeof keepItems !== 'boolean') refuse('keepItems', 'true or false', keepItems);
  const { [WITHIN]: call } = options as { readonly [WITHIN]?: WithinCall };
  return { ...settings, ...call, construction, keepItems, duplicates: policyOf(construction) };
}
