export {
  Aggregate,
  type AggregateBuffers,
  type AggregateInput,
  type AggregateOptions,
  type ResultBuffers,
} from './aggregate.ts';
export { Collection, type CollectionOptions, type ShaderFace, type ShaderFaceOptions } from './collection.ts';
export type { AccumulatorArray, AccumulatorType, CombinerName, CustomCombiner } from './combiners.ts';
export { HashMap, type MapBuffers, type MapInput, type MapOptions } from './hashMap.ts';
export { HashSet, type SetBuffers, type SetInput } from './hashSet.ts';
export type { Count } from './input.ts';
export { KeyIndex, type KeyIndexOptions } from './keyIndex.ts';
export type { Construction } from './keyIndexBuild.ts';
export type { KeysOfBuffers } from './keysOf.ts';
export type { LookupBuffers } from './lookup.ts';
export {
  type CountBuffers,
  MultiMap,
  type MultiMapOptions,
  type RetrieveBuffers,
  type ValueOrder,
} from './multiMap.ts';
export type { Retrieved } from './ragged.ts';
export type { ProbeStats } from './stats.ts';
export type { BuildReport } from './table.ts';
export { type ValueArray, type ValueType, valueTypes } from './values.ts';
