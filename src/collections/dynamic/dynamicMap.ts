import { openEntries, savedEntries } from '../../dynamic/saved.ts';
import { DynamicTable } from '../../dynamic/table.ts';
import {
  type Abortable,
  type Followed,
  type Gpu,
  type GpuCount,
  nameCalls,
  refuse,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { EntryBuffers } from '../../table/entryBuffers.ts';
import { bufferSourceOf, type Fresh, type Keys, type Values } from '../../table/source.ts';
import { decodeValues, requireKnownType, type ValueArray, type ValueType, valueTypes } from '../../table/values.ts';
import {
  eachEntry,
  encodeGetValues,
  encodeMapEntries,
  type GetBuffers,
  type GetOptions,
  getOneValue,
  getValues,
  readEntries,
} from '../mapSearch.ts';
import { type OneKey, type OneOf, valuesOfType } from '../plain.ts';
import type { PrepareOptions } from '../prepare.ts';
import type { KeysOfType, ValuesOfType } from '../settings.ts';
import { type Existing, onExistingOf } from './combiners.wgsl.ts';
import {
  DYNAMIC_OPTIONS,
  DynamicCollection,
  type DynamicOptions,
  dynamicSettings,
  type KeyBatchBuffers,
  openEntriesOf,
  type RequestOptions,
} from './dynamicCollection.ts';
import { prepareBatches } from './prepareBatches.ts';
import type { Requests } from './requests.wgsl.ts';

/** Options of a `DynamicMap`. */
export interface DynamicMapOptions<Key extends KeyType = KeyType, Value extends ValueType = ValueType>
  extends DynamicOptions<Key> {
  /** The type of the values. Default `valueTypes.u32`. */
  readonly value?: Value;
}

/** How items are put into a map. */
export interface InsertOptions {
  /** What happens to a key that is there already. Default `'replace'`, as in a `Map`. */
  readonly onExisting?: Existing;
  /**
   * Says that no key occurs twice in the batch, which is faster. If one does, any of its values may be kept, or words of several.
   */
  readonly unique?: boolean;
}

/** Items in GPU buffers, for the encoder face. */
export interface InsertBuffers extends KeyBatchBuffers {
  readonly values: GPUBuffer;
  /** Gets the numbers of the items that found no room; `left` tells how many. A word for every item. */
  readonly left?: GPUBuffer;
}

const OPTIONS = [...DYNAMIC_OPTIONS, 'value'];
const HOW = ['onExisting', 'unique'];

/**
 * A map that lives: batches of items are inserted and deleted, and it grows and shrinks with them. A batch acts as if its items came
 * one after the other.
 * @example
 * const map = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
 * await map.insert(new Uint32Array([7, 9]), new Float32Array([0.5, 2])); // [1, 1]: both are new
 * await map.delete(new Uint32Array([7, 8])); // [1, 0]: only 7 was there
 */
export class DynamicMap<K, V extends ValueArray = Uint32Array> extends DynamicCollection<K> {
  static {
    nameCalls(this, 'DynamicMap');
  }

  readonly value: ValueType<V>;

  /** @internal */
  protected constructor(table: DynamicTable, value: ValueType<V>) {
    super(table);
    this.value = value;
  }

  /** An empty map. */
  static async create<Key extends KeyType, Value extends ValueType = ValueType<Uint32Array>>(
    gpu: Gpu,
    options: DynamicMapOptions<Key, Value>,
  ): Promise<DynamicMap<KeysOfType<Key>, ValuesOfType<Value>>> {
    requireOptions(options, OPTIONS);
    const { value = valueTypes.u32, reserve = 0 } = options;
    requireKnownType(value);
    const settings = dynamicSettings(gpu, options, OPTIONS, value.words);
    return new this(
      await DynamicTable.create(gpu, settings, reserve),
      value as unknown as ValueType<ValuesOfType<Value>>,
    );
  }

  /**
   * Compiles what `insert` and `delete` of so many items, and `get`, will need in a map of these options: side by side, and
   * without blocking.
   */
  static async prepare<Key extends KeyType, Value extends ValueType = ValueType<Uint32Array>>(
    gpu: Gpu,
    options: DynamicMapOptions<Key, Value> & PrepareOptions,
  ): Promise<void> {
    await prepareBatches(gpu, options, OPTIONS, {
      create: (idle, rest) => this.create<KeyType<never>>(idle, rest),
      calls: [
        (map, keys) => map.insert(keys, new map.value.array(keys.count * map.value.components)),
        (map, keys) => map.get(keys),
        (map, keys) => map.delete(keys),
      ],
      record: (map, encoder, batch, values) => {
        map.encodeInsert(encoder, { ...batch, values });
        map.encodeDelete(encoder, batch);
      },
    });
  }

  /**
   * A map of the entries that `toBytes` saved. The key type is named if it is a tuple or one of your own. Types that are named are
   * checked, and the compiler knows them; without, keys are `unknown`.
   */
  static async fromBytes<Key extends KeyType, Value extends ValueType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: Partial<DynamicMapOptions<Key, Value>> & Abortable = {},
  ): Promise<DynamicMap<KeysOfType<Key>, ValuesOfType<Value>>> {
    const { table, value } = await openEntries(gpu, bytes, openEntriesOf(gpu, 'dynamicMap', options, OPTIONS));
    return new this(table, value as unknown as ValueType<ValuesOfType<Value>>);
  }

  /** Puts items into the map, and tells which keys were new: 1 or 0. All copies of a key in the batch get the same answer. */
  async insert(
    keys: Keys<K>,
    values: Values<V>,
    options: InsertOptions & Abortable = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    requireOptions(options, [...HOW, 'signal']);
    const how = this.#how(options);
    const found = await this.insertInto(this.#items(keys, values), options, (table, source) =>
      table.insert(source, how),
    );
    return found.map((flag) => 1 - flag);
  }

  /**
   * The value of every key, after those that were absent got the value that is given for them; `fresh` tells which they were. Of
   * copies in the batch the first one counts.
   */
  async getOrInsert(
    keys: Keys<K>,
    values: Values<V>,
    options: Abortable = {},
  ): Promise<{ values: Fresh<V>; fresh: Uint8Array<ArrayBuffer> }> {
    requireOptions(options, ['signal']);
    const answers = await this.insertInto(this.#items(keys, values), options, (table, source) =>
      table.getOrInsert(source),
    );
    return { values: decodeValues(this.value, answers.values), fresh: answers.found.map((flag) => 1 - flag) };
  }

  /**
   * The value of every key, or `missing`, and whether the key was found. Vectors lie one behind the other; what stands for
   * a missing one is a number for all components, or one for each.
   */
  async get(
    keys: Keys<K>,
    options: GetOptions<V> & Followed = {},
  ): Promise<{ values: Fresh<V>; found: Uint8Array<ArrayBuffer> }> {
    return getValues(this, keys, options);
  }

  /** The value of one key, or `undefined`; for values of one number. */
  async getOne(key: OneKey<K>): Promise<OneOf<V> | undefined> {
    return getOneValue(this, key);
  }

  /** All keys with their values, read at once and given out one by one, for keys and values that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneOf<V>], void, undefined> {
    return eachEntry(this);
  }

  /** Records a search: `values` gets the value of every query or `missing`, `found` (optional) gets 1 or 0. */
  encodeGet(target: Target, buffers: GetBuffers<V>): void {
    encodeGetValues(this, target, buffers);
  }

  /** Records that items are put into the map, as far as there is room: see `reserve`, `left` and `settle`. */
  encodeInsert(target: Target, buffers: InsertBuffers, options: InsertOptions = {}): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'values', 'count', 'context', 'found', 'left']);
    requireOptions(options, HOW);
    const { found, left, ...input } = buffers;
    const source = bufferSourceOf(this.gpu, this.key, input, this.value.words);
    this.table.encode(target, source, found, { kind: 'insert', left, ...this.#how(options) });
  }

  /** Records that the map takes what shaders have asked for, and empties their list. */
  encodeInsertRequests(target: Target, requests: Requests, options: RequestOptions & InsertOptions = {}): void {
    requireTarget(target);
    requireOptions(options, [...HOW, 'context', 'found', 'left']);
    const { onExisting = 'replace', unique = false, ...buffers } = options;
    const items = this.requested(requests) as { keys: GPUBuffer; values: GPUBuffer; count: GpuCount };
    this.encodeInsert(target, { ...items, ...buffers }, { onExisting, unique });
    this.encodeEmpty(target, requests);
  }

  /** All values, in the order of `keys()` only if both come from one call of `entries()`. */
  async values(options: Abortable = {}): Promise<Fresh<V>> {
    return (await this.entries(options)).values;
  }

  /** All keys with their values, in no particular order. */
  async entries(options: Abortable = {}): Promise<{ keys: Fresh<K>; values: Fresh<V> }> {
    return readEntries(this, options);
  }

  /**
   * Records that all keys and values are written into buffers, in no particular order, and how many there are: after a
   * batch that was recorded before, too. The buffers need room for `keyCapacity` entries.
   */
  encodeEntries(target: Target, buffers: EntryBuffers): void {
    encodeMapEntries(this, target, buffers);
  }

  /** All entries as bytes, for `fromBytes`. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, savedEntries, ({ saveEntries }) =>
      saveEntries(this.table, { kind: 'dynamicMap', value: this.shaderValue }),
    );
  }

  #how({ onExisting = 'replace', unique = false }: InsertOptions) {
    if (typeof unique !== 'boolean') refuse('unique', 'true or false', unique);
    return { onExisting: onExistingOf(onExisting, this.value as unknown as ValueType), unique };
  }

  #items(keys: Keys<K>, given: Values<V>) {
    this.table.assertBuilt();
    return this.source(keys, valuesOfType(given, this.value));
  }

  /** @internal */
  protected get shaderValue(): ValueType {
    return this.value as unknown as ValueType;
  }

  /** @internal */
  protected get requestedValue(): ValueType {
    return this.shaderValue;
  }
}
