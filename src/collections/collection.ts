import type { Gpu, GpuCount, Target } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { hostCall } from '../primitives/hostCall.ts';
import { type Duplicates, headerOffset, type Scheme } from '../schemes/contract/index.ts';
import { type Contents, readContents } from '../table/contents.wgsl.ts';
import { Lookup } from '../table/lookup.wgsl.ts';
import { type NeedlePart, withNeedles } from '../table/needles.ts';
import { tableBytes } from '../table/plan.ts';
import type { BuildReport } from '../table/report.ts';
import { decodeKeys, encodeKeys, type Fresh, type Keys } from '../table/source.ts';
import { absentStats, drawKeys, type ProbeStats, presentStats } from '../table/stats.wgsl.ts';
import type { Table } from '../table/table.ts';
import type { ValueType } from '../table/values.ts';
import {
  type FaceFunctions,
  type FaceSearch,
  findFunction,
  type ShaderFace,
  type ShaderFaceOptions,
  shaderFace,
} from './face.wgsl.ts';
import type { DefaultScheme } from './settings.ts';

/** Options that every collection takes. */
export interface CollectionOptions<K, Named = unknown> {
  /** The type of the keys; inferred from those of `KeyArray`, required for all else. */
  readonly key?: KeyType<K> & Named;
  /** How the table is built and searched. Default `bucketCuckoo()`; in `hashnest/bare` it has to be named. */
  readonly scheme?: Scheme<NoInfer<K>>;
  /** What happens to copies of a key. Default `'last'`, as in a `Map`. */
  readonly duplicates?: Duplicates;
  /**
   * Makes every random choice repeatable: a 32-bit unsigned integer. Whoever knows or guesses it can prepare keys that collide. Default:
   * every choice is drawn by the system's generator.
   */
  readonly seed?: number;
}

/** Queries of one submission on the host face; more are sent in turns, so that a batch may exceed a binding. */
const QUERIES_AT_ONCE = 1 << 24;
/** Words of their keys, and of the values found: what the default limits let a binding have. */
const WORDS_AT_ONCE = 1 << 25;
const ABSENT_SAMPLES = 1_000_000;

/** What all collections have in common: a table, searched through three faces. */
export abstract class Collection<K> {
  /** The scheme of collections that name none. @internal */
  static readonly defaultScheme: DefaultScheme = undefined;

  /** @internal */
  readonly table: Table;
  readonly #lookup: Lookup;

  /** Only the library makes collections. */
  protected constructor(made: never);
  /** @internal */
  protected constructor(table: Table);
  protected constructor(table: Table) {
    this.table = table;
    this.#lookup = new Lookup(table);
  }

  get gpu(): Gpu {
    return this.table.gpu;
  }

  get key(): KeyType<K> {
    return this.table.settings.key as KeyType<K>;
  }

  get scheme(): Scheme {
    return this.table.settings.scheme;
  }

  /** Distinct keys. */
  get size(): number {
    return this.table.size;
  }

  get capacitySlots(): number {
    return this.table.plan.capacitySlots;
  }

  /** Bytes of GPU memory that the finished table takes, those of strings included. */
  get tableBytes(): number {
    return tableBytes(this.table.plan) + (this.table.buffers.context?.size ?? 0);
  }

  /** Keys per slot. */
  get loadFactor(): number {
    return this.size / this.capacitySlots;
  }

  /** How the last build went. */
  get report(): BuildReport {
    return this.table.state.report;
  }

  /** Where the GPU finds how the last build ended: a word that is 0 if all is well. */
  get status(): GpuCount {
    this.table.assertAlive();
    return { buffer: this.table.buffers.header, offset: headerOffset('status') };
  }

  /** After an encoded build was submitted: waits for it, throws if it failed, and makes `size` and `report` known. */
  async settle(): Promise<this> {
    await this.table.settle();
    return this;
  }

  /**
   * Whether each key is there: 1 or 0.
   * @example
   * const seen = await set.has(new Uint32Array([3, 5]));
   */
  async has(keys: Keys<K>): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.search(keys, [], false)).found;
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
    const { queries, found, count, context } = buffers;
    this.encodeSearch(target, { queries, found, count, context }, []);
  }

  /** All keys, in no particular order. */
  async keys(): Promise<Fresh<K>> {
    const { keys, context } = await this.contents();
    return decodeKeys(this.key, keys, context);
  }

  /** Probe lengths for the keys that are there, and for absent ones: those of the given keys that are not, or drawn ones. */
  async stats(options: { readonly absent?: Keys<K> } = {}): Promise<{ present: ProbeStats; absent: ProbeStats }> {
    this.table.assertBuilt();
    const { key, table } = this;
    const absent = options.absent
      ? encodeKeys(key, options.absent)
      : drawKeys(key, Math.min(ABSENT_SAMPLES, Math.max(1000, this.size)));
    return { present: await presentStats(table), absent: await absentStats(table, absent) };
  }

  /** The table as WGSL functions and a bind group, for your own shader. */
  wgsl(options: ShaderFaceOptions): ShaderFace {
    this.table.assertBuilt();
    const { reading, bound } = this.table;
    const needle = this.key.access('needle');
    const face = this.faceFunctions({ view: reading.view, needle, find: reading.find(needle) });
    return shaderFace(this.gpu, this.key, needle, { ...face, bound: [...bound, ...face.bound] }, options);
  }

  /** What a shader may call, and the buffers it needs beside the table's. @internal */
  protected faceFunctions({ needle, find }: FaceSearch): FaceFunctions {
    return { functions: [findFunction(find, this.key, needle, this.shaderValue)], bound: [] };
  }

  /** The type of the table's values as shaders know it; sets have none. @internal */
  protected abstract readonly shaderValue: ValueType | undefined;

  /** @internal */
  protected encodeSearch(target: Target, buffers: Parameters<Lookup['encode']>[1], missing: readonly number[]): void {
    this.#lookup.encode(target, buffers, missing);
  }

  /** @internal */
  protected contents(): Promise<Contents> {
    this.table.assertBuilt();
    return readContents(this.table);
  }

  /** Searches on the host face: arrays in, arrays out. @internal */
  protected async search(
    keys: Keys<K>,
    missing: readonly number[],
    withValues: boolean,
  ): Promise<{ values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> }> {
    this.table.assertBuilt();
    const valueWords = withValues ? this.table.settings.valueWords : 0;
    const atOnce = Math.min(QUERIES_AT_ONCE, Math.floor(WORDS_AT_ONCE / Math.max(this.key.words, valueWords)));
    return withNeedles(this.gpu, this.key, keys, async (needles) => {
      const values = new Uint32Array(needles.count * valueWords);
      const found = new Uint8Array(needles.count);
      for (const part of needles.parts(atOnce)) {
        const answers = await this.#searchOnce(part, missing, valueWords);
        found.set(answers.found, part.first);
        values.set(answers.values, part.first * valueWords);
      }
      return { values, found };
    });
  }

  async #searchOnce({ words, count, context }: NeedlePart, missing: readonly number[], valueWords: number) {
    const { found, values } = await hostCall(this.gpu, {
      label: 'search',
      buffers: { queries: words, found: count, values: count * valueWords },
      record: (encoder, { values, ...io }) =>
        this.encodeSearch(encoder, { ...io, count, context, ...(valueWords > 0 && { values }) }, missing),
      read: ['found', 'values'],
    });
    return { found: new Uint8Array(found), values };
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.table.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
