/** GPU time of passes that cannot be repeated, and of work that the host drives. */
import { type Gpu, type Readback, USAGE } from '../../src/gpu/index.ts';
import { asBuffers, type Consume } from '../../src/gpu/submission.ts';
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
): Promise<number[]> {
  if (!gpu.device.features.has('timestamp-query')) return wallTimes(gpu, passes);
  const stamps = new Stamps(gpu, passes.length);
  const scratch = gpu.createBuffer('living/scratch', 4);
  try {
    const [bytes] = await gpu.run(
      (encoder) => {
        holdClocks(gpu, encoder, scratch, HOLD_MS);
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
  const begin = performance.now();
  const hasStamps = gpu.device.features.has('timestamp-query');
  const { run, perform } = gpu;
  let gpuMs = 0;
  // Between two empty passes with timestamps.
  const timed: Gpu['run'] = async (commands, reads = []) => {
    if (!hasStamps) return run.call(gpu, commands, reads);
    const stamps = new Stamps(gpu, 2);
    try {
      const given = await run.call(
        gpu,
        (encoder) => {
          encoder.beginComputePass({ timestampWrites: stamps.writes(0) }).end();
          commands(encoder);
          encoder.beginComputePass({ timestampWrites: stamps.writes(1) }).end();
          stamps.resolve(encoder);
        },
        [...reads, stamps.read],
      );
      const [from = 0n, , , to = 0n] = new BigUint64Array(given.at(-1) as ArrayBuffer);
      gpuMs += Number(to - from) / 1e6;
      return given.slice(0, -1);
    } finally {
      stamps.destroy();
    }
  };
  gpu.run = timed;
  // What the library's own calls submit by.
  gpu.perform = (async (
    commands: (encoder: GPUCommandEncoder) => void,
    reads: readonly Readback[] = [],
    consume: Consume<unknown> = asBuffers,
  ) => {
    const given = await timed(commands, reads);
    return consume(given.map((bytes) => new Uint8Array(bytes)));
  }) as Gpu['perform'];
  try {
    await work();
    return { gpuMs: hasStamps ? gpuMs : undefined, wallMs: performance.now() - begin };
  } finally {
    Object.assign(gpu, { run, perform });
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
