import {
  type BufferView,
  type Extent,
  Gates,
  type Gpu,
  InvalidInputError,
  perform,
  type Recorder,
  record,
  type Target,
} from '../gpu/index.ts';
import { randomWords, secretWords } from '../hashing/index.ts';
import { requireApart, requireStorage } from '../primitives/checks.ts';
import { hostCall } from '../primitives/hostCall.ts';
import type { DynamicPlan } from '../schemes/contract/index.ts';
import { requireContextFits } from '../table/context.ts';
import { roomFor, type Source } from '../table/source.ts';
import { type Change, countedIn, type InsertHow, type Items } from './batch.wgsl.ts';
import { Body } from './body.ts';
import { requireBatchFits, requireTableFits } from './fits.ts';
import { type Beside, runHostBatch } from './hostBatch.ts';
import { type DynamicSettings, fewestSlots, requireBounds } from './settings.ts';
import { DynamicState } from './state.ts';

/** A small table has few workgroups to count a large batch by. It grows first if there are more items than this, and so many for a slot. */
const MANY_ITEMS = 2 ** 16;
const ITEMS_PER_SLOT = 4;

/** The engine under every collection that lives: batches change a table, which keeps its filled factor between two bounds. */
export class DynamicTable extends DynamicState {
  /** Grids of encoded batches, of tables of one plan. */
  #gates: { readonly plan: DynamicPlan; readonly gates: Gates } | undefined;

  /** An empty table with room for so many keys. */
  static async create(gpu: Gpu, settings: DynamicSettings, reserve: number): Promise<DynamicTable> {
    const { scheme, key, valueWords, bounds, seed } = settings;
    requireBounds(scheme, bounds);
    const random = seed === undefined ? secretWords() : randomWords(seed);
    const slots = fewestSlots(reserve, bounds);
    const plan = requireTableFits(gpu, scheme.plan({ slots, key, valueWords }), reserve, bounds);
    const body = await Body.make(gpu, { scheme, plan, hash: plan.family.draw(random) });
    const table = new DynamicTable(gpu, settings, body, random);
    try {
      if (key.hasContext) await table.context.reserve(4);
      return table;
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** Puts items into the table and tells which of their keys were there before. As all that follows, in the turn of the call (`write`). */
  async insert(source: Source, how: InsertHow, beside?: Pick<Beside, 'finish'>): Promise<Uint8Array<ArrayBuffer>> {
    const { maxCount: count } = source;
    this.requireBatchFits(count);
    const found = await this.#batch(source, async (items, forget) => {
      await this.makeRoomFor(items, count);
      const wereThere = await runHostBatch(this, items, count, how, beside);
      if (!wereThere.includes(0)) forget();
      return wereThere;
    });
    await this.shrinkIfSparse();
    return found;
  }

  /** Inserts what is absent, and gives back the words of all values, and which keys were there before. */
  async getOrInsert(source: Source): Promise<{ values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> }> {
    const { maxCount: count } = source;
    let values = new Uint32Array();
    const finish = async (items: Items): Promise<void> => {
      const answers = await hostCall(this.gpu, {
        label: 'getOrInsert',
        buffers: { values: count * this.settings.valueWords },
        record: (encoder, buffers) =>
          record(this.gpu, encoder, 'getOrInsert', (recorder) =>
            this.recordLookup(recorder, items, recorder.extent(count), buffers),
          ),
        read: ['values'],
      });
      values = answers.values;
    };
    const found = await this.insert(source, { onExisting: 'keep', unique: false }, { finish });
    return { values, found };
  }

  /** Removes keys and tells which of them were there. */
  async delete(source: Source, beside?: Pick<Beside, 'recordAfter'>): Promise<Uint8Array<ArrayBuffer>> {
    this.requireBatchFits(source.maxCount);
    const found = await this.#batch(source, async (items, forget) => {
      const wereThere = await runHostBatch(this, items, source.maxCount, undefined, beside);
      forget();
      return wereThere;
    });
    if (this.size === 0) await this.noBytes();
    await this.shrinkIfSparse();
    return found;
  }

  /** Removes everything, and what is recorded beside. */
  async clear(beside?: (encoder: GPUCommandEncoder) => void): Promise<void> {
    await this.empty(beside).catch(async (error: unknown) => {
      await this.recover(error);
      throw error;
    });
    await this.noBytes();
    await this.shrinkIfSparse();
  }

  /** Makes room for so many keys in all, and keeps it; then what is beside the table gets as much. */
  reserve(keys: number, contextBytes: number | undefined, fitBeside = async (): Promise<void> => {}): Promise<void> {
    const { bounds } = this.settings;
    const slots = fewestSlots(keys, bounds);
    this.assertBuilt();
    requireTableFits(this.gpu, this.plan.resized(slots), keys, bounds);
    if (contextBytes !== undefined) requireContextFits(this.gpu, contextBytes);
    return this.write(async () => {
      await this.#orAsBefore(async () => {
        if (slots > this.plan.capacitySlots) await this.resize(slots, keys);
        await this.context.reserve(contextBytes);
      });
      this.reservedSlots = Math.max(this.reservedSlots, slots);
      this.context.keepRoom(contextBytes);
      await fitBeside();
    });
  }

  /** Gives up what is reserved, and all memory that is not needed, beside the table, too. */
  shrink(fitBeside = async (): Promise<void> => {}): Promise<void> {
    return this.write(async () => {
      this.reservedSlots = 0;
      this.context.keepNoRoom();
      await this.compact();
      await this.context.fit();
      await this.shrinkToFit();
      this.workspace.release();
      await fitBeside();
    });
  }

  /** Records a batch whose keys are in buffers of the caller's; `found` gets what was there before it. */
  encode(target: Target, source: Source, found: GPUBuffer | undefined, change: Change): void {
    const left = change.kind === 'insert' ? change.left : undefined;
    const name = `${gridsOf(change)}/${found !== undefined}`;
    const how = { name, isKept: change.kind === 'insert', outputs: { found, left } };
    this.encodeBatch(target, source, how, (recorder, items, extent) => {
      if (found) this.recordLookup(recorder, items, extent, { found });
      this.recordChange(recorder, items, extent, change);
    });
  }

  /** Records what is done with a batch, behind a gate where only the GPU knows how many items there are. */
  encodeBatch(
    target: Target,
    source: Source,
    how: {
      /** Of one name are batches with the same grids. */
      readonly name: string;
      /** Whether the table keeps keys of the batch. Those of others are only compared with the table's. */
      readonly isKept: boolean;
      /** Buffers that get a word for every item. */
      readonly outputs: Readonly<Record<string, GPUBuffer | undefined>>;
    },
    work: (recorder: Recorder, items: Items, extent: Extent) => void,
  ): void {
    this.assertBuilt();
    if (this.turns.isWriting) throw new InvalidInputError('the table is being changed: wait for that call first');
    const { count, maxCount, contextBytes } = source;
    this.requireBatchFits(maxCount);
    const items = itemsOf(source);
    // Its bytes are copied behind those of the table.
    requireApart({ 'context of the table': this.context.buffer, context: items.context });
    this.context.requireRoom(contextBytes);
    const { keys, values, context } = items;
    requireWords(how.outputs, maxCount);
    requireApart({ 'left of the table': this.body.counters, ...how.outputs });
    // Where there are no items, what is bound for keys and values is one buffer of zeros.
    const inputs = maxCount > 0 ? { keys: bufferOf(keys), values: values && bufferOf(values), context } : {};
    for (const [name, input] of Object.entries(inputs)) requireApart({ [name]: input, ...how.outputs });
    const { body, context: bytes } = this;
    const { batches } = body;
    const { used } = bytes;
    try {
      record(this.gpu, target, 'batch', (recorder) => {
        const contextStart = context ? bytes.recordAppend(recorder, context, contextBytes as number) : 0;
        if (!how.isKept) bytes.backTo(used);
        const placed = { ...items, contextStart };
        if (typeof count === 'number') {
          work(recorder, placed, recorder.extent(count));
          return;
        }
        // A table that is known to be empty may be filled in another way.
        const gate = this.#gatesNow().get([maxCount, how.name, this.isKnownEmpty].join('/'));
        gate.open(recorder, count, maxCount);
        work(recorder.behind(gate), placed, gate.extent(maxCount));
        gate.seal();
      });
    } catch (error) {
      // Nobody can submit it, so nobody waits for it.
      body.backTo(batches);
      bytes.backTo(used);
      throw error;
    }
  }

  /** Gates for grids of the plan that the table has now. */
  #gatesNow(): Gates {
    if (this.#gates?.plan !== this.plan) this.#gates = { plan: this.plan, gates: new Gates(this.gpu) };
    return this.#gates.gates;
  }

  /** Before anything is written: grows if the keys that are absent would fill the table too much. */
  async makeRoomFor(items: Items, count: number): Promise<void> {
    const { bounds } = this.settings;
    const most = (): number => Math.floor(bounds.highest * this.plan.capacitySlots);
    if (this.size + count <= most()) return;
    const slots = Math.ceil(count / ITEMS_PER_SLOT);
    if (count > MANY_ITEMS && this.plan.capacitySlots < slots) await this.resize(slots, this.size);
    const needed = this.size + (await this.#countAbsent(items, count));
    if (needed > most()) await this.resize(this.slotsFor(needed), needed);
  }

  /** How many keys are not there, or a few more. */
  async #countAbsent(items: Items, count: number): Promise<number> {
    if (!this.plan.recordCountAbsent) return count;
    const [bytes] = await perform(
      this.gpu,
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

  /** Runs a batch whose bytes are put behind those of the table. They stay, unless it calls `forget` or fails. */
  #batch<T>(source: Source, work: (items: Items, forget: () => void) => Promise<T>): Promise<T> {
    const { used } = this.context;
    return this.#orAsBefore(async () => work(await this.#append(source), () => this.context.backTo(used)));
  }

  /** Does something that may need a larger table. If it fails, the table has the buffers again that it has now. */
  async #orAsBefore<T>(work: () => Promise<T>): Promise<T> {
    const { context, size } = this;
    this.hold();
    context.hold();
    try {
      return await work();
    } catch (error) {
      this.comeBack();
      await this.recover(error);
      // Keys that are new point to the bytes of their batch: it has run, or nobody knows.
      if (this.isBuilt && this.size === size) context.comeBack();
      throw error;
    } finally {
      this.letGo();
      context.letGo();
    }
  }

  /** The items of a batch, with their bytes behind those of the table. */
  async #append(source: Source): Promise<Items> {
    const { gpu, context } = this;
    const items = itemsOf(source);
    if (!items.context) return items;
    const bytes = source.contextBytes as number;
    await context.reserve(bytes);
    this.assertBuilt();
    // Whether there was memory for what is uploaded may not be known yet.
    const contextStart = await gpu.checked(() => {
      const encoder = gpu.device.createCommandEncoder({ label: 'hashnest/append' });
      const start = context.append(encoder, items.context as GPUBuffer, bytes);
      gpu.device.queue.submit([encoder.finish()]);
      return start;
    });
    return { ...items, contextStart };
  }

  /** Throws if a batch of so many items cannot be. */
  requireBatchFits(count: number): void {
    requireBatchFits(this.gpu, this.plan, count);
  }
}

/** Changes of one name have the same grids. */
function gridsOf(change: Change): string {
  if (change.kind !== 'insert') return change.kind;
  const { onExisting, unique, left } = change;
  return ['insert', typeof onExisting === 'string' ? onExisting : 'combine', unique, left !== undefined].join('/');
}

/** Throws unless each buffer has a word for every item. */
function requireWords(buffers: Readonly<Record<string, GPUBuffer | undefined>>, items: number): void {
  for (const [name, buffer] of Object.entries(buffers)) {
    if (buffer === undefined) continue;
    requireStorage(buffer, name);
    if (roomFor(buffer, 4) < items) throw new InvalidInputError(`${name} has no word for each of ${items} items`);
  }
}

const bufferOf = (view: BufferView): GPUBuffer => ('buffer' in view ? view.buffer : view);

/** What is uploaded of a source. */
export function itemsOf(source: Source): Items {
  const { keys, values, context } = source.load();
  return { keys, values, context, contextStart: 0 };
}
