/** Where the time of a build goes: every kernel in a pass of its own, between two timestamps. */

import { type Bound, type Extent, type Gate, type Gpu, knownExtent, Recorder, USAGE } from '../src/gpu/index.ts';
import type { HashMap } from '../src/index.ts';
import type { GpuBuild } from '../src/schemes/contract/index.ts';
import { type Attempt, recordAttempt } from '../src/table/attempt.wgsl.ts';
import type { Kernel } from '../src/wgsl/index.ts';
import { holdClocks } from './clocks.ts';
import { median } from './measure.ts';
import type { Workload } from './workload.ts';

/** One kernel of a build. */
export interface KernelTime {
  readonly label: string;
  readonly medianMs: number;
}

const MOST_KERNELS = 256;

/** Puts every kernel into a pass of its own. */
class ProfilingRecorder extends Recorder {
  constructor(
    gpu: Gpu,
    readonly encoder: GPUCommandEncoder,
    readonly queries: GPUQuerySet,
    /** The kernels so far. */
    readonly labels: string[] = [],
    gate?: Gate,
  ) {
    // No pass is open yet; `run` opens one for each kernel.
    super(gpu, undefined as never, gate);
  }

  override behind(gate: Gate): Recorder {
    return new ProfilingRecorder(this.gpu, this.encoder, this.queries, this.labels, gate);
  }

  override run(kernel: Kernel, bound: Bound, items: number | Extent): void {
    this.#timed(kernel, (recorder) => recorder.run(kernel, bound, items));
  }

  override runOnce(kernel: Kernel, bound: Bound): void {
    this.#timed(kernel, (recorder) => recorder.runOnce(kernel, bound));
  }

  #timed({ label }: Kernel, commands: (recorder: Recorder) => void): void {
    const first = this.labels.push(label) * 2 - 2;
    const pass = this.encoder.beginComputePass({
      timestampWrites: { querySet: this.queries, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 },
    });
    commands(new Recorder(this.gpu, pass, this.gate));
    pass.end();
  }
}

/** The kernels that are recorded, in order, with the time of each. */
export async function profileOnce(gpu: Gpu, record: (recorder: Recorder) => void): Promise<KernelTime[]> {
  const queries = gpu.device.createQuerySet({ type: 'timestamp', count: MOST_KERNELS * 2 });
  const bytes = MOST_KERNELS * 16;
  const resolved = gpu.createBuffer('profile/timestamps', bytes, USAGE.QUERY_RESOLVE | USAGE.COPY_SRC);
  const scratch = gpu.createBuffer('profile/scratch', 4);
  let labels: readonly string[] = [];
  try {
    const [times] = await gpu.run(
      (encoder) => {
        holdClocks(gpu, encoder, scratch);
        const recorder = new ProfilingRecorder(gpu, encoder, queries);
        record(recorder);
        labels = recorder.labels;
        encoder.resolveQuerySet(queries, 0, labels.length * 2, resolved, 0);
      },
      [{ buffer: resolved, bytes }],
    );
    const stamps = new BigUint64Array(times as ArrayBuffer);
    return labels.map((label, k) => ({
      label,
      medianMs: Number((stamps[2 * k + 1] ?? 0n) - (stamps[2 * k] ?? 0n)) / 1e6,
    }));
  } finally {
    queries.destroy();
    resolved.destroy();
    scratch.destroy();
  }
}

/** The kernels of a rebuild of this map from the workload's items, in order, with their median times. */
export async function profileBuild(
  gpu: Gpu,
  { table }: HashMap<unknown>,
  workload: Workload,
  repeat = 5,
): Promise<KernelTime[]> {
  const rounds: KernelTime[][] = [];
  const { plan, buffers, workspace, state } = table;
  const { items, keys, values, context } = workload;
  const { build } = state.header;
  const hash = state.header.hash as Attempt['hash'];
  for (let i = 0; i < repeat; i++) {
    const round = await profileOnce(gpu, (recorder) => {
      // Kernels go by what the header counts: every round begins with one that has counted nothing.
      recordAttempt(recorder, plan, buffers.header, { hash, number: 1, build, count: items, maxCount: items });
      (plan.build as GpuBuild).record(recorder, buffers, {
        keys,
        values,
        context,
        items: knownExtent(gpu, items),
        workspace,
        attempt: 1,
        effort: 'both',
      });
    });
    rounds.push(round);
  }
  return (rounds[0] ?? []).map(({ label }, k) => ({
    label,
    medianMs: median(rounds.map((round) => round[k]?.medianMs ?? 0)),
  }));
}
