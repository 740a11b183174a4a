import type { Kernel } from '../wgsl/index.ts';
import { requireTarget } from './arguments.ts';
import type { Bound } from './bound.ts';
import { PassList } from './commandList.ts';
import { type Extent, type Gate, gridOf, knownExtent } from './gate.wgsl.ts';
import type { Gpu } from './gpu.ts';
import { programOf } from './program.ts';

/** Where encoded calls go: a command encoder, or a compute pass that is already open. */
export type Target = GPUCommandEncoder | GPUComputePassEncoder;

/**
 * Records kernels into one compute pass. Between two kernels everything that the first wrote is visible to the second;
 * inside one nothing is. Behind a gate, every kernel is dispatched indirectly and does nothing while the gate is shut.
 */
export class Recorder {
  constructor(
    readonly gpu: Gpu,
    readonly pass: GPUComputePassEncoder,
    readonly gate?: Gate,
  ) {}

  /** The same pass behind a gate. */
  behind(gate: Gate): Recorder {
    return new Recorder(this.gpu, this.pass, gate);
  }

  /** A number of items as kernels need it. */
  extent(items: number | Extent): Extent {
    return typeof items === 'number' ? knownExtent(this.gpu, items) : items;
  }

  /** Runs a kernel over that many items. */
  run(kernel: Kernel, bound: Bound, items: number | Extent): void {
    const groups = (typeof items === 'number' ? items : items.max) / kernel.itemsPerGroup;
    if (groups === 0) return;
    this.#prepare(kernel, bound);
    if (this.gate) {
      this.pass.dispatchWorkgroupsIndirect(this.gate.args, this.gate.rowOffset(items, kernel.itemsPerGroup));
    } else {
      const [x, y] = gridOf(Math.ceil(groups), this.gpu.limits.maxComputeWorkgroupsPerDimension);
      this.pass.dispatchWorkgroups(x, y);
    }
  }

  /** Runs a kernel as a single workgroup whatever the gate says: that is how gates are opened and shut. */
  runOnce(kernel: Kernel, bound: Bound): void {
    this.#prepare(kernel, bound);
    this.pass.dispatchWorkgroups(1);
  }

  #prepare(kernel: Kernel, bound: Bound): void {
    const { gpu, pass } = this;
    const program = programOf(gpu, kernel);
    const { group, offsets } = program.groups.of(gpu.device, kernel.label, bound);
    if (pass instanceof PassList) pass.setProgram(program);
    else pass.setPipeline(program.pipeline);
    pass.setBindGroup(0, group, offsets);
  }
}

/** Records into an encoder (in a pass of its own) or into the caller's open pass. */
export function record<T>(gpu: Gpu, target: Target, label: string, commands: (recorder: Recorder) => T): T {
  gpu.assertAlive();
  requireTarget(target);
  if (!('beginComputePass' in target)) return commands(new Recorder(gpu, target));
  const pass = target.beginComputePass({ label: `hashnest/${label}` });
  try {
    return commands(new Recorder(gpu, pass));
  } finally {
    pass.end();
  }
}
