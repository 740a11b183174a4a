/** A device that fails when it is told to: at the first, second, third … step of a kind. */
import type { Gpu } from '../src/gpu/index.ts';
import { watchBuffers } from './liveBuffers.ts';

class Injected extends Error {}

/** From now on a device has no memory for anybody, until what this gives back is called. */
export function withoutMemory({ device }: Pick<Gpu, 'device'>): () => void {
  const { popErrorScope } = device;
  device.popErrorScope = async () => {
    await popErrorScope.call(device);
    return { message: 'no memory today' };
  };
  return () => {
    device.popErrorScope = popErrorScope;
  };
}

/** Where calls reach a device, and what lets one of these steps fail. */
export function injecting({ device }: Pick<Gpu, 'device'>) {
  const owners: Readonly<Record<string, object>> = {
    createBuffer: device,
    createBindGroup: device,
    createCommandEncoder: device,
    writeBuffer: device.queue,
    submit: device.queue,
  };
  return {
    steps: Object.keys(owners),
    /** Lets the step fail when it comes for the nth time; tells what came of the call, and nothing if there was no such time. */
    async failing(step: string, nth: number, call: () => Promise<unknown>): Promise<unknown> {
      const owner = owners[step] as Record<string, (...args: unknown[]) => unknown>;
      const original = owner[step] as (...args: unknown[]) => unknown;
      let count = 0;
      owner[step] = (...args) => {
        if (++count === nth) throw new Injected(step);
        return original.apply(owner, args);
      };
      try {
        const result = await call().catch((error: unknown) => error);
        if (!(result instanceof Error)) (result as { destroy?(): void } | undefined)?.destroy?.();
        return count >= nth ? result : undefined;
      } finally {
        owner[step] = original;
      }
    },
  };
}

/** Lets a step of a call fail when it comes for the first time, the second, the third …, and tells what is left of the first that leaves anything. */
export async function leaksOf(gpu: Gpu, step: string, call: () => Promise<unknown>): Promise<readonly string[]> {
  const { failing } = injecting(gpu);
  // Once as it should be, so that what the device and the collection keep is there.
  await failing(step, Number.POSITIVE_INFINITY, call);
  const live = watchBuffers(gpu);
  const leaks: string[] = [];
  let error: unknown;
  let nth = 0;
  do {
    error = await failing(step, ++nth, call);
    if (live.count() > 0) leaks.push(`${live.labels().join(', ')} after ${step} ${nth}`);
  } while (error !== undefined && leaks.length === 0);
  live.restore();
  return leaks;
}

/** Lets the memory of one buffer be missing: the nth that is made. Tells what came of the call, and nothing if it made fewer. */
export async function withoutBuffer(
  { device }: Pick<Gpu, 'device'>,
  nth: number,
  call: () => Promise<unknown>,
): Promise<unknown> {
  const { createBuffer, popErrorScope } = device;
  let count = 0;
  let isMissing = false;
  let label = '';
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    // Parameters have their words from the beginning: they are not what fills a memory.
    if (!descriptor.mappedAtCreation && ++count === nth) {
      isMissing = true;
      label = descriptor.label ?? '';
      // Commands that use it are refused, as those are that use a buffer without memory.
      buffer.destroy();
    }
    return buffer;
  };
  device.popErrorScope = async () => {
    const reported = isMissing;
    isMissing = false;
    const error = await popErrorScope.call(device);
    return reported ? ({ message: `no memory for buffer ${nth}, ${label}` } as GPUError) : error;
  };
  try {
    const result = await call().catch((error: unknown) => error);
    return count >= nth ? result : undefined;
  } finally {
    Object.assign(device, { createBuffer, popErrorScope });
  }
}
