/**
 * What it takes to write a scheme, a key type or a hash family of one's own: the contracts, the kit of parts that several
 * schemes share, and the primitives as commands to record. CONTRIBUTING.md says how.
 * @packageDocumentation
 */
export {
  type Bound,
  type BufferView,
  type Extent,
  extentCount,
  Gate,
  type GpuCount,
  gateArgs,
  gateRows,
  InvalidInputError,
  Recorder,
  record,
  type Target,
  UnsupportedError,
  Workspace,
  writeGrids,
} from './gpu/index.ts';
export {
  doubleHash,
  type HashConstants,
  type HashFamily,
  type HashStream,
  linear,
  mix,
  multiplyHigh,
  multiplyHighTwin,
  type ProbeSequence,
  polynomial32,
  polynomial64,
  quadratic,
  randomWords,
  rehash,
  rehashTwin,
  universal,
  xorPrime,
} from './hashing/index.ts';
export {
  allOnes,
  type BytesKeyOptions,
  bindContext,
  bytesKey,
  type EncodedKeys,
  type FixedKeyType,
  fromWords,
  type KeyAccess,
  type KeyBuffers,
  type KeyOrder,
  type KeySide,
  type KeysView,
  type KeyType,
  keysView,
  type PreparedKeys,
  type ShaderKey,
  type WordsKeyOptions,
  wordAt,
  wordsArray,
  wordsKey,
  wordsOf,
  wordsType,
} from './keys/index.ts';
export {
  type CompactCall,
  compactScratch,
  type ExclusiveScanCall,
  type FillCall,
  type HistogramCall,
  recordCompact,
  recordCopy,
  recordExclusiveScan,
  recordFill,
  recordHistogram,
  recordSort,
  type ScratchBuffer,
  type SortCall,
  scanScratch,
  sortScratch,
} from './primitives/index.ts';
export * from './schemes/contract/index.ts';
export {
  type CapacityOptions,
  type CapacityRules,
  chooseCapacity,
  requireAddressable,
} from './schemes/kit/capacity.ts';
export { copiesCompete, forbidsCopies, reportDuplicate } from './schemes/kit/copies.wgsl.ts';
export { type DistinctItems, distinctItems, distinctScratch } from './schemes/kit/distinct.wgsl.ts';
export { entryWithExtraSlot, markedWords, searchExtraSlot } from './schemes/kit/extraSlot.wgsl.ts';
export { type GroupCounter, groupCounter, longestCounter } from './schemes/kit/groupCounters.wgsl.ts';
export {
  keyIn,
  type SlotShape,
  slotEntry,
  slotOf,
  slotsBuffer,
  slotsType,
  slotValueStore,
  slotWords,
  valueIn,
} from './schemes/kit/slot.wgsl.ts';
export { rankOf, type Token, tokenOf, tryClaim } from './schemes/kit/token.wgsl.ts';
export {
  Binding,
  type BindingAccess,
  join,
  type Kernel,
  kept,
  kernel,
  type Linked,
  type LinkOptions,
  link,
  once,
  storage,
  uniform,
  unrolled,
  Wgsl,
  type WgslPart,
  wgsl,
} from './wgsl/index.ts';
