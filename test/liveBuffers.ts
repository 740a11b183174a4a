/** What a device holds: every buffer that it made and nobody destroyed. */
import type { Gpu } from '../src/gpu/index.ts';

/** Those that the `Gpu` keeps for reuse, and small ones that are left to the garbage collector. */
const NOT_COUNTED = ['hashnest/constants', 'hashnest/gate/', 'hashnest/spare/'];

/** Watches the buffers that a device makes from now on, but for those with such labels. */
export function watchBuffers({ device }: Pick<Gpu, 'device'>, notCounted: readonly string[] = NOT_COUNTED) {
  const { createBuffer } = device;
  const live = new Set<GPUBuffer>();
  let madeBytes = 0;
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    if (notCounted.some((label) => descriptor.label?.startsWith(label))) return buffer;
    madeBytes += descriptor.size;
    live.add(buffer);
    const { destroy } = buffer;
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    return buffer;
  };
  return {
    /** How many are not destroyed, their bytes and their labels. */
    count: (): number => live.size,
    bytes: (): number => [...live].reduce((sum, { size }) => sum + size, 0),
    labels: (): readonly string[] => [...live].map(({ label }) => label),
    /** Bytes of all that were made, destroyed or not. */
    madeBytes: (): number => madeBytes,
    restore: (): void => {
      device.createBuffer = createBuffer;
    },
  };
}

/** Does something, and tells which of the buffers made meanwhile are left, whether it succeeded or threw. */
export async function liveBuffers<T>(gpu: Gpu, calls: () => Promise<T>) {
  const watched = watchBuffers(gpu);
  try {
    const outcome = await calls().then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
    return { ...outcome, live: watched.labels(), madeBytes: watched.madeBytes() };
  } finally {
    watched.restore();
  }
}
