/** Which objects a device makes. */
import type { Gpu } from '../src/gpu/index.ts';

const MADE = [
  'createBuffer',
  'createBindGroup',
  'createBindGroupLayout',
  'createShaderModule',
  'createComputePipeline',
  'createComputePipelineAsync',
] as const;

/** Does something, and tells what was made meanwhile: how many of each kind, those that were not left out. */
export async function madeObjects(
  { device }: Pick<Gpu, 'device'>,
  calls: () => unknown,
): Promise<Readonly<Record<string, number>>> {
  const made: Record<string, number> = {};
  const originals = MADE.map((name) => [name, device[name]] as const);
  for (const [name, original] of originals) {
    Object.assign(device, {
      [name]: (...args: unknown[]) => {
        made[name] = (made[name] ?? 0) + 1;
        return (original as (...args: unknown[]) => unknown).apply(device, args);
      },
    });
  }
  try {
    await calls();
    return made;
  } finally {
    Object.assign(device, Object.fromEntries(originals));
  }
}
