/** Rehearses pictures and volumes, to compile what they need. */
import { rehearseCalls, roomOn } from '../collections/rehearseCalls.ts';
import { type Gpu, requireWhole } from '../gpu/index.ts';
import { cellsOf, type Grid } from './grid.ts';
import type { CellCalls, Outputs } from './prepareCells.ts';
import type { SparseGrid } from './sparseGrid.ts';
import { STORAGE_BINDING } from './texture.wgsl.ts';

/** Compiles what cells will need, of which so many are not background. */
export async function prepareCells<Made extends SparseGrid>(
  gpu: Gpu,
  grid: Grid,
  most: number | undefined,
  { record, make, again }: CellCalls<Made>,
): Promise<void> {
  const all = cellsOf(grid);
  if (most !== undefined) requireWhole(most, 'most');
  await rehearseCalls(gpu, Math.min(most ?? all, all), async (idle) => {
    const outputsOf =
      (dimension: '2d' | '3d'): Outputs =>
      (...size) => [
        roomOn(idle, size[0] * size[1] * size[2]),
        idle.device.createTexture({ size, dimension, format: 'rgba8unorm', usage: STORAGE_BINDING }),
      ];
    const cells = roomOn(idle, all);
    const encoder = idle.device.createCommandEncoder();
    const recorded = await record(idle, encoder, cells);
    again(recorded, encoder, cells, outputsOf('2d'));
    const dimension = grid.dimensions === 3 ? '3d' : '2d';
    for (const output of outputsOf(dimension)(...grid.sides)) recorded.encodeUnpack(encoder, { output });
    recorded.destroy();
    const made = await make(idle, cells);
    await made.get(new Int32Array(grid.dimensions));
    made.destroy();
  });
}
