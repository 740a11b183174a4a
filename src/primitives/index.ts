export {
  type CompactCall,
  type CompactOptions,
  compact,
  compactScratch,
  encodeCompact,
  recordCompact,
} from './compact.ts';
export { recordCopy } from './copy.ts';
export { encodeFill, type FillCall, type FillOptions, fill, recordFill } from './fill.ts';
export {
  encodeGatherRows,
  type GatherRowsCall,
  type GatherRowsOptions,
  gatherRows,
  type RowArray,
  recordGatherRows,
} from './gather.ts';
export {
  encodeHistogram,
  type HistogramCall,
  type HistogramOptions,
  histogram,
  recordHistogram,
} from './histogram.ts';
export { type MergeSortCall, mergeSortScratch, recordMergeSort } from './mergeSort.ts';
export { type MergeSortKernels, mergeSortKernels } from './mergeSortKernels.ts';
export {
  type ExclusiveScanCall,
  type ExclusiveScanOptions,
  encodeExclusiveScan,
  exclusiveScan,
  recordExclusiveScan,
} from './scan.ts';
export { scanScratch } from './scanKernels.ts';
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
