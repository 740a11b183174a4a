/** Compiling ahead waits for what it compiles, and fails where that fails. */
import { describe, expect, it } from 'vitest';
import { Gpu, GpuFaultError, HashSet, linearProbing } from '../../src/index.ts';

const prepare = (gpu: Gpu): Promise<void> => HashSet.prepare(gpu, { items: 3, scheme: linearProbing() });

describe('prepare', () => {
  it('ends when the last pipeline is there', async () => {
    using gpu = await Gpu.open();
    const { device } = gpu;
    const { createComputePipelineAsync } = device;
    let [asked, there] = [0, 0];
    device.createComputePipelineAsync = async (descriptor) => {
      asked++;
      const pipeline = await createComputePipelineAsync.call(device, descriptor);
      await new Promise((resume) => setTimeout(resume, 20));
      there++;
      return pipeline;
    };
    await prepare(gpu);
    expect(asked).toBeGreaterThan(0);
    expect(there).toBe(asked);
  });

  it('is rejected if a pipeline cannot be made', async () => {
    using gpu = await Gpu.open();
    gpu.device.createComputePipelineAsync = () => Promise.reject(new Error('no pipeline today'));
    await expect(prepare(gpu)).rejects.toBeInstanceOf(GpuFaultError);
    await expect(prepare(gpu)).rejects.toThrow('no pipeline today');
  });

  it('is rejected if WebGPU refuses a call of it', async () => {
    using gpu = await Gpu.open();
    const { device } = gpu;
    const { createBindGroupLayout } = device;
    device.createBindGroupLayout = (descriptor) =>
      createBindGroupLayout.call(device, { ...descriptor, entries: [{ binding: 0, visibility: 4 }] });
    await expect(prepare(gpu)).rejects.toBeInstanceOf(GpuFaultError);
  });
});
