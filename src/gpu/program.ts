import { type Binding, type Kernel, kept, type Linked, link } from '../wgsl/index.ts';
import { BindGroups } from './bindGroups.ts';
import type { Gpu } from './gpu.ts';

/** A linked kernel, ready to run. */
export interface Program {
  /** Compiled when it is first asked for, unless it was before. */
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly bindings: readonly Binding[];
  /** Its bind groups, one for each choice of buffers. @internal */
  readonly groups: BindGroups;
  /** Whether asking for the pipeline blocks nobody. */
  readonly isCompiled: boolean;
  /** Compiles the pipeline on another thread, side by side with others. */
  compiled(): Promise<void>;
}

/** What is compiled for a device, by its text. */
const pipelinesOn = kept((_: Gpu) => new Map<string, Pipeline>());

const linkedOf = kept(({ entry, subgroups }: Kernel): Linked => {
  const linked = link([entry]);
  return subgroups ? { ...linked, code: `enable subgroups;\n${linked.code}` } : linked;
});

/** The pipeline of a kernel, compiled once per device. */
export function programOf(gpu: Gpu, kernel: Kernel): Program {
  gpu.assertAlive();
  return boundOn(gpu, kernel);
}

/** Kernels of the same text share a pipeline, but each knows its buffers by its own bindings. */
const boundOn = kept((gpu: Gpu, kernel: Kernel): Program => {
  const linked = linkedOf(kernel);
  const { code, bindings } = linked;
  const layouts = [layoutEntries(bindings, SHADER_STAGE_COMPUTE)];
  const entryPoint = linked.nameOf(kernel.entry);
  return new BoundPipeline(pipelineOf(gpu, { label: kernel.label, code, entryPoint, layouts }), bindings);
});

/** What a pipeline is made of. */
export interface PipelineText {
  readonly label: string;
  readonly code: string;
  readonly entryPoint: string;
  /** The entries of each group that is bound. */
  readonly layouts: readonly GPUBindGroupLayoutEntry[][];
}

/** A pipeline, made once for a device and a text. */
export function pipelineOf(gpu: Gpu, text: PipelineText): Pipeline {
  const pipelines = pipelinesOn(gpu);
  const known = pipelines.get(text.code);
  if (known) return known;
  for (const tell of gpu.listeners) tell(text);
  const pipeline = new Pipeline(gpu, text);
  pipelines.set(text.code, pipeline);
  return pipeline;
}

/** Whether somebody has asked for the pipeline of a text. */
export const isAsked = (gpu: Gpu, { code }: PipelineText): boolean => pipelinesOn(gpu).has(code);

const SHADER_STAGE_COMPUTE = 4;

/** What WebGPU makes a pipeline of. */
function partsOf({ device }: Gpu, { label, code, entryPoint, layouts }: PipelineText) {
  const bindGroupLayouts = layouts.map((entries) => device.createBindGroupLayout({ label, entries }));
  const layout = device.createPipelineLayout({ label, bindGroupLayouts });
  const compute = { module: device.createShaderModule({ label, code }), entryPoint };
  return { bindGroupLayouts, descriptor: { label, layout, compute } };
}

/** A pipeline that is compiled when it is wanted, or ahead of that. */
class Pipeline {
  readonly layouts: readonly GPUBindGroupLayout[];
  readonly #gpu: Gpu;
  readonly #text: PipelineText;
  readonly #descriptor: GPUComputePipelineDescriptor;
  #pipeline: GPUComputePipeline | undefined;
  #coming: Promise<void> | undefined;

  constructor(gpu: Gpu, text: PipelineText) {
    this.#gpu = gpu;
    this.#text = text;
    const { bindGroupLayouts, descriptor } = partsOf(gpu, text);
    this.layouts = bindGroupLayouts;
    this.#descriptor = descriptor;
  }

  get isCompiled(): boolean {
    return this.#pipeline !== undefined;
  }

  get pipeline(): GPUComputePipeline {
    this.#pipeline ??= this.#gpu.device.createComputePipeline(this.#descriptor);
    return this.#pipeline;
  }

  async compiled(): Promise<void> {
    if (this.#pipeline) return;
    this.#coming ??= this.#gpu.device.createComputePipelineAsync(this.#descriptor).then((pipeline) => {
      this.#pipeline ??= pipeline;
    });
    try {
      await this.#coming;
    } catch (error) {
      this.#coming = undefined;
      // Only the error scopes of whoever made the parts were told what is wrong with them. It is the same with new ones.
      await this.#gpu.checked(() => partsOf(this.#gpu, this.#text));
      throw error;
    }
  }
}

class BoundPipeline implements Program {
  readonly groups: BindGroups;

  constructor(
    readonly shared: Pipeline,
    readonly bindings: readonly Binding[],
  ) {
    this.groups = new BindGroups(this.layout, bindings);
  }

  get layout(): GPUBindGroupLayout {
    return this.shared.layouts[0] as GPUBindGroupLayout;
  }

  get pipeline(): GPUComputePipeline {
    return this.shared.pipeline;
  }

  get isCompiled(): boolean {
    return this.shared.isCompiled;
  }

  compiled(): Promise<void> {
    return this.shared.compiled();
  }
}

/** The layout of a list of bindings. */
export function layoutEntries(
  bindings: readonly Binding[],
  visibility: GPUShaderStageFlags,
  firstBinding = 0,
): GPUBindGroupLayoutEntry[] {
  const types = { uniform: 'uniform', read: 'read-only-storage', read_write: 'storage' } as const;
  return bindings.map(({ access, moves }, i) => ({
    binding: firstBinding + i,
    visibility,
    buffer: { type: types[access], hasDynamicOffset: moves },
  }));
}
