import { type Bound, type Gpu, type Readback, type Recorder, record, submit } from '../gpu/index.ts';
import type { HashConstants } from '../hashing/index.ts';
import { COUNTERS, type DynamicPlan, HeaderLayout, type TableBuffers } from '../schemes/contract/index.ts';
import { allocate, type PlannedBuffers } from '../table/buffers.ts';
import { Reading } from '../table/reading.wgsl.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** The buffers of a table at one size. A table that grows gets another one. */
export class Body {
  private constructor(
    readonly gpu: Gpu,
    readonly plan: DynamicPlan,
    readonly hash: HashConstants,
    readonly reading: Reading,
    readonly counters: GPUBuffer,
    readonly planned: PlannedBuffers,
  ) {}

  /** An empty one, or a typed error if there is no memory for it. `last` is the one whose place it is to take. */
  static async make(...made: Parameters<typeof Body.unwritten>): Promise<Body> {
    const body = await Body.unwritten(...made);
    try {
      await submit(body.gpu, (encoder) => body.encodeClear(encoder));
      return body;
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  /** The same with slots that have to be written. */
  private static async unwritten(
    gpu: Gpu,
    scheme: { readonly name: string },
    plan: DynamicPlan,
    hash: HashConstants,
    last?: Body,
  ): Promise<Body> {
    const planned = await allocate(gpu, scheme, plan);
    let counters: GPUBuffer | undefined;
    try {
      [counters] = await gpu.allocate([{ label: `${scheme.name}/counters`, bytes: COUNTERS.length * WORD_BYTES }]);
      const reading = last?.plan.format === plan.format ? last.reading : Reading.of(plan);
      const layout = HeaderLayout.of(plan.fields);
      gpu.write(planned.header, layout.write({ hash, own: plan.fields, capacity: plan.capacitySlots, attempts: 1 }));
      return new Body(gpu, plan, hash, reading, counters as GPUBuffer, planned);
    } catch (error) {
      counters?.destroy();
      planned.destroy();
      throw error;
    }
  }

  /** Such a body after all of its slots were written; none, and nothing left of it, if not everything found room. */
  static async filled(
    ...[fill, ...made]: [fill: (body: Body) => Promise<boolean>, ...Parameters<typeof Body.make>]
  ): Promise<Body | undefined> {
    const body = await Body.unwritten(...made);
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
