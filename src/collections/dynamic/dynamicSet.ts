import { openEntries, savedEntries } from '../../dynamic/saved.ts';
import { DynamicTable } from '../../dynamic/table.ts';
import {
  type Abortable,
  type Gpu,
  nameCalls,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { bufferSourceOf, type Keys } from '../../table/source.ts';
import type { OneOf } from '../plain.ts';
import type { PrepareOptions } from '../prepare.ts';
import { type KeysOfType, withoutValues } from '../settings.ts';
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

  /** Compiles what `insert` and `delete` of so many keys, and `has`, will need; see `DynamicMap.prepare`. */
  static async prepare<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key> & PrepareOptions): Promise<void> {
    await prepareBatches(gpu, options, DYNAMIC_OPTIONS, {
      create: (idle, rest) => this.create<KeyType<never>>(idle, rest),
      calls: [(set, keys) => set.insert(keys), (set, keys) => set.has(keys), (set, keys) => set.delete(keys)],
      record: (set, encoder, batch) => {
        set.encodeInsert(encoder, batch);
        set.encodeDelete(encoder, batch);
      },
    });
  }

  /** A set of the keys that `toBytes` saved. The key type is named if it is a tuple or one of your own. */
  static async fromBytes<Key extends KeyType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: Partial<DynamicOptions<Key>> & Abortable = {},
  ): Promise<DynamicSet<KeysOfType<Key>>> {
    const { table } = await openEntries(gpu, bytes, openEntriesOf(gpu, 'dynamicSet', options, DYNAMIC_OPTIONS));
    return new this(table);
  }

  /** Puts keys into the set, and tells which were new: 1 or 0. All copies of a key in the batch get the same answer. */
  async insert(keys: Keys<K>, options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    requireOptions(options, ['signal']);
    const source = this.source(keys);
    const found = await this.insertInto(source, options, (table, items) => table.insert(items, ADDING));
    return found.map((flag) => 1 - flag);
  }

  /** Records that keys are put into the set, as far as there is room: see `reserve`, `left` and `settle`. */
  encodeInsert(target: Target, buffers: AddBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'found', 'left']);
    const { found, left, ...input } = buffers;
    const source = bufferSourceOf(this.gpu, this.key, withoutValues(input));
    this.table.encode(target, source, found, { kind: 'insert', left, ...ADDING });
  }

  /** Records that the set takes what shaders have asked for, and empties their list. */
  encodeInsertRequests(target: Target, requests: Requests, options: RequestOptions = {}): void {
    requireTarget(target);
    requireOptions(options, ['context', 'found', 'left']);
    this.encodeInsert(target, { ...this.requested(requests), ...options });
    this.encodeEmpty(target, requests);
  }

  /** All keys, read at once and given out one by one, for keys that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<OneOf<K>, void, undefined> {
    return this.eachKey();
  }

  /** All keys as bytes, for `fromBytes`. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, savedEntries, ({ saveEntries }) =>
      saveEntries(this.table, { kind: 'dynamicSet', value: undefined }),
    );
  }

  /** @internal */
  protected readonly shaderValue = undefined;

  /** @internal */
  protected readonly requestedValue = undefined;
}
