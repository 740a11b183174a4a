export { Collection, type CollectionOptions, type ShaderFace, type ShaderFaceOptions } from './collection.ts';
export { HashMap, type MapBuffers, type MapInput, type MapOptions } from './hashMap.ts';
export { HashSet, type SetBuffers, type SetInput } from './hashSet.ts';
export type { Count } from './input.ts';
export type { LookupBuffers } from './lookup.ts';
export type { ProbeStats } from './stats.ts';
export type { BuildReport } from './table.ts';
export { type ValueArray, type ValueType, valueTypes } from './values.ts';
