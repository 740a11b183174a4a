/**
 * Partition by region: count, scan, scatter; twice where there are more regions than bins. Afterwards the parcels are
 * ordered by region, and `regionEnds` says where each region ends. The order inside a region is not kept.
 */
import type { Bound, Recorder, Workspace } from '../../gpu/index.ts';
import { recordExclusiveScan, recordFill } from '../../primitives/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import {
  cursors,
  type Pass,
  type PassKernel,
  type PassKernels,
  type PassParts,
  passKernels,
  passShape,
  sourceEnds,
} from './partitionPass.wgsl.ts';
import type { ScratchName, Shape } from './shape.ts';

/** What a partition is recorded with. */
export interface PartitionCall {
  /** The header and the input. */
  readonly bound: Bound;
  readonly scratch: (name: ScratchName) => GPUBuffer;
  readonly workspace: Workspace;
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

/** The function that records the partition of a table's items. */
export function partition(parts: PassParts): (recorder: Recorder, call: PartitionCall) => void {
  const steps = stepsOf(parts.shape).map((step) => ({ ...step, kernels: passKernels(parts, step.pass) }));
  return (recorder, call) => {
    for (const step of steps) recordStep(recorder, parts, step, call);
  };
}

function stepsOf({ regions, coarseBins, fineBins }: Shape): readonly Omit<Step, 'kernels'>[] {
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
function recordStep(recorder: Recorder, parts: PassParts, step: Step, call: PartitionCall): void {
  const { shape, parcels } = parts;
  const { pass, kernels, to, endCount } = step;
  const { scratch, workspace } = call;
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
    const groupsPerBin = Math.max(1, Math.ceil(shape.request.items / pass.sourceBins / tile));
    const fineBits = Math.round(Math.log2(shape.fineBins));
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
