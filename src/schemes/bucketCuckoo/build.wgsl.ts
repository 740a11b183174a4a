import type { Bound, Gpu } from '../../gpu/index.ts';
import { kept, once } from '../../wgsl/index.ts';
import { buildView, type GpuBuild, HeaderLayout, type TablePlan } from '../contract/index.ts';
import { partition } from '../kit/partition/partition.wgsl.ts';
import { regionThreads } from '../kit/quick/slots.wgsl.ts';
import { lastKernels, overflowOut } from './overflow.wgsl.ts';
import { type BuildParts, parcelsOf, partitionedParcels } from './parcels.wgsl.ts';
import { quickRegionFits, quickRegionKernel } from './quickRegion.wgsl.ts';
import { REGION_GROUPS, regionKernel } from './region.wgsl.ts';
import { countInstead, finishedKernel, isCounted, regionCursors, regionEnds, regionShape } from './regionInput.wgsl.ts';
import { type ScratchName, type Shape, scratchOf, type Way } from './shape.ts';
import { bucketsOut, sideOut } from './writeBucket.wgsl.ts';

/** Workgroups at most that count and scatter where bins were too small: as a rule they leave at once. */
const AGAIN_GROUPS = 2048;

/**
 * Parcels to their regions first, then every region in workgroup memory, then what was left over. The quick way counts no
 * parcels and builds regions where nothing is special; the thorough way counts first and builds any region. Where both are
 * recorded as one, regions that the quick way gives up are built from its parcels, or all from counted ones if bins were too small.
 */
export function bucketCuckooBuild(shape: Shape, fields: TablePlan['fields']): GpuBuild {
  const { request, layout, regions, bucketsPerRegion, way, isQuick, isRoomy } = shape;
  const specs = scratchOf(shape);
  const isQuickOn = (limits: GPUSupportedLimits): boolean =>
    way !== undefined && isQuick && quickRegionFits(shape, limits);
  const wayOn = (limits: GPUSupportedLimits): Way | undefined =>
    isQuickOn(limits) || way?.gathers !== 'none' ? way : undefined;
  const steps = once(() => {
    const view = buildView(request, fields);
    // Nothing is counted while parcels are partitioned and regions are built quickly, so the header can be a uniform there.
    const fixedHeader = HeaderLayout.of(fields).forReading();
    const parts: BuildParts = { shape, view, parcels: parcelsOf(shape, view, view.header) };
    const fixed: BuildParts = {
      shape,
      view: { ...view, header: fixedHeader },
      parcels: parcelsOf(shape, view, fixedHeader),
    };
    return {
      ...parts,
      fixed,
      finished: finishedKernel(parts),
      countInstead: once(() =>
        partition(
          {
            ...partitionedParcels(shape, view, fixedHeader),
            isNeeded: isCounted(fixedHeader),
            opening: countInstead(parts),
          },
          regions,
        ),
      ),
      first: once(() => along(way)),
      thorough: once(() => along(undefined)),
      last: lastKernels(parts),
    };
    /** How parcels come to their regions, and the kernels that build those. */
    function along(how: Way | undefined) {
      const gathers = how !== undefined && how.gathers !== 'none';
      const gathering: BuildParts = { ...parts, parcels: parcelsOf(shape, view, view.header, gathers) };
      const hasBins = how === undefined || how.rooms !== undefined;
      // Of what comes straight from the input nobody asks for the numbers, so that tables of all policies share the kernel.
      const unnumbered: Shape = { ...shape, request: { ...request, duplicates: 'unique' } };
      const quick = how?.rooms ? fixed : { ...fixed, parcels: parcelsOf(unnumbered, view, fixedHeader) };
      const quickFor = kept((gpu: Gpu) =>
        how && isQuickOn(gpu.limits) ? quickRegionKernel(quick, how, regionThreads(gpu.limits)) : undefined,
      );
      return {
        parcels: gathering.parcels,
        recordPartition: hasBins
          ? partition(partitionedParcels(shape, view, fixedHeader), regions, how?.rooms === undefined)
          : undefined,
        quickFor,
        regionFor: kept((gpu: Gpu) =>
          regionKernel(gathering, how, regionThreads(gpu.limits), quickFor(gpu) !== undefined),
        ),
      };
    }
  });
  return {
    on: 'gpu',
    // Where some regions are expected to be left to the thorough way, both are one.
    hasQuickWay: (limits) => isRoomy && isQuickOn(limits),
    // Where keys have room, no seed is bad.
    ...(isQuick && { encodedAttempts: 1 }),
    goesByHeader: true,
    record: (recorder, table, input) => {
      const { gpu } = recorder;
      const { workspace, attempt, effort } = input;
      const { view, fixed, parcels, finished, countInstead: recordCounted, first, thorough, last } = steps();
      const how = attempt === 1 && effort !== 'thorough' ? wayOn(gpu.limits) : undefined;
      const { recordPartition, quickFor, regionFor, parcels: gathering } = how ? first() : thorough();
      const scratch = (name: ScratchName) => workspace.scratch(specs[name].name, specs[name].bytes);
      const [side, spilled] = [table.get('side'), scratch('spilled')];
      const room = how?.gathers === 'all' ? request.items : (how?.rooms?.fine ?? 0);
      const bound: Bound = [
        ...view.bind(table, input),
        [fixed.view.header, table.header],
        ...[parcels, gathering, fixed.parcels].map(({ buffer }) => [buffer, scratch('parcels')] as const),
        [parcels.spilled, spilled],
        [gathering.spilledOut, spilled],
        [regionEnds, scratch('regionEnds')],
        [regionCursors, scratch('regionEnds')],
        [regionShape, gpu.constants(regions, bucketsPerRegion * layout.slots, room, request.items)],
        [bucketsOut, table.get('buckets')],
        [sideOut, side],
        [overflowOut, side],
      ];
      const partitioned = { bound, items: request.items, scratch, workspace };
      recordPartition?.(recorder, { ...partitioned, rooms: how?.rooms });
      const quick = quickFor(gpu);
      if (quick) recorder.run(quick, bound, regions);
      if (quick && effort === 'quick') {
        recorder.run(finished, bound, regions);
        return;
      }
      if (how?.gathers === 'none') recordCounted()(recorder, { ...partitioned, mostGroups: AGAIN_GROUPS });
      recorder.run(regionFor(gpu), bound, Math.min(regions, REGION_GROUPS));
      for (const [kernel, items] of last) recorder.run(kernel, bound, items);
    },
  };
}
