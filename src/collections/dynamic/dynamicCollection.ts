import type { Bounds, DynamicSettings } from '../../dynamic/settings.ts';
import { DEFAULT_BOUNDS } from '../../dynamic/settings.ts';
import type { DynamicReport, DynamicTable } from '../../dynamic/table.ts';
import {
  type Gpu,
  type GpuCount,
  refuse,
  requireGpu,
  requireMembers,
  requireOptions,
  requireTarget,
  requireWhole,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { requireStorage } from '../../primitives/checks.ts';
import type { DynamicScheme, ValueWords } from '../../schemes/contract/index.ts';
import { regionCuckoo } from '../../schemes/regionCuckoo/index.ts';
import { bufferSourceOf, type Count, type Keys, requireKeyType, type Source, sourceOf } from '../../table/source.ts';
import { Searched } from '../searched.ts';

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

export const DYNAMIC_OPTIONS = ['key', 'reserve', 'scheme', 'seed', 'lowest', 'highest'];

/** The settings of a collection, from its options. */
export function dynamicSettings(
  gpu: Gpu,
  options: DynamicOptions,
  names: readonly string[],
  valueWords: ValueWords,
): DynamicSettings {
  requireGpu(gpu);
  requireOptions(options, names);
  const { key, scheme = regionCuckoo(), seed, reserve = 0 } = options;
  requireKeyType(key);
  if (typeof scheme?.plan !== 'function') refuse('scheme', 'a scheme such as regionCuckoo()', scheme);
  requireWhole(reserve, 'reserve');
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
    refuse('seed', 'a 32-bit unsigned integer', seed);
  const { lowest = DEFAULT_BOUNDS.lowest, highest = DEFAULT_BOUNDS.highest } = options;
  return { scheme, key, valueWords, bounds: { lowest, highest }, seed };
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
  async delete(keys: Keys<K>): Promise<Uint8Array<ArrayBuffer>> {
    return this.change(sourceOf(this.gpu, this.key, { keys }, 0), (source) => this.table.delete(source));
  }

  /** Removes all keys. */
  async clear(): Promise<void> {
    await this.table.clear();
  }

  /**
   * Makes room for so many keys in all, and for keys of variable length room for so many more bytes. Encoded batches need it: they cannot
   * grow the table.
   */
  async reserve(keys: number, bytes?: number): Promise<void> {
    requireWhole(keys, 'keys');
    if (bytes !== undefined) requireWhole(bytes, 'bytes');
    await this.table.reserve(keys, this.key.hasContext ? (bytes ?? 0) : undefined);
  }

  /** Gives up what was reserved, and all memory that is not needed. */
  async shrink(): Promise<void> {
    await this.table.shrink();
  }

  /** Records that keys are removed. */
  encodeDelete(target: Target, buffers: KeyBatchBuffers): void {
    requireTarget(target);
    requireMembers(buffers, 'buffers', ['keys', 'count', 'context', 'found']);
    const { found, ...input } = buffers;
    const source = bufferSourceOf(this.gpu, this.key, input, 0);
    this.table.encode(target, source, found, { kind: 'delete' });
  }

  /** Where the GPU finds how many items of the last insertion found no room. */
  get left(): GpuCount {
    return this.table.left;
  }

  /** Waits for encoded batches that have been submitted, and tells how many of their items found no room since it was last asked. */
  async settle(): Promise<{ readonly left: number }> {
    return this.table.turns.write(async () => {
      this.table.assertBuilt();
      await this.table.settle();
      return { left: this.table.takeLeft() };
    });
  }

  /** Changes the table by items that are uploaded before this returns. @internal */
  protected async change<T>(source: Source, work: (source: Source) => Promise<T>): Promise<T> {
    try {
      this.table.assertBuilt();
      const uploaded = this.gpu.checked(() => source.load());
      uploaded.catch(() => {});
      const changed = work(source);
      changed.catch(() => {});
      await uploaded;
      return await changed;
    } finally {
      source.release();
    }
  }
}

/** Throws unless a buffer can get a word for every item. */
export function requireAnswers(buffer: GPUBuffer | undefined, name: string): void {
  if (buffer !== undefined) requireStorage(buffer, name);
}
