/**
 * Partition by region: count, scan, scatter; twice where there are more regions than bins. A tile is ordered by bin in
 * workgroup memory first, so that it leaves in runs, and takes its places in all bins by one global add each. The order
 * inside a bin is not kept.
 */
import type { Recorder } from '../../gpu/index.ts';
import { recordExclusiveScan, recordFill } from '../../primitives/index.ts';
import { workgroupScan } from '../../primitives/workgroupScan.wgsl.ts';
import {
  type Binding,
  type Kernel,
  kernel,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import { unrolled } from '../../wgsl/unrolled.ts';
import { header } from '../contract/header.wgsl.ts';
import type { BuildInput, TableBuffers, TablePlan } from '../contract/scheme.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { geometry } from './geometry.wgsl.ts';
import { SCRATCH, shapeOf } from './plan.ts';
import { recordsOf } from './records.wgsl.ts';

/** Threads of every kernel here, and words of workgroup memory for a tile: larger tiles were slower on an H200. */
const THREADS = 256;
const TILE_WORDS = 3072;
const COUNT_ITEMS_PER_THREAD = 16;

/** Ends of the bins that the input of a pass is in, and cursors of those it is going to. */
const sourceEnds = storage('sourceEnds', 'array<u32>');
const cursors = storage('cursors', 'array<atomic<u32>>', 'read_write');
/** Source bins, workgroups that share one, bins that each is split into, and the bits of a region's number inside one. */
const pass = uniform('passShape', 'vec4u');

interface Level {
  readonly from: 'input' | 'records';
  /** The bin inside the source bin, from a region's number. */
  readonly digit: WgslPart;
  readonly sourceBins: number;
  readonly bins: number;
}

function levelKernels(plan: TablePlan, level: Level) {
  const shape = shapeOf(plan);
  const records = recordsOf(plan, header);
  const { locate } = geometry(shape, header);
  const binWords = Math.ceil(level.bins / THREADS) * THREADS;
  const perThread = Math.max(1, Math.floor(TILE_WORDS / THREADS / shape.recordWords));
  const digitOf = wgsl`
fn digitOf(region: u32) -> u32 {
  return ${level.digit};
}`;
  const binOf = (record: WgslPart): Wgsl => wgsl`${digitOf}(${locate}(${records.hash(record)}).region)`;
  const load = (item: string): WgslPart =>
    level.from === 'input' ? records.fromInput(item) : wgsl`${records.readable}[${item}]`;
  // The part of the input that this workgroup works on; `group` may run past the end.
  const range =
    level.from === 'input'
      ? wgsl`
  let first = 0u;
  let end = ${header}.count;
  let source = 0u;
  let share = group;`
      : wgsl`
  let source = group / ${pass}.y;
  if (source >= ${pass}.x) { return; }
  let share = group % ${pass}.y;
  var first = 0u;
  if (source > 0u) { first = ${sourceEnds}[source - 1u]; }
  let end = ${sourceEnds}[source];`;

  const counts = wgsl`var<workgroup> counts: array<atomic<u32>, ${binWords}>;`;
  const options = { records, range, binWords, binOf, load, counts };
  return {
    records,
    tile: THREADS * perThread,
    countTile: THREADS * COUNT_ITEMS_PER_THREAD,
    count: countKernel(options),
    scatter: scatterKernel({ ...options, perThread }),
  };
}

interface PassParts {
  readonly records: ReturnType<typeof recordsOf>;
  readonly range: Wgsl;
  readonly binWords: number;
  readonly binOf: (record: WgslPart) => Wgsl;
  readonly load: (item: string) => WgslPart;
  readonly counts: Wgsl;
}

function countKernel({ range, binOf, load, counts }: PassParts): Kernel {
  const stride = THREADS * COUNT_ITEMS_PER_THREAD;
  return kernel({
    label: 'bucketCuckoo/count',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  ${range}
  for (var base = first + share * ${stride}u; base < end; base += ${pass}.y * ${stride}u) {
    for (var i = base + thread; i < min(end, base + ${stride}u); i += ${THREADS}u) {
      let record = ${load('i')};
      atomicAdd(&${counts}[${binOf('record')}], 1u);
    }
  }
  workgroupBarrier();
  for (var bin = thread; bin < ${pass}.z; bin += ${THREADS}u) {
    let counted = atomicLoad(&${counts}[bin]);
    if (counted > 0u) { atomicAdd(&${cursors}[source * ${pass}.z + bin], counted); }
  }`,
  });
}

function scatterKernel(parts: PassParts & { readonly perThread: number }): Kernel {
  const { records, range, binWords, binOf, load, counts, perThread } = parts;
  const tile = THREADS * perThread;
  const binsPerThread = binWords / THREADS;
  const staged = wgsl`var<workgroup> staged: array<${records.type}, ${tile}>;`;
  const moves = wgsl`var<workgroup> moves: array<u32, ${binWords}>;`;
  const scan = workgroupScan(THREADS, moves);
  const ownCounts = Array.from({ length: binsPerThread }, (_, b) => `counted${b}`);
  return kernel({
    label: 'bucketCuckoo/scatter',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  ${range}
  for (var base = first + share * ${tile}u; base < end; base += ${pass}.y * ${tile}u) {
    for (var bin = thread; bin < ${binWords}u; bin += ${THREADS}u) { atomicStore(&${counts}[bin], 0u); }
    workgroupBarrier();
    // All loads first, so that they are under way together; those past the end are not used.
    ${unrolled(
      perThread,
      (e) => wgsl`
    let item${e} = base + ${e * THREADS}u + thread;
    let from${e} = min(item${e}, end - 1u);
    ${
      records.isCostly
        ? wgsl`
    var record${e}: ${records.type};
    if (item${e} < end) { record${e} = ${load(`item${e}`)}; }`
        : wgsl`let record${e} = ${load(`from${e}`)};`
    }`,
    )}
    ${unrolled(
      perThread,
      (e) => wgsl`
    let bin${e} = ${binOf(`record${e}`)};
    var rank${e} = 0u;
    if (item${e} < end) { rank${e} = atomicAdd(&${counts}[bin${e}], 1u); }`,
    )}
    workgroupBarrier();
    // Where each bin begins in the tile, and how far from there to its place in memory.
    ${unrolled(binsPerThread, (b) => wgsl`let counted${b} = atomicLoad(&${counts}[thread * ${binsPerThread}u + ${b}u]);`)}
    var begin = ${scan}(${ownCounts.join(' + ')}, thread).before;
    workgroupBarrier();
    ${unrolled(
      binsPerThread,
      (b) => wgsl`
    {
      let bin = thread * ${binsPerThread}u + ${b}u;
      atomicStore(&${counts}[bin], begin);
      if (counted${b} > 0u) { ${moves}[bin] = atomicAdd(&${cursors}[source * ${pass}.z + bin], counted${b}) - begin; }
      begin += counted${b};
    }`,
    )}
    workgroupBarrier();
    ${unrolled(
      perThread,
      (e) => wgsl`if (item${e} < end) { ${staged}[atomicLoad(&${counts}[bin${e}]) + rank${e}] = record${e}; }`,
    )}
    workgroupBarrier();
    ${unrolled(
      perThread,
      (e) => wgsl`
    if (item${e} < end) {
      let place = ${e * THREADS}u + thread;
      let record = ${staged}[place];
      ${records.writable}[place + ${moves}[${binOf('record')}]] = record;
    }`,
    )}
    workgroupBarrier();
  }`,
  });
}

/** The levels that a plan has had kernels made for. */
const levelsOf = keptPerPlan(() => new Map<string, ReturnType<typeof levelKernels>>());

function kernelsOf(plan: TablePlan, name: string, level: Level) {
  const levels = levelsOf(plan);
  const kernels = levels.get(name) ?? levelKernels(plan, level);
  levels.set(name, kernels);
  return kernels;
}

/** Brings all items into their regions: afterwards `records` is ordered by region, and `regionEnds` says where each ends. */
export function recordPartition(recorder: Recorder, plan: TablePlan, buffers: TableBuffers, input: BuildInput): void {
  const { coarseBins, fineBins, regions, recordWords } = shapeOf(plan);
  const scratch = (name: string, bytes: number) => input.workspace.scratch(name, bytes);
  const recordBytes = plan.items * recordWords * 4;
  const records = scratch(SCRATCH.records, recordBytes);
  const regionEnds = scratch(SCRATCH.regionEnds, regions * 4);
  const fine = {
    digit: coarseBins === 1 ? 'region' : wgsl`region & ((1u << ${pass}.w) - 1u)`,
    sourceBins: coarseBins,
    bins: fineBins,
  };
  if (coarseBins === 1) {
    recordLevel(recorder, plan, buffers, input, 'only', { ...fine, from: 'input' }, { out: records, ends: regionEnds });
    return;
  }
  const coarse = scratch(SCRATCH.coarse, recordBytes);
  const coarseEnds = scratch(SCRATCH.coarseEnds, coarseBins * 4);
  recordLevel(
    recorder,
    plan,
    buffers,
    input,
    'coarse',
    { from: 'input', digit: wgsl`region >> ${pass}.w`, sourceBins: 1, bins: coarseBins },
    { out: coarse, ends: coarseEnds },
  );
  recordLevel(
    recorder,
    plan,
    buffers,
    input,
    'fine',
    { ...fine, from: 'records' },
    {
      out: records,
      ends: regionEnds,
      source: { records: coarse, ends: coarseEnds },
    },
  );
}

/** Counts, scans and scatters. A cursor begins at the start of its bin and stands at its end afterwards. */
function recordLevel(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, workspace }: BuildInput,
  name: string,
  level: Level,
  to: {
    readonly out: GPUBuffer;
    readonly ends: GPUBuffer;
    readonly source?: { readonly records: GPUBuffer; readonly ends: GPUBuffer };
  },
): void {
  const { gpu } = recorder;
  const kernels = kernelsOf(plan, name, level);
  const { records } = kernels;
  const fineBits = Math.round(Math.log2(shapeOf(plan).fineBins));
  const bins = to.source ? shapeOf(plan).regions : level.bins;
  recordFill(recorder, { output: to.ends, value: 0, items: bins });
  const source: (readonly [Binding, GPUBuffer])[] = to.source
    ? [
        [records.readable, to.source.records],
        [sourceEnds, to.source.ends],
      ]
    : [];
  const inputs = to.source
    ? source
    : [[records.keys, keys] as const, ...(values ? [[records.values, values] as const] : [])];
  for (const [program, tile] of [
    [kernels.count, kernels.countTile],
    [kernels.scatter, kernels.tile],
  ] as const) {
    // A workgroup takes one tile of an average bin; fuller bins go round again.
    const perBin = Math.max(1, Math.ceil(plan.items / level.sourceBins / tile));
    const bound = [
      [header, buffers.header] as const,
      [pass, gpu.constants(level.sourceBins, perBin, level.bins, fineBits)] as const,
      [cursors, to.ends] as const,
    ];
    const isScatter = program === kernels.scatter;
    if (isScatter) recordExclusiveScan(recorder, { input: to.ends, output: to.ends, items: bins, workspace });
    recorder.run(
      program,
      [...bound, ...inputs, ...(isScatter ? [[records.writable, to.out] as const] : [])],
      perBin * level.sourceBins,
    );
  }
}
