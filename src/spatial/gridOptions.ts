/** What a grid is asked to be, checked. */
import { type Gpu, refuse, requireGpu, requireMembers, requireOptions, requireWhole } from '../gpu/index.ts';
import type { GridKind } from './cells.wgsl.ts';
import { type GridBuffers, type GridInput, type PointSource, pointSource } from './gridInput.ts';
import { requireRoom } from './gridMemory.ts';

/** What a grid is for. */
export interface GridOptions {
  /** Neighbours are at most so far away; from 2⁻⁵⁰ to 2⁵⁰. */
  readonly radius: number;
  /** Whether the points are in a plane or in space. Default 3. */
  readonly dimensions?: 2 | 3;
  /** How many points an encoded rebuild may have. Default as many as the first build. */
  readonly capacity?: number;
}

export const GRID_OPTIONS = ['radius', 'dimensions', 'capacity'];
/** Where squares of lengths are far from what 32 bits can say. */
const [LEAST_RADIUS, MOST_RADIUS] = [2 ** -50, 2 ** 50];

/** Everything about a grid that is going to be built, checked. */
export function planned(
  gpu: Gpu,
  input: GridInput | GridBuffers,
  options: GridOptions,
  /** What else the call takes. */
  more: readonly string[] = [],
): { readonly kind: GridKind; readonly source: PointSource } {
  requireGpu(gpu);
  requireOptions(options, [...GRID_OPTIONS, ...more]);
  const { radius, dimensions = 3, capacity } = options;
  if (typeof radius !== 'number' || !(radius >= LEAST_RADIUS && radius <= MOST_RADIUS)) {
    refuse('radius', 'a number from 2⁻⁵⁰ to 2⁵⁰; scale the points', radius);
  }
  if (dimensions !== 2 && dimensions !== 3) refuse('dimensions', '2 or 3', dimensions);
  if (capacity !== undefined) requireWhole(capacity, 'capacity');
  requireMembers(input, 'input', ['points', 'groups']);
  const kind: GridKind = { dimensions, hasGroups: input.groups !== undefined };
  const source = pointSource(gpu, kind, input);
  requireRoom(gpu, capacity ?? source.most);
  return { kind, source };
}
