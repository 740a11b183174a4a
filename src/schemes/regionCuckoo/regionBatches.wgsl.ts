/** Records large batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, type Kernel, kept, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BufferSpec, OnExisting } from '../contract/index.ts';
import type { Parcels } from '../kit/partition/parcels.wgsl.ts';
import { type PartitionScratch, partition, partitionScratch } from '../kit/partition/partition.wgsl.ts';
import type { Batches, RecordBatch } from './batches.wgsl.ts';
import {
  copiesMatter,
  crowded,
  crowdedOut,
  crowdedWords,
  DECIDING_GROUPS,
  decideKernel,
  isCrowdedRegion,
} from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, marksClaims, mayHope } from './insert.wgsl.ts';
import type { Content, Items } from './items.wgsl.ts';
import { type Region, regionEnds, regionOf } from './region.wgsl.ts';
import { bucketsOut } from './tagStore.wgsl.ts';

const OWNER = 'regionCuckoo';

/** Workgroups that partition items again. */
const AGAIN_GROUPS = 2048;

export function regionBatches(items: Items): Batches {
  const made = new Map<string, RecordBatch>();
  /** Combiners are told apart by identity. */
  const combiners: OnExisting[] = [];
  const keptSteps = (name: string, make: () => RecordBatch): RecordBatch => {
    const steps = made.get(name) ?? make();
    made.set(name, steps);
    return steps;
  };
  const keysAlone: Content = { valueWords: 0, numbered: false };
  const change = (name: string, kernelOf: (region: Region) => Kernel): RecordBatch =>
    keptSteps(name, () => stepsOf(items, keysAlone, (regionFor) => ({ change: kernelOf(regionFor(false)) })));
  return {
    insert: (recorder, table, batch) => {
      const { onExisting, unique, left } = batch;
      const kind = { onExisting, unique, listsLeft: left !== undefined, onlyCounts: false };
      if (typeof onExisting === 'object' && !combiners.includes(onExisting)) combiners.push(onExisting);
      const policy = typeof onExisting === 'object' ? combiners.indexOf(onExisting) : onExisting;
      const name = ['insert', policy, unique, kind.listsLeft].join();
      keptSteps(name, () => insertSteps(items, kind))(recorder, table, batch);
    },
    countAbsent: (...call) => change('count', (region) => insertKernel(region, COUNTING))(...call),
    remove: (...call) => change('delete', deleteKernel)(...call),
  };
}

/** The kernels of a batch behind its partition: the change, and what decides between copies where they matter. */
interface Programs {
  readonly change: Kernel;
  readonly decide?: Kernel;
}

/** Regions, with parcels that have numbers or as they come. */
type RegionFor = (numbered: boolean) => Region;

function insertSteps(items: Items, kind: InsertKind): RecordBatch {
  const { valueWords } = items.shape.request;
  const { onExisting, unique } = kind;
  const hopes = mayHope(kind, valueWords);
  const content = {
    valueWords,
    numbered: isNumbered(kind, valueWords) && !hopes,
    writable: marksClaims(kind, valueWords),
  };
  const matters = copiesMatter(onExisting, unique, valueWords);
  const programs = (regionFor: RegionFor): Programs => ({
    change: insertKernel(regionFor(false), kind),
    ...(matters && { decide: decideKernel(regionFor(true), onExisting) }),
  });
  return stepsOf(items, content, programs, hopes);
}

/** @param hopes whether parcels hold no numbers although these may be needed */
function stepsOf(
  items: Items,
  content: Content,
  programsOf: (regionFor: RegionFor) => Programs,
  hopes = false,
): RecordBatch {
  const { shape, header, access } = items;
  const { regions } = shape;
  const withNumbers = { ...content, numbered: true };
  const parcels = items.parcels(content);
  const numbered = hopes ? items.parcels(withNumbers) : parcels;
  const recordPartition = partitionOf(items, items.parcels({ ...content, writable: false }), false);
  const recordAgain = hopes ? partitionOf(items, items.parcels({ ...withNumbers, writable: false }), true) : undefined;
  const { change, decide } = programsOf((isNumberedOne) =>
    regionOf({ shape, header, parcels: isNumberedOne ? numbered : parcels, key: access }),
  );
  return (recorder, table, batch) => {
    const { workspace } = batch;
    const { max } = batch.items;
    // One set of buffers for both partitions, one after the other.
    const specs = partitionScratch(OWNER, { items: max, words: numbered.words, regions });
    const scratch = (name: PartitionScratch) => workspace.scratch(specs[name].name, specs[name].bytes);
    const arriving = items.bind(recorder, table, batch);
    recordPartition(recorder, { bound: arriving, items: max, scratch, workspace });
    const bound: Bound = [
      ...arriving,
      [regionEnds, scratch('regionEnds')],
      [bucketsOut, table.get('buckets')],
      [parcels.buffer, scratch('parcels')],
    ];
    if (!decide) {
      recorder.run(change, bound, regions);
      return;
    }
    const { name, bytes } = crowdedSpec(regions);
    const list = workspace.scratch(name, bytes);
    recordFill(recorder, { output: list, value: 0, items: crowdedWords(regions) });
    recorder.run(change, [...bound, [crowdedOut, list]], regions);
    recordAgain?.(recorder, {
      bound: [...arriving, [crowded, list]],
      items: max,
      scratch,
      workspace,
      mostGroups: AGAIN_GROUPS,
    });
    const decided: Bound = [...bound, [numbered.buffer, scratch('parcels')], [crowded, list]];
    recorder.run(decide, decided, Math.min(DECIDING_GROUPS, regions));
  };
}

/** The partition of arriving items; `isAgain` if only those of regions with copies take part. */
function partitionOf({ shape, header }: Items, arriving: Parcels, isAgain: boolean) {
  const { regionOf: regionOfHash } = geometry(shape, header);
  const regionOfParcel = (parcel: WgslPart): Wgsl => regionOfHash(arriving.hash(parcel));
  const wanted = {
    any: wgsl`(${crowded}[0] > 0u)`,
    isWanted: (parcel: WgslPart) => wgsl`${isInCrowd(header)}(${regionOfParcel(parcel)})`,
  };
  return partition(
    {
      ...arriving,
      owner: OWNER,
      count: wgsl`${extentCount}`,
      regionOf: regionOfParcel,
      ...(isAgain && { wanted }),
    },
    shape.regions,
  );
}

const isInCrowd = kept(
  (header: Binding): Wgsl => wgsl`
fn isInCrowd(region: u32) -> bool {
  return ${isCrowdedRegion('region', header)};
}`,
);

/** The list of regions with copies. */
export const crowdedSpec = (regions: number): BufferSpec => ({
  name: `${OWNER}/crowded`,
  bytes: crowdedWords(regions) * 4,
});
