import {
  type Bound,
  bindEntries,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  layoutEntries,
  type Target,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { bindTable, type Duplicates, type Scheme } from '../schemes/contract/scheme.ts';
import { type Contents, readContents } from '../table/contents.wgsl.ts';
import { Lookup } from '../table/lookup.wgsl.ts';
import { type NeedlePart, withNeedles } from '../table/needles.ts';
import { tableBytes } from '../table/plan.ts';
import type { BuildReport } from '../table/report.ts';
import { encodeKeys, type Keys } from '../table/source.ts';
import { absentStats, drawKeys, type ProbeStats, presentStats } from '../table/stats.wgsl.ts';
import type { Table } from '../table/table.ts';
import { shaderValue, type ValueType } from '../table/values.ts';
import { link, usesName, type Wgsl, wgsl } from '../wgsl/index.ts';

/** Options that every collection takes. */
export interface CollectionOptions<K> {
  /** The type of the keys; inferred from typed arrays, required for a `GPUBuffer`. */
  readonly key?: KeyType<K>;
  /** How the table is built and searched. Default `bucketCuckoo()`. */
  readonly scheme?: Scheme<NoInfer<K>>;
  /** What happens to copies of a key. Default `'last'`, as in a `Map`. */
  readonly duplicates?: Duplicates;
  /** Makes every random choice repeatable: a 32-bit unsigned integer. Default: drawn by the system's generator. */
  readonly seed?: number;
}

/** A table as WGSL for a shader of your own. */
export interface ShaderFace {
  /** Declares `NAME_find(key) -> NAME_Hit { found: bool, slot: u32, probes: u32, value }` and what it needs. */
  readonly code: string;
  readonly layout: GPUBindGroupLayout;
  readonly bindGroup: GPUBindGroup;
  /** The same as parts, to put several tables into one bind group by `firstBinding`. */
  readonly layoutEntries: readonly GPUBindGroupLayoutEntry[];
  readonly entries: readonly GPUBindGroupEntry[];
}

/** Where the WGSL of a table is going to stand. */
export interface ShaderFaceOptions {
  /** Put before every name: `'prices'` gives `prices_find`. */
  readonly name: string;
  /** The bind group of the table's buffers. */
  readonly group: number;
  /**
   * For keys that have a context: the name of your own `var<storage, read> NAME: array<u32>`, which holds the bytes that
   * your shader's keys point into.
   */
  readonly context?: string;
  /** The number of the first of them, where the group has others too. Default 0. */
  readonly firstBinding?: number;
  /** Shader stages that may use it. Default compute and fragment. */
  readonly visibility?: GPUShaderStageFlags;
}

/** WGSL has no names that begin with two underscores. */
const IDENTIFIER = /^(?!_$|__)[A-Za-z_]\w*$/;
const COMPUTE_AND_FRAGMENT = 0x4 | 0x2;
/** Queries of one submission on the host face; more are sent in turns, so that a batch may exceed a binding. */
const QUERIES_AT_ONCE = 1 << 24;
/** Words of their keys, and of the values found: what the default limits let a binding have. */
const WORDS_AT_ONCE = 1 << 25;
const ABSENT_SAMPLES = 1_000_000;

/** What all collections have in common: a table, searched through three faces. */
export abstract class Collection<K> {
  /** @internal */
  readonly table: Table;
  readonly #lookup: Lookup;

  /** @internal */
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
    return tableBytes(this.table.plan) + (this.table.buffers.context?.[1].size ?? 0);
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
    return { buffer: this.table.buffers.header, offset: 24 };
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
  async has(keys: Keys<K>): Promise<Uint8Array> {
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
  async keys(): Promise<K> {
    const { keys, context } = await this.contents();
    return this.key.decode(keys, context);
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
    const { name, group, firstBinding = 0, visibility = COMPUTE_AND_FRAGMENT, context } = options;
    for (const word of [name, context ?? name]) {
      if (!IDENTIFIER.test(word)) throw new InvalidInputError(`'${word}' cannot be part of a name in WGSL`);
    }
    const { context: needleContext } = this.key.access('needle');
    if (needleContext && context === undefined) {
      throw new InvalidInputError(
        `shaders with ${this.key.name} keys need a \`context\`: the name of their buffer of bytes`,
      );
    }
    const external = new Map(needleContext && context ? [[needleContext, context]] : []);
    const { device } = this.gpu;
    const shader = this.table.shader('needle');
    const { functions, bound } = this.shaderFunctions(shader.find);
    if (context !== undefined && usesName(functions, context)) {
      throw new InvalidInputError(`the name '${context}' is used inside the search; call your buffer something else`);
    }
    const { code, bindings } = link(functions, { prefix: name, group, firstBinding, external });
    const layoutOf = layoutEntries(bindings, visibility, firstBinding);
    const entries = bindEntries(bindings, [...bindTable(shader, this.table.buffers), ...bound], firstBinding);
    const layout = device.createBindGroupLayout({ label: `hashnest/${name}`, entries: layoutOf });
    const bindGroup = device.createBindGroup({ label: `hashnest/${name}`, layout, entries });
    return { code, layout, bindGroup, layoutEntries: layoutOf, entries };
  }

  /** What a shader may call, from the scheme's own `find`, and the buffers it needs beside the table's. @internal */
  protected shaderFunctions(find: Wgsl): { readonly functions: readonly Wgsl[]; readonly bound: Bound } {
    return { functions: [publicFind(find, this.key, this.shaderValue)], bound: [] };
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
  ): Promise<{ values: Uint32Array; found: Uint8Array }> {
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
    const { gpu } = this;
    const [queries, found, values] = (await gpu.allocate([
      { label: 'search/queries', bytes: words.byteLength },
      { label: 'search/found', bytes: count * 4 },
      { label: 'search/values', bytes: count * valueWords * 4 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
    try {
      gpu.write(queries, words);
      const [foundBytes, valueBytes] = await gpu.run(
        (encoder) =>
          this.encodeSearch(encoder, { queries, found, count, context, ...(valueWords > 0 && { values }) }, missing),
        [
          { buffer: found, bytes: count * 4 },
          { buffer: values, bytes: count * valueWords * 4 },
        ],
      );
      return {
        found: new Uint8Array(new Uint32Array(foundBytes as ArrayBuffer)),
        values: new Uint32Array(valueBytes as ArrayBuffer),
      };
    } finally {
      for (const buffer of [queries, found, values]) buffer.destroy();
    }
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.table.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

/** `find` under its public name, with the value in the caller's type. */
function publicFind(findSlot: Wgsl, { shader, access }: KeyType, type: ValueType | undefined): Wgsl {
  const Hit = wgsl`
struct Hit {
  found: bool,
  slot: u32,
  probes: u32,
  ${type ? `value: ${type.shaderType},` : ''}
}`;
  const value = type ? wgsl`, ${shaderValue(type, 'hit.value')}` : '';
  return wgsl`
fn find(key: ${shader.type}) -> ${Hit} {
  let hit = ${findSlot}(${access('needle').of(shader.toWords('key'))});
  return ${Hit}(hit.found, hit.slot, hit.probes${value});
}`;
}
