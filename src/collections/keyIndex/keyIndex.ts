import {
  type Abortable,
  type Followed,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  nameCalls,
  requireMembers,
  requireTarget,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { IdEntryBuffers, KeyListBuffers } from '../../table/entryBuffers.ts';
import type { LookupBuffers } from '../../table/lookup.wgsl.ts';
import { openSaved, saved } from '../../table/saved/index.ts';
import type { Opened } from '../../table/saved/open.ts';
import { bufferSourceOf, type Fresh, type Keys, type Source, sourceOf, type Told } from '../../table/source.ts';
import type { Table } from '../../table/table.ts';
import { valueTypes } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { builtOnIndex } from '../ahead.ts';
import { Collection } from '../collection.ts';
import type { FaceFunctions, FaceSearch } from '../face.wgsl.ts';
import type { SetBuffers, SetInput } from '../hashSet.ts';
import { eachId, encodeSearchIds, getOneId, type IdOptions, searchIds } from '../idSearch.ts';
import { givenKeys, type KeyList, type OneKey, type OneOf, type PlainKey, type PlainKeys } from '../plain.ts';
import { type PrepareOptions, prepareCalls } from '../prepare.ts';
import { type KeysOfType, openRequest, requireBuild, type SavedOptions, withoutValues } from '../settings.ts';
import { type Along, buildIndex, type Construction, encodeIndex, requireIndexable } from './build.ts';
import { KEYS_BY_ID } from './checkIds.wgsl.ts';
import { type BesideKeys, encodeIdEntries } from './entries.wgsl.ts';
import { Failures } from './failures.ts';
import { readIdEntries, readKeys, readWords } from './hostReads.ts';
import { KeysById } from './keysById.ts';
import { encodeKeysOf, type KeysOfBuffers, keyFunction } from './keysOf.wgsl.ts';
import { savedIndex } from './saved.ts';
import { type IndexSettings, indexSettings, type KeyIndexOptions } from './settings.ts';

const OPTIONS = ['key', 'scheme', 'seed', 'construction', 'keepItems'];
const FROM = [...OPTIONS, 'signal'];

/** `KeyIndex` without a default scheme. */
export class KeyIndex<K> extends Collection<K> {
  static {
    nameCalls(this, 'KeyIndex');
  }

  readonly construction: Construction;
  /** @internal */
  readonly byId: KeysById;
  readonly #failures = new Failures();

  /** @internal */
  protected constructor(table: Table, byId: KeysById, { construction }: { readonly construction: Construction }) {
    super(table);
    this.byId = byId;
    this.construction = construction;
  }

  /**
   * Builds an index and waits until it is built: from an array, from a buffer, or from whatever else can be iterated.
   * @example
   * const names = await KeyIndex.from(gpu, ['ada', 'bob', 'ada']);
   */
  static from<Key extends PlainKey, K = PlainKeys<Key>>(
    gpu: Gpu,
    keys: KeyList<Key>,
    options?: KeyIndexOptions<K> & Abortable,
  ): Promise<KeyIndex<K>>;
  static from<K extends Told<Named>, Named = never>(
    gpu: Gpu,
    input: SetInput<K, Named>,
    options?: KeyIndexOptions<K, Named> & Abortable,
  ): Promise<KeyIndex<K>>;
  static async from<K>(
    gpu: Gpu,
    given: SetInput<K> | Iterable<unknown>,
    named: KeyIndexOptions<K> & Abortable = {},
  ): Promise<KeyIndex<K>> {
    const { input, options } = givenKeys<K, SetInput<K>, typeof named>(given, named, FROM);
    requireBuild(gpu, input, options, FROM);
    const settings = indexSettings(input.keys, options, this.defaultScheme);
    const source = sourceOf(gpu, settings.key, withoutValues(input));
    return builtOnIndex(gpu, settings, source, named.signal, (on, items) => this.build(on, settings, items));
  }

  /** Builds the index of a collection that stands on one. @internal */
  static async build<K>(gpu: Gpu, settings: IndexSettings<K>, source: Source, along?: Along): Promise<KeyIndex<K>> {
    const byId = new KeysById(gpu, settings.key, settings.keepItems, settings.arrays);
    try {
      const table = await buildIndex(gpu, {
        known: settings,
        construction: settings.construction,
        source,
        byId,
        along,
      });
      return new this<K>(table, byId, settings);
    } catch (error) {
      byId.destroy();
      throw error;
    }
  }

  /** Compiles what `from` with so many items, and `ids`, will need; see `HashMap.prepare`. */
  static async prepare<K = Uint32Array>(gpu: Gpu, options: KeyIndexOptions<K> & PrepareOptions): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) => indexSettings<K>(undefined as never, rest, this.defaultScheme),
      build: (idle, input, rest) => this.from<never>(idle, input, rest),
      search: (index, keys) => index.ids(keys),
    });
  }

  /** Allocates an index and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K>(
    gpu: Gpu,
    target: Target,
    input: SetBuffers,
    options: KeyIndexOptions<K> & { readonly key: KeyType<K> },
  ): KeyIndex<K> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const settings = indexSettings<K>(input.keys, options, this.defaultScheme);
    return this.encode(gpu, settings, target, bufferSourceOf(gpu, settings.key, withoutValues(input)));
  }

  /** Records the build of the index of a collection that stands on one. @internal */
  static encode<K>(gpu: Gpu, settings: IndexSettings<K>, target: Target, source: Source, along?: Along): KeyIndex<K> {
    const byId = new KeysById(gpu, settings.key, settings.keepItems, settings.arrays);
    try {
      const build = { known: settings, construction: settings.construction, source, byId, along };
      const { result, failure } = gpu.watched(() => encodeIndex(gpu, target, build));
      const index = new this<K>(result, byId, settings);
      index.#failures.add(failure);
      return index;
    } catch (error) {
      byId.destroy();
      throw error;
    }
  }

  /** Opens an index that `toBytes` saved, on this GPU or another; see `HashMap.fromBytes` for the options. */
  static async fromBytes<Key extends KeyType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: SavedOptions<Key> = {},
  ): Promise<KeyIndex<KeysOfType<Key>>> {
    const opened = await openSaved(gpu, bytes, {
      ...openRequest(gpu, 'keyIndex', options, this.defaultScheme),
      beside: savedIndex,
    });
    return opened.restored(() => this.restore<KeysOfType<Key>>(gpu, opened));
  }

  /** An index from what was saved of it, alone or under another collection. @internal */
  static restore<K>(
    gpu: Gpu,
    { table, key, items, count, extras, details }: Opened & { readonly table: Table },
    /** The keys that there is room for. How many items it was built from may be anything, unless other arrays bear it out. */
    room = items,
  ): KeyIndex<K> {
    const words = extras.get(KEYS_BY_ID) as Uint8Array;
    const byId = KeysById.restore(gpu, key, words, room, Math.max(items, count));
    return new this<K>(table, byId, { construction: details.construction as Construction });
  }

  /** Builds anew from other keys, reusing the buffers where they are large enough. Keys may get other ids. */
  async rebuild(input: SetInput<Keys<K>>, options: Abortable = {}): Promise<this> {
    this.table.assertAlive();
    const source = sourceOf(this.gpu, this.key, withoutValues(input));
    return this.change(
      source,
      options,
      () => this.requireIndexable(source),
      () => this.rebuildFrom(source),
    );
  }

  /** Throws if it shows beforehand that the index cannot be rebuilt from such items. @internal */
  requireIndexable(source: Source): void {
    requireIndexable(this.gpu, this.table.settings, this.construction, source);
  }

  /** @internal */
  async rebuildFrom(source: Source, along?: Along): Promise<void> {
    const { table: known, construction, byId } = this;
    await buildIndex(this.gpu, { known, construction, source, byId, along });
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: SetBuffers): void {
    requireTarget(target);
    this.encodeRebuildFrom(target, bufferSourceOf(this.gpu, this.key, withoutValues(input)));
  }

  /** @internal */
  encodeRebuildFrom(target: Target, source: Source, along?: Along): void {
    const { table: known, construction, byId } = this;
    this.watch(() => encodeIndex(this.gpu, target, { known, construction, source, byId, along }));
  }

  /** Makes calls whose buffers may not be had: `settle` will tell. @internal */
  watch<T>(calls: () => T): T {
    const { result, failure } = this.gpu.watched(calls);
    this.#failures.add(failure);
    return result;
  }

  /** @internal */
  override async settled(): Promise<void> {
    await this.#failures.settled();
    await super.settled();
  }

  /** The id of every key, or `missing`, which is 0xffffffff unless you say otherwise. */
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

  /** Records a search: `ids` gets the id of every query or `missing`, `found` (optional) gets 1 or 0. */
  encodeIds(
    target: Target,
    buffers: Omit<LookupBuffers, 'values'> & { readonly ids: GPUBuffer; readonly missing?: number },
  ): void {
    encodeSearchIds(this, target, buffers, ['found']);
  }

  /** The key of every id. An id that there is none of is an error. */
  async keysOf(ids: Uint32Array, options: Abortable = {}): Promise<Fresh<K>> {
    return readKeys(this, ids, options);
  }

  /** Records the way back: `keys` gets the key of every id, zeros for an id that there is none of. */
  encodeKeysOf(target: Target, buffers: KeysOfBuffers): void {
    this.table.assertBuilt();
    encodeKeysOf(target, this.table, this.byId, buffers);
  }

  /** Records that all keys are written into a buffer, in the order of their ids; see `keyCapacity`. */
  override encodeKeys(target: Target, buffers: KeyListBuffers): void {
    requireMembers(buffers, 'buffers', ['keys', 'count']);
    this.encodeById(target, buffers);
  }

  /** The same with the ids, which are the numbers from 0 on. The buffers need room for `keyCapacity` entries. */
  encodeEntries(target: Target, buffers: IdEntryBuffers): void {
    requireMembers(buffers, 'buffers', ['keys', 'ids', 'count']);
    this.encodeById(target, buffers, { name: 'ids', output: buffers.ids, words: 1 });
  }

  /** Records that all keys are written, and something else beside them. @internal */
  encodeById(target: Target, buffers: KeyListBuffers, beside?: BesideKeys): void {
    encodeIdEntries(target, this, buffers, beside);
  }

  /** All keys, in the order of their ids. */
  override async keys(options: Abortable = {}): Promise<Fresh<K>> {
    return (await this.entries(options)).keys;
  }

  /** All keys with their ids, in the order of the ids. */
  async entries(options: Abortable = {}): Promise<{ keys: Fresh<K>; ids: Uint32Array<ArrayBuffer> }> {
    return readIdEntries(this, options);
  }

  /**
   * The id of every item that the index was built from, in the order of the input. The index must have been made with
   * `keepItems`.
   * @example
   * const index = await KeyIndex.from(gpu, { keys: ['ada', 'bob', 'ada'] }, { keepItems: true });
   * await index.idsOfItems(); // [0, 1, 0]
   * await index.firstItems(); // [0, 1]
   */
  async idsOfItems(options: Abortable = {}): Promise<Uint32Array<ArrayBuffer>> {
    return readWords(this, options, () => [this.itemsOnGpu.ids, this.table.state.header.count]);
  }

  /** The number of the first item of every key, in the order of the ids. The index must have been made with `keepItems`. */
  async firstItems(options: Abortable = {}): Promise<Uint32Array<ArrayBuffer>> {
    return readWords(this, options, () => [this.itemsOnGpu.firsts, this.size]);
  }

  /**
   * What `keepItems` keeps, as words in buffers for kernels of your own, also behind a build that was only recorded: the id of
   * every item (2³² − 1 past the last one), and the first item of every id. They are only to be read, and are good until a call
   * of the host face changes the index.
   */
  get itemsOnGpu(): { readonly ids: GPUBuffer; readonly firsts: GPUBuffer } {
    this.table.assertBuilt();
    if (!this.byId.keepsItems) {
      throw new InvalidInputError('this index does not know its items: build it with { keepItems: true }');
    }
    return { ids: this.byId.itemIds(), firsts: this.byId.firstItems() };
  }

  /** Where the GPU finds how many keys there are: for arrays by id, and for grids over them. */
  get sizeOnGpu(): GpuCount {
    this.table.assertAlive();
    return { buffer: this.byId.size };
  }

  override get tableBytes(): number {
    return super.tableBytes + this.byId.bytes;
  }

  /** The whole index as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, saved, ({ saveTable }) =>
      saveTable(this.table, 'keyIndex', undefined, this.savedParts()),
    );
  }

  /** What has to be saved beside the table. @internal */
  savedParts() {
    const bytes = this.size * this.key.words * WORD_BYTES;
    return {
      buffers: { [KEYS_BY_ID]: { buffer: this.byId.keys, bytes } },
      details: { construction: this.construction },
    };
  }

  /** @internal */
  protected readonly shaderValue = valueTypes.u32;

  /** @internal */
  protected override faceFunctions(search: FaceSearch): FaceFunctions {
    const { functions, bound } = super.faceFunctions(search);
    const { key, keysById } = keyFunction(this.key, search.view);
    return { functions: [...functions, key], bound: () => [...bound(), [keysById, this.byId.keys]] };
  }

  override destroy(): void {
    super.destroy();
    this.byId.destroy();
  }
}
