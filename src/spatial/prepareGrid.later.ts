/** Rehearses a grid, to compile what it needs. */
import { rehearseCalls, roomOn } from '../collections/rehearseCalls.ts';
import { type Gpu, requireWhole } from '../gpu/index.ts';
import type { PrepareGridOptions } from './prepareGrid.ts';
import type { SpatialGrid } from './spatialGrid.ts';

/** Compiles what builds from so many points, and searches for neighbours, will need. */
export async function prepareGrid(
  gpu: Gpu,
  Grid: typeof SpatialGrid,
  { items, groups: hasGroups = false, ...options }: PrepareGridOptions,
): Promise<void> {
  requireWhole(items, 'items');
  const { dimensions = 3 } = options;
  await rehearseCalls(gpu, items, async (idle) => {
    const input = (count: number) => ({
      points: roomOn(idle, count, dimensions),
      ...(hasGroups && { groups: roomOn(idle, count) }),
      count,
    });
    const encoder = idle.device.createCommandEncoder();
    const grid = Grid.encodeBuild(idle, encoder, input(items), options);
    grid.encodeRebuild(encoder, { ...input(items), count: { buffer: roomOn(idle, 1) } });
    grid.destroy();
    // What reads a grid is the same for any number of points.
    const small = await Grid.from(idle, input(1), options);
    await small.neighbours(new Float32Array(dimensions), hasGroups ? { groups: new Uint32Array(1) } : {});
    await small.pairs();
    small.destroy();
  });
}
