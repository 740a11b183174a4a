import { type Binding, type Kernel, kept, type Linked, link } from '../wgsl/index.ts';
import type { Gpu } from './gpu.ts';

/** A linked kernel, ready to run. */
export interface Program {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly bindings: readonly Binding[];
}

/** What is compiled for a device: pipelines by their text, and what its kernels run by. */
const compiled = kept((_: Gpu) => ({
  texts: new Map<string, Omit<Program, 'bindings'>>(),
  programs: new WeakMap<Kernel, Program>(),
}));

/** The pipeline of a kernel, compiled once per device. */
export function programOf(gpu: Gpu, kernel: Kernel): Program {
  gpu.assertAlive();
  const { texts, programs } = compiled(gpu);
  let program = programs.get(kernel);
  if (!program) {
    const linked = link([kernel.entry]);
    const ready = texts.get(linked.code) ?? compile(gpu, kernel.label, linked, linked.nameOf(kernel.entry));
    texts.set(linked.code, ready);
    // Kernels of the same text share a pipeline, but each knows its buffers by its own bindings.
    program = { ...ready, bindings: linked.bindings };
    programs.set(kernel, program);
  }
  return program;
}

const SHADER_STAGE_COMPUTE = 4;

function compile({ device }: Gpu, label: string, { code, bindings }: Linked, entryPoint: string) {
  const layout = device.createBindGroupLayout({ label, entries: layoutEntries(bindings, SHADER_STAGE_COMPUTE) });
  const module = device.createShaderModule({ label, code });
  const pipeline = device.createComputePipeline({
    label,
    layout: device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
    compute: { module, entryPoint },
  });
  return { pipeline, layout };
}

/** The layout of a list of bindings. */
export function layoutEntries(
  bindings: readonly Binding[],
  visibility: GPUShaderStageFlags,
  firstBinding = 0,
): GPUBindGroupLayoutEntry[] {
  const types = { uniform: 'uniform', read: 'read-only-storage', read_write: 'storage' } as const;
  return bindings.map(({ access }, i) => ({ binding: firstBinding + i, visibility, buffer: { type: types[access] } }));
}
