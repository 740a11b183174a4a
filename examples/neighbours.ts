/**
 * Which points are near each other, and which are near some place. There is no box to be named; the grid is hashed.
 * `examples/longer/particles.ts` has the same as a loop in a shader, every frame.
 */
import type { Gpu } from 'hashnest';
import { SpatialGrid } from 'hashnest/spatial';

/** Of four points: the pairs that are at most 1 apart, and what is near two places. */
export async function nearEachOther(gpu: Gpu): Promise<{ pairs: number[]; near: number[][] }> {
  const points = new Float32Array([...[0, 0, 0], ...[0.5, 0, 0], ...[0.5, 0.9, 0], ...[9, 9, -9]]);
  using grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
  const pairs = await grid.pairs(); // 0 and 1, 1 and 2

  const { values, offsets } = await grid.neighbours(new Float32Array([...[9, 9, -8.5], ...[0.3, 0.5, 0]]));
  const near = [0, 1].map((place) => [...values.subarray(offsets[place], offsets[place + 1])]); // [3], [0, 1, 2]
  return { pairs: [...pairs], near };
}
