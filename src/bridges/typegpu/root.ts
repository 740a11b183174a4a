/** The device of a root of TypeGPU. */
import type { TgpuRoot } from 'typegpu';
import { type Gpu, refuse, within } from '../../gpu/index.ts';
import { gpuOfDevice } from '../kit/gpuOfDevice.ts';

/**
 * The device of a root, for tables that its functions use. Every call gives the same `Gpu`.
 * @example
 * const map = await HashMap.from(gpuOf(await tgpu.init()), { keys, values });
 */
export function gpuOf(root: TgpuRoot): Gpu {
  return within('gpuOf', () => {
    requireRoot(root);
    return gpuOfDevice(root.device);
  });
}

/** Throws unless it is a root: not the promise of one, and not its device. */
export function requireRoot(root: TgpuRoot): void {
  if (Object(root).resourceType !== 'root') refuse('root', 'a root, by await tgpu.init()', root);
}
