/** Compiling ahead of the first grid. What does it is loaded then. */
import type { PrepareOptions } from '../collections/prepare.ts';
import { type Gpu, Later, refuse, requireGpu, requireOptions } from '../gpu/index.ts';
import { GRID_OPTIONS, type GridOptions } from './gridOptions.ts';
import type { SpatialGrid } from './spatialGrid.ts';

/** What a grid will be built from, for `prepare`. */
export interface PrepareGridOptions extends GridOptions, PrepareOptions {
  /** Whether the points are in worlds, of which each has a number. Default false. */
  readonly groups?: boolean;
}

const rehearsal = new Later(() => import('./prepareGrid.later.ts'));

export async function prepareGrid(gpu: Gpu, Grid: typeof SpatialGrid, options: PrepareGridOptions): Promise<void> {
  requireGpu(gpu);
  requireOptions(options, [...GRID_OPTIONS, 'items', 'groups']);
  const { groups = false } = options;
  if (typeof groups !== 'boolean') refuse('groups', 'true or false', groups);
  const own = { ...options };
  await rehearsal.use((part) => part.prepareGrid(gpu, Grid, own));
}
