/** The two clocks: that of this process around calls, and timestamps of the GPU around what is recorded. */
import type { Gpu } from '../../src/gpu/index.ts';
import { holdClocks } from '../clocks.ts';
import { Stamps } from '../living/timing.ts';
import type { Times } from './contest.ts';

/** Does one part after the other. */
export async function timed(parts: Readonly<Record<string, () => unknown>>): Promise<Times> {
  const times: Record<string, number> = {};
  for (const [name, part] of Object.entries(parts)) {
    const begin = performance.now();
    await part();
    times[name] = performance.now() - begin;
  }
  return times;
}

/**
 * Records one part behind the other, in one submission. Timestamps are written by empty passes between them, so a part may have passes and
 * copies of its own, as other libraries do.
 */
export async function timedOnGpu(
  gpu: Gpu,
  parts: Readonly<Record<string, (encoder: GPUCommandEncoder) => void>>,
): Promise<Times> {
  const all = Object.entries(parts);
  const stamps = new Stamps(gpu, all.length + 1);
  const scratch = gpu.createBuffer('beside/scratch', 4);
  try {
    const [bytes] = await gpu.run(
      (encoder) => {
        holdClocks(gpu, encoder, scratch);
        const stamp = (i: number) => encoder.beginComputePass({ timestampWrites: stamps.writes(i) }).end();
        stamp(0);
        for (const [i, [, commands]] of all.entries()) {
          commands(encoder);
          stamp(i + 1);
        }
        stamps.resolve(encoder);
      },
      [stamps.read],
    );
    const ends = stamps.ends(bytes as ArrayBuffer);
    return Object.fromEntries(all.map(([name], i) => [name, Number((ends[i + 1] ?? 0n) - (ends[i] ?? 0n)) / 1e6]));
  } finally {
    scratch.destroy();
    stamps.destroy();
  }
}
