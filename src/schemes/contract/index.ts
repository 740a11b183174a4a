export {
  type Batch,
  COUNTERS,
  counters,
  type DynamicPlan,
  type DynamicRequest,
  type DynamicScheme,
  type InsertBatch,
  type Move,
  type OnExisting,
  type RecordMove,
  type WordCombiner,
} from './dynamic.wgsl.ts';
export { FAILED, HeaderLayout, type HeaderValues, headerOffset, isGoingWell, STATUS, sizeIn } from './header.wgsl.ts';
export { entryOf, entryType, hit, hitType, miss, NO_SLOT } from './hit.wgsl.ts';
export type {
  BufferSpec,
  BuildInput,
  Duplicates,
  GpuBuild,
  HostBuild,
  HostItems,
  HostOutcome,
  PlannedTable,
  PlanRequest,
  Soundness,
  TableBuffer,
  TablePlan,
  TableReader,
  TableRequest,
  ValueWords,
} from './plan.ts';
export type { Scheme } from './scheme.ts';
export { type BuildView, buildView, type TableBuffers, TableView, type ValueStore } from './view.ts';
