/**
 * Points in space: an indexed mesh from a soup of triangles.
 * @example
 * import { weld } from 'hashnest/spatial';
 * const { indices, positions } = await weld(gpu, soup, { tolerance: 1e-5 });
 * @packageDocumentation
 */
export { type Attribute, type AttributeArray, type Welded, type WeldOptions, weld } from './spatial/weld.ts';
