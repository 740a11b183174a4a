import {
  type Bound,
  DestroyedError,
  type Extent,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  OutOfMemoryError,
  perform,
  type Readback,
  type Recorder,
  type Signal,
  Workspace,
} from '../gpu/index.ts';
import { COUNTERS, type DynamicPlan, type TableBuffers } from '../schemes/contract/index.ts';
import { Lookup, type LookupBuffers } from '../table/lookup.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Searchable } from '../table/searchable.ts';
import { Turns } from '../table/turns.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { type Change, type Counted, countedIn, type Items, recordBatch } from './batch.wgsl.ts';
import { Body } from './body.ts';
import { GrowingContext } from './context.ts';
import { slotsBetween } from './fits.ts';
import { insertPacked, type Packed, withCompacted, withPacked } from './move.ts';
import { type DynamicReport, reportOf, resizedBody, unlessTight } from './resize.ts';
import type { DynamicSettings } from './settings.ts';

/** By how much a table grows whose items found no room although there are slots enough. */
const GROWTH = 1.25;

/** The buffers of a table that lives, what the host knows of them, and their sizes. */
export class DynamicState implements Searchable {
  readonly turns = new Turns();
  readonly context: GrowingContext;
  /** Scratch of batches. */
  readonly workspace: Workspace;
  /** The table does not shrink below it by itself. */
  reservedSlots: number;
  readonly #lookup: Lookup;
  readonly #random: () => number;
  #body: Body;
  #format: string | undefined;
  /** Items without room that nobody has asked for yet. */
  #left = 0;
  #isDestroyed = false;
  #report: DynamicReport = { growths: 0, shrinks: 0, reseeds: 0 };
  /** What a batch began with and may have to come back to. Its body is not given up meanwhile. */
  #held: { readonly body: Body; readonly report: DynamicReport } | undefined;

  protected constructor(
    readonly gpu: Gpu,
    readonly settings: DynamicSettings,
    body: Body,
    random: () => number,
  ) {
    this.#body = body;
    this.#random = random;
    this.reservedSlots = body.plan.capacitySlots;
    this.context = new GrowingContext(gpu);
    this.workspace = new Workspace(gpu);
    this.#lookup = new Lookup(this);
  }

  /** Changes the table when it is this call's turn, unless the signal has given it up by then. */
  write<T>(work: () => Promise<T>, signal?: Signal): Promise<T> {
    return this.turns.write(async () => {
      this.assertBuilt();
      try {
        await this.settle();
        signal?.throwIfAborted();
        return await work().catch(async (error: unknown) => {
          await this.recover(error);
          throw error;
        });
      } catch (error) {
        // Whatever goes wrong with a table that is destroyed meanwhile, that is why.
        this.assertBuilt();
        throw error;
      }
    });
  }

  /** Records a search for the keys of a batch. */
  recordLookup(
    recorder: Recorder,
    { keys, context }: Items,
    extent: Extent,
    answers: Pick<LookupBuffers, 'found' | 'values'>,
    missing = 0,
  ): void {
    const queries = 'buffer' in keys ? keys.buffer : keys;
    this.#lookup.record(recorder, { queries, context, ...answers }, Array(4).fill(missing), extent);
  }

  /** Records a batch. */
  recordChange(recorder: Recorder, items: Items, extent: Extent, change: Change): void {
    const isEmpty = this.isKnownEmpty;
    const number = this.#body.nextBatch();
    const call = { body: this.#body, context: this.context.buffer, workspace: this.workspace, number };
    recordBatch(recorder, { ...call, extent, isEmpty }, items, change);
  }

  protected get body(): Body {
    return this.#body;
  }

  get countersRead(): Readback {
    return this.#body.countersRead;
  }

  /** Takes over what the counters say after all batches have run. */
  accept(counted: Counted): void {
    this.#body.accept(counted);
  }

  /** Where the GPU finds how many items of the last batch found no room. */
  get left(): GpuCount {
    this.assertBuilt();
    return { buffer: this.#body.counters, offset: WORD_BYTES * COUNTERS.indexOf('left') };
  }

  /** How many items of encoded batches found no room since this was last asked. */
  takeLeft(): number {
    const left = this.#left;
    this.#left = 0;
    return left;
  }

  /** Empties all slots. */
  async empty(beside?: (encoder: GPUCommandEncoder) => void): Promise<void> {
    // Counted as a batch, so that the counters are asked if nobody knows whether it has run.
    this.#body.nextBatch();
    await perform(this.gpu, (encoder) => {
      this.#body.encodeClear(encoder);
      beside?.(encoder);
    });
    this.#body.isCleared();
  }

  /** Makes the table larger, or finds another hash function for it, because items found no room. */
  async makeLarger(isReseeded: boolean): Promise<void> {
    await this.resize(Math.ceil(this.plan.capacitySlots * GROWTH), this.#body.size, isReseeded);
  }

  /** Makes the table smaller if it has many more slots than it needs. */
  async shrinkIfSparse(): Promise<void> {
    if (this.#body.size >= this.settings.bounds.lowest * this.plan.capacitySlots) return;
    // A table that stays too large is as good as before, and the batch is done.
    await this.shrinkToFit().catch((error: unknown) => unlessTight(error, this.workspace));
  }

  /** Makes the table as small as it can be without growing again soon. */
  async shrinkToFit(): Promise<void> {
    const slots = Math.max(this.reservedSlots, this.slotsFor(this.#body.size));
    if (this.#resized(slots).capacitySlots < this.plan.capacitySlots) await this.resize(slots, this.#body.size);
  }

  /** Slots for so many keys. */
  slotsFor(keys: number): number {
    return slotsBetween(this.gpu, keys, this.settings.bounds, (slots) => this.#resized(slots));
  }

  #resized(slots: number): DynamicPlan {
    return this.plan.resized(slots, this.#format);
  }

  /** Moves everything to a table of at least so many slots. The old one is given up only when the new one has all keys. */
  async resize(slots: number, needed: number, isReseeded = false): Promise<void> {
    const resized = await resizedBody(this.settings, this.#body, {
      slots,
      needed,
      isReseeded,
      size: this.#body.size,
      random: this.#random,
      context: this.context.buffer,
      workspace: this.workspace,
      planFor: (wanted) => this.#resized(wanted),
    });
    const hasGrown = resized.body.plan.capacitySlots > this.plan.capacitySlots;
    this.#take(resized.body);
    this.#report = reportOf(this.#report, hasGrown, resized.isReseeded);
  }

  /** Frees the bytes of a table that has no keys, but for room that is reserved. */
  async noBytes(): Promise<void> {
    this.context.backTo(0);
    // More room than is needed is as good as before.
    await this.context.fit().catch((error: unknown) => unlessTight(error));
  }

  /** Frees the bytes of keys that are gone: the others move to a smaller context, and with it to a table of the same size. */
  async compact(): Promise<void> {
    const { buffer, used, reserved } = this.context;
    if (!buffer || used === 0) return;
    if (this.#body.size === 0) return this.noBytes();
    const old = this.#body;
    await withCompacted(old, this.#body.size, { buffer, used, reserved }, async (packed, compacted) => {
      if (!compacted) return;
      try {
        const request = { ...this.settings, plan: old.plan, hash: old.hash, last: old };
        const body = await Body.filled(this.gpu, request, (made) => insertPacked(made, packed, this.workspace));
        // As full as it is, it may be that they find no room in another order: then everything stays as it is.
        if (!body) {
          compacted.buffer.destroy();
          return;
        }
        this.context.replace(compacted.buffer, compacted.used);
        this.#take(body);
      } catch (error) {
        compacted.buffer.destroy();
        throw error;
      }
    });
  }

  /** Does something with all keys and values, one behind the other, and the bytes of these keys. */
  packed<T>(work: (packed: Packed, contextBytes: number) => Promise<T>): Promise<T> {
    const { buffer, used } = this.context;
    const assertUnchanged = this.unchanged();
    const checked = async (packed: Packed, bytes: number): Promise<T> => {
      assertUnchanged();
      return work(packed, bytes);
    };
    if (!buffer) return withPacked(this.#body, this.#body.size, undefined, (packed) => checked(packed, 0));
    return withCompacted(this.#body, this.#body.size, { buffer, used, reserved: 0 }, (packed, compacted) =>
      checked(packed, compacted?.used ?? used).finally(() => compacted?.buffer.destroy()),
    );
  }

  #take(body: Body): void {
    if (this.#isDestroyed) body.destroy();
    this.assertBuilt();
    body.holds(this.#body.size);
    if (this.#body !== this.#held?.body) this.#body.destroy();
    this.#body = body;
    this.workspace.trim();
  }

  /** Keeps the body that there is, to come back to it, until it is let go. */
  protected hold(): void {
    this.#held = { body: this.#body, report: this.#report };
  }

  /** Takes the body that is held in place of a larger one. */
  comeBack(): void {
    if (!this.#held || this.#held.body === this.#body) return;
    this.#body.destroy();
    this.#body = this.#held.body;
    this.#report = this.#held.report;
    if (this.#isDestroyed) this.#body.destroy();
  }

  protected letGo(): void {
    if (this.#held?.body !== this.#body) this.#held?.body.destroy();
    this.#held = undefined;
  }

  get plan(): DynamicPlan {
    return this.#body.plan;
  }

  get buffers(): TableBuffers {
    return this.#body.buffers(this.context.buffer);
  }

  get reading(): Reading {
    return this.#body.reading;
  }

  get bound(): Bound {
    return this.#body.bound(this.context.buffer);
  }

  get size(): number {
    this.assertBuilt();
    if (!this.isBuilt) throw new InvalidInputError('batches were encoded since: settle() first');
    return this.#body.size;
  }

  get report(): DynamicReport {
    return this.#report;
  }

  get isAlive(): boolean {
    return !this.#isDestroyed;
  }

  /** Whether all batches that were recorded are known to have run. */
  get isBuilt(): boolean {
    return this.#body.isSettled;
  }

  /** Whether it is known that the table has no keys. */
  get isKnownEmpty(): boolean {
    return this.isBuilt && this.#body.size === 0;
  }

  assertBuilt(): void {
    if (this.#isDestroyed) throw new DestroyedError('this table was destroyed');
    this.gpu.assertAlive();
  }

  unchanged(): () => void {
    const body = this.#body;
    const { batches } = body;
    return () => {
      this.assertBuilt();
      if (this.#body !== body || body.batches !== batches) {
        throw new InvalidInputError('the table was changed while this call was reading it');
      }
    };
  }

  keepFormat(): void {
    this.#format ??= this.plan.format;
  }

  /** After a call that failed: asks the counters whether its last batch has run. If that fails too, the next call asks. */
  async recover(error: unknown): Promise<void> {
    // Where there was no memory, some of the buffers are none.
    if (error instanceof OutOfMemoryError) this.workspace.release();
    if (this.isBuilt) return;
    this.#body.isUncertain = true;
    await this.settle().catch(() => {});
  }

  /** Waits for encoded batches that have been submitted. */
  async settle(): Promise<void> {
    if (this.isBuilt) return;
    const { batches } = this.#body;
    const [bytes] = await perform(this.gpu, () => {}, [this.countersRead]);
    const missed = this.#body.settle(countedIn(bytes as ArrayBuffer), batches);
    if (missed === undefined) throw new InvalidInputError('an encoded batch has not been submitted yet');
    this.#left += missed;
    // No key points to any bytes; those of later batches begin where these did.
    if (this.isKnownEmpty) this.context.backTo(0);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#body.destroy();
    this.context.destroy();
    this.workspace.destroy();
  }
}
