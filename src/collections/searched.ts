import {
  type Abortable,
  abortable,
  type Bound,
  type Followed,
  type Gpu,
  type GpuCount,
  Later,
  requireFollowed,
  requireMembers,
  requireOptions,
  requireSignal,
  type Target,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { encodeContents, readContents } from '../table/contents.wgsl.ts';
import { type Column, type KeyListBuffers, requireEntryRoom, requireNotOwn } from '../table/entryBuffers.ts';
import { type Answers, lookUp } from '../table/hostLookup.wgsl.ts';
import { Lookup } from '../table/lookup.wgsl.ts';
import { Needles } from '../table/needles.ts';
import { tableBytes } from '../table/plan.ts';
import type { Searchable } from '../table/searchable.ts';
import { decodeKeys, type Fresh, type Keys } from '../table/source.ts';
import type { ProbeStats } from '../table/stats.wgsl.ts';
import type { ValueType } from '../table/values.ts';
import {
  type FaceFunctions,
  type FaceSearch,
  findFunction,
  requireFaceOptions,
  type ShaderFace,
  type ShaderFaceOptions,
  shaderFace,
} from './face.wgsl.ts';
import { intoArray } from './into.ts';
import { type OneOf, oneByOne } from './plain.ts';

/** Queries of one submission on the host face; more are sent in turns, so that a batch may exceed a binding. */
const QUERIES_AT_ONCE = 1 << 24;
/** Words of their keys, and of the values found: what the default limits let a binding have. */
const WORDS_AT_ONCE = 1 << 25;
const ABSENT_SAMPLES = 1_000_000;

const statistics = new Later(() => import('../table/stats.later.ts'));

/** Options of calls that can be followed. @internal */
export const FOLLOWED = ['signal', 'onProgress'];

/** How a collection is asked whether it has keys. */
export interface HasOptions {
  /** Gets the answers, instead of a new array: at least as long as there are keys. */
  readonly into?: Uint8Array<ArrayBuffer>;
}

/** A table that is searched through three faces: what all collections have in common, whatever engine builds their tables. */
export abstract class Searched<K> {
  /** @internal */
  readonly table: Searchable;
  readonly #lookup: Lookup;

  /** Only the library makes collections. */
  protected constructor(made: never);
  /** @internal */
  protected constructor(table: Searchable);
  protected constructor(table: Searchable) {
    this.table = table;
    this.#lookup = new Lookup(table);
  }

  get gpu(): Gpu {
    return this.table.gpu;
  }

  get key(): KeyType<K> {
    return this.table.settings.key as KeyType<K>;
  }

  /** Distinct keys. */
  get size(): number {
    return this.table.size;
  }

  /**
   * Keys that there can be at most: what the buffers of `encodeKeys` and `encodeEntries` need room for. It changes only
   * when a call of the host face changes the collection.
   */
  get keyCapacity(): number {
    return this.table.plan.slotCount;
  }

  /**
   * The bytes that the keys point into, for keys that have a context: they go with what `encodeKeys` and `encodeEntries`
   * write, as the `context` of another collection. The buffer is only to be read, and is good until a call of the host face
   * changes the collection.
   */
  get context(): GPUBuffer | undefined {
    this.table.assertBuilt();
    return this.table.buffers.context;
  }

  /** Bytes of GPU memory that the finished table takes, those of strings included. */
  get tableBytes(): number {
    return tableBytes(this.table.plan) + (this.table.buffers.context?.size ?? 0);
  }

  /**
   * Whether each key is there: 1 or 0.
   * @example
   * const seen = await set.has(new Uint32Array([3, 5]));
   */
  async has(keys: Keys<K>, options: HasOptions & Followed = {}): Promise<Uint8Array<ArrayBuffer>> {
    requireOptions(options, ['into', ...FOLLOWED]);
    const needles = this.needlesOf(keys, options);
    const found = intoArray(options.into, 'into', Uint8Array, needles.count);
    await this.search(needles, [], { found });
    return found;
  }

  /** Records a search that writes 1 or 0 for every query into `found`. */
  encodeHas(
    target: Target,
    buffers: {
      readonly queries: GPUBuffer;
      readonly found: GPUBuffer;
      readonly count: number | GpuCount;
      /** The bytes that the queries point into, for keys that have a context. */
      readonly context?: GPUBuffer;
    },
  ): void {
    requireMembers(buffers, 'buffers', ['queries', 'found', 'count', 'context']);
    const { queries, found, count, context } = buffers;
    requireStorage(found, 'found');
    this.encodeSearch(target, { queries, found, count, context }, []);
  }

  /** All keys, in no particular order. */
  async keys(options: Abortable = {}): Promise<Fresh<K>> {
    const { keys, context } = await this.readFor(options, () => readContents(this.table));
    return decodeKeys(this.key, keys, context);
  }

  /** All keys one by one. @internal */
  protected eachKey(): AsyncGenerator<OneOf<K>, void, undefined> {
    return oneByOne(this.key, async () => ({ keys: await this.keys(), item: (one) => one }));
  }

  /**
   * Records that all keys are written into a buffer, and how many there are: after a build or batch that was recorded
   * before, too. The buffer needs room for `keyCapacity` keys.
   */
  encodeKeys(target: Target, buffers: KeyListBuffers): void {
    requireMembers(buffers, 'buffers', ['keys', 'count']);
    this.encodeContents(target, buffers);
  }

  /** Records the same, with the words of the table's values in a buffer of that name. @internal */
  encodeContents(target: Target, { keys, count }: KeyListBuffers, name?: string, values?: GPUBuffer): void {
    const { table, keyCapacity } = this;
    const { key, valueWords } = table.settings;
    const columns: Column[] = [['keys', keys, key.words]];
    if (name) columns.push([name, values as GPUBuffer, valueWords]);
    requireEntryRoom(table, keyCapacity, columns, count, this.knownBuffers);
    encodeContents(target, table, keyCapacity, { keys, count, values });
  }

  /** Buffers of which callers know words, beside the table's. @internal */
  protected get knownBuffers(): readonly GPUBuffer[] {
    return [];
  }

  /** Probe lengths for the keys that are there, and for absent ones: those of the given keys that are not, or drawn ones. */
  async stats(
    options: { readonly absent?: Keys<K> } & Abortable = {},
  ): Promise<{ present: ProbeStats; absent: ProbeStats }> {
    requireOptions(options, ['absent', 'signal']);
    const { absent, ...rest } = options;
    const { key, table, gpu } = this;
    const given = absent === undefined ? undefined : Needles.of(gpu, key, absent, 'absent').copied();
    return this.readWith(rest, statistics, async ({ absentStats, drawKeys, presentStats }) => {
      // The few that happen to be present are not counted.
      const others = given?.encoded ?? drawKeys(key, Math.min(ABSENT_SAMPLES, Math.max(1000, this.size)));
      return { present: await presentStats(table), absent: await absentStats(table, others) };
    });
  }

  /** The table as WGSL functions and a bind group, for your own shader. */
  wgsl(options: ShaderFaceOptions): ShaderFace {
    return this.face(options);
  }

  /** The same with functions of the collection's own. @internal */
  protected face(options: ShaderFaceOptions, own?: FaceFunctions): ShaderFace {
    this.table.assertBuilt();
    requireFaceOptions(this.gpu, options);
    // The shader will outlive rebuilds.
    this.table.keepFormat();
    const { reading } = this.table;
    const needle = this.key.access('needle');
    const { functions, bound } = this.faceFunctions({ view: reading.view, needle, find: reading.find(needle) });
    const boundNow = (): Bound => [...this.table.bound, ...bound(), ...(own?.bound() ?? [])];
    const all = [...functions, ...(own?.functions ?? [])];
    return shaderFace(this.table, needle, { ...own, functions: all, bound: boundNow }, options);
  }

  /** What a shader may call, and the buffers it needs beside the table's. @internal */
  protected faceFunctions({ needle, find }: FaceSearch): FaceFunctions {
    return { functions: [findFunction(find, this.key, needle, this.shaderValue)], bound: () => [] };
  }

  /** The type of the table's values as shaders know it; sets have none. @internal */
  protected abstract readonly shaderValue: ValueType | undefined;

  /** @internal */
  encodeSearch(target: Target, buffers: Parameters<Lookup['encode']>[1], missing: readonly number[]): void {
    const { table } = this;
    table.assertBuilt();
    const { found, values } = buffers;
    requireNotOwn(table, { found, values }, this.knownBuffers);
    this.#lookup.encode(target, buffers, missing);
  }

  /** Waits for what was encoded, and throws if it failed. @internal */
  protected settled(): Promise<void> {
    return this.table.settle();
  }

  /** Reads the table when it is this call's turn, if it is finished by then. @internal */
  read<T>(work: () => Promise<T>): Promise<T> {
    const { table } = this;
    return table.turns.read(async () => {
      table.assertBuilt();
      if (!table.isBuilt) await this.settled();
      try {
        return await work();
      } catch (error) {
        // What fails because somebody destroyed the collection meanwhile is said as that.
        if (!table.isAlive) table.assertBuilt();
        throw error;
      }
    });
  }

  /** The same for a caller who may give it up. @internal */
  readFor<T>(options: Abortable, work: () => Promise<T>): Promise<T> {
    requireOptions(options, ['signal']);
    const { signal } = options;
    requireSignal(signal);
    return abortable(signal, this.read(work));
  }

  /** The same with a part of the library that may have to be loaded first. @internal */
  protected readWith<Part, T>(options: Abortable, part: Later<Part>, work: (part: Part) => Promise<T>): Promise<T> {
    return this.readFor(options, () => {
      const assertUnchanged = this.table.unchanged();
      return part.use((loaded) => {
        assertUnchanged();
        return work(loaded);
      });
    });
  }

  /** The caller's keys, after they have been checked, and how the search for them is followed. @internal */
  needlesOf(keys: Keys<K>, options: Followed = {}): Needles {
    requireFollowed(options);
    const { signal, onProgress } = options;
    const followed = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return Needles.of(this.gpu, this.key as KeyType, keys, 'keys', followed);
  }

  /** Searches for keys when it is this call's turn; they are read before this returns. @internal */
  protected async searchFor<T>(
    given: Needles,
    /** How many the search takes in its first submission; it reads more of them later. */
    atOnce: number,
    search: (needles: Needles) => Promise<T>,
  ): Promise<T> {
    const { table } = this;
    const isAtOnce = table.isBuilt && !table.turns.mustWait && given.count <= atOnce;
    const needles = isAtOnce ? given : given.copied();
    return abortable(
      needles.followed.signal,
      this.read(() => needles.search(search)),
    );
  }

  /** Searches on the host face. The arrays of answers have room for all keys. @internal */
  search(given: Needles, missing: readonly number[], answers: Answers): Promise<void> {
    const { table } = this;
    const words = Math.max(this.key.words, table.settings.valueWords);
    const atOnce = Math.min(QUERIES_AT_ONCE, Math.floor(WORDS_AT_ONCE / words));
    return this.searchFor(given, atOnce, async (needles) => {
      const { signal } = needles.followed;
      for (const part of needles.parts(atOnce, table)) await lookUp(table, part, missing, { ...answers, signal });
    });
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.table.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
