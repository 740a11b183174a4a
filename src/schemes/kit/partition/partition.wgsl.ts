/**
 * Partition by region: count, scan, scatter; twice where there are more regions than bins. Afterwards the parcels are
 * ordered by region, and `regionEnds` says where each region ends. The order inside a region is not kept.
 *
 * Hashed keys are spread evenly, so nobody has to count them: bins with some room more than they need on average are
 * enough, unless keys have many copies. Then a bin overflows, which its cursor tells.
 */
import type { Bound, Gpu, Recorder, Workspace } from '../../../gpu/index.ts';
import { recordExclusiveScan, scanScratch } from '../../../primitives/index.ts';
import { type Kernel, kept, kernel, once, storage, WORD_BYTES, wgsl } from '../../../wgsl/index.ts';
import type { BufferSpec } from '../../contract/index.ts';
import {
  binRooms,
  cursors,
  type Partitioned,
  type Pass,
  type PassKernel,
  type PassKernels,
  passKernels,
  passShape,
  sourceEnds,
} from './pass.wgsl.ts';

/** Bins of one pass: their counters have to fit into workgroup memory beside a tile. */
export const MAX_BINS = 1024;

/** Words of a parcel: a thread holds two of them while they are partitioned. */
export const MAX_PARCEL_WORDS = 12;

/** How many bins there are. */
interface Bins {
  readonly regions: number;
  /** Bins of the first pass, or 1 where one pass is enough, and of the last. */
  readonly coarseBins: number;
  readonly fineBins: number;
}

/** The bins for so many regions. */
export function binsFor(regions: number): Bins {
  // A power of two, so that the bins of both passes are bits of the region's number.
  const fineBins = regions <= MAX_BINS ? regions : 2 ** Math.ceil(Math.log2(regions) / 2);
  return { regions, fineBins, coarseBins: Math.ceil(regions / fineBins) };
}

/** Room for the parcels of a bin where they are not counted. */
export interface Rooms {
  readonly coarse: number;
  readonly fine: number;
}

/** Six standard deviations above the average: of a thousand million bins one is fuller. */
const roomFor = (average: number): number => Math.ceil(average + 6 * Math.sqrt(average) + 16);

export function roomsFor(items: number, regions: number): Rooms {
  const { fineBins } = binsFor(regions);
  return { coarse: roomFor((items / regions) * fineBins), fine: roomFor(items / regions) };
}

/** Scratch buffers of a partition. */
export type PartitionScratch = 'coarse' | 'parcels' | 'coarseEnds' | 'regionEnds';

/** What is partitioned. */
interface Load {
  readonly items: number;
  /** Words of a parcel. */
  readonly words: number;
  readonly regions: number;
  /** Where bins are not counted. */
  readonly rooms?: Rooms | undefined;
}

/** The scratch of a partition of so many items, by name; `owner` is what the names begin with. */
export function partitionScratch(
  owner: string,
  { items, words, regions, rooms }: Load,
): Readonly<Record<PartitionScratch, BufferSpec>> {
  const { coarseBins } = binsFor(regions);
  const parcelBytes = (bins: number, room: number | undefined) =>
    Math.max(items, room ? bins * room : 0) * words * WORD_BYTES;
  const spec = (name: PartitionScratch, bytes: number): BufferSpec => ({ name: `${owner}/${name}`, bytes });
  return {
    parcels: spec('parcels', parcelBytes(regions, rooms?.fine)),
    // Nothing where one pass is enough.
    coarse: spec('coarse', coarseBins > 1 ? parcelBytes(coarseBins, rooms?.coarse) : 0),
    // One word more: where the room of the last bin ends.
    coarseEnds: spec('coarseEnds', coarseBins > 1 ? (coarseBins + 1) * WORD_BYTES : 0),
    regionEnds: spec('regionEnds', (regions + 1) * WORD_BYTES),
  };
}

/** What its scans need beside that. */
export const partitionScans = (regions: number): readonly BufferSpec[] => scanScratch(regions);

/** What a partition is recorded with. */
export interface PartitionCall {
  /** What the parcels are made from. */
  readonly bound: Bound;
  /** How many items there are at most. */
  readonly items: number;
  readonly scratch: (name: PartitionScratch) => GPUBuffer;
  readonly workspace: Workspace;
  /** Where bins are not counted. */
  readonly rooms?: Rooms | undefined;
  /** Workgroups of a kernel at most, where few of the items are expected to take part, or none. */
  readonly mostGroups?: number;
}

/** Records a partition. */
export type RecordPartition = (recorder: Recorder, call: PartitionCall) => void;

/** A pass, and where its parcels go. */
interface Step {
  readonly pass: Pass;
  readonly kernels: PassKernels;
  readonly to: 'coarse' | 'parcels';
  readonly ends: 'coarseEnds' | 'regionEnds';
  /** Bins that there are after it. */
  readonly endCount: number;
}

/** The function that records the partition of parcels by region. If they are not counted, bins have rooms. */
export function partition(parcels: Partitioned, regions: number, counted = true): RecordPartition {
  const bins = binsFor(regions);
  const start = once(() => startKernel(parcels, bins.coarseBins > 1));
  const stepsOn = kept(({ limits }: Gpu) =>
    stepsOf(bins, counted).map((step) => ({ ...step, kernels: passKernels(parcels, step.pass, limits) })),
  );
  return (recorder, call) => {
    recordStart(recorder, start(), bins, call);
    for (const step of stepsOn(recorder.gpu)) recordStep(recorder, parcels, bins, step, call);
  };
}

function stepsOf({ regions, coarseBins, fineBins }: Bins, counted: boolean): readonly Omit<Step, 'kernels'>[] {
  const byRegion = { to: 'parcels', ends: 'regionEnds', endCount: regions } as const;
  if (coarseBins === 1) {
    return [{ pass: { from: 'input', digit: 'region', sourceBins: 1, bins: fineBins, counted }, ...byRegion }];
  }
  return [
    {
      pass: { from: 'input', digit: wgsl`region >> ${passShape}.w`, sourceBins: 1, bins: coarseBins, counted },
      to: 'coarse',
      ends: 'coarseEnds',
      endCount: coarseBins,
    },
    {
      pass: {
        from: 'coarse',
        digit: wgsl`region & ((1u << ${passShape}.w) - 1u)`,
        sourceBins: coarseBins,
        bins: fineBins,
        counted,
      },
      ...byRegion,
    },
  ];
}

const coarseCursors = storage('coarseCursors', 'array<u32>', 'read_write');

/** Cursors begin where their bins do; where parcels are counted first, they begin as counts. */
const startKernel = ({ owner, isNeeded, opening }: Partitioned, isTwice: boolean): Kernel => {
  const needed = opening?.isNeeded ?? isNeeded;
  return kernel({
    label: `${owner}/startBins`,
    threads: 256,
    body: wgsl`
  ${opening ? opening.code : ''}
  ${needed ? wgsl`if (!${needed}) { return; }` : ''}
  if (item < ${passShape}.x) { atomicStore(&${cursors}[item], item * ${binRooms}.y); }
  ${isTwice ? wgsl`if (item < ${passShape}.y) { ${coarseCursors}[item] = item * ${binRooms}.x; }` : ''}`,
  });
};

function recordStart(recorder: Recorder, start: Kernel, { regions, coarseBins }: Bins, call: PartitionCall): void {
  const { bound, scratch, rooms } = call;
  // The word behind the ends is where the last room ends.
  const words = rooms ? regions + 1 : regions;
  const starts: Bound = [
    ...bound,
    [passShape, recorder.gpu.constants(words, coarseBins, 0, 0)],
    [binRooms, recorder.gpu.constants(rooms?.coarse ?? 0, rooms?.fine ?? 0)],
    [cursors, scratch('regionEnds')],
    ...(coarseBins > 1 ? ([[coarseCursors, scratch('coarseEnds')]] as const) : []),
  ];
  recorder.run(start, starts, Math.max(words, coarseBins));
}

/** Finds where bins begin if that is not known yet, and scatters. A cursor begins at the start of its bin and stands at its end afterwards. */
function recordStep(recorder: Recorder, parcels: Partitioned, bins: Bins, step: Step, call: PartitionCall): void {
  const { pass, kernels, to, endCount } = step;
  const { items, scratch, workspace, rooms, mostGroups = Number.POSITIVE_INFINITY } = call;
  const room = to === 'coarse' ? rooms?.coarse : rooms?.fine;
  const ends = scratch(step.ends);
  const source: Bound =
    pass.from === 'input'
      ? []
      : [
          [parcels.buffer, scratch('coarse')],
          [sourceEnds, scratch('coarseEnds')],
        ];
  const run = ({ program, tile }: PassKernel) => {
    // A workgroup takes one tile of an average bin; fuller bins go round again.
    const groupsPerBin = Math.max(1, Math.ceil(Math.min(items / tile, mostGroups) / pass.sourceBins));
    const fineBits = Math.round(Math.log2(bins.fineBins));
    const bound: Bound = [
      ...call.bound,
      ...source,
      [passShape, recorder.gpu.constants(pass.sourceBins, groupsPerBin, pass.bins, fineBits)],
      [cursors, ends],
      [binRooms, recorder.gpu.constants(rooms?.coarse ?? 0, room ?? 0)],
      [parcels.bufferOut, scratch(to)],
    ];
    recorder.run(program, bound, groupsPerBin * pass.sourceBins);
  };
  if (kernels.count) {
    run(kernels.count);
    if (kernels.scan) {
      const bound: Bound = [...call.bound, [passShape, recorder.gpu.constants(endCount, 0, 0, 0)], [cursors, ends]];
      recorder.run(kernels.scan, bound, 1);
    } else recordExclusiveScan(recorder, { input: ends, output: ends, items: endCount, workspace });
  }
  run(kernels.scatter);
}
