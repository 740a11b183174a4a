/** GPU time of passes that cannot be repeated, and of work that the host drives. */
import { type Gpu, type Readback, USAGE } from '../../src/gpu/index.ts';
import { holdClocks } from '../clocks.ts';

/** Some of what `holdClocks` does for a single measurement: here one follows the other. */
const HOLD_MS = 10;

/** What work took: the GPU by its own timestamps, and by the clock of this process. */
export interface Spent {
  /** Undefined where the device has no timestamps. */
  readonly gpuMs: number | undefined;
  readonly wallMs: number;
}

export const NOTHING_SPENT: Spent = { gpuMs: 0, wallMs: 0 };

export const spentTogether = (a: Spent, b: Spent): Spent => ({
  gpuMs: a.gpuMs === undefined || b.gpuMs === undefined ? undefined : a.gpuMs + b.gpuMs,
  wallMs: a.wallMs + b.wallMs,
});

/** Milliseconds of each pass, one behind the other in one submission. Without timestamps, one submission each and wall time. */
export async function timePasses(
  gpu: Gpu,
  passes: readonly ((pass: GPUComputePassEncoder) => void)[],
  holdMs = HOLD_MS,
): Promise<number[]> {
  if (!gpu.device.features.has('timestamp-query')) return wallTimes(gpu, passes);
  const stamps = new Stamps(gpu, passes.length);
  const scratch = gpu.createBuffer('living/scratch', 4);
  try {
    const [bytes] = await gpu.run(
      (encoder) => {
        holdClocks(gpu, encoder, scratch, holdMs);
        for (const [i, commands] of passes.entries()) {
          const pass = encoder.beginComputePass({ label: 'hashnest/living', timestampWrites: stamps.writes(i) });
          commands(pass);
          pass.end();
        }
        stamps.resolve(encoder);
      },
      [stamps.read],
    );
    return stamps.times(bytes as ArrayBuffer);
  } finally {
    scratch.destroy();
    stamps.destroy();
  }
}

async function wallTimes(gpu: Gpu, passes: readonly ((pass: GPUComputePassEncoder) => void)[]): Promise<number[]> {
  const times: number[] = [];
  for (const commands of passes) {
    await gpu.guard(gpu.device.queue.onSubmittedWorkDone());
    const begin = performance.now();
    await gpu.run((encoder) => {
      const pass = encoder.beginComputePass({ label: 'hashnest/living' });
      commands(pass);
      pass.end();
    });
    times.push(performance.now() - begin);
  }
  return times;
}

/** What calls of the host take, such as those that resize a table. Buffers that are cleared by themselves are in the wall time only. */
export async function watch(gpu: Gpu, work: () => Promise<unknown>): Promise<Spent> {
  const { device } = gpu;
  const { createCommandEncoder } = device;
  const hasStamps = device.features.has('timestamp-query');
  const submissions: Stamps[] = [];
  // Every submission is between two empty passes with timestamps.
  const timedEncoder = (descriptor?: GPUCommandEncoderDescriptor): GPUCommandEncoder => {
    const encoder = createCommandEncoder.call(device, descriptor);
    const { finish } = encoder;
    const stamps = new Stamps(gpu, 2);
    submissions.push(stamps);
    encoder.beginComputePass({ timestampWrites: stamps.writes(0) }).end();
    encoder.finish = (finished) => {
      encoder.beginComputePass({ timestampWrites: stamps.writes(1) }).end();
      stamps.resolve(encoder);
      return finish.call(encoder, finished);
    };
    return encoder;
  };
  const begin = performance.now();
  try {
    if (hasStamps) device.createCommandEncoder = timedEncoder;
    await work();
    const wallMs = performance.now() - begin;
    device.createCommandEncoder = createCommandEncoder;
    const reads = submissions.map(({ read }) => read);
    const spans = reads.length > 0 ? await gpu.run(() => {}, reads) : [];
    const gpuMs = spans.reduce((sum, bytes) => {
      const [from = 0n, , , to = 0n] = new BigUint64Array(bytes);
      return sum + Number(to - from) / 1e6;
    }, 0);
    return { gpuMs: hasStamps ? gpuMs : undefined, wallMs };
  } finally {
    device.createCommandEncoder = createCommandEncoder;
    for (const stamps of submissions) stamps.destroy();
  }
}

/** Timestamps around passes. */
export class Stamps {
  readonly #set: GPUQuerySet;
  readonly #resolved: GPUBuffer;

  constructor(
    gpu: Gpu,
    readonly passes: number,
  ) {
    this.#set = gpu.device.createQuerySet({ label: 'hashnest/living', type: 'timestamp', count: passes * 2 });
    this.#resolved = gpu.createBuffer('living/stamps', passes * 16, USAGE.QUERY_RESOLVE | USAGE.COPY_SRC);
  }

  writes(pass: number): GPUComputePassTimestampWrites {
    return { querySet: this.#set, beginningOfPassWriteIndex: 2 * pass, endOfPassWriteIndex: 2 * pass + 1 };
  }

  resolve(encoder: GPUCommandEncoder): void {
    encoder.resolveQuerySet(this.#set, 0, this.passes * 2, this.#resolved, 0);
  }

  get read(): Readback {
    return { buffer: this.#resolved, bytes: this.passes * 16 };
  }

  times(bytes: ArrayBuffer): number[] {
    const stamps = new BigUint64Array(bytes);
    return Array.from(
      { length: this.passes },
      (_, i) => Number((stamps[2 * i + 1] ?? 0n) - (stamps[2 * i] ?? 0n)) / 1e6,
    );
  }

  /** When each pass ended, in nanoseconds. */
  ends(bytes: ArrayBuffer): bigint[] {
    return Array.from(new BigUint64Array(bytes)).filter((_, i) => i % 2 === 1);
  }

  destroy(): void {
    this.#set.destroy();
    this.#resolved.destroy();
  }
}
