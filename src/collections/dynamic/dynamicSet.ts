import { DynamicTable } from '../../dynamic/table.ts';
import { type Gpu, nameCalls, requireMembers, requireOptions, requireTarget, type Target } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { bufferSourceOf, type Keys, sourceOf } from '../../table/source.ts';
import type { KeysOfType } from '../settings.ts';
import {
  DYNAMIC_OPTIONS,
  DynamicCollection,
  type DynamicOptions,
  dynamicSettings,
  type KeyBatchBuffers,
} from './dynamicCollection.ts';

/** Keys in GPU buffers, for the encoder face. */
export interface AddBuffers extends KeyBatchBuffers {
  /** Gets the numbers of the keys that found no room; `left` tells how many. A word for every key. */
  readonly left?: GPUBuffer;
}

const ADDING = { onExisting: 'keep', unique: false } as const;

/**
 * A set that lives: batches of keys are inserted and deleted, and it grows and shrinks with them.
 * @example
 * const set = await DynamicSet.create(gpu, { key: u32 });
 * await set.insert(new Uint32Array([3, 5, 5])); // [1, 1, 1]: all are new
 */
export class DynamicSet<K> extends DynamicCollection<K> {
  static {
    nameCalls(this, 'DynamicSet');
  }

  /** @internal */
  protected constructor(table: DynamicTable) {
    super(table);
  }

  /** An empty set. */
  static async create<Key extends KeyType>(
    gpu: Gpu,
    options: DynamicOptions<Key>,
  ): Promise<DynamicSet<KeysOfType<Key>>> {
    requireOptions(options, DYNAMIC_OPTIONS);
    const settings = dynamicSettings(gpu, options, DYNAMIC_OPTIONS, 0);
    return new this(await DynamicTable.create(gpu, settings, options.reserve ?? 0));
  }

  /** Puts keys into the set, and tells which were new: 1 or 0. All copies of a key in the batch get the same answer. */
  async insert(keys: Keys<K>): Promise<Uint8Array<ArrayBuffer>> {
    const source = sourceOf(this.gpu, this.key, { keys }, 0);
    const found = await this.change(source, (uploaded) => this.table.insert(uploaded, ADDING));
    return found.map((flag) => 1 - flag);
  }

  /** Records that keys are put into the set, as far as there is room: see `reserve`, `left` and `settle`. */
  encodeInsert(target: Target, buffers: AddBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'found', 'left']);
    const { found, left, ...input } = buffers;
    const source = bufferSourceOf(this.gpu, this.key, input, 0);
    this.table.encode(target, source, found, { kind: 'insert', left, ...ADDING });
  }

  /** @internal */
  protected readonly shaderValue = undefined;
}
