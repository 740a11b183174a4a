import { type Bound, type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import {
  leadsIn,
  leadsOut,
  type MergeSortKernels,
  orderIn,
  orderOut,
  runTiles,
  splits,
  splitsOut,
} from './mergeSortKernels.wgsl.ts';
import { MERGE_TILE } from './mergeSortTile.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';

/** What `recordMergeSort` sorts: the item numbers from 0 on. */
export interface MergeSortCall {
  /** The buffers that `lead` and `less` of the kernels use. */
  readonly bound: Bound;
  /** Where the leads go, in order. */
  readonly leads: BufferView;
  /** Where the item numbers go, in order. */
  readonly order: BufferView;
  readonly items: number | Extent;
  readonly workspace: Workspace;
}

/** The scratch buffers of a merge sort. */
export function mergeSortScratch(maxItems: number): readonly ScratchBuffer[] {
  const bytes = mergePasses(maxItems) > 0 ? WORD_BYTES * maxItems : 0;
  return [
    { name: 'mergeSort/leads', bytes },
    { name: 'mergeSort/order', bytes },
    { name: 'mergeSort/splits', bytes: WORD_BYTES * Math.ceil(maxItems / MERGE_TILE) },
  ];
}

/** Every pass doubles the length of the runs. */
const mergePasses = (maxItems: number): number => Math.ceil(Math.log2(Math.max(1, maxItems / MERGE_TILE)));

/**
 * Records a stable sort of item numbers by comparisons: least first, equal ones in the order of the input. For keys that
 * cannot be sorted word by word.
 */
export function recordMergeSort(recorder: Recorder, kernels: MergeSortKernels, call: MergeSortCall): void {
  const { bound, leads, order, items, workspace } = call;
  const { gpu } = recorder;
  const extent = recorder.extent(items);
  const [leadWords, orderWords, splitWords] = mergeSortScratch(extent.max).map(({ name, bytes }) =>
    workspace.scratch(name, bytes),
  ) as [GPUBuffer, GPUBuffer, GPUBuffer];
  const passes = mergePasses(extent.max);
  const shared = [...bound, [extentCount, extent.count]] as const;
  let to: { leads: BufferView; order: BufferView } = { leads, order };
  let other: typeof to = { leads: leadWords, order: orderWords };
  // Runs go to and fro between the buffers, and end in the caller's.
  if (passes % 2 === 1) [to, other] = [other, to];

  recorder.run(kernels.sortTiles, [...shared, [leadsOut, to.leads], [orderOut, to.order]], extent);
  for (let merged = 0; merged < passes; merged++) {
    [to, other] = [other, to];
    const runs = [
      ...shared,
      [runTiles, gpu.constants(2 ** merged)],
      [leadsIn, other.leads],
      [orderIn, other.order],
    ] as const;
    recorder.run(kernels.splitRuns, [...runs, [splitsOut, splitWords]], extent);
    recorder.run(
      kernels.mergeRuns,
      [...runs, [splits, splitWords], [leadsOut, to.leads], [orderOut, to.order]],
      extent,
    );
  }
}
