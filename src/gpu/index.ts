export { ELEMENT_BYTES, mostBytes } from './bindingBytes.ts';
export type { GpuInfo, OpenOptions } from './device/open.ts';
export * from './errors.ts';
export {
  type Extent,
  extentCount,
  Gate,
  type GpuCount,
  gateArgs,
  gateRows,
  knownExtent,
  writeGrids,
} from './gate.wgsl.ts';
export { Gpu, layoutEntries, type Program, type Readback, USAGE } from './gpu.ts';
export { type Bound, type BufferView, bindEntries, Recorder, record, type Target } from './recorder.ts';
export { Workspace } from './workspace.ts';
