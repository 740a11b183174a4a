/** A device whose buffers are counted, and in which things go wrong when they are told to. */
import type { Gpu } from '../../src/gpu/index.ts';
import type { Strike } from './history.ts';

/**
 * Parameters and grids, a few words each: commands of the caller's may need them at any time, so the collector takes them.
 * And what the `Gpu` keeps for the next call.
 */
const COLLECTED = /^hashnest\/(constants|gate\/|spare\/)/;

/** A device under watch. */
export interface WatchedDevice {
  /** Buffers that were made and not destroyed, with their bytes, by label. */
  live(): ReadonlyMap<string, number>;
  /** The most bytes that lived at once. */
  readonly mostBytes: number;
  /** Lets something go wrong, once, until it is told not to. */
  arm(strike: Strike | undefined): void;
  /** Leaves the device as it was. */
  release(): void;
}

/** Replaces methods of the device by others that look. */
export function watchDevice({ device }: Gpu): WatchedDevice {
  const { createBuffer, pushErrorScope, popErrorScope } = device;
  const buffers = new Map<GPUBuffer, number>();
  const scopes: GPUErrorFilter[] = [];
  let bytes = 0;
  let mostBytes = 0;
  let armed: Strike | undefined;
  let chances = 0;
  const strikes = (fault: Strike['fault']): boolean => {
    if (armed?.fault !== fault || chances++ < armed.after) return false;
    armed = undefined;
    return true;
  };
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    if (!COLLECTED.test(descriptor.label ?? '')) {
      buffers.set(buffer, descriptor.size);
      bytes += descriptor.size;
      mostBytes = Math.max(mostBytes, bytes);
    }
    const { destroy, mapAsync } = buffer;
    buffer.destroy = () => {
      bytes -= buffers.get(buffer) ?? 0;
      buffers.delete(buffer);
      return destroy.call(buffer);
    };
    buffer.mapAsync = (...args) =>
      strikes('mapping') ? Promise.reject(new Error('the soak lets this mapping fail')) : mapAsync.apply(buffer, args);
    return buffer;
  };
  device.pushErrorScope = (filter) => {
    scopes.push(filter);
    return pushErrorScope.call(device, filter);
  };
  device.popErrorScope = () => {
    const fails = scopes.pop() === 'out-of-memory' && strikes('memory');
    const popped = popErrorScope.call(device);
    return fails ? popped.then(() => ({ message: 'the soak lets this allocation fail' }) as GPUError) : popped;
  };
  return {
    live: () => {
      const byLabel = new Map<string, number>();
      for (const [{ label }, size] of buffers) byLabel.set(label, (byLabel.get(label) ?? 0) + size);
      return byLabel;
    },
    get mostBytes() {
      return mostBytes;
    },
    arm: (strike) => {
      armed = strike;
      chances = 0;
    },
    release: () => Object.assign(device, { createBuffer, pushErrorScope, popErrorScope }),
  };
}
