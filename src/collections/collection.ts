import { type Abortable, abortable, type GpuCount, requireOptions, requireSignal, type Signal } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { type Duplicates, headerOffset, type Scheme } from '../schemes/contract/index.ts';
import type { BuildReport } from '../table/report.ts';
import type { Source } from '../table/source.ts';
import type { Table } from '../table/table.ts';
import { Searched } from './searched.ts';
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

/** What all collections over static tables have in common: a scheme builds the table, and a rebuild replaces all of it. */
export abstract class Collection<K> extends Searched<K> {
  /** The scheme of collections that name none. @internal */
  static readonly defaultScheme: DefaultScheme = undefined;

  /** @internal */
  declare readonly table: Table;

  /** Only the library makes collections. */
  protected constructor(made: never);
  /** @internal */
  protected constructor(table: Table);
  protected constructor(table: Table) {
    super(table);
  }

  get scheme(): Scheme {
    return this.table.settings.scheme;
  }

  get capacitySlots(): number {
    return this.table.plan.capacitySlots;
  }

  override get keyCapacity(): number {
    const { request, slotCount } = this.table.plan;
    return Math.min(request.items, slotCount);
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
    await this.table.turns.read(() => this.settled());
    return this;
  }

  /**
   * Changes the table when it is this call's turn. The items are uploaded before this returns. What has begun goes on to its end,
   * for the old table is no more.
   * @internal
   */
  protected async change(
    source: Source,
    options: Abortable,
    check: () => unknown,
    build: () => Promise<unknown>,
  ): Promise<this> {
    requireOptions(options, ['signal']);
    const { signal } = options;
    requireSignal(signal);
    return abortable(signal, this.#changed(source, signal, check, build));
  }

  async #changed(
    source: Source,
    signal: Signal | undefined,
    check: () => unknown,
    build: () => Promise<unknown>,
  ): Promise<this> {
    const { gpu, table } = this;
    try {
      check();
      const uploaded = gpu.checked(() => source.load());
      uploaded.catch(() => {});
      await table.turns.write(async () => {
        await uploaded;
        signal?.throwIfAborted();
        await build();
      });
      return this;
    } catch (error) {
      // What fails because somebody destroyed the collection meanwhile is said as that.
      table.assertAlive();
      throw error;
    } finally {
      source.release();
    }
  }

  /** Changes the table of a collection that has nothing else. @internal */
  protected rebuildTable(source: Source, options: Abortable): Promise<this> {
    const { table } = this;
    return this.change(
      source,
      options,
      () => table.planFor(source.maxCount),
      () => table.rebuild(source),
    );
  }
}
