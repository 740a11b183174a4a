import { Gpu } from '../../gpu/index.ts';

const gpus = new WeakMap<GPUDevice, Gpu>();

/** The one `Gpu` for somebody else's device, unless it was destroyed. */
export function gpuOfDevice(device: GPUDevice): Gpu {
  const known = gpus.get(device);
  if (known?.isAlive) return known;
  const gpu = Gpu.from(device);
  gpus.set(device, gpu);
  return gpu;
}
