/** How long the GPU takes. */
import { type Gpu, USAGE } from '../src/gpu/index.ts';
import { HOLD_MS, holdClocks } from './clocks.ts';

/** Where the time of a measurement comes from: the GPU itself, or the clock of this process around it. */
type Timer = 'timestamp' | 'wall';

/** The time of one operation. */
export interface Measurement {
  readonly medianMs: number;
  readonly minMs: number;
  /** The time of each measured pass, divided by `operationsPerPass`. */
  readonly samplesMs: readonly number[];
  readonly operationsPerPass: number;
  readonly timer: Timer;
  /** True where the timestamps are rounded, as browsers do against attacks on the timing. */
  readonly timestampsQuantised: boolean;
}

export interface MeasureOptions {
  /** Passes measured, after those that warm up and calibrate. Default 7. */
  readonly repeat?: number;
  /** Default: timestamps where the device has them. */
  readonly timer?: Timer;
  /**
   * How long the GPU computes before every pass, so that its clock stays up: milliseconds of a large GPU, many more of a small one. Default 50, which
   * is enough after any wait; 10 where one measurement follows the other.
   */
  readonly holdMs?: number;
  /** Called before every measured pass; its own work is not measured. */
  readonly beforePass?: () => Promise<void>;
  /** Called after every measured pass, to look at what it did. */
  readonly afterPass?: () => Promise<void>;
}

/** Operations are repeated inside a pass until it takes this long: short ones would measure the timer. */
const SHORTEST_PASS_MS = 2;
/** Keeps the encoding of very short operations from taking seconds. */
const MOST_OPERATIONS_PER_PASS = 500;
/** Each round at least doubles the operations, so these reach the most there may be. */
const CALIBRATION_ROUNDS = 10;

/**
 * Measures an operation that is recorded into a compute pass.
 * @example
 * const { medianMs } = await measure(gpu, (pass) => map.encodeGet(pass, io), { repeat: 7 });
 */
export async function measure(
  gpu: Gpu,
  encode: (pass: GPUComputePassEncoder) => void,
  options: MeasureOptions = {},
): Promise<Measurement> {
  return measurePasses(gpu, computePass, encode, options);
}

/**
 * Measures draw calls that are recorded into a render pass.
 * @example
 * const { medianMs } = await measureDrawing(gpu, { colorAttachments }, (pass) => pass.draw(3));
 */
export async function measureDrawing(
  gpu: Gpu,
  onto: Omit<GPURenderPassDescriptor, 'timestampWrites' | 'label'>,
  draw: (pass: GPURenderPassEncoder) => void,
  options: MeasureOptions = {},
): Promise<Measurement> {
  const open: OpenPass<GPURenderPassEncoder> = (encoder, stamps) =>
    encoder.beginRenderPass({ ...onto, label: 'hashnest/measure', ...stamps });
  return measurePasses(gpu, open, draw, options);
}

async function measurePasses<Pass extends { end(): void }>(
  gpu: Gpu,
  open: OpenPass<Pass>,
  encode: (pass: Pass) => void,
  options: MeasureOptions,
): Promise<Measurement> {
  const { repeat = 7, holdMs = HOLD_MS } = options;
  const { timer = gpu.device.features.has('timestamp-query') ? 'timestamp' : 'wall' } = options;
  const stopwatch = timer === 'timestamp' ? new TimestampStopwatch(gpu, holdMs) : new WallStopwatch(gpu);
  const passOf = (operations: number): Promise<number> =>
    stopwatch.time(open, (pass) => {
      for (let i = 0; i < operations; i++) encode(pass);
    });
  try {
    // The first pass also pays for compiling pipelines and for touching memory for the first time.
    await passOf(1);
    const operationsPerPass = await calibrate(passOf);
    const samplesMs: number[] = [];
    for (let i = 0; i < repeat; i++) {
      await options.beforePass?.();
      samplesMs.push((await passOf(operationsPerPass)) / operationsPerPass);
      await options.afterPass?.();
    }
    return {
      medianMs: median(samplesMs),
      minMs: Math.min(...samplesMs),
      samplesMs,
      operationsPerPass,
      timer,
      timestampsQuantised: stopwatch.quantised,
    };
  } finally {
    stopwatch.destroy();
  }
}

/** Milliseconds of one operation that cannot be repeated, because it changes what it works on. */
export async function measureChange(gpu: Gpu, encode: (pass: GPUComputePassEncoder) => void): Promise<number> {
  const stopwatch = gpu.device.features.has('timestamp-query')
    ? new TimestampStopwatch(gpu, HOLD_MS)
    : new WallStopwatch(gpu);
  try {
    return await stopwatch.time(computePass, encode);
  } finally {
    stopwatch.destroy();
  }
}

/** Measures an operation of the host, by the clock of this process. */
export async function measureOnHost(
  operation: () => Promise<void>,
  { repeat = 7, afterPass }: Pick<MeasureOptions, 'repeat' | 'afterPass'> = {},
): Promise<Measurement> {
  await operation();
  const samplesMs: number[] = [];
  for (let i = 0; i < repeat; i++) {
    const begin = performance.now();
    await operation();
    samplesMs.push(performance.now() - begin);
    await afterPass?.();
  }
  return {
    medianMs: median(samplesMs),
    minMs: Math.min(...samplesMs),
    samplesMs,
    operationsPerPass: 1,
    timer: 'wall',
    timestampsQuantised: false,
  };
}

/** A pass that took this many times what it has to take is long enough whatever delayed it. */
const CLEARLY_LONG = 10;

/** How many operations make a pass long enough, from a function that runs a pass and tells its milliseconds. */
export async function calibrate(passOf: (operations: number) => Promise<number>): Promise<number> {
  let operations = 1;
  for (let round = 0; round < CALIBRATION_ROUNDS && operations < MOST_OPERATIONS_PER_PASS; round++) {
    let ms = await passOf(operations);
    // Something else on the machine may have delayed it; nothing makes a pass faster than it is.
    if (ms > SHORTEST_PASS_MS && ms < SHORTEST_PASS_MS * CLEARLY_LONG) ms = Math.min(ms, await passOf(operations));
    if (ms > SHORTEST_PASS_MS) break;
    // A quarter more than needed, because a longer pass runs a little faster per operation.
    const needed = ms > 0 ? Math.ceil(((operations * SHORTEST_PASS_MS) / ms) * 1.25) : MOST_OPERATIONS_PER_PASS;
    operations = Math.min(MOST_OPERATIONS_PER_PASS, Math.max(needed, operations * 2));
  }
  return operations;
}

/** The middle value; the mean of the middle two for an even number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** When a pass begins and ends, if that is to be noted. */
interface Stamps {
  readonly timestampWrites?: GPUComputePassTimestampWrites & GPURenderPassTimestampWrites;
}

/** Begins a pass of some kind. */
type OpenPass<Pass> = (encoder: GPUCommandEncoder, stamps: Stamps) => Pass;

const computePass: OpenPass<GPUComputePassEncoder> = (encoder, stamps) =>
  encoder.beginComputePass({ label: 'hashnest/measure', ...stamps });

interface Stopwatch {
  /** Milliseconds that a pass with these commands takes. */
  time<Pass extends { end(): void }>(open: OpenPass<Pass>, commands: (pass: Pass) => void): Promise<number>;
  readonly quantised: boolean;
  destroy(): void;
}

/** Dawn rounds timestamps to multiples of this many nanoseconds unless told otherwise. */
const QUANTUM = 0x10000n;

class TimestampStopwatch implements Stopwatch {
  readonly #set: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #scratch: GPUBuffer;
  // Judged by the timestamps: nothing in WebGPU tells.
  #quantised = true;

  constructor(
    readonly gpu: Gpu,
    readonly holdMs: number,
  ) {
    this.#set = gpu.device.createQuerySet({ label: 'hashnest/measure', type: 'timestamp', count: 2 });
    this.#resolved = gpu.createBuffer('measure/timestamps', 16, USAGE.QUERY_RESOLVE | USAGE.COPY_SRC);
    this.#scratch = gpu.createBuffer('measure/scratch', 4);
  }

  get quantised(): boolean {
    return this.#quantised;
  }

  async time<Pass extends { end(): void }>(open: OpenPass<Pass>, commands: (pass: Pass) => void): Promise<number> {
    const [bytes] = await this.gpu.run(
      (encoder) => {
        holdClocks(this.gpu, encoder, this.#scratch, this.holdMs);
        const timestampWrites = { querySet: this.#set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
        const pass = open(encoder, { timestampWrites });
        commands(pass);
        pass.end();
        encoder.resolveQuerySet(this.#set, 0, 2, this.#resolved, 0);
      },
      [{ buffer: this.#resolved, bytes: 16 }],
    );
    const [begin = 0n, end = 0n] = new BigUint64Array(bytes as ArrayBuffer);
    if (begin % QUANTUM !== 0n || end % QUANTUM !== 0n) this.#quantised = false;
    return Number(end - begin) / 1e6;
  }

  destroy(): void {
    this.#set.destroy();
    this.#resolved.destroy();
    this.#scratch.destroy();
  }
}

class WallStopwatch implements Stopwatch {
  readonly quantised = false;

  constructor(readonly gpu: Gpu) {}

  async time<Pass extends { end(): void }>(open: OpenPass<Pass>, commands: (pass: Pass) => void): Promise<number> {
    const { gpu } = this;
    const buffer = await gpu.checked(() => {
      const encoder = gpu.device.createCommandEncoder({ label: 'hashnest/measure' });
      const pass = open(encoder, {});
      commands(pass);
      pass.end();
      return encoder.finish();
    });
    // Everything that was submitted before must not count.
    await gpu.guard(gpu.device.queue.onSubmittedWorkDone());
    const begin = performance.now();
    await gpu.checked(() => gpu.device.queue.submit([buffer]));
    await gpu.guard(gpu.device.queue.onSubmittedWorkDone());
    return performance.now() - begin;
  }

  destroy(): void {}
}
