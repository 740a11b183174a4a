import {
  type Bound,
  type BufferView,
  countedWord,
  type Extent,
  extentCount,
  type GpuCount,
  type Recorder,
  type Workspace,
} from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, unrolled, type Wgsl, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { ceilDiv, withItemsPerGroup, workPerGroup } from './grid.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

/**
 * Exclusive scan by reduce-then-scan: every workgroup sums its stretch, one workgroup scans those sums, every workgroup
 * scans its stretch again starting from its sum. No workgroup waits for another. A stretch grows with the input, so that
 * its sums always fit the single workgroup in the middle: three kernels for any size, one for a small one.
 *
 * What is scanned and what becomes of the prefixes is up to two functions, so the same kernels also compact.
 */
export interface ScanKernels {
  readonly reduce: Kernel;
  readonly sweep: Kernel;
  /** All at once, for what one workgroup may scan alone. */
  readonly single: Kernel;
}

/** Threads of a workgroup, and the entries that each scans at a time: odd, so that threads reading their own stretches hit different banks. */
interface Tile {
  readonly threads: number;
  readonly perThread: number;
}
const LARGE: Tile = { threads: 128, perThread: 15 };
/** Of what one workgroup scans alone: what is written out less often is compiled in less time. */
const SMALL: Tile = { threads: 256, perThread: 3 };
const THREADS = LARGE.threads;
/** Entries that a workgroup handles at a time. */
const TILE = THREADS * LARGE.perThread;
/** Entries that one workgroup may scan alone, and the least that it is worth starting one for. */
const STRETCH = 2 * TILE;

/** Entries a block, items a block, entries a workgroup, where the total goes. */
const shape = uniform('shape', 'vec4u');
const sums = storage('sums', 'array<u32>', 'read_write');
const total = storage('total', 'array<u32>', 'read_write');

const entryCount = wgsl`
fn entryCount() -> u32 {
  return ${shape}.x * ${ceilDiv}(${extentCount}, ${shape}.y);
}`;

/** WGSL: `(value: u32, thread: u32)`, the scan of one value a thread. */
const scanThreadsOf = (threads: number): Wgsl =>
  workgroupScan(threads, wgsl`var<workgroup> threadSums: array<u32, ${threads}>;`);
const scanThreads = scanThreadsOf(THREADS);

// Reading depends on no condition, and no loop around it on a variable, so that a thread has all its reads under way
// at once: 2.4 times as fast on an H200.
const entryOr0Of = (load: Wgsl): Wgsl => wgsl`
fn entryOr0(entry: u32, end: u32) -> u32 {
  return select(0u, ${load}(min(entry, max(end, 1u) - 1u)), entry < end);
}`;

/** WGSL: `(start: u32, end: u32, before: u32, thread: u32) -> u32`, scans entries tile by tile, and tells their sum. */
function stretchScan({ threads, perThread }: Tile, load: Wgsl, store: Wgsl): Wgsl {
  const size = threads * perThread;
  const tile = wgsl`var<workgroup> tile: array<u32, ${size}>;`;
  const entryOr0 = entryOr0Of(load);
  // Global memory is read and written with neighbouring threads at neighbouring words; what belongs to a thread lies
  // together in workgroup memory only.
  const scanTile = wgsl`
fn scanTile(start: u32, end: u32, before: u32, thread: u32) -> u32 {
  let first = start + thread;
  ${unrolled(perThread, (k) => wgsl`let loaded${k} = ${entryOr0}(first + ${k * threads}u, end);`)}
  ${unrolled(perThread, (k) => wgsl`${tile}[${k * threads}u + thread] = loaded${k};`)}
  workgroupBarrier();
  let own = thread * ${perThread}u;
  var sum = 0u;
  for (var k = 0u; k < ${perThread}u; k++) { sum += ${tile}[own + k]; }
  let scanned = ${scanThreadsOf(threads)}(sum, thread);
  var prefix = before + scanned.before;
  for (var k = 0u; k < ${perThread}u; k++) {
    let value = ${tile}[own + k];
    ${tile}[own + k] = prefix;
    prefix += value;
  }
  workgroupBarrier();
  ${unrolled(
    perThread,
    (k) => wgsl`if (first + ${k * threads}u < end) {
    ${store}(first + ${k * threads}u, loaded${k}, ${tile}[${k * threads}u + thread]);
  }`,
  )}
  return scanned.total;
}`;
  return wgsl`
fn scanStretch(start: u32, end: u32, before: u32, thread: u32) -> u32 {
  var sum = 0u;
  for (var at = start; at < end; at += ${size}u) {
    sum += ${scanTile}(at, end, before + sum, thread);
    workgroupBarrier();
  }
  return sum;
}`;
}

/** All at once, by one workgroup. */
const singleKernel = (label: string, tile: Tile, load: Wgsl, store: Wgsl): Kernel =>
  kernel({
    label: `${label}/single`,
    threads: tile.threads,
    itemsPerGroup: 1,
    body: wgsl`
  let sum = ${stretchScan(tile, load, store)}(0u, ${entryCount}(), 0u, thread);
  if (thread == 0u) { ${total}[${shape}.w] = sum; }`,
  });

/** Makes the kernels from `load(entry) -> u32` and `store(entry, loaded, prefix)`. */
export function scanKernels(label: string, load: Wgsl, store: Wgsl): ScanKernels {
  const reduce = kernel({
    label: `${label}/reduce`,
    threads: THREADS,
    body: wgsl`
  let start = group * ${shape}.z;
  let end = min(start + ${shape}.z, ${entryCount}());
  var sum = 0u;
  for (var at = start + thread; at < end; at += ${TILE}u) {
    for (var k = 0u; k < ${LARGE.perThread}u; k++) { sum += ${entryOr0Of(load)}(at + k * ${THREADS}u, end); }
  }
  let threads = ${scanThreads}(sum, thread);
  if (thread == 0u && start < end) { ${sums}[group] = threads.total; }`,
  });

  const sweep = kernel({
    label: `${label}/sweep`,
    threads: THREADS,
    body: wgsl`
  let start = group * ${shape}.z;
  let end = min(start + ${shape}.z, ${entryCount}());
  if (start < end) { ${stretchScan(LARGE, load, store)}(start, end, ${sums}[group], thread); }`,
  });

  return { reduce, sweep, single: singleKernel(label, SMALL, load, store) };
}

const scanSums = singleKernel(
  'scan/sums',
  LARGE,
  wgsl`fn load(entry: u32) -> u32 { return ${sums}[entry]; }`,
  wgsl`fn store(entry: u32, loaded: u32, prefix: u32) { ${sums}[entry] = prefix; }`,
);

/** What to scan. */
export interface ScanCall {
  /** The buffers that `load` and `store` use. */
  readonly bound: Bound;
  readonly items: number | Extent;
  /** There are `entries` of them for every `items`, or part of them. Default one for one. */
  readonly block?: { readonly entries: number; readonly items: number };
  /** Where the sum of all entries goes. */
  readonly total?: GpuCount | undefined;
  readonly workspace: Workspace;
}

/** The scratch buffers of a scan over that many entries. */
export const scanScratch = (maxEntries: number): readonly ScratchBuffer[] => [
  { name: 'scan/sums', bytes: WORD_BYTES * Math.ceil(maxEntries / entriesPerGroup(maxEntries)) },
  { name: 'scan/total', bytes: 4 },
];

/** One workgroup scans the sums of all others. */
const entriesPerGroup = (maxEntries: number): number => workPerGroup(maxEntries, STRETCH, STRETCH);

/** Records a scan with the given kernels. */
export function recordScan(recorder: Recorder, kernels: ScanKernels, call: ScanCall): void {
  const { bound, workspace, block = { entries: 1, items: 1 } } = call;
  const { gpu } = recorder;
  const extent = recorder.extent(call.items);
  const maxEntries = block.entries * Math.ceil(extent.max / block.items);
  const [sumsBuffer, unused] = scanScratch(maxEntries).map(({ name, bytes }) => workspace.scratch(name, bytes)) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const sum: GpuCount = call.total ?? { buffer: unused };

  const run = (stage: Kernel, items: Extent | number, entries: number, per: number, perGroup = 0) =>
    recorder.run(
      stage,
      [
        ...bound,
        [extentCount, extent.count],
        [shape, gpu.constants(entries, per, perGroup, countedWord(sum))],
        [sums, sumsBuffer],
        [total, sum.buffer],
      ],
      items,
    );

  // A kernel must not bind one buffer twice for writing, so a total inside the output takes the longer way.
  const totalApart = bound.every(([, view]) => bufferOf(view) !== sum.buffer);
  if (maxEntries <= STRETCH && totalApart) {
    run(kernels.single, 1, block.entries, block.items);
    return;
  }
  const perGroup = entriesPerGroup(maxEntries);
  const itemsPerGroup = (perGroup / block.entries) * block.items;
  run(withItemsPerGroup(kernels.reduce, itemsPerGroup), extent, block.entries, block.items, perGroup);
  run(scanSums, 1, 1, itemsPerGroup);
  run(withItemsPerGroup(kernels.sweep, itemsPerGroup), extent, block.entries, block.items, perGroup);
}

const bufferOf = (view: BufferView): GPUBuffer => ('buffer' in view ? view.buffer : view);
