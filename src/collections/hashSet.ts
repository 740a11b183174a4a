import {
  type Abortable,
  abortable,
  type Gpu,
  nameCalls,
  requireSignal,
  requireTarget,
  type Target,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { openSaved, saved } from '../table/saved/index.ts';
import { bufferSourceOf, type Count, type GivenKeys, type Keys, sourceOf, type Told } from '../table/source.ts';
import { Table } from '../table/table.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import { givenKeys, type KeyList, type OneOf, type PlainKey, type PlainKeys } from './plain.ts';
import { type PrepareOptions, prepareCalls } from './prepare.ts';
import {
  type KeysOfType,
  openRequest,
  requireBuild,
  type SavedOptions,
  tableSettings,
  withoutValues,
} from './settings.ts';

/** Keys as a typed array or a GPU buffer. A buffer is only read, and stays yours. */
export interface SetInput<K, Named = unknown> {
  readonly keys: GivenKeys<K, Named>;
  /** How many keys; required where they are in a `GPUBuffer`. */
  readonly count?: number;
  /** The bytes that keys in a `GPUBuffer` point into, for keys that have a context. */
  readonly context?: GPUBuffer;
}

/** Keys in a GPU buffer, for the encoder face. */
export interface SetBuffers {
  readonly keys: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** The bytes that the keys point into, for keys that have a context; all of the buffer is copied. */
  readonly context?: GPUBuffer;
}

const OPTIONS = ['key', 'scheme', 'duplicates', 'seed'];

/** `HashSet` without a default scheme. */
export class HashSet<K> extends Collection<K> {
  static {
    nameCalls(this, 'HashSet');
  }

  /** @internal */
  protected constructor(table: Table) {
    super(table);
  }

  /**
   * Builds a set and waits until it is built: from an array, from a buffer, or from a `Set` and whatever else can be iterated.
   * @example
   * const seen = await HashSet.from(gpu, new Set(['ada', 'bob']));
   */
  static from<Key extends PlainKey, K = PlainKeys<Key>>(
    gpu: Gpu,
    keys: KeyList<Key>,
    options?: CollectionOptions<K> & Abortable,
  ): Promise<HashSet<K>>;
  static from<K extends Told<Named>, Named = never>(
    gpu: Gpu,
    input: SetInput<K, Named>,
    options?: CollectionOptions<K, Named> & Abortable,
  ): Promise<HashSet<K>>;
  static async from<K>(
    gpu: Gpu,
    given: SetInput<K> | Iterable<unknown>,
    named: CollectionOptions<K> & Abortable = {},
  ): Promise<HashSet<K>> {
    const names = [...OPTIONS, 'signal'];
    const { input, options } = givenKeys<K, SetInput<K>, typeof named>(given, named, names);
    requireBuild(gpu, input, options, names);
    const { signal } = named;
    requireSignal(signal);
    const settings = tableSettings(input.keys, options, 0, this.defaultScheme);
    const source = sourceOf(gpu, settings.key, withoutValues(input));
    try {
      const building = Table.build(gpu, settings, source);
      return new this<K>(await abortable(signal, building, (table) => table.destroy()));
    } finally {
      source.release();
    }
  }

  /** Compiles what `from` with so many items, and `has`, will need; see `HashMap.prepare`. */
  static async prepare<K = Uint32Array>(gpu: Gpu, options: CollectionOptions<K> & PrepareOptions): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) => tableSettings<K>(undefined as never, rest, 0, this.defaultScheme),
      build: (idle, input, rest) => this.from<never>(idle, input, rest),
      search: (set, keys) => set.has(keys),
    });
  }

  /** Allocates a set and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K>(
    gpu: Gpu,
    target: Target,
    input: SetBuffers,
    options: CollectionOptions<K> & { readonly key: KeyType<K> },
  ): HashSet<K> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const settings = tableSettings<K>(input.keys, options, 0, this.defaultScheme);
    const source = bufferSourceOf(gpu, settings.key, withoutValues(input));
    return new this<K>(Table.encodeBuild(gpu, settings, target, source));
  }

  /** Opens a set that `toBytes` saved, on this GPU or another; see `HashMap.fromBytes` for the options. */
  static async fromBytes<Key extends KeyType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: SavedOptions<Key> = {},
  ): Promise<HashSet<KeysOfType<Key>>> {
    return new this((await openSaved(gpu, bytes, openRequest(gpu, 'set', options, this.defaultScheme))).table);
  }

  /** Builds anew from other keys, reusing the buffers where they are large enough. */
  async rebuild(input: SetInput<Keys<K>>, options: Abortable = {}): Promise<this> {
    this.table.assertAlive();
    const source = sourceOf(this.gpu, this.key, withoutValues(input));
    return this.rebuildTable(source, options);
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: SetBuffers): void {
    requireTarget(target);
    this.table.encodeRebuild(target, bufferSourceOf(this.gpu, this.key, withoutValues(input)));
  }

  /** All keys, read at once and given out one by one, for keys that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<OneOf<K>, void, undefined> {
    return this.eachKey();
  }

  /** The whole table as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, saved, ({ saveTable }) => saveTable(this.table, 'set', undefined));
  }

  /** @internal */
  protected readonly shaderValue = undefined;
}
