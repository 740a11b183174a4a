/**
 * Partition by region: count, scan, scatter; twice where there are more regions than bins. Afterwards the parcels are
 * ordered by region, and `regionEnds` says where each region ends. The order inside a region is not kept.
 */
import type { Bound, Recorder, Workspace } from '../../../gpu/index.ts';
import { recordExclusiveScan, recordFill, scanScratch } from '../../../primitives/index.ts';
import { wgsl } from '../../../wgsl/index.ts';
import type { BufferSpec } from '../../contract/index.ts';
import {
  cursors,
  type Partitioned,
  type Pass,
  type PassKernel,
  type PassKernels,
  passKernels,
  passShape,
  sourceEnds,
} from './pass.wgsl.ts';

/** Bins of one pass. */
export const MAX_BINS = 512;

/** Words of a parcel: 256 of them, and the bins, have to fit into 16 KB of workgroup memory while they are partitioned. */
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

/** Scratch buffers of a partition. */
export type PartitionScratch = 'coarse' | 'parcels' | 'coarseEnds' | 'regionEnds';

/** The scratch of a partition of so many items, by name; `owner` is what the names begin with. */
export function partitionScratch(
  owner: string,
  { items, words, regions }: { readonly items: number; readonly words: number; readonly regions: number },
): Readonly<Record<PartitionScratch, BufferSpec>> {
  const { coarseBins } = binsFor(regions);
  const parcelBytes = items * words * 4;
  const spec = (name: PartitionScratch, bytes: number): BufferSpec => ({ name: `${owner}/${name}`, bytes });
  return {
    parcels: spec('parcels', parcelBytes),
    // Nothing where one pass is enough.
    coarse: spec('coarse', coarseBins > 1 ? parcelBytes : 0),
    coarseEnds: spec('coarseEnds', coarseBins > 1 ? coarseBins * 4 : 0),
    regionEnds: spec('regionEnds', regions * 4),
  };
}

/** What its scans need beside that. */
export const partitionScans = (regions: number): readonly BufferSpec[] =>
  scanScratch(Math.max(regions, binsFor(regions).coarseBins));

/** What a partition is recorded with. */
export interface PartitionCall {
  /** What the parcels are made from. */
  readonly bound: Bound;
  /** How many items there are at most. */
  readonly items: number;
  readonly scratch: (name: PartitionScratch) => GPUBuffer;
  readonly workspace: Workspace;
  /** Workgroups of a kernel at most, where few of the items are expected to take part. */
  readonly mostGroups?: number;
}

/** A pass, and where its parcels go. */
interface Step {
  readonly pass: Pass;
  readonly kernels: PassKernels;
  readonly to: 'coarse' | 'parcels';
  readonly ends: 'coarseEnds' | 'regionEnds';
  /** Bins that there are after it. */
  readonly endCount: number;
}

/** The function that records the partition of parcels by region. */
export function partition(parcels: Partitioned, regions: number): (recorder: Recorder, call: PartitionCall) => void {
  const bins = binsFor(regions);
  const steps = stepsOf(bins).map((step) => ({ ...step, kernels: passKernels(parcels, step.pass) }));
  return (recorder, call) => {
    for (const step of steps) recordStep(recorder, parcels, bins, step, call);
  };
}

function stepsOf({ regions, coarseBins, fineBins }: Bins): readonly Omit<Step, 'kernels'>[] {
  const byRegion = { to: 'parcels', ends: 'regionEnds', endCount: regions } as const;
  if (coarseBins === 1) {
    return [{ pass: { from: 'input', digit: 'region', sourceBins: 1, bins: fineBins }, ...byRegion }];
  }
  return [
    {
      pass: { from: 'input', digit: wgsl`region >> ${passShape}.w`, sourceBins: 1, bins: coarseBins },
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
      },
      ...byRegion,
    },
  ];
}

/** Counts, scans and scatters. A cursor begins at the start of its bin and stands at its end afterwards. */
function recordStep(recorder: Recorder, parcels: Partitioned, bins: Bins, step: Step, call: PartitionCall): void {
  const { pass, kernels, to, endCount } = step;
  const { items, scratch, workspace, mostGroups = Number.POSITIVE_INFINITY } = call;
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
      [parcels.bufferOut, scratch(to)],
    ];
    recorder.run(program, bound, groupsPerBin * pass.sourceBins);
  };
  recordFill(recorder, { output: ends, value: 0, items: endCount });
  run(kernels.count);
  recordExclusiveScan(recorder, { input: ends, output: ends, items: endCount, workspace });
  run(kernels.scatter);
}
