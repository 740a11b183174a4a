import {
  type Bound,
  type BufferView,
  BuildError,
  DestroyedError,
  type Extent,
  Gates,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  mostBytes,
  type Readback,
  type Recorder,
  record,
  type Target,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import { type HashConstants, randomWords, secretWords } from '../hashing/index.ts';
import { requireApart, requireStorage } from '../primitives/checks.ts';
import { hostCall } from '../primitives/hostCall.ts';
import { COUNTERS, type DynamicPlan, type TableBuffers } from '../schemes/contract/index.ts';
import { Lookup } from '../table/lookup.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Searchable } from '../table/searchable.ts';
import { roomFor, type Source } from '../table/source.ts';
import { Turns } from '../table/turns.ts';
import { type Change, type Counted, countedIn, type InsertHow, type Items, recordBatch } from './batch.wgsl.ts';
import { Body } from './body.ts';
import { GrowingContext } from './context.ts';
import { runHostBatch } from './hostBatch.ts';
import { moveAll } from './move.ts';
import { type DynamicSettings, requireBounds, targetOf } from './settings.ts';

/** Seeds and sizes that are tried for one resize. */
const MOST_ATTEMPTS = 6;
/** By how much a table grows whose items found no room although there are slots enough. */
const GROWTH = 1.25;

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
  /** Grids of encoded batches. */
  readonly #gates: Gates;
  #body: Body;
  #size = 0;
  /** The number of the last batch that was recorded, and of the last that is known to have run. */
  #batches = 0;
  #settled = 0;
  /** The table does not shrink below it by itself. */
  #reservedSlots: number;
  #format: string | undefined;
  /** Items without room that the counters have counted in all, and those that nobody has asked for yet. */
  #leftInAll = 0;
  #left = 0;
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
    this.#gates = new Gates(gpu);
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
    try {
      if (key.hasContext) await table.#context.reserve(4);
      return table;
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** Puts items into the table and tells which of their keys were there before. */
  insert(source: Source, how: InsertHow): Promise<Uint8Array<ArrayBuffer>> {
    return this.#write(() => this.#insert(source, how));
  }

  async #insert(source: Source, how: InsertHow): Promise<Uint8Array<ArrayBuffer>> {
    const { maxCount: count, contextBytes } = source;
    this.#requireBatchFits(count);
    const items = itemsOf(source);
    await this.#makeRoomFor(items, count);
    await this.#context.reserve(contextBytes);
    const contextStart = this.#append(items, contextBytes);
    const found = await runHostBatch(this, { ...items, contextStart }, count, how);
    await this.#shrinkIfSparse();
    return found;
  }

  /** Inserts what is absent, and gives back the words of all values, and which keys were there before. */
  getOrInsert(source: Source): Promise<{ values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> }> {
    return this.#write(async () => {
      const { maxCount: count } = source;
      const found = await this.#insert(source, { onExisting: 'keep', unique: false });
      const { values } = await hostCall(this.gpu, {
        label: 'getOrInsert',
        buffers: { found: count, values: count * this.settings.valueWords },
        record: (encoder, answers) =>
          record(this.gpu, encoder, 'getOrInsert', (recorder) =>
            this.recordLookup(recorder, itemsOf(source), count, answers),
          ),
        read: ['values'],
      });
      return { values, found };
    });
  }

  /** Removes keys and tells which of them were there. */
  delete(source: Source): Promise<Uint8Array<ArrayBuffer>> {
    return this.#write(async () => {
      this.#requireBatchFits(source.maxCount);
      const found = await runHostBatch(this, itemsOf(source), source.maxCount, undefined);
      await this.#shrinkIfSparse();
      return found;
    });
  }

  /** Removes everything. */
  clear(): Promise<void> {
    return this.#write(async () => {
      await this.gpu.run((encoder) => this.#body.encodeClear(encoder));
      this.#size = 0;
      this.#context.forget();
      await this.#shrinkIfSparse();
    });
  }

  /** Makes room for so many keys in all, and keeps it. */
  reserve(keys: number, contextBytes: number | undefined): Promise<void> {
    return this.#write(async () => {
      const slots = Math.ceil(keys / this.settings.bounds.highest);
      if (slots > this.plan.capacitySlots) await this.#resize(slots, keys);
      this.#reservedSlots = Math.max(this.#reservedSlots, slots);
      await this.#context.reserve(contextBytes);
    });
  }

  /** Gives up what is reserved, and all memory that is not needed. */
  shrink(): Promise<void> {
    return this.#write(async () => {
      this.#reservedSlots = 0;
      const slots = this.#slotsFor(this.#size);
      if (this.#resized(slots).capacitySlots < this.plan.capacitySlots) await this.#resize(slots, this.#size);
      this.#workspace.release();
    });
  }

  /** Records a batch whose keys are in buffers of the caller's; `found` gets what was there before it. */
  encode(target: Target, source: Source, found: GPUBuffer | undefined, change: Change): void {
    this.assertBuilt();
    if (this.turns.isWriting) throw new InvalidInputError('the table is being changed: wait for that call first');
    const { count, maxCount, contextBytes } = source;
    this.#requireBatchFits(maxCount);
    const needed = change.kind === 'insert' ? contextBytes : undefined;
    this.#context.requireRoom(needed);
    const items = itemsOf(source);
    for (const [name, buffer] of Object.entries({ found, left: 'left' in change ? change.left : undefined })) {
      if (buffer === undefined) continue;
      requireStorage(buffer, name);
      if (roomFor(buffer, 4) < maxCount)
        throw new InvalidInputError(`${name} has no word for each of ${maxCount} items`);
    }
    requireApart({ keys: bufferOf(items.keys), values: items.values && bufferOf(items.values), found });
    const { keys, context } = items;
    const queries = bufferOf(keys);
    if (found) this.#lookup.encode(target, { queries, count, context, found }, []);
    record(this.gpu, target, 'batch', (recorder) => {
      const contextStart =
        needed === undefined ? 0 : this.#context.recordAppend(recorder, context as GPUBuffer, needed);
      const placed = { ...items, contextStart };
      if (typeof count === 'number') {
        this.recordChange(recorder, placed, recorder.extent(count), change);
        return;
      }
      const gate = this.#gates.get(`${change.kind}/${maxCount}`);
      gate.open(recorder, count, maxCount);
      this.recordChange(recorder.behind(gate), placed, gate.extent(maxCount), change);
      gate.seal();
    });
  }

  /** Where the GPU finds how many items of the last batch found no room. */
  get left(): GpuCount {
    this.assertBuilt();
    return { buffer: this.#body.counters, offset: 4 * COUNTERS.indexOf('left') };
  }

  /** How many items of encoded batches found no room since this was last asked. */
  takeLeft(): number {
    const left = this.#left;
    this.#left = 0;
    return left;
  }

  /** Changes the table when it is this call's turn. */
  #write<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.write(async () => {
      this.assertBuilt();
      await this.settle();
      return work();
    });
  }

  /** Before anything is written: grows if the keys that are absent would fill the table too much. */
  async #makeRoomFor(items: Items, count: number): Promise<void> {
    const { bounds } = this.settings;
    const most = (): number => Math.floor(bounds.highest * this.plan.capacitySlots);
    if (this.#size + count <= most()) return;
    const needed = this.#size + (await this.#countAbsent(items, count));
    if (needed > most()) await this.#resize(this.#slotsFor(needed), needed);
  }

  /** How many keys are not there, or a few more. */
  async #countAbsent(items: Items, count: number): Promise<number> {
    if (!this.plan.recordCountAbsent) return count;
    const [bytes] = await this.gpu.run(
      (encoder) =>
        record(this.gpu, encoder, 'absent', (recorder) =>
          this.recordChange(recorder, items, recorder.extent(count), { kind: 'count' }),
        ),
      [this.countersRead],
    );
    const counted = countedIn(bytes as ArrayBuffer);
    this.accept(counted);
    return counted.absent;
  }

  #append({ context }: Items, bytes: number | undefined): number {
    const { gpu } = this;
    let start = 0;
    if (!context) return start;
    const encoder = gpu.device.createCommandEncoder({ label: 'hashnest/append' });
    start = this.#context.append(encoder, context, bytes as number);
    gpu.device.queue.submit([encoder.finish()]);
    return start;
  }

  /** Records a search for the keys of a batch. */
  recordLookup(
    recorder: Recorder,
    { keys, context }: Items,
    count: number,
    answers: { readonly found: GPUBuffer; readonly values?: GPUBuffer },
  ): void {
    if (count === 0) return;
    this.#lookup.encode(recorder.pass, { queries: bufferOf(keys), count, context, ...answers }, [0, 0, 0, 0]);
  }

  /** Records a batch. */
  recordChange(recorder: Recorder, items: Items, extent: Extent, change: Change): void {
    this.#batches = (this.#batches + 1) >>> 0;
    const call = { body: this.#body, context: this.#context.buffer, workspace: this.#workspace, number: this.#batches };
    recordBatch(recorder, { ...call, extent }, items, change);
  }

  get countersRead(): Readback {
    return this.#body.countersRead;
  }

  /** Takes over what the counters say after all batches have run. */
  accept({ keys, batch, left, leftBefore }: Counted): void {
    this.#size = keys;
    this.#settled = batch;
    this.#leftInAll = left + leftBefore;
  }

  async #shrinkIfSparse(): Promise<void> {
    const { bounds } = this.settings;
    const { capacitySlots } = this.plan;
    if (this.#size >= bounds.lowest * capacitySlots) return;
    const slots = Math.max(this.#reservedSlots, this.#slotsFor(this.#size));
    if (this.#resized(slots).capacitySlots < capacitySlots) await this.#resize(slots, this.#size);
  }

  /** Makes the table larger, or finds another hash function for it, because items found no room. */
  async makeLarger(isReseeded: boolean): Promise<void> {
    await this.#resize(Math.ceil(this.plan.capacitySlots * GROWTH), this.#size, isReseeded);
  }

  /** Slots for so many keys: between the bounds where the sizes of tables are close enough, else as near the upper one as they are. */
  #slotsFor(keys: number): number {
    const { bounds } = this.settings;
    const wanted = Math.ceil(keys / targetOf(bounds));
    const isSparse = keys < bounds.lowest * this.#resized(wanted).capacitySlots;
    return isSparse ? Math.ceil(keys / bounds.highest) : wanted;
  }

  #resized(slots: number): DynamicPlan {
    return this.plan.resized(slots, this.#format);
  }

  /** Moves everything to a table of at least so many slots. The old one is given up only when the new one has all keys. */
  async #resize(slots: number, needed: number, isReseeded = false): Promise<void> {
    const { gpu, settings } = this;
    const old = this.#body;
    for (let attempt = isReseeded ? 1 : 0; attempt < MOST_ATTEMPTS; attempt++) {
      // The same function first: it may spare much of the work.
      const hash: HashConstants = attempt === 0 ? old.hash : old.plan.family.draw(this.#random);
      const plan = requireFits(gpu, this.#resized(Math.ceil(slots * 1.1 ** (attempt >> 1))), needed);
      const body = await Body.make(gpu, settings.scheme, plan, hash, old);
      const hasAll = await moveAll(old, body, this.#size, this.#context.buffer, this.#workspace).catch((error) => {
        body.destroy();
        throw error;
      });
      if (hasAll) {
        this.#adopt(body, attempt > 0);
        return;
      }
      body.destroy();
    }
    throw new BuildError(
      `${settings.scheme.name}: no hash function was found for ${this.#size} keys`,
      0,
      MOST_ATTEMPTS,
    );
  }

  #adopt(body: Body, isReseeded: boolean): void {
    if (this.#isDestroyed) body.destroy();
    this.assertBuilt();
    const { growths, shrinks, reseeds } = this.#report;
    const hasGrown = body.plan.capacitySlots > this.plan.capacitySlots;
    this.#report = {
      growths: growths + Number(hasGrown),
      shrinks: shrinks + Number(!hasGrown),
      reseeds: reseeds + Number(isReseeded),
    };
    this.#body.destroy();
    this.#body = body;
    this.#batches = 0;
    this.#settled = 0;
    this.#leftInAll = 0;
    this.#gates.clear();
    this.#workspace.trim();
  }

  #requireBatchFits(count: number): void {
    const most = mostBytes(this.gpu.limits);
    const worst = Math.max(...this.plan.scratchFor(count).map(({ bytes }) => bytes));
    if (worst <= most) return;
    throw new TooLargeError(
      `a batch of ${count} items needs ${worst} bytes at once of the ${most} that a binding may have`,
      Math.floor((count * most) / worst),
    );
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
    this.assertBuilt();
    if (!this.isBuilt) throw new InvalidInputError('batches were encoded since: settle() first');
    return this.#size;
  }

  get report(): DynamicReport {
    return this.#report;
  }

  get isAlive(): boolean {
    return !this.#isDestroyed;
  }

  /** Whether all batches that were recorded are known to have run. */
  get isBuilt(): boolean {
    return this.#batches === this.#settled;
  }

  assertBuilt(): void {
    if (this.#isDestroyed) throw new DestroyedError('this table was destroyed');
    this.gpu.assertAlive();
  }

  unchanged(): () => void {
    const [body, batches] = [this.#body, this.#batches];
    return () => {
      this.assertBuilt();
      if (this.#body !== body || this.#batches !== batches) {
        throw new InvalidInputError('the table was changed while this call was reading it');
      }
    };
  }

  keepFormat(): void {
    this.#format ??= this.plan.format;
  }

  /** Waits for encoded batches that have been submitted. */
  async settle(): Promise<void> {
    if (this.isBuilt) return;
    const [bytes] = await this.gpu.run(() => {}, [this.countersRead]);
    const counted = countedIn(bytes as ArrayBuffer);
    if (counted.batch !== this.#batches) throw new InvalidInputError('an encoded batch has not been submitted yet');
    this.#left += counted.left + counted.leftBefore - this.#leftInAll;
    this.accept(counted);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#body.destroy();
    this.#context.destroy();
    this.#workspace.destroy();
  }
}

const bufferOf = (view: BufferView): GPUBuffer => ('buffer' in view ? view.buffer : view);

/** What is uploaded of a source. */
function itemsOf(source: Source): Items {
  const { keys, values, context } = source.load();
  return { keys, values, context, contextStart: 0 };
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
