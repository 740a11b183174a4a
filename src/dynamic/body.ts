import { type Bound, type Gpu, type Readback, type Recorder, record, submit } from '../gpu/index.ts';
import type { HashConstants } from '../hashing/index.ts';
import { COUNTERS, type DynamicPlan, HeaderLayout, type TableBuffers } from '../schemes/contract/index.ts';
import { allocate, type PlannedBuffers } from '../table/buffers.ts';
import { Reading } from '../table/reading.wgsl.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Counted } from './batch.wgsl.ts';

/** What a body is made for. */
export interface BodyRequest {
  readonly scheme: { readonly name: string };
  readonly plan: DynamicPlan;
  readonly hash: HashConstants;
  /** The one whose place it is to take. */
  readonly last?: Body;
}

/** The buffers of a table at one size. A table that grows gets another one. */
export class Body {
  readonly plan: DynamicPlan;
  readonly hash: HashConstants;
  /** Keys, after the last batch that is known to have run. */
  #size = 0;
  /** The number of the last batch that was recorded, and of the last that is known to have run. */
  #batches = 0;
  #settled = 0;
  /** Items without room that the counters have counted in all. */
  #leftInAll = 0;
  /** Whether a batch has failed of which nobody knows whether it has run. */
  isUncertain = false;

  private constructor(
    readonly gpu: Gpu,
    { plan, hash }: BodyRequest,
    readonly reading: Reading,
    readonly counters: GPUBuffer,
    readonly planned: PlannedBuffers,
  ) {
    this.plan = plan;
    this.hash = hash;
  }

  /** An empty one, or a typed error if there is no memory for it. */
  static async make(gpu: Gpu, request: BodyRequest): Promise<Body> {
    const body = await Body.unwritten(gpu, request);
    try {
      await submit(body.gpu, (encoder) => body.encodeClear(encoder));
      return body;
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  /** The same with slots that have to be written. */
  private static async unwritten(gpu: Gpu, request: BodyRequest): Promise<Body> {
    const { scheme, plan, hash, last } = request;
    const planned = await allocate(gpu, scheme, plan);
    let counters: GPUBuffer | undefined;
    try {
      [counters] = await gpu.allocate([{ label: `${scheme.name}/counters`, bytes: COUNTERS.length * WORD_BYTES }]);
      const reading = last?.plan.format === plan.format ? last.reading : Reading.of(plan);
      const layout = HeaderLayout.of(plan.fields);
      gpu.write(planned.header, layout.write({ hash, own: plan.fields, capacity: plan.capacitySlots, attempts: 1 }));
      return new Body(gpu, request, reading, counters as GPUBuffer, planned);
    } catch (error) {
      counters?.destroy();
      planned.destroy();
      throw error;
    }
  }

  /** Such a body after all of its slots were written; none, and nothing left of it, if not everything found room. */
  static async filled(
    gpu: Gpu,
    request: BodyRequest,
    fill: (body: Body) => Promise<boolean>,
  ): Promise<Body | undefined> {
    const body = await Body.unwritten(gpu, request);
    try {
      if (await fill(body)) return body;
    } catch (error) {
      body.destroy();
      throw error;
    }
    body.destroy();
    return undefined;
  }

  /** Records that all keys are gone. */
  encodeClear(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.counters);
    record(this.gpu, encoder, 'clear', (recorder: Recorder) =>
      this.plan.recordClear(recorder, this.buffers(undefined)),
    );
  }

  get size(): number {
    return this.#size;
  }

  get batches(): number {
    return this.#batches;
  }

  /** Whether all batches that were recorded are known to have run. */
  get isSettled(): boolean {
    return this.#batches === this.#settled;
  }

  /** The number of a batch that is about to be recorded. */
  nextBatch(): number {
    this.#batches = (this.#batches + 1) >>> 0;
    return this.#batches;
  }

  /** Says that so many keys were moved here. */
  holds(keys: number): void {
    this.#size = keys;
  }

  /** Says that no batch after that number was recorded. */
  backTo(batches: number): void {
    this.#batches = batches;
  }

  /** Says that all keys are gone, and the counters begin anew. */
  isCleared(): void {
    this.#size = 0;
    this.#batches = 0;
    this.#settled = 0;
    this.#leftInAll = 0;
  }

  /** Takes over what the counters say after all batches have run. */
  accept({ keys, batch, left, leftBefore }: Counted): void {
    this.#size = keys;
    this.#settled = batch;
    this.#leftInAll = left + leftBefore;
  }

  /**
   * The same for batches that nobody waited for. Gives the number of their items without room; nothing if not all have run of those
   * that had been recorded when the counters were asked for.
   */
  settle(counted: Counted, recorded: number): number | undefined {
    const { batch, left, leftBefore } = counted;
    if (!this.isUncertain && isBefore(batch, recorded)) return undefined;
    const missed = this.isUncertain ? 0 : left + leftBefore - this.#leftInAll;
    if (this.#batches === recorded) this.#batches = batch;
    this.isUncertain = false;
    this.accept(counted);
    return missed;
  }

  /** The buffers with the bytes that the keys point into. */
  buffers(context: GPUBuffer | undefined): TableBuffers {
    const { planned } = this;
    return { header: planned.header, context, get: (name) => planned.get(name) };
  }

  /** The counters, to be read back. */
  get countersRead(): Readback {
    return { buffer: this.counters, bytes: COUNTERS.length * WORD_BYTES };
  }

  /** What is to be bound for kernels that read it. */
  bound(context: GPUBuffer | undefined): Bound {
    return this.reading.view.bind(this.buffers(context));
  }

  destroy(): void {
    this.counters.destroy();
    this.planned.destroy();
  }
}

/** Whether one batch was recorded before another. Their numbers begin at 0 again behind the greatest word. */
const isBefore = (batch: number, other: number): boolean => ((batch - other) | 0) < 0;
