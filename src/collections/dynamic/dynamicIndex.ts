import { Ids, NO_ID } from '../../dynamic/ids.wgsl.ts';
import { activate, release } from '../../dynamic/indexBatch.ts';
import { openEntries, savedEntries } from '../../dynamic/saved.ts';
import { DynamicTable } from '../../dynamic/table.ts';
import {
  type Abortable,
  type Followed,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  nameCalls,
  perform,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
  UnsupportedError,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { requireApart, requireStorage } from '../../primitives/checks.ts';
import { readContents } from '../../table/contents.wgsl.ts';
import type { IdEntryBuffers } from '../../table/entryBuffers.ts';
import { bufferSourceOf, decodeKeys, type Fresh, type Keys } from '../../table/source.ts';
import { valueTypes } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { eachId, encodeSearchIds, getOneId, type IdBuffers, type IdOptions, searchIds } from '../idSearch.ts';
import type { OneKey, OneOf } from '../plain.ts';
import type { PrepareOptions } from '../prepare.ts';
import { type KeysOfType, withoutValues } from '../settings.ts';
import {
  type ActivateBuffers,
  DYNAMIC_OPTIONS,
  DynamicCollection,
  type DynamicOptions,
  dynamicSettings,
  type KeyBatchBuffers,
  openEntriesOf,
} from './dynamicCollection.ts';
import { prepareBatches } from './prepareBatches.ts';
import type { Requests } from './requests.wgsl.ts';

const KEEP = { onExisting: 'keep', unique: false } as const;

/**
 * Keys with ids. A key has its id until it is released; then another key may get it. Ids are as small as they can be, so that arrays of
 * your own, by id, need no more rows than there were keys at once.
 * @example
 * const blocks = await DynamicIndex.create(gpu, { key: vec3i });
 * const { ids, fresh } = await blocks.activate(new Int32Array([0, 0, 0, 1, 0, 0])); // [0, 1], [1, 1]
 * await blocks.release(new Int32Array([0, 0, 0]));                                  // [1]; id 0 is free
 */
export class DynamicIndex<K> extends DynamicCollection<K> {
  static {
    nameCalls(this, 'DynamicIndex');
  }

  readonly #ids: Ids;
  #limit: number;
  #free: number;
  /** Changes of these two, and how many there had been when the two were read. */
  #changes = 0;
  #known = 0;

  /** @internal */
  protected constructor(table: DynamicTable, ids: Ids, limit: number, free: number) {
    super(table);
    this.#ids = ids;
    this.#limit = limit;
    this.#free = free;
  }

  /** An empty index. */
  static async create<Key extends KeyType>(
    gpu: Gpu,
    options: DynamicOptions<Key>,
  ): Promise<DynamicIndex<KeysOfType<Key>>> {
    const settings = dynamicSettings(gpu, options, DYNAMIC_OPTIONS, 1);
    const table = await DynamicTable.create(gpu, settings, options.reserve ?? 0);
    return this.#over(table, new Uint32Array(), 0);
  }

  /** Compiles what `activate` and `release` of so many keys, and `ids`, will need; see `DynamicMap.prepare`. */
  static async prepare<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key> & PrepareOptions): Promise<void> {
    await prepareBatches(gpu, options, DYNAMIC_OPTIONS, {
      create: (idle, rest) => this.create<KeyType<never>>(idle, rest),
      calls: [
        (index, keys) => index.activate(keys),
        (index, keys) => index.ids(keys),
        (index, keys) => index.release(keys),
      ],
      record: (index, encoder, batch, ids) => {
        index.encodeActivate(encoder, { ...batch, ids });
        index.encodeRelease(encoder, batch);
      },
    });
  }

  /** An index of the keys and ids that `toBytes` saved. The key type is named if it is a tuple or one of your own. */
  static async fromBytes<Key extends KeyType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: Partial<DynamicOptions<Key>> & Abortable = {},
  ): Promise<DynamicIndex<KeysOfType<Key>>> {
    const request = openEntriesOf(gpu, 'dynamicIndex', options, DYNAMIC_OPTIONS);
    const { table, freeIds } = await openEntries(gpu, bytes, request);
    return this.#over(table, freeIds, table.size + freeIds.length);
  }

  static async #over<K>(table: DynamicTable, free: Uint32Array, limit: number): Promise<DynamicIndex<K>> {
    try {
      if (!table.plan.valueStore)
        throw new UnsupportedError(`${table.settings.scheme.name} cannot replace values, which an index needs`);
      const ids = await Ids.make(table.gpu, Math.max(table.plan.slotCount, limit));
      ids.restore(free, limit);
      return new this(table, ids, limit, free.length);
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** Gives an id to every key that has none, and tells the ids of all, and which keys are new: 1 or 0. */
  async activate(
    keys: Keys<K>,
    options: Abortable = {},
  ): Promise<{ ids: Uint32Array<ArrayBuffer>; fresh: Uint8Array<ArrayBuffer> }> {
    requireOptions(options, ['signal']);
    return this.change(this.source(keys), options, async (source) => {
      this.#changes++;
      const { state, ...answers } = await activate(this.table, this.#ids, source).catch(async (error: unknown) => {
        // What has run has run.
        await this.#readState().catch(() => {});
        throw error;
      });
      this.#accept(state, this.#changes);
      return answers;
    });
  }

  /** Removes keys, whose ids are free from then on, and tells which keys were there: 1 or 0. */
  async release(keys: Keys<K>, options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    requireOptions(options, ['signal']);
    return this.change(this.source(keys), options, async (source) => {
      this.#changes++;
      return release(this.table, this.#ids, source, this.#limit).finally(() => this.#readState());
    });
  }

  /** The same as `release`. */
  override delete(keys: Keys<K>, options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.release(keys, options);
  }

  /** Removes all keys. Ids begin at 0 again. */
  override async clear(): Promise<void> {
    await this.table.write(async () => {
      this.#changes++;
      await this.table.clear((encoder) => this.#ids.encodeClear(encoder)).finally(() => this.#readState());
    });
  }

  /** @internal */
  protected override async fitBeside(): Promise<void> {
    await this.#readState();
    await this.#ids.fit(Math.max(this.table.plan.slotCount, this.#limit));
  }

  /** The id of every key, or `missing`. */
  async ids(keys: Keys<K>, options: IdOptions & Followed = {}): Promise<Uint32Array<ArrayBuffer>> {
    return searchIds(this, keys, options);
  }

  /** The id of one key, or `undefined`. Many keys are looked up faster by one `ids` than by many of these. */
  async getOne(key: OneKey<K>): Promise<number | undefined> {
    return getOneId(this, key);
  }

  /** All keys with their ids, read at once and given out one by one, for keys that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, number], void, undefined> {
    return eachId(this);
  }

  /** The ids of all keys, in ascending order. */
  async activeIds(options: Abortable = {}): Promise<Uint32Array<ArrayBuffer>> {
    return (await this.entries(options)).ids.sort();
  }

  /** All keys with their ids, in no particular order. */
  async entries(options: Abortable = {}): Promise<{ keys: Fresh<K>; ids: Uint32Array<ArrayBuffer> }> {
    const { keys, values, context } = await this.readFor(options, () => readContents(this.table));
    return { keys: decodeKeys(this.key, keys, context), ids: values as Uint32Array<ArrayBuffer> };
  }

  /** One more than the greatest id that was given out since the index was made or cleared: rows that arrays by id need. */
  get idLimit(): number {
    this.table.assertBuilt();
    if (this.#changes !== this.#known) throw new InvalidInputError('batches were encoded since: settle() first');
    return this.#limit;
  }

  /** Where the GPU finds `idLimit`. */
  get idLimitOnGpu(): GpuCount {
    this.table.assertBuilt();
    return this.#ids.limit;
  }

  /** Records that every key that has none gets an id, as far as there is room: see `reserve`, `left` and `settle`. */
  encodeActivate(target: Target, buffers: ActivateBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'ids', 'fresh', 'left']);
    const { ids, fresh, left, ...input } = buffers;
    requireStorage(ids, 'ids');
    requireApart({ idLimitOnGpu: this.#ids.limit.buffer, ids, fresh, left });
    this.#requireRoom();
    const { table } = this;
    const source = bufferSourceOf(this.gpu, this.key, withoutValues(input));
    const { maxCount } = source;
    const name = `activate/${left !== undefined}`;
    table.encodeBatch(
      target,
      source,
      { name, isKept: true, outputs: { ids, fresh, left } },
      (recorder, items, extent) => {
        const scratch = (what: string): GPUBuffer => table.workspace.scratch(`ids/${what}`, maxCount * WORD_BYTES);
        // The numbers stand where the ids will be.
        this.#ids.recordNumbers(recorder, ids, extent);
        const numbered = {
          ...items,
          values: maxCount === 0 ? items.keys : { buffer: ids, size: maxCount * WORD_BYTES },
        };
        table.recordChange(recorder, numbered, extent, { kind: 'insert', left, ...KEEP });
        const output = { slots: scratch('slots'), fresh: fresh ?? scratch('fresh') };
        this.#ids.recordGive(recorder, table, items, extent, output);
        table.recordLookup(recorder, items, extent, { values: ids }, NO_ID);
      },
    );
    this.#changes++;
  }

  /** Records that keys that shaders have asked for get ids, and empties their list. */
  encodeActivateRequests(target: Target, requests: Requests, buffers: Omit<ActivateBuffers, 'keys' | 'count'>): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['context', 'ids', 'fresh', 'left']);
    this.encodeActivate(target, { ...buffers, ...this.requested(requests) });
    this.encodeEmpty(target, requests);
  }

  /** Records that keys are removed, whose ids are free from then on. */
  encodeRelease(target: Target, buffers: KeyBatchBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'found']);
    const { found, ...input } = buffers;
    const { table } = this;
    requireApart({ idLimitOnGpu: this.#ids.limit.buffer, found });
    this.#requireRoom();
    const source = bufferSourceOf(this.gpu, this.key, withoutValues(input));
    const { maxCount } = source;
    const how = { name: 'release', isKept: false, outputs: { found } };
    table.encodeBatch(target, source, how, (recorder, items, extent) => {
      const ids = table.workspace.scratch('ids/released', maxCount * WORD_BYTES);
      table.recordLookup(recorder, items, extent, { values: ids, ...(found && { found }) }, NO_ID);
      table.recordChange(recorder, items, extent, { kind: 'delete' });
      this.#ids.recordBack(recorder, ids, extent);
    });
    this.#changes++;
  }

  /** Throws if there is no room for all ids that the table may come to have. Only lack of memory leads here. */
  #requireRoom(): void {
    if (this.#ids.most >= Math.max(this.table.plan.slotCount, this.#limit)) return;
    throw new InvalidInputError('there is no room for all ids: reserve() before batches are encoded');
  }

  /** The same as `encodeRelease`. */
  override encodeDelete(target: Target, buffers: KeyBatchBuffers): void {
    this.encodeRelease(target, buffers);
  }

  /** Records a search: `ids` gets the id of every query or `missing`. */
  encodeIds(target: Target, buffers: IdBuffers): void {
    encodeSearchIds(this, target, buffers, []);
  }

  /**
   * Records that all keys and their ids are written into buffers, in no particular order, and how many there are: after a
   * batch that was recorded before, too. The buffers need room for `keyCapacity` entries.
   */
  encodeEntries(target: Target, buffers: IdEntryBuffers): void {
    requireMembers(buffers, 'buffers', ['keys', 'ids', 'count']);
    this.encodeContents(target, buffers, 'ids', buffers.ids);
  }

  /** @internal */
  protected override get knownBuffers(): readonly GPUBuffer[] {
    return [...super.knownBuffers, this.#ids.limit.buffer];
  }

  /** All keys and ids as bytes, for `fromBytes`. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, savedEntries, async ({ saveEntries }) => {
      if (this.#changes !== this.#known) await this.#readState();
      const [free] = await perform(this.gpu, () => {}, [this.#ids.freeRead(this.#free)]);
      const freeIds = new Uint32Array(free as ArrayBuffer);
      return saveEntries(this.table, { kind: 'dynamicIndex', value: undefined, freeIds });
    });
  }

  override async settle(): Promise<{ readonly left: number }> {
    const settled = await super.settle();
    await this.#readState();
    return settled;
  }

  /** @internal */
  protected override async settled(): Promise<void> {
    await super.settled();
    await this.#readState();
  }

  async #readState(): Promise<void> {
    const changes = this.#changes;
    const [state] = await perform(this.gpu, () => {}, [this.#ids.stateRead]);
    this.#accept(state as ArrayBuffer, changes);
  }

  #accept(state: ArrayBuffer, changes: number): void {
    const [free = 0, limit = 0] = new Uint32Array(state);
    this.#known = changes;
    this.#free = free;
    this.#limit = limit;
  }

  override get tableBytes(): number {
    return super.tableBytes + this.#ids.bytes;
  }

  /** @internal */
  protected readonly shaderValue = valueTypes.u32;

  /** @internal */
  protected readonly requestedValue = undefined;

  override destroy(): void {
    super.destroy();
    this.#ids.destroy();
  }
}
