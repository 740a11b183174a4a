/** Runs a kernel that a visitor wrote, beside a table. */
import { GPUShaderStage, type Gpu, type HashMap } from 'hashnest';
import { PRELUDE } from './shown.ts';

const OUTPUT_WORDS = 1024;
const GROUPS = 16;

/** A kernel that does not compile: what the compiler said, with lines of the visitor's code. */
export class KernelError extends Error {}

/** The output of a kernel. */
export async function runKernel(
  gpu: Gpu,
  map: HashMap<Uint32Array>,
  keys: Uint32Array<ArrayBuffer>,
  code: string,
): Promise<Uint32Array> {
  const { device } = gpu;
  const face = map.wgsl({ name: 'table', group: 1 });
  const before = `${PRELUDE}\n${face.code}\n`;
  const [keyBuffer, output] = [gpu.upload('keys', keys), gpu.createBuffer('output', 4 * OUTPUT_WORDS)];
  try {
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } },
      ],
    });
    const pipeline = await compile(device, before, code, [layout, face.layout]);
    const entries = [keyBuffer, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const [bytes] = await gpu.run(
      (encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
        pass.setBindGroup(1, face.bindGroup);
        pass.dispatchWorkgroups(GROUPS);
        pass.end();
      },
      [{ buffer: output, bytes: 4 * OUTPUT_WORDS }],
    );
    return new Uint32Array(bytes as ArrayBuffer);
  } finally {
    keyBuffer.destroy();
    output.destroy();
  }
}

async function compile(
  device: GPUDevice,
  before: string,
  code: string,
  bindGroupLayouts: GPUBindGroupLayout[],
): Promise<GPUComputePipeline> {
  // Else the browser writes the error to its console.
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: before + code });
  void device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  const linesBefore = before.split('\n').length - 1;
  const errors = messages.filter(({ type }) => type === 'error');
  if (errors.length > 0) {
    const said = errors.map(({ lineNum, message }) => `line ${lineNum - linesBefore}: ${message}`);
    throw new KernelError(said.join('\n'));
  }
  try {
    const layout = device.createPipelineLayout({ bindGroupLayouts });
    return await device.createComputePipelineAsync({ layout, compute: { module } });
  } catch (error) {
    throw new KernelError(error instanceof Error ? error.message : String(error));
  }
}
