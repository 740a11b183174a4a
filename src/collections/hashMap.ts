import type { Gpu, GpuCount, Target } from '../gpu/index.ts';
import type { PreparedKeys } from '../keys/index.ts';
import type { LookupBuffers } from '../table/lookup.wgsl.ts';
import { openSaved, saveTable } from '../table/saved/saved.ts';
import { type Count, type Keys, prepareSource, type Widened } from '../table/source.ts';
import { Table, type TableSettings } from '../table/table.ts';
import {
  inferValueType,
  requireValueType,
  type ValueArray,
  type ValueOf,
  type ValueType,
  wordsOfValue,
} from '../table/values.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import { tableSettings } from './settings.ts';

/** Keys and values, as typed arrays or GPU buffers. Buffers are only read, and stay yours. */
export interface MapInput<K, V extends ValueArray> {
  readonly keys: K | PreparedKeys<K> | GPUBuffer;
  readonly values: V | GPUBuffer;
  /** How many items; required where the keys are in a `GPUBuffer`. */
  readonly count?: number;
  /** The bytes that keys in a `GPUBuffer` point into, for keys that have a context. */
  readonly context?: GPUBuffer;
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
export interface MapOptions<K, V extends ValueArray> extends CollectionOptions<K> {
  /** The type of the values. Default: that of the array's numbers; in a `GPUBuffer` `valueTypes.u32`. */
  readonly value?: ValueType<V>;
}

/**
 * A map from keys to values, built at once and searched in parallel.
 * @example
 * const map = await HashMap.from(gpu, { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) });
 * const { values, found } = await map.get(new Uint32Array([9, 8])); // [2, 0], [1, 0]
 */
export class HashMap<K, V extends ValueArray = Uint32Array> extends Collection<K> {
  readonly value: ValueType<V>;

  private constructor(table: Table, value: ValueType<V>) {
    super(table);
    this.value = value;
  }

  /** Builds a map and waits until it is built. */
  static from<K, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    input: MapInput<K, never>,
    options?: MapOptions<K, V>,
  ): Promise<HashMap<K, V>>;
  static from<K, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    input: MapInput<K, V>,
    options?: MapOptions<K, V>,
  ): Promise<HashMap<K, V>>;
  static async from<K, V extends ValueArray>(
    gpu: Gpu,
    input: MapInput<K, V>,
    options: MapOptions<K, V> = {},
  ): Promise<HashMap<K, V>> {
    const { settings, value } = settingsOf(input, options);
    const source = prepareSource(gpu, settings.key, input, value.words);
    try {
      return new HashMap(await Table.build(gpu, settings, source), value);
    } finally {
      source.release();
    }
  }

  /**
   * Allocates a map and records its build, without submitting it. It may be searched by commands recorded later;
   * `await map.settle()` after submitting tells whether the build succeeded.
   */
  static encodeBuild<K, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    target: Target,
    input: MapBuffers,
    options: MapOptions<K, V> & { readonly key: NonNullable<MapOptions<K, V>['key']> },
  ): HashMap<K, V> {
    const { settings, value } = settingsOf<K, V>(input, options);
    const source = prepareSource(gpu, settings.key, input, value.words);
    return new HashMap(Table.encodeBuild(gpu, settings, target, source), value);
  }

  /** Opens a map that `toBytes` saved, on this GPU or another. Own schemes and key types are named in the options. */
  static async fromBytes<K = Uint32Array, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: Pick<CollectionOptions<K>, 'key' | 'scheme'> = {},
  ): Promise<HashMap<K, V>> {
    const { table, value } = await openSaved(gpu, bytes, 'map', options);
    return new HashMap(table, value as ValueType<V>);
  }

  /** Builds anew from other items, reusing the buffers where they are large enough. */
  async rebuild(input: MapInput<Keys<K>, V | Widened<V>>): Promise<this> {
    this.table.assertAlive();
    requireValueType(input.values, this.value);
    const source = prepareSource(this.gpu, this.key, input, this.value.words);
    try {
      await this.table.rebuild(source);
      return this;
    } finally {
      source.release();
    }
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: MapBuffers): void {
    this.table.assertAlive();
    this.table.encodeRebuild(target, prepareSource(this.gpu, this.key, input, this.value.words));
  }

  /**
   * The value of every key, or `missing`, and whether the key was found. Vectors lie one behind the other; what stands for
   * a missing one is a number for all components, or one for each.
   */
  async get(keys: Keys<K>, options: { readonly missing?: ValueOf<V> } = {}): Promise<{ values: V; found: Uint8Array }> {
    const { values, found } = await this.search(keys, wordsOfValue(options.missing ?? 0, this.value), true);
    return { values: new this.value.array(values.buffer), found };
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
    const { missing = 0, ...io } = buffers;
    this.encodeSearch(target, io, wordsOfValue(missing, this.value));
  }

  /** All values, in the order of `keys()` only if both come from one call of `entries()`. */
  async values(): Promise<V> {
    return (await this.entries()).values;
  }

  /** All keys with their values, in no particular order. */
  async entries(): Promise<{ keys: K; values: V }> {
    const { keys, values, context } = await this.contents();
    return { keys: this.key.decode(keys, context), values: new this.value.array(values.buffer) };
  }

  /** The whole table as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(): Promise<Uint8Array> {
    this.table.assertBuilt();
    return saveTable(this.table, 'map', this.value);
  }

  protected get shaderValue(): ValueType {
    return this.value;
  }
}

function settingsOf<K, V extends ValueArray>(
  input: { readonly keys: K | PreparedKeys<K> | GPUBuffer; readonly values: V | GPUBuffer },
  options: MapOptions<K, V>,
): { settings: TableSettings & { key: MapOptions<K, V>['key'] & {} }; value: ValueType<V> } {
  const value = inferValueType(input.values, options.value);
  return { settings: tableSettings(input.keys, options, value.words), value };
}
