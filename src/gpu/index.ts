export { type Abortable, abortable, type Followed, requireFollowed, requireSignal, type Signal } from './abortable.ts';
export {
  arrayKind,
  isBuffer,
  refuse,
  requireAttached,
  requireGpu,
  requireMembers,
  requireOneOf,
  requireOptions,
  requireSeed,
  requireTarget,
  requireWhole,
  requireWords,
} from './arguments.ts';
export { ELEMENT_BYTES, mostBytes } from './bindingBytes.ts';
export { type Bound, type BufferView, bindEntries } from './bound.ts';
export { nameCalls, within } from './calls.ts';
export { GPUBufferUsage, GPUColorWrite, GPUMapMode, GPUShaderStage, GPUTextureUsage } from './constants.ts';
export type { GpuInfo } from './device/info.ts';
export type { OpenOptions } from './device/open.ts';
export * from './errors.ts';
export {
  countedWord,
  countWord,
  type Extent,
  extentCount,
  Gate,
  type GpuCount,
  gateArgs,
  gateRows,
  knownExtent,
  writeGrids,
} from './gate.wgsl.ts';
export { Gates } from './gates.ts';
export { Gpu } from './gpu.ts';
export { Later } from './later.ts';
export { threadsOn, workgroupBytes } from './means.ts';
export { plainBytes } from './plainBytes.ts';
export { layoutEntries, type Program, pipelineOf, programOf } from './program.ts';
export type { ArrayType, ReadOptions } from './reading.ts';
export { Recorder, record, type Target } from './recorder.ts';
export { perform, type Readback, submit } from './submission.ts';
export { USAGE } from './usage.ts';
export { Workspace } from './workspace.ts';
