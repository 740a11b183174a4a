/**
 * Applications of the tables: sparse pictures and volumes (García et al. 2011).
 * @example
 * import { SparseImage } from 'hashnest/apps';
 * const image = await SparseImage.from(gpu, { width, height, pixels });
 * @packageDocumentation
 */
export type { CellMap, SparseOptions } from './apps/build.ts';
export type { Slice, Vector } from './apps/drawing.wgsl.ts';
export type { Colours, Points, Rgba } from './apps/grid.ts';
export type { PrepareImageOptions, PrepareVolumeOptions } from './apps/prepareCells.ts';
export type { SavedSparseOptions } from './apps/saved.ts';
export type { DrawBuffers, SparseGrid } from './apps/sparseGrid.ts';
export { type ImageBuffers, type ImageInput, SparseImage } from './apps/sparseImage.ts';
export { type DabBuffers, type Dabs, type PaintInput, SparsePaint } from './apps/sparsePaint.ts';
export { SparseVolume, type VolumeBuffers, type VolumeInput } from './apps/sparseVolume.ts';
