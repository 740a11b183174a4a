import {
  type Abortable,
  abortable,
  type Followed,
  type Gpu,
  type GpuCount,
  nameCalls,
  requireSignal,
  requireTarget,
  type Target,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { EntryBuffers } from '../table/entryBuffers.ts';
import type { LookupBuffers } from '../table/lookup.wgsl.ts';
import { openSaved, saved } from '../table/saved/index.ts';
import type { TableSettings } from '../table/settings.ts';
import {
  bufferSourceOf,
  type Count,
  type Fresh,
  type GivenKeys,
  type Keys,
  requireInput,
  sourceOf,
  type Told,
  type Values,
} from '../table/source.ts';
import { Table } from '../table/table.ts';
import {
  inferValueType,
  requireValueType,
  type ValueArray,
  type ValueOf,
  type ValueType,
  valueTypes,
} from '../table/values.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import {
  eachEntry,
  encodeGetValues,
  encodeMapEntries,
  type GetOptions,
  getOneValue,
  getValues,
  readEntries,
} from './mapSearch.ts';
import {
  type EntryList,
  givenEntries,
  type OneKey,
  type OneOf,
  type PlainKey,
  type PlainKeys,
  type PlainValue,
  type PlainValues,
  valuesOfType,
} from './plain.ts';
import { type PrepareOptions, prepareCalls } from './prepare.ts';
import {
  type DefaultScheme,
  type KeysOfType,
  openRequest,
  requireBuild,
  type SavedMapOptions,
  tableSettings,
  type ValuesOfType,
} from './settings.ts';

/** Keys and values, as typed arrays or GPU buffers. Buffers are only read, and stay yours. */
export interface MapInput<K, V extends ValueArray, Named = unknown> {
  readonly keys: GivenKeys<K, Named>;
  readonly values: V | GPUBuffer;
  /** How many items; required where the keys are in a `GPUBuffer`. */
  readonly count?: number;
  /** The bytes that keys in a `GPUBuffer` point into, for keys that have a context. */
  readonly context?: GPUBuffer;
}

/** Items that a map with such keys and values is built anew from. */
export interface NewItems<K, V extends ValueArray> extends Omit<MapInput<Keys<K>, V>, 'values'> {
  readonly values: Values<V> | GPUBuffer;
}

/** Items in GPU buffers, for the encoder face. */
export interface MapBuffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** The bytes that the keys point into, for keys that have a context; all of the buffer is copied. */
  readonly context?: GPUBuffer;
}

/** Options of a `HashMap`. */
export interface MapOptions<K, V extends ValueArray, Named = unknown> extends CollectionOptions<K, Named> {
  /** The type of the values. Default: that of the array's numbers; in a `GPUBuffer` `valueTypes.u32`. */
  readonly value?: ValueType<V>;
}

const OPTIONS = ['key', 'scheme', 'duplicates', 'seed', 'value'];

/** `HashMap` without a default scheme. */
export class HashMap<K, V extends ValueArray = Uint32Array> extends Collection<K> {
  static {
    nameCalls(this, 'HashMap');
  }

  readonly value: ValueType<V>;

  /** @internal */
  protected constructor(table: Table, value: ValueType<V>) {
    super(table);
    this.value = value;
  }

  /**
   * Builds a map and waits until it is built: from arrays, from buffers, or from a `Map` and whatever else gives pairs.
   * @example
   * const prices = await HashMap.from(gpu, new Map([['ada', 7], ['bob', 9]]));
   */
  static from<
    Key extends PlainKey,
    Value extends PlainValue,
    K = PlainKeys<Key>,
    V extends ValueArray = PlainValues<Value>,
  >(gpu: Gpu, entries: EntryList<Key, Value>, options?: MapOptions<K, V> & Abortable): Promise<HashMap<K, V>>;
  static from<K extends Told<Named>, V extends ValueArray = Uint32Array, Named = never>(
    gpu: Gpu,
    input: MapInput<K, never, Named>,
    options?: MapOptions<K, V, Named> & Abortable,
  ): Promise<HashMap<K, V>>;
  static from<K extends Told<Named>, V extends ValueArray, Named = never>(
    gpu: Gpu,
    input: MapInput<K, V, Named>,
    options?: MapOptions<K, V, Named> & Abortable,
  ): Promise<HashMap<K, V>>;
  static async from<K, V extends ValueArray>(
    gpu: Gpu,
    given: MapInput<K, V> | Iterable<unknown>,
    named: MapOptions<K, V> & Abortable = {},
  ): Promise<HashMap<K, V>> {
    const names = [...OPTIONS, 'signal'];
    const { input, options } = givenEntries<K, V, MapInput<K, V>, typeof named>(given, named, names);
    requireBuild(gpu, input, options, names);
    const { signal } = named;
    requireSignal(signal);
    const { settings, value } = settingsOf(input, options, this.defaultScheme);
    const source = sourceOf(gpu, settings.key, input, value.words);
    try {
      const building = Table.build(gpu, settings, source);
      return new this<K, V>(await abortable(signal, building, (table) => table.destroy()), value);
    } finally {
      source.release();
    }
  }

  /**
   * Compiles what `from` with so many items, and `get`, will need: side by side, and without blocking. Whoever records builds
   * on an encoder, which have to compile while everybody waits, prepares them too.
   * @example
   * await HashMap.prepare(gpu, { key: u32, items: 1_000_000, value: valueTypes.f32 });
   */
  static async prepare<K = Uint32Array, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    options: MapOptions<K, V> & PrepareOptions,
  ): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) =>
        tableSettings<K>(undefined as never, rest, (rest.value ?? valueTypes.u32).words, this.defaultScheme),
      build: (idle, input, rest) => this.from<never, V>(idle, input, rest),
      search: (map, keys) => map.get(keys),
    });
  }

  /**
   * Allocates a map and records its build, without submitting it. It may be searched by commands recorded later;
   * `await map.settle()` after submitting tells whether the build succeeded.
   */
  static encodeBuild<K, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    target: Target,
    input: MapBuffers,
    options: MapOptions<K, V> & { readonly key: KeyType<K> },
  ): HashMap<K, V> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const { settings, value } = settingsOf<K, V>(input, options, this.defaultScheme);
    const source = bufferSourceOf(gpu, settings.key, input, value.words);
    return new this<K, V>(Table.encodeBuild(gpu, settings, target, source), value);
  }

  /**
   * Opens a map that `toBytes` saved, on this GPU or another. The scheme is named unless it is the default one; its options
   * are those of the saved table. The key type is named if it is a tuple or one of your own. Types that are named are
   * checked, and the compiler knows them; without, keys are `unknown`.
   * @example
   * const map = await HashMap.fromBytes(gpu, bytes, { key: u32, value: valueTypes.f32 });
   */
  static async fromBytes<Key extends KeyType, Value extends ValueType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: SavedMapOptions<Key, Value> = {},
  ): Promise<HashMap<KeysOfType<Key>, ValuesOfType<Value>>> {
    const request = openRequest(gpu, 'map', options, this.defaultScheme);
    const { table, value } = await openSaved(gpu, bytes, request);
    return new this(table, value as ValueType<ValuesOfType<Value>>);
  }

  /** Builds anew from other items, reusing the buffers where they are large enough. */
  async rebuild(input: NewItems<K, V>, options: Abortable = {}): Promise<this> {
    this.table.assertAlive();
    requireInput(input);
    const values = valuesOfType(input.values, this.value);
    const source = sourceOf(this.gpu, this.key, { ...input, values }, this.value.words);
    return this.rebuildTable(source, options);
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: MapBuffers): void {
    requireTarget(target);
    requireInput(input);
    requireValueType(input.values, this.value);
    this.table.encodeRebuild(target, bufferSourceOf(this.gpu, this.key, input, this.value.words));
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

  /**
   * The value of one key, or `undefined`; for values of one number. Many keys are looked up faster by one `get` than by many of these.
   * @example
   * const price = await prices.getOne('ada');
   */
  async getOne(key: OneKey<K>): Promise<OneOf<V> | undefined> {
    return getOneValue(this, key);
  }

  /** All keys with their values, read at once and given out one by one, for keys and values that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneOf<V>], void, undefined> {
    return eachEntry(this);
  }

  /** Records a search: `values` gets the value of every query or `missing`, `found` (optional) gets 1 or 0. */
  encodeGet(
    target: Target,
    buffers: LookupBuffers & {
      readonly values: GPUBuffer;
      readonly missing?: ValueOf<V>;
      readonly count: number | GpuCount;
    },
  ): void {
    encodeGetValues(this, target, buffers);
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
   * build that was recorded before, too. The buffers need room for `keyCapacity` entries.
   */
  encodeEntries(target: Target, buffers: EntryBuffers): void {
    encodeMapEntries(this, target, buffers);
  }

  /** The whole table as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, saved, ({ saveTable }) => saveTable(this.table, 'map', this.value));
  }

  /** @internal */
  protected get shaderValue(): ValueType {
    return this.value;
  }
}

function settingsOf<K, V extends ValueArray>(
  input: { readonly keys: GivenKeys<K>; readonly values: V | GPUBuffer },
  options: MapOptions<K, V>,
  defaultScheme: DefaultScheme,
): { settings: TableSettings & { key: KeyType<K> }; value: ValueType<V> } {
  const value = inferValueType(input.values, options.value);
  return { settings: tableSettings(input.keys, options, value.words, defaultScheme), value };
}
