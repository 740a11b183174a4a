export { doubleHashing, linearProbing, type OpenAddressingOptions, quadraticProbing } from './openAddressing/index.ts';
export { type SchemeName, schemes } from './registry.ts';
export type {
  BufferSpec,
  BuildInput,
  Duplicates,
  PlanRequest,
  Scheme,
  TableBuffers,
  TablePlan,
  TableShader,
  ValueWords,
} from './scheme.ts';
export { sortedArray } from './sortedArray/index.ts';
