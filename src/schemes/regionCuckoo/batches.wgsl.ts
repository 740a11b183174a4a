/** Records batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { keysView, wordsArray } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import {
  type Binding,
  type Kernel,
  kept,
  kernel,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import {
  type Batch,
  type BufferSpec,
  counters,
  type DynamicPlan,
  HeaderLayout,
  type InsertBatch,
  type TableBuffers,
} from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { type ParcelContent, type ParcelInput, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { type PartitionScratch, partition, partitionScratch } from '../kit/partition/partition.wgsl.ts';
import {
  copiesMatter,
  crowded,
  crowdedOut,
  crowdedWords,
  DECIDING_GROUPS,
  decideKernel,
  isCrowdedRegion,
  MOST_GROUP_BITS,
} from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, leftItems, marksClaims, mayHope } from './insert.wgsl.ts';
import { emptyBucket } from './layout.wgsl.ts';
import { groupBits, groupEnds, type Region, regionOf, sideOut } from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { bucketsOut, type StoreKind, touchedItems } from './tagStore.wgsl.ts';

const OWNER = 'regionCuckoo';

/** With more items a region, all of its tags are loaded; with fewer, only those that are touched. */
const MANY_ITEMS = 64;
/** How full a workgroup is that has touched buckets: more items than it can look after at a time cost much. */
const USUAL_SHARE = 0.6;

/** How the regions are shared out among workgroups, for a batch of so many items. */
function sharing({ regions, layout }: Shape, items: number): { readonly kind: StoreKind; readonly groupBits: number } {
  const perRegion = items / regions;
  if (perRegion > Math.min(MANY_ITEMS, touchedItems(layout) * USUAL_SHARE))
    return { kind: 'whole region', groupBits: 0 };
  const wanted = (touchedItems(layout) * USUAL_SHARE) / perRegion;
  const bits = Math.floor(Math.log2(Math.max(1, Math.min(wanted, regions))));
  return { kind: 'touched buckets', groupBits: Math.min(MOST_GROUP_BITS, bits) };
}

/** What changes tables of that shape. */
export function batches(
  shape: Shape,
  fields: DynamicPlan['fields'],
): Pick<DynamicPlan, 'recordClear' | 'recordInsert' | 'recordCountAbsent' | 'recordDelete'> {
  const made = new Map<string, Steps>();
  /** Combiners are told apart by identity. */
  const combiners: unknown[] = [];
  const stepsFor = (
    name: string,
    items: number,
    contentOf: (kind: StoreKind) => Content & Hope,
    programs: ProgramsOf,
  ): Steps => {
    const { kind, groupBits: bits } = sharing(shape, items);
    const whole = [name, kind, bits].join();
    const steps = made.get(whole) ?? stepsOf({ shape, fields, kind, bits }, contentOf(kind), programs);
    made.set(whole, steps);
    return steps;
  };
  const insertSteps = (items: number, kind: InsertKind): Steps => {
    const { onExisting, unique, listsLeft } = kind;
    if (typeof onExisting === 'object' && !combiners.includes(onExisting)) combiners.push(onExisting);
    const policy = typeof onExisting === 'object' ? combiners.indexOf(onExisting) : onExisting;
    const name = ['insert', policy, unique, listsLeft].join();
    return stepsFor(
      name,
      items,
      (store) => insertContent(shape, kind, store),
      (regionFor, store) => insertPrograms(regionFor, store, kind),
    );
  };
  const keysAlone = (): Content => ({ valueWords: 0, numbered: false });
  return {
    recordClear: (recorder, table) => recordClear(recorder, shape, table),
    recordInsert: (recorder, table, batch) => {
      const { onExisting, unique, left, items } = batch;
      const kind = { onExisting, unique, listsLeft: left !== undefined, onlyCounts: false };
      insertSteps(items.max, kind)(recorder, table, batch);
    },
    recordCountAbsent: (recorder, table, batch) =>
      stepsFor('count', batch.items.max, keysAlone, (regionFor, store) => ({
        change: insertKernel(regionFor(store), COUNTING),
      }))(recorder, table, batch),
    recordDelete: (recorder, table, batch) =>
      stepsFor('delete', batch.items.max, keysAlone, (regionFor, store) => ({
        change: deleteKernel(regionFor(store)),
      }))(recorder, table, batch),
  };
}

/** The kernels of a batch behind its partition: the change, and what decides between copies where they matter. */
interface Programs {
  readonly change: Kernel;
  readonly decide?: Kernel;
}

/** A table, and how the regions are shared out. */
interface Sharing {
  readonly shape: Shape;
  readonly fields: DynamicPlan['fields'];
  readonly kind: StoreKind;
  readonly bits: number;
}

type Content = Omit<ParcelContent, 'key'>;
type ProgramsOf = (regionFor: RegionFor, kind: StoreKind) => Programs;
type RegionFor = (kind: StoreKind, numbered?: boolean) => Region;

/** Records a batch. */
type Steps = (recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>) => void;

function insertPrograms(regionFor: RegionFor, store: StoreKind, kind: InsertKind): Programs {
  const region = regionFor(store);
  const { onExisting, unique } = kind;
  const matters = copiesMatter(onExisting, unique, region.shape.request.valueWords);
  return {
    change: insertKernel(region, kind),
    ...(matters && { decide: decideKernel(regionFor('whole region', true), onExisting) }),
  };
}

/** What parcels of an insertion hold; `hopes` if they hold no numbers although these may be needed. */
const insertContent = ({ request: { valueWords } }: Shape, kind: InsertKind, store: StoreKind): Content & Hope => {
  const hopes = store === 'whole region' && mayHope(kind, valueWords);
  return {
    valueWords,
    numbered: isNumbered(kind, valueWords) && !hopes,
    writable: marksClaims(kind, valueWords),
    hopes,
  };
};

interface Hope {
  readonly hopes?: boolean;
}

/** Workgroups that partition items again. */
const AGAIN_GROUPS = 2048;

function stepsOf(sharing: Sharing, { hopes = false, ...content }: Content & Hope, programsOf: ProgramsOf): Steps {
  const { shape, fields, kind, bits } = sharing;
  const { key } = shape.request;
  const { regions } = shape;
  const groups = Math.ceil(regions / 2 ** bits);
  const header = HeaderLayout.of(fields).forReading();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', content.valueWords);
  const inTable = key.access('table');
  const shift = uniform('contextStart', 'u32');
  const input: ParcelInput = {
    keys,
    valueAt: (i) => wgsl`${values}[${i}]`,
    header,
    moved: key.hasContext ? { access: inTable, by: shift } : undefined,
  };
  const { regionOf: regionOfHash } = geometry(shape, header);
  const partitionOf = (held: Content, isAgain: boolean) => {
    const arriving = parcelsOf({ key, ...held, writable: false }, input);
    const region = (parcel: WgslPart): Wgsl => regionOfHash(arriving.hash(parcel));
    const crowdedOnly = {
      any: wgsl`(${crowded}[0] > 0u)`,
      isWanted: (parcel: WgslPart) => wgsl`${isInCrowd(header)}(${region(parcel)})`,
    };
    return partition(
      {
        ...arriving,
        owner: OWNER,
        count: wgsl`${extentCount}`,
        regionOf: (parcel) => wgsl`(${region(parcel)} >> ${groupBits})`,
        ...(isAgain && { wanted: crowdedOnly }),
      },
      groups,
    );
  };
  const withNumbers = { ...content, numbered: true };
  const recordPartition = partitionOf(content, false);
  const recordAgain = hopes ? partitionOf(withNumbers, true) : undefined;
  const parcels = parcelsOf({ key, ...content }, input);
  const numbered = hopes ? parcelsOf({ key, ...withNumbers }, input) : parcels;
  const access = key.hasContext ? inTable : keys.access;
  const regionFor: RegionFor = (store, isNumberedOne = false) =>
    regionOf(shape, header, isNumberedOne ? numbered : parcels, access, store);
  const { change, decide } = programsOf(regionFor, kind);
  return (recorder, table, batch) => {
    const { gpu } = recorder;
    const { workspace, items } = batch;
    // One set of buffers for both partitions, one after the other.
    const specs = partitionScratch(OWNER, { items: items.max, words: numbered.words, regions: groups });
    const scratch = (name: PartitionScratch) => workspace.scratch(specs[name].name, specs[name].bytes);
    const arriving: Bound = [
      [header, table.header],
      ...keys.bind(batch),
      ...(batch.values ? [[values, batch.values] as const] : []),
      ...(inTable.context && table.context ? [[inTable.context, table.context] as const] : []),
      [shift, gpu.constants(batch.contextStart ?? 0)],
      [groupBits, gpu.constants(bits)],
      [extentCount, items.count],
    ];
    recordPartition(recorder, { bound: arriving, items: items.max, scratch, workspace });
    const bound: Bound = [
      ...arriving,
      [counters, batch.counters],
      [groupEnds, scratch('regionEnds')],
      [bucketsOut, table.get('buckets')],
      [sideOut, table.get('side')],
      ...(batch.left ? [[leftItems, batch.left] as const] : []),
    ];
    if (!decide) {
      recorder.run(change, [...bound, [parcels.buffer, scratch('parcels')]], groups);
      return;
    }
    const { name, bytes } = crowdedSpec(regions);
    const list = workspace.scratch(name, bytes);
    recordFill(recorder, { output: list, value: 0, items: crowdedWords(regions) });
    recorder.run(change, [...bound, [parcels.buffer, scratch('parcels')], [crowdedOut, list]], groups);
    recordAgain?.(recorder, {
      bound: [...arriving, [crowded, list]],
      items: items.max,
      scratch,
      workspace,
      mostGroups: AGAIN_GROUPS,
    });
    const decided: Bound = [...bound, [numbered.buffer, scratch('parcels')], [crowded, list]];
    recorder.run(decide, decided, Math.min(DECIDING_GROUPS, regions));
  };
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

const pattern = uniform('pattern', 'array<vec4u, 2>');
const cleared = storage('cleared', 'array<vec4u>', 'read_write');

const clearKernel = kernel({
  label: 'regionCuckoo/clear',
  threads: 256,
  body: wgsl`
  if (item < ${extentCount}) { ${cleared}[item] = ${pattern}[item % 2u]; }`,
});

function recordClear(recorder: Recorder, { layout, buckets }: Shape, table: TableBuffers): void {
  const halves = recorder.extent((buckets * BUCKET_WORDS) / 4);
  recorder.run(
    clearKernel,
    [
      [cleared, table.get('buckets')],
      [pattern, recorder.gpu.constants(...emptyBucket(layout))],
      [extentCount, halves.count],
    ],
    halves,
  );
}
