/**
 * Points in space: those within a radius of each other, and meshes from soups of triangles.
 * @example
 * import { SpatialGrid } from 'hashnest/spatial';
 * const grid = await SpatialGrid.from(gpu, { points }, { radius: 0.1 });
 * const pairs = await grid.pairs();
 * @packageDocumentation
 */
export type { EachNeighbour, GridFace } from './spatial/gridFace.ts';
export type { GridBuffers, GridInput } from './spatial/gridInput.ts';
export type { GridOptions } from './spatial/gridOptions.ts';
export type { PrepareGridOptions } from './spatial/prepareGrid.ts';
export { SpatialGrid } from './spatial/spatialGrid.ts';
export { type Attribute, type AttributeArray, type Welded, type WeldOptions, weld } from './spatial/weld.ts';
