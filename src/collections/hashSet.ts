import type { Gpu, Target } from '../gpu/index.ts';
import type { KeyType, PreparedKeys } from '../keys/index.ts';
import { openSaved, saveTable } from '../table/saved/saved.ts';
import { type Count, type Keys, prepareSource } from '../table/source.ts';
import { Table } from '../table/table.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import { tableSettings } from './settings.ts';

/** Keys as a typed array or a GPU buffer. A buffer is only read, and stays yours. */
export interface SetInput<K> {
  readonly keys: K | PreparedKeys<K> | GPUBuffer;
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

/**
 * A set of keys; it stores nothing else, so it takes half the bytes of a map.
 * @example
 * const set = await HashSet.from(gpu, { keys: new Uint32Array([3, 5, 5]) });
 * await set.has(new Uint32Array([5, 6])); // [1, 0]
 */
export class HashSet<K> extends Collection<K> {
  private constructor(table: Table) {
    super(table);
  }

  /** Builds a set and waits until it is built. */
  static async from<K>(gpu: Gpu, input: SetInput<K>, options: CollectionOptions<K> = {}): Promise<HashSet<K>> {
    const settings = tableSettings(input.keys, options, 0);
    const source = prepareSource(gpu, settings.key, keysOf(input));
    try {
      return new HashSet(await Table.build(gpu, settings, source));
    } finally {
      source.release();
    }
  }

  /** Allocates a set and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K>(
    gpu: Gpu,
    target: Target,
    input: SetBuffers,
    options: CollectionOptions<K> & { readonly key: KeyType<K> },
  ): HashSet<K> {
    const settings = tableSettings<K>(input.keys, options, 0);
    return new HashSet(Table.encodeBuild(gpu, settings, target, prepareSource(gpu, settings.key, keysOf(input))));
  }

  /** Opens a set that `toBytes` saved, on this GPU or another. */
  static async fromBytes<K = Uint32Array>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: Pick<CollectionOptions<K>, 'key' | 'scheme'> = {},
  ): Promise<HashSet<K>> {
    return new HashSet((await openSaved(gpu, bytes, 'set', options)).table);
  }

  /** Builds anew from other keys, reusing the buffers where they are large enough. */
  async rebuild(input: SetInput<Keys<K>>): Promise<this> {
    this.table.assertAlive();
    const source = prepareSource(this.gpu, this.key, keysOf(input));
    try {
      await this.table.rebuild(source);
      return this;
    } finally {
      source.release();
    }
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: SetBuffers): void {
    this.table.assertAlive();
    this.table.encodeRebuild(target, prepareSource(this.gpu, this.key, keysOf(input)));
  }

  /** The whole table as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(): Promise<Uint8Array> {
    this.table.assertBuilt();
    return saveTable(this.table, 'set', undefined);
  }

  protected readonly shaderValue = undefined;
}

/** Whoever has a map's input can make a set of its keys. */
const keysOf = <T>(input: T) => ({ ...input, values: undefined });
