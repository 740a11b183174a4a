export type { DynamicReport } from '../dynamic/resize.ts';
export type { Bounds } from '../dynamic/settings.ts';
export type { EntryBuffers, IdEntryBuffers, KeyListBuffers } from '../table/entryBuffers.ts';
export type { LookupBuffers } from '../table/lookup.wgsl.ts';
export type { BuildReport } from '../table/report.ts';
export type { Count, Fresh, GivenKeys, KeyArray, Keys, PlainArray, Told, Values, Widened } from '../table/source.ts';
export type { ProbeStats } from '../table/stats.wgsl.ts';
export { type ValueArray, type ValueOf, type ValueType, type VectorName, valueTypes } from '../table/values.ts';
export type { AccumulatorArray, AccumulatorType, CombinerName, CustomCombiner } from './aggregate/combiners.wgsl.ts';
export type {
  AggregateBufferOptions,
  AggregateBuffers,
  AggregateColumnOptions,
  AggregateInput,
  AggregateOptions,
  BuffersOf,
  ColumnCombiner,
  Combiners,
  FreshResults,
  IntoResults,
  OneResult,
  ResultArray,
  ResultArrays,
  ResultBuffers,
  ResultEntryBuffers,
  ResultOptions,
  Results,
  ValueColumns,
} from './aggregate/options.ts';
export { Collection, type CollectionOptions } from './collection.ts';
export type { Existing, ValueCombiner } from './dynamic/combiners.wgsl.ts';
export type {
  ActivateBuffers,
  DynamicCollection,
  DynamicFaceOptions,
  DynamicOptions,
  KeyBatchBuffers,
  RequestOptions,
} from './dynamic/dynamicCollection.ts';
export { DynamicIndex } from './dynamic/dynamicIndex.ts';
export { DynamicMap, type DynamicMapOptions, type InsertBuffers, type InsertOptions } from './dynamic/dynamicMap.ts';
export { type AddBuffers, DynamicSet } from './dynamic/dynamicSet.ts';
export type { Requests } from './dynamic/requests.wgsl.ts';
export type { ShaderFace, ShaderFaceOptions } from './face.wgsl.ts';
export type { MapBuffers, MapInput, MapOptions, NewItems } from './hashMap.ts';
export type { SetBuffers, SetInput } from './hashSet.ts';
export type { IdBuffers, IdOptions } from './idSearch.ts';
export type { IntoArrays } from './into.ts';
export type { Construction } from './keyIndex/build.ts';
export type { KeysOfBuffers } from './keyIndex/keysOf.wgsl.ts';
export type { KeyIndexOptions } from './keyIndex/settings.ts';
export type { GetBuffers, GetOptions } from './mapSearch.ts';
export type { CountBuffers, MultiMapOptions, RetrieveBuffers, ValueOrder } from './multiMap/options.ts';
export type { Retrieved } from './multiMap/ragged.ts';
export type { OnIndex } from './onIndex.ts';
export type { EntryList, KeyList, OneKey, OneOf, PlainKey, PlainKeys, PlainValue, PlainValues } from './plain.ts';
export type { PrepareOptions } from './prepare.ts';
export type { HasOptions, Searched } from './searched.ts';
export type { KeysOfType, SavedMapOptions, SavedOptions, ValuesOfType } from './settings.ts';
export { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from './withDefault.ts';
