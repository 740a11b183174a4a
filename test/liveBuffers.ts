/** Counts the buffers of a device that were made since, and not destroyed. */
import type { Gpu } from '../src/gpu/index.ts';

export function liveBuffers({ device }: Pick<Gpu, 'device'>): { count(): number; restore(): void } {
  const { createBuffer } = device;
  const live = new Set<GPUBuffer>();
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    const { destroy } = buffer;
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    live.add(buffer);
    return buffer;
  };
  return {
    // Constants are kept by the Gpu, for whoever needs them next.
    count: () => [...live].filter(({ label }) => label !== 'hashnest/constants').length,
    restore: () => {
      device.createBuffer = createBuffer;
    },
  };
}
