import type { Bound, Gpu } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { kept, once } from '../../wgsl/index.ts';
import { buildView, type GpuBuild, HeaderLayout, type TablePlan } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { partition } from '../kit/partition/partition.wgsl.ts';
import { EXAMPLE_ITEMS, exampleKernel } from './example.wgsl.ts';
import { overflowKernels, overflowOut } from './overflow.wgsl.ts';
import { type BuildParts, parcelsOf, partitionedParcels } from './parcels.wgsl.ts';
import { regionEnds, regionKernel, regionShape } from './region.wgsl.ts';
import { type ScratchName, type Shape, scratchOf } from './shape.ts';
import { bucketsOut, sideOut } from './writeBucket.wgsl.ts';

/** Threads that build a region: as many as the device allows of those that were tried. */
const regionThreads = ({ limits }: Gpu): number => (limits.maxComputeInvocationsPerWorkgroup >= 512 ? 512 : 256);

/** Partition first, then every region in workgroup memory, then what was left over. */
export function bucketCuckooBuild(shape: Shape, fields: TablePlan['fields']): GpuBuild {
  const { request, layout, regions, bucketsPerRegion, buckets, payloadWords, overflowSlots, overflowWords } = shape;
  const specs = scratchOf(shape);
  const steps = once(() => {
    const view = buildView(request, fields);
    // Nothing is counted while parcels are partitioned, so the header can be a uniform there.
    const fixedHeader = HeaderLayout.of(fields).forReading();
    const parts: BuildParts = { shape, view, parcels: parcelsOf(shape, view, view.header) };
    return {
      ...parts,
      fixedHeader,
      recordPartition: partition(partitionedParcels(shape, view, fixedHeader), regions),
      regionFor: kept((gpu: Gpu) => regionKernel(parts, regionThreads(gpu))),
      overflow: overflowKernels(parts),
      example: forbidsCopies(request.duplicates) ? exampleKernel(parts) : undefined,
    };
  });
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { gpu } = recorder;
      const { workspace } = input;
      const { view, fixedHeader, parcels, recordPartition, regionFor, overflow, example } = steps();
      const scratch = (name: ScratchName) => workspace.scratch(specs[name].name, specs[name].bytes);
      const [side, spilled] = [table.get('side'), scratch('spilled')];
      const bound: Bound = [
        ...view.bind(table, input),
        [fixedHeader, table.header],
        [parcels.buffer, scratch('parcels')],
        [parcels.spilled, spilled],
        [parcels.spilledOut, spilled],
        [regionEnds, scratch('regionEnds')],
        [regionShape, gpu.constants(regions, bucketsPerRegion * layout.slots)],
        [bucketsOut, table.get('buckets')],
        [sideOut, side],
        [overflowOut, side],
      ];
      recordPartition(recorder, { bound, items: request.items, scratch, workspace });
      recorder.run(regionFor(gpu), bound, regions);
      recordFill(recorder, {
        output: side,
        value: 0xffffffff,
        items: overflowSlots * overflowWords,
        offsetItems: buckets * layout.slots * payloadWords,
      });
      recorder.run(overflow.claim, bound, overflowSlots);
      recorder.run(overflow.fill, bound, overflowSlots);
      if (example) recorder.run(example, bound, EXAMPLE_ITEMS);
    },
  };
}
