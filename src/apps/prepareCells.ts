/** Compiling ahead of the first picture or volume. What does it is loaded then. */
import { type Gpu, Later, requireGpu, requireOptions } from '../gpu/index.ts';
import { OPTIONS, type SparseOptions } from './build.ts';
import { type Grid, gridOf } from './grid.ts';
import type { SparseGrid } from './sparseGrid.ts';

/** What a picture will be built from, for `prepare`. */
export interface PrepareImageOptions extends SparseOptions {
  readonly width: number;
  readonly height: number;
  /** How many pixels that are not background there will be, or nearly. Default all. */
  readonly most?: number;
}

/** What a volume will be built from, for `prepare`. */
export interface PrepareVolumeOptions extends PrepareImageOptions {
  readonly depth: number;
}

/** Where drawings of a size go: a buffer, and a texture. */
export type Outputs = (...size: Grid['sides']) => readonly (GPUBuffer | GPUTexture)[];

/** What is done with a picture or a volume, on whatever `Gpu`. `cells` has a word for every cell. */
export interface CellCalls<Made extends SparseGrid> {
  readonly sides: Readonly<Record<string, number>>;
  /** Makes one by recorded commands, if there is a way. */
  record(gpu: Gpu, encoder: GPUCommandEncoder, cells: GPUBuffer): Made | Promise<Made>;
  /** Makes one, on the host face. */
  make(gpu: Gpu, cells: GPUBuffer): Promise<Made>;
  /** Records what changes it, and what only it can have drawn. */
  again(made: Made, encoder: GPUCommandEncoder, cells: GPUBuffer, outputs: Outputs): void;
}

const rehearsal = new Later(() => import('./prepareCells.later.ts'));

/** Compiles what cells will need, of which so many are not background. */
export async function prepareCells<Made extends SparseGrid>(
  gpu: Gpu,
  options: PrepareImageOptions,
  calls: CellCalls<Made>,
  /** What `most` is if it is not named; by default all. */
  unnamed?: number,
): Promise<void> {
  requireGpu(gpu);
  requireOptions(options, [...OPTIONS, ...Object.keys(calls.sides), 'most']);
  const grid = gridOf(calls.sides, options.background);
  const { most = unnamed } = options;
  await rehearsal.use((part) => part.prepareCells(gpu, grid, most, calls));
}
