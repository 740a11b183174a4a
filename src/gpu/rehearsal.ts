/**
 * Calls are rehearsed on a device that does nothing, to learn which pipelines they take. So whatever a call will need can be
 * compiled ahead of it, and nobody has to keep a list.
 */
import { WORD_BYTES } from '../wgsl/index.ts';
import { Gpu } from './gpu.ts';
import { isAsked, type PipelineText, pipelineOf } from './program.ts';

/** What a readback from a buffer of that label gives; zeros if nothing is said. */
export type Rehearsed = (label: string) => Readonly<Record<number, number>> | undefined;

/** Compiles what calls need, side by side and on other threads. The calls are made on a `Gpu` that only looks like one. */
export async function rehearse(gpu: Gpu, reads: Rehearsed, calls: (gpu: Gpu) => Promise<unknown>): Promise<void> {
  gpu.assertAlive();
  const texts: PipelineText[] = [];
  await calls(Gpu.rehearsing(idleDevice(gpu.device, reads), gpu.info, texts));
  const compiling: Promise<unknown>[] = [];
  for (const text of texts) {
    const isNew = !isAsked(gpu, text);
    // What WebGPU refuses of it shows again when it is compiled.
    const compiled = gpu.watched(() => pipelineOf(gpu, text)).result.compiled();
    // What fails is told in the end.
    compiled.catch(() => {});
    compiling.push(compiled);
    // Every new text is handed over on this thread, which has other things to do.
    if (isNew) await new Promise((resume) => setTimeout(resume));
  }
  await gpu.guard(Promise.all(compiling));
}

interface IdleBuffer extends Pick<GPUBuffer, 'label' | 'size' | 'usage' | 'mapState'> {
  /** What was copied to it, and from where. */
  readonly copies: { readonly from: string; readonly at: number }[];
}

/** What the library uses of a device, without anything behind it. */
function idleDevice({ limits, features, adapterInfo }: GPUDevice, reads: Rehearsed): GPUDevice {
  const nothing = () => ({});
  const done = async () => undefined;
  const ignore = () => {};
  const createBuffer = ({ label = '', size, usage }: GPUBufferDescriptor): IdleBuffer => ({
    label,
    size,
    usage,
    mapState: 'unmapped',
    copies: [],
    ...{ destroy: ignore, unmap: ignore, mapAsync: done },
    ...{ getMappedRange: mappedRange },
  });
  function mappedRange(this: IdleBuffer, offset = 0, bytes = this.size - offset): ArrayBuffer {
    const words = new Uint32Array(Math.ceil(bytes / WORD_BYTES));
    for (const { from, at } of this.copies.splice(0)) {
      for (const [byte, word] of Object.entries(reads(from) ?? {}))
        words[(at - offset + Number(byte)) / WORD_BYTES] = word;
    }
    return words.buffer;
  }
  const createTexture = ({ size, ...rest }: GPUTextureDescriptor) => {
    const [width, height, depthOrArrayLayers] = size as number[];
    return { ...rest, width, height, depthOrArrayLayers, createView: nothing };
  };
  const pass = {
    ...{ setPipeline: ignore, setBindGroup: ignore, end: ignore },
    ...{ dispatchWorkgroups: ignore, dispatchWorkgroupsIndirect: ignore },
  };
  const encoder = {
    beginComputePass: () => pass,
    copyBufferToBuffer: ({ label }: GPUBuffer, _: number, to: IdleBuffer, at: number) =>
      to.copies.push({ from: label, at }),
    clearBuffer: ignore,
    finish: nothing,
  };
  const device = {
    limits,
    features,
    adapterInfo,
    lost: new Promise(ignore),
    queue: { submit: ignore, writeBuffer: ignore, onSubmittedWorkDone: done },
    createBuffer,
    createTexture,
    createCommandEncoder: () => encoder,
    ...{ createBindGroup: nothing, createBindGroupLayout: nothing, createPipelineLayout: nothing },
    ...{ createShaderModule: nothing, createComputePipeline: nothing, createComputePipelineAsync: async () => ({}) },
    ...{ pushErrorScope: ignore, popErrorScope: async () => null },
  };
  return device as unknown as GPUDevice;
}
