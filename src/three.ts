/**
 * Tables in scenes of three.js: the device and the buffers of a `WebGPURenderer`, searches in TSL, and geometries that are welded.
 * @example
 * import { gpuOf, tsl } from 'hashnest/three';
 * const prices = tsl(await HashMap.from(gpuOf(renderer), { keys, values }));
 * const hit = prices.find(uint(7)); // in a Fn or a material: hit.found, hit.value
 * @packageDocumentation
 */
export type { Shaded } from './bridges/kit/adoptedFace.ts';
export { bufferOf, gpuOf, type StorageType, storageOf } from './bridges/three/renderer.ts';
export { type TableNode, type TslHit, type TslOptions, type TslValue, tsl } from './bridges/three/tableNode.ts';
export { type WeldGeometryOptions, weldGeometry } from './bridges/three/weldGeometry.ts';
