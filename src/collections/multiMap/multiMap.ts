import {
  type Abortable,
  type BufferView,
  type Extent,
  type Followed,
  type Gpu,
  nameCalls,
  type Recorder,
  requireOptions,
  requireTarget,
  type Target,
  Workspace,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { EntryBuffers } from '../../table/entryBuffers.ts';
import { openSaved, saved } from '../../table/saved/index.ts';
import {
  bufferSourceOf,
  type Fresh,
  type Keys,
  requireInput,
  type Source,
  sourceOf,
  type Told,
} from '../../table/source.ts';
import { decodeValues, inferValueType, requireValueType, type ValueArray, type ValueType } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { builtOnIndex } from '../ahead.ts';
import type { FaceFunctions, FaceSearch } from '../face.wgsl.ts';
import { recordGroups } from '../groups/groups.wgsl.ts';
import { recordGroupsInAnyOrder } from '../groups/groupsInAnyOrder.wgsl.ts';
import { recordBounds } from '../groups/sortedGroups.wgsl.ts';
import { recordGroupsOf } from '../groups/wideGroups.wgsl.ts';
import type { MapBuffers, MapInput, NewItems } from '../hashMap.ts';
import { KeyIndex } from '../keyIndex/keyIndex.ts';
import { indexSettings } from '../keyIndex/settings.ts';
import { ArraysById, OnIndex, requireArrays } from '../onIndex.ts';
import {
  arrayOfOne,
  type EntryList,
  givenEntries,
  type OneKey,
  type OneOf,
  oneByOne,
  type PlainKey,
  type PlainKeys,
  type PlainValue,
  type PlainValues,
  valuesOfType,
} from '../plain.ts';
import { type PrepareOptions, prepareCalls } from '../prepare.ts';
import { FOLLOWED } from '../searched.ts';
import { type KeysOfType, openRequest, requireBuild, type SavedMapOptions, type ValuesOfType } from '../settings.ts';
import { alongOf, arrayIn, BOUND_WORDS, wordsPerItem } from './arrays.ts';
import { encodeCounts, encodeRetrieval, type Retrieval } from './encode.ts';
import { encodeItems } from './entries.wgsl.ts';
import { multiMapFunctions } from './functions.wgsl.ts';
import {
  type CountBuffers,
  type MultiMapOptions,
  type RetrieveBuffers,
  requireValueOrder,
  type ValueOrder,
} from './options.ts';
import {
  countOnHost,
  eachKeysValues,
  entriesOnHost,
  QUERIES_AT_ONCE,
  type Retrieved,
  retrieveOnHost,
} from './ragged.ts';
import { bounds } from './retrieve.wgsl.ts';
import { restoreArrays, type SavedArray, savedMultiMap } from './saved.ts';

const OPTIONS = ['key', 'scheme', 'seed', 'construction', 'keepItems', 'value', 'order'];
const FROM = [...OPTIONS, 'signal'];

/** `MultiMap` without a default scheme. */
export class MultiMap<K, V extends ValueArray = Uint32Array> extends OnIndex<K> {
  static {
    nameCalls(this, 'MultiMap');
  }

  readonly value: ValueType<V>;
  readonly order: ValueOrder;
  /** Apart from that of builds, which a host build may free before an encoded retrieval is submitted. */
  readonly #queryScratch: Workspace;

  /** @internal */
  protected constructor(index: KeyIndex<K>, own: ArraysById, value: ValueType<V>, order: ValueOrder) {
    super(index, own);
    this.value = value;
    this.order = order;
    this.#queryScratch = new Workspace(index.gpu);
  }

  /** Builds a map and waits until it is built: from arrays, from buffers, or from whatever else gives pairs. */
  static from<
    Key extends PlainKey,
    Value extends PlainValue,
    K = PlainKeys<Key>,
    V extends ValueArray = PlainValues<Value>,
  >(gpu: Gpu, entries: EntryList<Key, Value>, options?: MultiMapOptions<K, V> & Abortable): Promise<MultiMap<K, V>>;
  static from<K extends Told<Named>, V extends ValueArray = Uint32Array, Named = never>(
    gpu: Gpu,
    input: MapInput<K, never, Named>,
    options?: MultiMapOptions<K, V, Named> & Abortable,
  ): Promise<MultiMap<K, V>>;
  static from<K extends Told<Named>, V extends ValueArray, Named = never>(
    gpu: Gpu,
    input: MapInput<K, V, Named>,
    options?: MultiMapOptions<K, V, Named> & Abortable,
  ): Promise<MultiMap<K, V>>;
  static async from<K, V extends ValueArray>(
    gpu: Gpu,
    given: MapInput<K, V> | Iterable<unknown>,
    named: MultiMapOptions<K, V> & Abortable = {},
  ): Promise<MultiMap<K, V>> {
    const { input, options } = givenEntries<K, V, MapInput<K, V>, typeof named>(given, named, FROM);
    requireBuild(gpu, input, options, FROM);
    const settings = indexSettings(input.keys, options, this.defaultScheme);
    const value = inferValueType(input.values, options.value);
    const order = requireValueOrder(options.order);
    const source = sourceOf(gpu, settings.key, input, value.words);
    requireArrays(gpu, source.maxCount, wordsPerItem(value));
    return builtOnIndex(gpu, settings, source, named.signal, (on, items) => {
      const own = new ArraysById(on, settings.arrays);
      return own.keptFor(async () => {
        const index = await KeyIndex.build(on, settings, items, alongOf(settings, own, items, value));
        return new this<K, V>(index, own, value, order).firstFilled(items);
      });
    });
  }

  /** Compiles what `from` with so many items, and `get`, will need; see `HashMap.prepare`. */
  static async prepare<K = Uint32Array, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    options: MultiMapOptions<K, V> & PrepareOptions,
  ): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) => indexSettings<K>(undefined as never, rest, this.defaultScheme),
      build: (idle, input, rest) => this.from<never, V>(idle, input, rest),
      search: (map, keys) => map.retrieve(keys),
    });
  }

  /** Allocates a map and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K, V extends ValueArray = Uint32Array>(
    gpu: Gpu,
    target: Target,
    input: MapBuffers,
    options: MultiMapOptions<K, V> & { readonly key: KeyType<K> },
  ): MultiMap<K, V> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const settings = indexSettings<K>(input.keys, options, this.defaultScheme);
    const value = inferValueType<V>(input.values, options.value);
    const source = bufferSourceOf(gpu, settings.key, input, value.words);
    requireArrays(gpu, source.maxCount, wordsPerItem(value));
    const order = requireValueOrder(options.order);
    const own = new ArraysById(gpu, settings.arrays);
    return own.keptBy(() => {
      const index = KeyIndex.encode(gpu, settings, target, source, alongOf(settings, own, source, value));
      return new this<K, V>(index, own, value, order).firstEncoded(target, source);
    });
  }

  /** Opens a map that `toBytes` saved, on this GPU or another; see `HashMap.fromBytes` for the options. */
  static async fromBytes<Key extends KeyType, Value extends ValueType>(
    gpu: Gpu,
    bytes: Uint8Array,
    options: SavedMapOptions<Key, Value> = {},
  ): Promise<MultiMap<KeysOfType<Key>, ValuesOfType<Value>>> {
    const opened = await openSaved(gpu, bytes, {
      ...openRequest(gpu, 'multiMap', options, this.defaultScheme),
      beside: savedMultiMap,
    });
    const { value, details } = opened;
    return opened.restored(() =>
      restoreArrays(gpu, opened, (index: KeyIndex<KeysOfType<Key>>, own) => {
        return new this(index, own, value as ValueType<ValuesOfType<Value>>, details.order as ValueOrder);
      }),
    );
  }

  /** Builds anew from other items, reusing the buffers where they are large enough. */
  async rebuild(input: NewItems<K, V>, options: Abortable = {}): Promise<this> {
    this.table.assertAlive();
    requireInput(input);
    const values = valuesOfType(input.values, this.value);
    const source = sourceOf(this.gpu, this.key, { ...input, values }, this.value.words);
    requireArrays(this.gpu, source.maxCount, wordsPerItem(this.value));
    return this.rebuildAll(source, alongOf(this.index, this.own, source, this.value), options);
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: MapBuffers): void {
    requireTarget(target);
    requireInput(input);
    requireValueType(input.values, this.value);
    const source = bufferSourceOf(this.gpu, this.key, input, this.value.words);
    this.index.encodeRebuildFrom(target, source, alongOf(this.index, this.own, source, this.value));
    this.encodeArrays(target, source);
  }

  /** @internal */
  protected recordArrays(recorder: Recorder, source: Source, items: Extent, maxKeys: number): void {
    const boundsOfIds = this.#array('bounds', this.keyCapacity * BOUND_WORDS * WORD_BYTES);
    if (this.index.construction === 'sort') {
      const starts = this.own.starts(source.maxCount);
      recordBounds(recorder, { starts, bounds: boundsOfIds, size: this.index.sizeOnGpu.buffer, maxKeys, items });
      return;
    }
    const recordItems = this.order === 'any' ? recordGroupsInAnyOrder : recordGroups;
    recordGroupsOf(this.value.words, recordItems, recorder, this.table, {
      ...source.load(),
      ids: this.index.byId.knownIds,
      values: source.load().values as BufferView,
      items,
      maxKeys,
      workspace: this.own.scratch.workspace,
      grouped: this.#array('values', Math.max(source.maxCount, this.keyCapacity) * this.value.words * WORD_BYTES),
      bounds: boundsOfIds,
    });
  }

  #array(name: SavedArray, bytes = 0): GPUBuffer {
    return arrayIn(this.own, name, bytes);
  }

  /** The values of every key: an array each, empty where the key is not there. */
  async get(keys: Keys<K>, options: Followed = {}): Promise<Fresh<V>[]> {
    return eachKeysValues(await this.retrieve(keys, options), this.value.components);
  }

  /** The values of one key; none where it is not there. Many keys are looked up faster by one `get` than by many of these. */
  async getOne(key: OneKey<K>): Promise<Fresh<V>> {
    return (await this.retrieve(arrayOfOne(this.key, key) as Keys<K>)).values;
  }

  /** All keys with their values, read at once and given out key by key, for keys that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, Fresh<V>], void, undefined> {
    return oneByOne(this.key, async () => {
      const { keys, ...retrieved } = await this.entries();
      const each = eachKeysValues(retrieved, this.value.components);
      return { keys, item: (one, i) => [one, each[i] as Fresh<V>] };
    });
  }

  /** How many values every key has. */
  async count(keys: Keys<K>, options: Followed = {}): Promise<Uint32Array<ArrayBuffer>> {
    requireOptions(options, FOLLOWED);
    return this.searchFor(this.needlesOf(keys, options), QUERIES_AT_ONCE, (needles) => countOnHost(this, needles));
  }

  /** The values of all keys in a row: those of key i from `offsets[i]` to `offsets[i + 1]`, counted in whole values. */
  async retrieve(keys: Keys<K>, options: Followed = {}): Promise<Retrieved<Fresh<V>>> {
    requireOptions(options, FOLLOWED);
    // Two passes over the keys.
    const { values, offsets } = await this.searchFor(this.needlesOf(keys, options), 0, (needles) =>
      retrieveOnHost(this, needles),
    );
    return { values: decodeValues(this.value, values), offsets };
  }

  /** Records a search for how many values each query has. */
  encodeCount(target: Target, buffers: CountBuffers): void {
    this.table.assertBuilt();
    encodeCounts(target, this.table, this.retrieval, buffers);
  }

  /** Records the retrieval of all values of all queries, as far as there is room for them. */
  encodeRetrieve(target: Target, buffers: RetrieveBuffers): void {
    this.table.assertBuilt();
    encodeRetrieval(target, this.table, this.retrieval, buffers);
  }

  /** What all retrievals read, and what they use. @internal */
  get retrieval(): Retrieval {
    return {
      type: this.value as ValueType,
      values: this.#array('values'),
      bounds: this.#array('bounds'),
      workspace: this.#queryScratch,
    };
  }

  /** All keys with their values: those of key i go from `offsets[i]` to `offsets[i + 1]`. */
  async entries(
    options: Abortable = {},
  ): Promise<{ keys: Fresh<K>; values: Fresh<V>; offsets: Uint32Array<ArrayBuffer> }> {
    return this.readFor(options, () =>
      entriesOnHost<K, V>(this, this.#savedArrays(), this.index.savedParts().buffers.keysById),
    );
  }

  /** Records that every value is written into a buffer, and its key into another, each with room for `valueCapacity` items. */
  encodeEntries(target: Target, buffers: EntryBuffers): void {
    this.table.assertBuilt();
    encodeItems(target, this.index, this.valueCapacity, buffers, this.retrieval);
  }

  /** Values that there can be at most, of all keys together: what the buffers of `encodeEntries` need room for. */
  get valueCapacity(): number {
    return Math.max(this.table.plan.request.items, this.index.byId.items);
  }

  /** How many values there are, of all keys together. */
  get valueCount(): number {
    return this.table.state.header.count;
  }

  /** The whole map as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.readWith(options, saved, ({ saveTable }) => {
      const { buffers, details } = this.index.savedParts();
      return saveTable(this.table, 'multiMap', this.value, {
        buffers: { ...buffers, ...this.#savedArrays() },
        details: { ...details, order: this.order },
      });
    });
  }

  /** The arrays by id, as far as they are used. */
  #savedArrays() {
    return {
      bounds: { buffer: this.#array('bounds'), bytes: this.size * BOUND_WORDS * WORD_BYTES },
      values: { buffer: this.#array('values'), bytes: this.valueCount * this.value.words * WORD_BYTES },
    };
  }

  override destroy(): void {
    super.destroy();
    this.#queryScratch.destroy();
  }

  /** @internal */
  protected override faceFunctions({ find, needle }: FaceSearch): FaceFunctions {
    const { functions, values } = multiMapFunctions(find, this.key, needle, this.value);
    return {
      functions,
      bound: () => [
        [bounds, this.#array('bounds')],
        [values, this.#array('values')],
      ],
    };
  }
}
