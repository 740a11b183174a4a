import type { DynamicReport } from '../../dynamic/resize.ts';
import type { EntriesKind, OpenEntries } from '../../dynamic/savedEntries.later.ts';
import type { Bounds, DynamicSettings } from '../../dynamic/settings.ts';
import { DEFAULT_BOUNDS } from '../../dynamic/settings.ts';
import { DynamicTable } from '../../dynamic/table.ts';
import {
  type Abortable,
  abortable,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  isBuffer,
  record,
  refuse,
  requireGpu,
  requireMembers,
  requireOptions,
  requireSeed,
  requireSignal,
  requireTarget,
  requireWhole,
  type Signal,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import type { DynamicScheme, ValueWords } from '../../schemes/contract/index.ts';
import { regionCuckoo } from '../../schemes/regionCuckoo/index.ts';
import {
  bufferSourceOf,
  type Count,
  type Keys,
  rehearsedSource,
  requireKeyType,
  type Source,
  sourceOf,
} from '../../table/source.ts';
import { requireKnownType, type ValueArray, type ValueType } from '../../table/values.ts';
import { askingAhead } from '../ahead.ts';
import { FACE_OPTIONS, type ShaderFace, type ShaderFaceOptions } from '../face.wgsl.ts';
import { Searched } from '../searched.ts';
import { withoutValues } from '../settings.ts';
import { Requests, requestFunctions, requireRequests } from './requests.wgsl.ts';

/** Options of all collections that live. */
export interface DynamicOptions<Key extends KeyType = KeyType> extends Partial<Bounds> {
  /** The type of the keys. */
  readonly key: Key;
  /** Keys that there is room for from the beginning. The table does not shrink below that by itself. Default 0. */
  readonly reserve?: number;
  /** How the table is kept. Default `regionCuckoo()`. */
  readonly scheme?: DynamicScheme;
  /**
   * Makes every random choice repeatable: a 32-bit unsigned integer. Whoever knows or guesses it can prepare keys that collide. Default:
   * every choice is drawn by the system's generator.
   */
  readonly seed?: number;
}

/** Keys in GPU buffers, for the encoder face. */
export interface KeyBatchBuffers {
  readonly keys: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** The bytes that the keys point into, for keys that have a context; all of the buffer is copied. */
  readonly context?: GPUBuffer;
  /** Gets 1 or 0 for every key: whether it was there before. */
  readonly found?: GPUBuffer;
}

/** Keys in GPU buffers that get ids. */
export interface ActivateBuffers extends Omit<KeyBatchBuffers, 'found'> {
  /** Gets the id of every key; 0xffffffff for those that found no room. */
  readonly ids: GPUBuffer;
  /** Gets 1 or 0 for every key: whether it was not there before. */
  readonly fresh?: GPUBuffer;
  /** Gets the numbers of the keys that found no room; `left` tells how many. A word for every key. */
  readonly left?: GPUBuffer;
}

/** What goes with a list of requests. */
export interface RequestOptions {
  /** The bytes that the keys point into, for keys that have a context. */
  readonly context?: GPUBuffer;
  /** Gets 1 or 0 for every item: whether its key was there before. */
  readonly found?: GPUBuffer;
  /** Gets the numbers of the items that found no room; `left` tells how many. A word for every item. */
  readonly left?: GPUBuffer;
}

/** Where the WGSL of a collection that lives is going to stand. */
export interface DynamicFaceOptions extends ShaderFaceOptions {
  /** A list that the shader may append to, by `NAME_request`. */
  readonly requests?: Requests;
}

export const DYNAMIC_OPTIONS = ['key', 'reserve', 'scheme', 'seed', 'lowest', 'highest'];

/** The settings of a collection, from its options. */
export function dynamicSettings(
  gpu: Gpu,
  options: DynamicOptions,
  names: readonly string[],
  valueWords: ValueWords,
): DynamicSettings {
  const { scheme, seed } = checkedOptions(gpu, options, names);
  const { key, lowest = DEFAULT_BOUNDS.lowest, highest = DEFAULT_BOUNDS.highest } = options;
  requireKeyType(key);
  return { scheme, key, valueWords, bounds: { lowest, highest }, seed };
}

/** How a collection that was saved is opened. */
export function openEntriesOf(
  gpu: Gpu,
  kind: EntriesKind,
  options: Partial<DynamicOptions> & { readonly value?: ValueType } & Abortable,
  names: readonly string[],
): OpenEntries {
  const { scheme, seed, reserve } = checkedOptions(gpu, options, [...names, 'signal']);
  const { key, value, lowest, highest, signal } = options;
  requireSignal(signal);
  if (key !== undefined) requireKeyType(key);
  if (value !== undefined) requireKnownType(value);
  const bounds = { ...(lowest !== undefined && { lowest }), ...(highest !== undefined && { highest }) };
  return { kind, key, value, scheme, seed, reserve, bounds, signal };
}

/** What all calls that make a collection ask of their options. */
function checkedOptions(gpu: Gpu, options: Partial<DynamicOptions>, names: readonly string[]) {
  requireGpu(gpu);
  requireOptions(options, names);
  const { scheme = regionCuckoo(), seed, reserve = 0 } = options;
  if (typeof scheme?.plan !== 'function') refuse('scheme', 'a scheme such as regionCuckoo()', scheme);
  if (typeof scheme.mostFilled !== 'number') {
    throw new InvalidInputError(
      `scheme: ${scheme.name} is for tables that are built at once; take regionCuckoo() or dyCuckoo()`,
    );
  }
  requireWhole(reserve, 'reserve');
  requireSeed(seed);
  return { scheme, seed, reserve };
}

/** What all collections that live have in common: a table that batches change, searched through three faces. */
export abstract class DynamicCollection<K> extends Searched<K> {
  /** @internal */
  declare readonly table: DynamicTable;

  /** @internal */
  protected constructor(table: DynamicTable) {
    super(table);
  }

  get scheme(): DynamicScheme {
    return this.table.settings.scheme;
  }

  get capacitySlots(): number {
    return this.table.plan.capacitySlots;
  }

  /** Keys per slot. It is kept between `lowest` and `highest`, but for slots that are reserved. */
  get filledFactor(): number {
    return this.size / this.capacitySlots;
  }

  /** How often the table was resized. */
  get report(): DynamicReport {
    return this.table.report;
  }

  /** Removes keys, and tells which of them were there: 1 or 0. All copies of a key in the batch get the same answer. */
  async delete(keys: Keys<K>, options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    requireOptions(options, ['signal']);
    return this.change(this.source(keys), options, (source) => this.table.delete(source));
  }

  /** Removes all keys. */
  async clear(): Promise<void> {
    await this.table.write(() => this.table.clear());
  }

  /**
   * Makes room for so many keys in all, and for keys of variable length room for so many more bytes. Encoded batches need it: they cannot
   * grow the table.
   */
  async reserve(keys: number, bytes?: number): Promise<void> {
    requireWhole(keys, 'keys');
    if (bytes !== undefined) requireWhole(bytes, 'bytes');
    await this.table.reserve(keys, this.key.hasContext ? (bytes ?? 0) : undefined, () => this.fitBeside());
  }

  /**
   * Frees the bytes of keys that are gone, on the GPU; for keys that have none, does nothing. Keys of variable length leave theirs behind
   * when they are deleted, and so do keys that were inserted again.
   */
  async compact(): Promise<void> {
    await this.table.write(() => this.table.compact());
  }

  /** Gives up what was reserved, and all memory that is not needed: the bytes of keys that are gone, too. */
  async shrink(): Promise<void> {
    await this.table.shrink(() => this.fitBeside());
  }

  /** Gives what is beside the table the room that the table has, in the turn of a call that gave it more or less. @internal */
  protected async fitBeside(): Promise<void> {}

  /** Records that keys are removed. */
  encodeDelete(target: Target, buffers: KeyBatchBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'found']);
    const { found, ...input } = buffers;
    const source = bufferSourceOf(this.gpu, this.key, withoutValues(input));
    this.table.encode(target, source, found, { kind: 'delete' });
  }

  /**
   * A list of items that your shaders append to, for the next batch to take: `wgsl({ …, requests })` declares `NAME_request(key, value)`,
   * without a value where the collection has none, which tells whether there was room. It is yours to destroy.
   */
  async requests(capacity: number): Promise<Requests> {
    this.table.assertBuilt();
    return Requests.make(this.gpu, this.key as KeyType, this.requestedValue, capacity);
  }

  /** The table as WGSL functions and a bind group, for your own shader. */
  override wgsl(options: DynamicFaceOptions): ShaderFace {
    requireOptions(options, [...FACE_OPTIONS, 'requests']);
    const { requests, ...others } = options;
    if (requests === undefined) return this.face(others);
    requireRequests(requests, this.gpu, this.key as KeyType, this.requestedValue);
    return this.face(others, requestFunctions(requests));
  }

  /** What shaders pass beside a key when they ask for it. @internal */
  protected abstract readonly requestedValue: ValueType | undefined;

  /** The items of a list as buffers of a batch, after it has been checked. @internal */
  protected requested(requests: Requests) {
    requireRequests(requests, this.gpu, this.key as KeyType, this.requestedValue);
    const { keys, values, count } = requests;
    return { keys, count: { buffer: count }, ...(values && { values }) };
  }

  /** Records that a list is empty. @internal */
  protected encodeEmpty(target: Target, { count }: Requests): void {
    record(this.gpu, target, 'requests', (recorder) => recordFill(recorder, { output: count, value: 0, items: 1 }));
  }

  /** Where the GPU finds how many items of the last insertion found no room. */
  get left(): GpuCount {
    return this.table.left;
  }

  /** @internal */
  protected override get knownBuffers(): readonly GPUBuffer[] {
    return [this.left.buffer];
  }

  /** Waits for encoded batches that have been submitted, and tells how many of their items found no room since it was last asked. */
  async settle(): Promise<{ readonly left: number }> {
    return this.table.write(async () => ({ left: this.table.takeLeft() }));
  }

  /** The items of a batch of the host face. @internal */
  protected source(keys: Keys<K>, values?: ValueArray): Source {
    const { gpu, key, table } = this;
    if (isBuffer(keys))
      refuse('keys', `${key.takes ?? 'an array'} (a GPUBuffer goes into a batch on an encoder)`, keys);
    return sourceOf(gpu, key, { keys, ...(values && { values }) }, table.settings.valueWords);
  }

  /** Changes the table by items that are uploaded before this returns, unless it is given up before its turn. @internal */
  protected change<T>(source: Source, { signal }: Abortable, work: (source: Source) => Promise<T>): Promise<T> {
    requireSignal(signal);
    return abortable(signal, this.#changed(source, signal, work));
  }

  /** Inserts items. What the first batch of a table needs to count, to grow and to insert is compiled together. @internal */
  protected insertInto<T>(
    source: Source,
    options: Abortable,
    insert: (table: DynamicTable, source: Source) => Promise<T>,
  ): Promise<T> {
    const { gpu, table } = this;
    const { settings } = table;
    return this.change(source, options, () => {
      const call = () => insert(table, source);
      if (!table.isKnownEmpty) return call();
      const room = Math.floor(table.plan.capacitySlots * settings.bounds.highest);
      return askingAhead(gpu, source.maxCount, call, async (idle) =>
        insert(await DynamicTable.create(idle, settings, room), rehearsedSource(source)),
      );
    });
  }

  async #changed<T>(source: Source, signal: Signal | undefined, work: (source: Source) => Promise<T>): Promise<T> {
    try {
      this.table.assertBuilt();
      this.table.requireBatchFits(source.maxCount);
      const uploaded = this.gpu.checked(() => source.load());
      const changed = this.table.write(() => work(source), signal);
      // If there is no memory for what is uploaded, the batch fails, too; the table is as it was when both have ended.
      await Promise.allSettled([uploaded, changed]);
      await uploaded;
      return await changed;
    } finally {
      source.release();
    }
  }
}
