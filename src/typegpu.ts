/**
 * Tables for TypeGPU: the device of a root, typed buffers as items and answers, and searches in its functions.
 * @example
 * import { gpuOf, itemsOf, typed } from 'hashnest/typegpu';
 * const map = await HashMap.from(gpuOf(root), ...itemsOf({ keys, values }));
 * const { find, bindGroup } = typed(root, map, { key: d.u32, value: d.f32 });
 * @packageDocumentation
 */
export type { Shaded } from './bridges/kit/adoptedFace.ts';
export {
  type ItemBuffers,
  type ItemTypes,
  itemsOf,
  type KeysIn,
  type StoredArray,
  type ValuesIn,
} from './bridges/typegpu/buffers.ts';
export { gpuOf } from './bridges/typegpu/root.ts';
export {
  type HitMembers,
  type TypedBuffers,
  type TypedHit,
  type TypedOptions,
  type TypedTable,
  typed,
} from './bridges/typegpu/typed.ts';
