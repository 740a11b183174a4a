/**
 * Blocks of space that get a number when points come to them, keep it while they are there, and give it back. The
 * number is a row of arrays of your own, on the host or the GPU. `examples/longer/voxel-blocks.ts` does it all in shaders.
 */
import { DynamicIndex, type Gpu, vec3i } from 'hashnest';

/** The block of every point: space is cut into cubes of 8. */
const blocksOf = (points: number[]): Int32Array => Int32Array.from(points, (x) => Math.floor(x / 8));

/** The rows of the blocks that some points are in, before and after others have left. */
export async function rowsOfBlocks(gpu: Gpu): Promise<{ first: number[]; later: number[]; rows: number }> {
  using blocks = await DynamicIndex.create(gpu, { key: vec3i });
  const first = await blocks.activate(blocksOf([...[1, 2, 3], ...[7, 0, 5], ...[9, 0, 0], ...[-1, 0, 0]]));
  // The first two points share a block. Now it is left, and its row goes to the next block that comes.
  await blocks.release(blocksOf([1, 2, 3]));
  const later = await blocks.activate(blocksOf([...[9, 0, 0], ...[80, 80, 80]]));
  return { first: [...first.ids], later: [...later.ids], rows: blocks.idLimit };
}
