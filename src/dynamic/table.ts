import {
  type Bound,
  BuildError,
  DestroyedError,
  type Gpu,
  InvalidInputError,
  mostBytes,
  type Recorder,
  record,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import { type HashConstants, randomWords, secretWords } from '../hashing/index.ts';
import { COUNTER_WORDS, type DynamicPlan, type OnExisting, type TableBuffers } from '../schemes/contract/index.ts';
import { Lookup } from '../table/lookup.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Searchable } from '../table/searchable.ts';
import type { Source } from '../table/source.ts';
import { Turns } from '../table/turns.ts';
import { recordChange } from './batch.wgsl.ts';
import { Body } from './body.ts';
import { GrowingContext } from './context.ts';
import { moveAll } from './move.ts';
import { type DynamicSettings, requireBounds, targetOf } from './settings.ts';

/** Sizes and seeds that are tried for items that found no room, before their batch is taken back. */
const MOST_RESIZES = 6;

/** How a batch is inserted. */
export interface InsertHow {
  readonly onExisting: OnExisting;
  readonly unique: boolean;
}

/** How often a table was resized, and how. */
export interface DynamicReport {
  readonly growths: number;
  readonly shrinks: number;
  /** Resizes that took a new hash function because the old one left items without room. */
  readonly reseeds: number;
}

/** The engine under every collection that lives: batches change a table, which keeps its filled factor between two bounds. */
export class DynamicTable implements Searchable {
  readonly turns = new Turns();
  readonly #random: () => number;
  readonly #context: GrowingContext;
  readonly #workspace: Workspace;
  readonly #lookup: Lookup;
  #body: Body;
  #size = 0;
  #reservedSlots: number;
  #changes = 0;
  #isDestroyed = false;
  #report: DynamicReport = { growths: 0, shrinks: 0, reseeds: 0 };

  private constructor(
    readonly gpu: Gpu,
    readonly settings: DynamicSettings,
    body: Body,
    random: () => number,
  ) {
    this.#body = body;
    this.#random = random;
    this.#reservedSlots = body.plan.capacitySlots;
    this.#context = new GrowingContext(gpu);
    this.#workspace = new Workspace(gpu);
    this.#lookup = new Lookup(this);
  }

  /** An empty table with room for so many keys. */
  static async create(gpu: Gpu, settings: DynamicSettings, reserve: number): Promise<DynamicTable> {
    const { scheme, key, valueWords, bounds, seed } = settings;
    requireBounds(scheme, bounds);
    const random = seed === undefined ? secretWords() : randomWords(seed);
    const slots = Math.ceil(reserve / bounds.highest);
    const plan = requireFits(gpu, scheme.plan({ slots, key, valueWords }), reserve);
    const body = await Body.make(gpu, scheme, plan, plan.family.draw(random));
    const table = new DynamicTable(gpu, settings, body, random);
    if (key.hasContext) await table.#context.reserve(4);
    return table;
  }

  /** Puts items into the table and tells which of their keys were there before. */
  insert(source: Source, how: InsertHow): Promise<Uint8Array<ArrayBuffer>> {
    return this.turns.write(async () => {
      this.#assertAlive();
      const count = source.maxCount;
      await this.#makeRoomFor(source, count);
      await this.#context.reserve(source.contextBytes);
      return this.#change(source, how);
    });
  }

  /** Removes keys and tells which of them were there. */
  delete(source: Source): Promise<Uint8Array<ArrayBuffer>> {
    return this.turns.write(async () => {
      this.#assertAlive();
      this.#requireBatchFits(source.maxCount);
      const found = await this.#change(source, undefined);
      await this.#shrinkIfSparse();
      return found;
    });
  }

  /** Removes everything; the memory stays. */
  clear(): Promise<void> {
    return this.turns.write(async () => {
      this.#assertAlive();
      await this.gpu.run((encoder) => this.#body.encodeClear(encoder));
      this.#changed(0);
      await this.#shrinkIfSparse();
    });
  }

  /** Makes room for so many keys in all, and keeps it. */
  reserve(keys: number): Promise<void> {
    return this.turns.write(async () => {
      this.#assertAlive();
      const slots = Math.ceil(keys / this.settings.bounds.highest);
      if (slots > this.plan.capacitySlots) await this.#resize(slots, keys);
      this.#reservedSlots = Math.max(this.#reservedSlots, Math.min(slots, this.plan.capacitySlots));
    });
  }

  /** Gives up what is reserved, and all memory that is not needed. */
  shrink(): Promise<void> {
    return this.turns.write(async () => {
      this.#assertAlive();
      this.#reservedSlots = 0;
      const slots = Math.ceil(this.#size / targetOf(this.settings.bounds));
      if (this.plan.resized(slots).capacitySlots < this.plan.capacitySlots) await this.#resize(slots, this.#size);
      this.#workspace.release();
    });
  }

  /** Before anything is written: grows if the keys that are absent would fill the table too much. */
  async #makeRoomFor(source: Source, count: number): Promise<void> {
    this.#requireBatchFits(count);
    const { bounds } = this.settings;
    const most = () => Math.floor(bounds.highest * this.plan.capacitySlots);
    if (this.#size + count <= most()) return;
    const needed = this.#size + (await this.#countAbsent(source));
    if (needed > most()) await this.#resize(Math.ceil(needed / targetOf(bounds)), needed);
  }

  /** Items whose keys are not there, copies included. */
  async #countAbsent(source: Source): Promise<number> {
    const count = source.maxCount;
    const found = await this.#answers(count, (recorder, buffer) =>
      this.#recordLookup(recorder, source, { found: buffer }),
    );
    return found.reduce((absent, flag) => absent + 1 - flag, 0);
  }

  async #answers(
    count: number,
    record_: (recorder: Recorder, buffer: GPUBuffer) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { gpu } = this;
    const [buffer] = (await gpu.allocate([{ label: 'dynamic/found', bytes: count * 4 }])) as [GPUBuffer];
    try {
      const [bytes] = await gpu.run(
        (encoder) => record(gpu, encoder, 'found', (recorder) => record_(recorder, buffer)),
        [{ buffer, bytes: count * 4 }],
      );
      return Uint8Array.from(new Uint32Array(bytes as ArrayBuffer));
    } finally {
      buffer.destroy();
    }
  }

  #recordLookup(
    recorder: Recorder,
    source: Source,
    answers: { readonly found: GPUBuffer; readonly values?: GPUBuffer },
  ): void {
    const { keys, context } = source.load();
    const count = source.maxCount;
    if (count === 0) return;
    const queries = 'buffer' in keys ? keys.buffer : keys;
    this.#lookup.encode(recorder.pass, { queries, count, context, ...answers }, [0, 0, 0, 0]);
  }

  /** One batch in one submission: which keys are there, then the change. Without `how` the keys are deleted. */
  async #change(source: Source, how: InsertHow | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const { gpu, settings } = this;
    const count = source.maxCount;
    const keepsOld = how !== undefined && how.onExisting !== 'keep' && settings.valueWords > 0;
    const [found, old, left] = (await gpu.allocate([
      { label: 'dynamic/found', bytes: count * 4 },
      { label: 'dynamic/old', bytes: keepsOld ? count * settings.valueWords * 4 : 0 },
      { label: 'dynamic/left', bytes: how ? count * 4 : 0 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
    try {
      const [flags, counters] = await gpu.run(
        (encoder) =>
          record(gpu, encoder, 'batch', (recorder) => {
            const start = how ? this.#context.recordAppend(recorder, source.load().context, source.contextBytes) : 0;
            this.#recordLookup(recorder, source, { found, ...(keepsOld && { values: old }) });
            this.#recordBatch(recorder, source, how, start, left);
          }),
        [{ buffer: found, bytes: count * 4 }, this.#countersRead],
      );
      const wasThere = Uint8Array.from(new Uint32Array(flags as ArrayBuffer));
      const leftCount = this.#readCounters(counters as ArrayBuffer);
      if (how && leftCount > 0) await this.#insertLeft(source, how, left, leftCount);
      return wasThere;
    } finally {
      for (const buffer of [found, old, left]) buffer.destroy();
    }
  }

  #recordBatch(
    recorder: Recorder,
    source: Source,
    how: InsertHow | undefined,
    contextStart: number,
    left?: GPUBuffer,
  ): void {
    const { keys, values, context } = source.load();
    const items = recorder.extent(source.maxCount);
    const batch = { keys, context, items, contextStart, workspace: this.#workspace };
    recordChange(
      recorder,
      this.#body,
      this.#context.buffer,
      how ? { kind: 'insert', ...batch, values, left, ...how } : { kind: 'delete', ...batch },
    );
  }

  /** Items that found no room although there are slots enough: another size or another hash function helps. */
  async #insertLeft(_source: Source, _how: InsertHow, _left: GPUBuffer, count: number): Promise<void> {
    throw new BuildError(`${count} items found no room`, count, MOST_RESIZES);
  }

  get #countersRead() {
    return { buffer: this.#body.counters, bytes: COUNTER_WORDS * 4 };
  }

  /** Takes the number of keys from the counters, and returns the number of items that found no room. */
  #readCounters(bytes: ArrayBuffer): number {
    const [keys, left] = new Uint32Array(bytes) as unknown as [number, number];
    this.#changed(keys);
    return left;
  }

  #changed(size: number): void {
    this.#size = size;
    this.#changes++;
  }

  async #shrinkIfSparse(): Promise<void> {
    const { bounds } = this.settings;
    const { capacitySlots } = this.plan;
    if (this.#size >= bounds.lowest * capacitySlots) return;
    const slots = Math.max(this.#reservedSlots, Math.ceil(this.#size / targetOf(bounds)));
    if (this.plan.resized(slots).capacitySlots < capacitySlots) await this.#resize(slots, this.#size);
  }

  /** Moves everything to a table of at least so many slots. The old one is given up only when the new one has all keys. */
  async #resize(slots: number, needed: number): Promise<void> {
    const { gpu, settings } = this;
    const from = this.#body;
    for (let attempt = 0; attempt < MOST_RESIZES; attempt++) {
      // The same function first: it may spare much of the work.
      const hash: HashConstants = attempt === 0 ? from.hash : from.plan.family.draw(this.#random);
      const plan = requireFits(gpu, from.plan.resized(Math.ceil(slots * 1.1 ** (attempt >> 1))), needed);
      const to = await Body.make(gpu, settings.scheme, plan, hash, from);
      try {
        if ((await moveAll(from, to, this.#context.buffer, this.#size, this.#workspace)) === this.#size) {
          this.#adopt(to, attempt > 0);
          return;
        }
      } catch (error) {
        to.destroy();
        throw error;
      }
      to.destroy();
    }
    throw new BuildError(`${settings.scheme.name}: no hash function was found for ${this.#size} keys`, 0, MOST_RESIZES);
  }

  #adopt(body: Body, isReseeded: boolean): void {
    const { growths, shrinks, reseeds } = this.#report;
    const hasGrown = body.plan.capacitySlots > this.plan.capacitySlots;
    this.#report = {
      growths: growths + Number(hasGrown),
      shrinks: shrinks + Number(!hasGrown),
      reseeds: reseeds + Number(isReseeded),
    };
    if (this.#isDestroyed) body.destroy();
    this.#assertAlive();
    this.#body.destroy();
    this.#body = body;
    this.#changes++;
    this.#workspace.trim();
  }

  #requireBatchFits(count: number): void {
    const most = mostBytes(this.gpu.limits);
    const worst = Math.max(...this.plan.scratchFor(count).map(({ bytes }) => bytes));
    if (worst > most) {
      const largest = Math.floor((count * most) / worst);
      throw new TooLargeError(
        `a batch of ${count} items needs ${worst} bytes at once of the ${most} that a binding may have`,
        largest,
      );
    }
  }

  #assertAlive(): void {
    if (this.#isDestroyed) throw new DestroyedError('this table was destroyed');
    this.gpu.assertAlive();
  }

  get plan(): DynamicPlan {
    return this.#body.plan;
  }

  get buffers(): TableBuffers {
    return this.#body.buffers(this.#context.buffer);
  }

  get reading(): Reading {
    return this.#body.reading;
  }

  get bound(): Bound {
    return this.#body.bound(this.#context.buffer);
  }

  get size(): number {
    return this.#size;
  }

  get report(): DynamicReport {
    return this.#report;
  }

  get isAlive(): boolean {
    return !this.#isDestroyed;
  }

  get isBuilt(): boolean {
    return true;
  }

  assertBuilt(): void {
    this.#assertAlive();
  }

  unchanged(): () => void {
    const changes = this.#changes;
    return () => {
      this.#assertAlive();
      if (this.#changes !== changes)
        throw new InvalidInputError('the table was changed while this call was reading it');
    };
  }

  keepFormat(): void {}

  async settle(): Promise<void> {}

  destroy(): void {
    this.#isDestroyed = true;
    this.#body.destroy();
    this.#context.destroy();
    this.#workspace.destroy();
  }
}

/** The plan, if the device can hold such a table. */
function requireFits(gpu: Gpu, plan: DynamicPlan, needed: number): DynamicPlan {
  const most = mostBytes(gpu.limits);
  const worst = Math.max(...plan.buffers.map(({ bytes }) => bytes));
  if (worst <= most) return plan;
  throw new TooLargeError(
    `a table for ${needed} keys would need a buffer of ${worst} bytes of the ${most} that a binding may have`,
    Math.floor((needed * most) / worst),
  );
}
