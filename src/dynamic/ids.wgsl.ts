/**
 * Ids of keys that come and go. A key that is new has the number of one of its items for a value until it gets its id: one of those
 * that are free, or the next that was never given out. Keys that go give theirs back.
 */
import { type Extent, extentCount, type Gpu, perform, type Readback, type Recorder } from '../gpu/index.ts';
import { keysView } from '../keys/index.ts';
import { type DynamicPlan, NO_SLOT, type ValueStore } from '../schemes/contract/index.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import { kept, kernel, storage, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { Items } from './batch.wgsl.ts';
import type { DynamicState } from './state.ts';

const THREADS = 256;

/** What stands for the id of a key that is not there. */
export const NO_ID = 0xffff_ffff;

/** Set in the number of an item that stands where an id will be: there are never as many ids. */
const IS_NUMBER = '0x80000000u';

const State = wgsl`
struct IdState {
  free: atomic<u32>,  // ids on the stack
  limit: atomic<u32>, // one more than the greatest id that was given out
  taken: atomic<u32>, // by the batch that is running
}`;
const STATE_BYTES = 12;

const state = storage('idState', State, 'read_write');
const numbers = storage('numbers', 'array<u32>', 'read_write');
const slots = storage('slots', 'array<u32>');
const slotsOut = storage('slots', 'array<u32>', 'read_write');
const fresh = storage('fresh', 'array<u32>', 'read_write');
const ids = storage('ids', 'array<u32>');
const freeIds = storage('freeIds', 'array<u32>');
const freeIdsOut = storage('freeIds', 'array<u32>', 'read_write');
/** A bit for every id; all are clear between two batches. */
const marks = storage('marks', 'array<atomic<u32>>', 'read_write');

const number = kernel({
  label: 'ids/number',
  threads: THREADS,
  body: wgsl`
  if (item < ${extentCount}) { ${numbers}[item] = item | ${IS_NUMBER}; }`,
});

/** Which keys are new, and which item speaks for each of them. */
const findFresh = kept((reading: Reading) => {
  const needles = keysView(reading.request.key, 'needle');
  const program = kernel({
    label: 'ids/fresh',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(needles.access)}(${needles.at('item')});
  let isFresh = hit.found && hit.value >= ${IS_NUMBER};
  ${fresh}[item] = u32(isFresh);
  ${slotsOut}[item] = select(${NO_SLOT}u, hit.slot, isFresh && hit.value == (item | ${IS_NUMBER}));`,
  });
  return { program, needles };
});

/** Statements that give everybody who `wants` one a `position` of its own; a workgroup takes its positions together. */
function takePositions(counter: WgslPart): Wgsl {
  const wanted = wgsl`var<workgroup> wanted: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
  return wgsl`
  var position = 0u;
  if (wants) { position = atomicAdd(&${wanted}, 1u); }
  workgroupBarrier();
  if (thread == 0u) { ${start} = atomicAdd(&${counter}, atomicLoad(&${wanted})); }
  workgroupBarrier();
  position += ${start};`;
}

const giveIds = kept((values: ValueStore) =>
  kernel({
    label: 'ids/give',
    threads: THREADS,
    body: wgsl`
  var slot = ${NO_SLOT}u;
  if (item < ${extentCount}) { slot = ${slots}[item]; }
  let wants = slot != ${NO_SLOT}u;
  ${takePositions(wgsl`${state}.taken`)}
  if (!wants) { return; }
  let free = atomicLoad(&${state}.free);
  var id = atomicLoad(&${state}.limit) + position - free;
  if (position < free) { id = ${freeIds}[free - 1u - position]; }
  ${values.store}(slot, id);`,
  }),
);

const endGiving = kernel({
  label: 'ids/end',
  threads: 1,
  body: wgsl`
  let taken = atomicExchange(&${state}.taken, 0u);
  let reused = min(taken, atomicLoad(&${state}.free));
  atomicSub(&${state}.free, reused);
  atomicAdd(&${state}.limit, taken - reused);`,
});

/** Every id goes to the stack once, however many copies of its key are in the batch. */
const takeBack = kernel({
  label: 'ids/back',
  threads: THREADS,
  body: wgsl`
  var id = ${NO_ID}u;
  if (item < ${extentCount}) { id = ${ids}[item]; }
  var wants = false;
  if (id != ${NO_ID}u) {
    let bit = 1u << (id % 32u);
    wants = (atomicOr(&${marks}[id / 32u], bit) & bit) == 0u;
  }
  ${takePositions(wgsl`${state}.free`)}
  if (wants && position < arrayLength(&${freeIdsOut})) { ${freeIdsOut}[position] = id; }`,
});

const clearMarks = kernel({
  label: 'ids/clear',
  threads: THREADS,
  body: wgsl`
  if (item < ${extentCount} && ${ids}[item] != ${NO_ID}u) { atomicStore(&${marks}[${ids}[item] / 32u], 0u); }`,
});

/** The stack of free ids, and how many were given out. */
export class Ids {
  #free: GPUBuffer;
  #marks: GPUBuffer;
  readonly #state: GPUBuffer;
  #isDestroyed = false;

  private constructor(
    readonly gpu: Gpu,
    [free, marked, counts]: readonly [GPUBuffer, GPUBuffer, GPUBuffer],
  ) {
    this.#free = free;
    this.#marks = marked;
    this.#state = counts;
  }

  /** For so many ids at most. */
  static async make(gpu: Gpu, most: number): Promise<Ids> {
    const made = await gpu.allocate([...specs(most), { label: 'ids/state', bytes: STATE_BYTES }]);
    return new Ids(gpu, made as [GPUBuffer, GPUBuffer, GPUBuffer]);
  }

  /** Ids that there is room for. */
  get most(): number {
    return this.#free.size / WORD_BYTES;
  }

  get bytes(): number {
    return this.#free.size + this.#marks.size + this.#state.size;
  }

  /** Where the GPU finds one more than the greatest id that was given out. */
  get limit(): { readonly buffer: GPUBuffer; readonly offset: number } {
    return { buffer: this.#state, offset: 4 };
  }

  /** The number of free ids, and the limit, to be read back. */
  get stateRead(): Readback {
    return { buffer: this.#state, bytes: 8 };
  }

  /** The free ids, of which there are so many, to be read back. */
  freeRead(count: number): Readback {
    return { buffer: this.#free, bytes: count * WORD_BYTES };
  }

  /** Makes room for so many ids, if there is less. */
  async makeRoom(most: number): Promise<void> {
    if (most > this.most) await this.fit(most);
  }

  /** Makes room for so many ids and no more; as many as were given out there have to be. */
  async fit(most: number): Promise<void> {
    if (most === this.most) return;
    const { gpu } = this;
    const [free, marked] = (await gpu.allocate(specs(most))) as [GPUBuffer, GPUBuffer];
    try {
      await perform(gpu, (encoder) =>
        encoder.copyBufferToBuffer(this.#free, 0, free, 0, Math.min(this.#free.size, free.size)),
      );
    } catch (error) {
      for (const buffer of [free, marked]) buffer.destroy();
      throw error;
    }
    for (const old of [this.#free, this.#marks]) old.destroy();
    this.#free = free;
    this.#marks = marked;
    if (this.#isDestroyed) this.destroy();
  }

  /** Says which ids are free, all others below the limit being given out. There is room for them. */
  restore(free: Uint32Array, limit: number): void {
    this.gpu.write(this.#free, free);
    this.gpu.write(this.#state, Uint32Array.of(free.length, limit, 0));
  }

  /** Encodes that no id was ever given out. */
  encodeClear(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.#state);
  }

  /** Says that ids that were given out since the state was read are not. Giving leaves the stack below them as it is. */
  takeBack(before: ArrayBuffer): void {
    if (this.#isDestroyed) return;
    this.gpu.write(this.#state, Uint32Array.of(...new Uint32Array(before), 0));
  }

  /** Records that values become the numbers of their items. */
  recordNumbers(recorder: Recorder, values: GPUBuffer, extent: Extent): void {
    recorder.run(
      number,
      [
        [numbers, values],
        [extentCount, extent.count],
      ],
      extent,
    );
  }

  /** Records that all keys get ids that have the numbers of their items for values. */
  recordGive(
    recorder: Recorder,
    table: DynamicState,
    items: Items,
    extent: Extent,
    output: { readonly slots: GPUBuffer; readonly fresh: GPUBuffer },
  ): void {
    const { reading, bound, buffers } = table;
    const counted = [extentCount, extent.count] as const;
    const { program, needles } = findFresh(reading);
    recorder.run(
      program,
      [...bound, ...needles.bind(items), [fresh, output.fresh], [slotsOut, output.slots], counted],
      extent,
    );
    const values = valuesOf(reading.plan as DynamicPlan);
    recorder.run(
      giveIds(values),
      [...values.bind(buffers), [slots, output.slots], [freeIds, this.#free], [state, this.#state], counted],
      extent,
    );
    recorder.runOnce(endGiving, [[state, this.#state]]);
  }

  /** Records that ids are free again; those of keys that were not there are `NO_ID`. */
  recordBack(recorder: Recorder, released: GPUBuffer, extent: Extent): void {
    const common = [
      [ids, released],
      [marks, this.#marks],
      [extentCount, extent.count],
    ] as const;
    recorder.run(takeBack, [...common, [freeIdsOut, this.#free], [state, this.#state]], extent);
    recorder.run(clearMarks, common, extent);
  }

  destroy(): void {
    this.#isDestroyed = true;
    for (const buffer of [this.#free, this.#marks, this.#state]) buffer.destroy();
  }
}

const specs = (most: number) => [
  { label: 'ids/free', bytes: most * WORD_BYTES },
  { label: 'ids/marks', bytes: Math.ceil(most / 32) * WORD_BYTES },
];

const valuesOf = kept((plan: DynamicPlan) => plan.valueStore?.() as ValueStore);
