/**
 * Devices that all files of a worker share, one for each setting of limits: a pipeline is compiled once for a device, and on a
 * software GPU that takes longer than most tests. Tests that lose, fill or alter a device open one of their own.
 */
import { afterEach, expect } from 'vitest';
import { Gpu } from '../src/gpu/index.ts';

interface SharedGpu {
  readonly gpu: Gpu;
  /** Errors that no error scope caught. */
  readonly uncaptured: string[];
}

const opened = new Map<string, Promise<SharedGpu>>();

/** The device with these limits. It is never destroyed; every test of the file must leave it without errors. */
export async function sharedGpu(limits: 'adapter' | 'default' = 'adapter'): Promise<Gpu> {
  const shared = opened.get(limits) ?? open(limits);
  opened.set(limits, shared);
  const { gpu, uncaptured } = await shared;
  afterEach(() => {
    expect(uncaptured.splice(0), 'errors that no error scope caught').toEqual([]);
  });
  return gpu;
}

async function open(limits: 'adapter' | 'default'): Promise<SharedGpu> {
  const gpu = await Gpu.open({ limits });
  const uncaptured: string[] = [];
  gpu.device.addEventListener('uncapturederror', ({ error }) => uncaptured.push(error.message));
  return { gpu, uncaptured };
}
