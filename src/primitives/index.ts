export {
  type CompactCall,
  type CompactOptions,
  compact,
  compactScratch,
  encodeCompact,
  recordCompact,
} from './compact.wgsl.ts';
export { recordCopy } from './copy.wgsl.ts';
export { encodeFill, type FillCall, type FillOptions, fill, recordFill } from './fill.wgsl.ts';
export {
  encodeGatherRows,
  type GatherRowsOptions,
  gatherRows,
  type RowArray,
  recordGatherRows,
} from './gather.wgsl.ts';
export {
  encodeHistogram,
  type HistogramCall,
  type HistogramOptions,
  histogram,
  recordHistogram,
} from './histogram.wgsl.ts';
export {
  type ExclusiveScanCall,
  type ExclusiveScanOptions,
  encodeExclusiveScan,
  exclusiveScan,
  recordExclusiveScan,
} from './scan.wgsl.ts';
export { scanScratch } from './scanKernels.wgsl.ts';
export type { ScratchBuffer } from './scratch.ts';
export {
  type BitRange,
  encodeSort,
  recordSort,
  type SortCall,
  type Sorted,
  type SortOptions,
  sort,
  sortScratch,
} from './sort.ts';
