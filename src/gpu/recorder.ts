import type { Binding, Kernel } from '../wgsl/index.ts';
import { requireTarget } from './arguments.ts';
import { type Extent, type Gate, gridOf, knownExtent } from './gate.wgsl.ts';
import type { Gpu } from './gpu.ts';
import { programOf } from './program.ts';

/** Where encoded calls go: a command encoder, or a compute pass that is already open. */
export type Target = GPUCommandEncoder | GPUComputePassEncoder;

/** A whole buffer, or a part of one. */
export type BufferView = GPUBuffer | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** Which buffer stands behind each binding of a kernel. */
export type Bound = readonly (readonly [Binding, BufferView])[];

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
    const { pipeline, layout, bindings } = programOf(this.gpu, kernel);
    this.pass.setPipeline(pipeline);
    this.pass.setBindGroup(
      0,
      this.gpu.device.createBindGroup({
        label: kernel.label,
        layout,
        entries: bindEntries(bindings, bound),
      }),
    );
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

/** Bind group entries for a list of bindings. Two buffers for one binding are a mistake: one would silently be left out. */
export function bindEntries(bindings: readonly Binding[], bound: Bound, firstBinding = 0): GPUBindGroupEntry[] {
  const views = new Map<Binding, BufferView>();
  for (const [binding, view] of bound) {
    const other = views.get(binding);
    if (other && !isSameView(other, view)) throw new Error(`hashnest: two buffers are bound to ${binding.name}`);
    views.set(binding, view);
  }
  return bindings.map((binding, index) => {
    const view = views.get(binding);
    if (view === undefined) throw new Error(`hashnest: no buffer is bound to ${binding.name}`);
    return { binding: firstBinding + index, resource: rangeOf(view) };
  });
}

const rangeOf = (view: BufferView): Exclude<BufferView, GPUBuffer> => ('buffer' in view ? view : { buffer: view });

function isSameView(a: BufferView, b: BufferView): boolean {
  const [x, y] = [rangeOf(a), rangeOf(b)];
  return x.buffer === y.buffer && (x.offset ?? 0) === (y.offset ?? 0) && x.size === y.size;
}
