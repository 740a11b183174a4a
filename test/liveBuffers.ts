/** What a device holds: every buffer that it made and nobody destroyed. */
import type { Gpu } from '../src/gpu/index.ts';

/** Buffers that were made while somebody watched. */
export interface LiveBuffers {
  /** Labels of those that are not destroyed, without small ones that are kept for reuse, or left to the garbage collector. */
  readonly live: readonly string[];
  /** Bytes of all that were made, destroyed or not. */
  readonly madeBytes: number;
}

const NOT_COUNTED = ['hashnest/constants', 'hashnest/gate/'];

/** Does something, and tells which of the buffers made meanwhile are left, whether it succeeded or threw. */
export async function liveBuffers<T>(
  { device }: Gpu,
  calls: () => Promise<T>,
): Promise<LiveBuffers & { readonly result: T | undefined; readonly error: unknown }> {
  const live = new Set<GPUBuffer>();
  let madeBytes = 0;
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    if (NOT_COUNTED.some((label) => descriptor.label?.startsWith(label))) return buffer;
    madeBytes += descriptor.size;
    live.add(buffer);
    const { destroy } = buffer;
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    return buffer;
  };
  const outcome = await calls()
    .then((result) => ({ result, error: undefined }))
    .catch((error: unknown) => ({ result: undefined, error }))
    // Also if the calls throw before they wait.
    .finally(() => {
      device.createBuffer = createBuffer;
    });
  return { ...outcome, live: [...live].map(({ label }) => label), madeBytes };
}
