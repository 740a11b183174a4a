import type { Contestant } from '../contest.ts';
import { DenseGrid } from '../denseGrid.wgsl.ts';
import { timedOnGpu } from '../times.ts';
import type { Particles } from './particles.ts';

/** A grid of all cells of the box. */
export const neighboursInDenseGrid: Contestant<Particles, Uint32Array> = {
  name: 'dense grid',
  library: 'dense',
  clock: 'gpu',
  prepare: async ({ points, count, radius, side }, { gpu, keep }) => {
    const input = { points: keep(gpu.upload('beside/points', points)), count, radius, side };
    const sums = keep(gpu.createBuffer('beside/sums', 8 * count));
    const grid = keep(new DenseGrid(gpu, input));
    return {
      run: () =>
        timedOnGpu(gpu, {
          build: (encoder) => grid.encodeBuild(encoder),
          query: (encoder) => grid.encodeQuery(encoder, sums),
        }),
      answer: () => gpu.read(sums, Uint32Array, { length: 2 * count }),
    };
  },
};
