export { type BucketCuckooOptions, bucketCuckoo } from './bucketCuckoo/index.ts';
export { type ChainingOptions, chaining } from './chaining/index.ts';
export type {
  BufferSpec,
  BuildInput,
  Duplicates,
  HostBuild,
  HostItems,
  PlanRequest,
  Scheme,
  TableBuffers,
  TablePlan,
  TableShader,
  ValueStore,
  ValueWords,
} from './contract/scheme.ts';
export { type CuckooOptions, cuckoo } from './cuckoo/index.ts';
export { eytzinger } from './eytzinger/index.ts';
export { doubleHashing, linearProbing, type OpenAddressingOptions, quadraticProbing } from './openAddressing/index.ts';
export { type PerfectOptions, perfect } from './perfect/index.ts';
export { type PerfectSpatialOptions, perfectSpatial } from './perfectSpatial/index.ts';
export { type SchemeName, schemes } from './registry.ts';
export { sortedArray } from './sortedArray/index.ts';
export { type TwoLevelCuckooOptions, twoLevelCuckoo } from './twoLevelCuckoo/index.ts';
