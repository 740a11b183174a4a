/** Records batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { keysView, wordsArray } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Kernel, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import {
  type Batch,
  type BufferSpec,
  counters,
  type DynamicPlan,
  HeaderLayout,
  type InsertBatch,
  type TableBuffers,
} from '../contract/index.ts';
import { type ParcelContent, type ParcelInput, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { type PartitionScratch, partition, partitionScratch } from '../kit/partition/partition.wgsl.ts';
import { copiesMatter, crowded, crowdedOut, DECIDING_GROUPS, decideKernel, MOST_GROUP_BITS } from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, leftItems, marksClaims } from './insert.wgsl.ts';
import { BUCKET_WORDS, emptyBucket } from './layout.wgsl.ts';
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
  const stepsFor = (name: string, items: number, content: Omit<ParcelContent, 'key'>, programs: ProgramsOf): Steps => {
    const { kind, groupBits: bits } = sharing(shape, items);
    const whole = [name, kind, bits].join();
    const steps = made.get(whole) ?? stepsOf({ shape, fields, kind, bits }, content, programs);
    made.set(whole, steps);
    return steps;
  };
  const insertSteps = (items: number, kind: InsertKind): Steps => {
    const { onExisting, unique, listsLeft } = kind;
    if (typeof onExisting === 'object' && !combiners.includes(onExisting)) combiners.push(onExisting);
    const policy = typeof onExisting === 'object' ? combiners.indexOf(onExisting) : onExisting;
    const name = ['insert', policy, unique, listsLeft].join();
    return stepsFor(name, items, insertContent(shape, kind), (regionFor, store) =>
      insertPrograms(regionFor, store, kind),
    );
  };
  const keysAlone = { valueWords: 0, numbered: false } as const;
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

type ProgramsOf = (regionFor: (kind: StoreKind) => Region, kind: StoreKind) => Programs;

/** Records a batch. */
type Steps = (recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>) => void;

function insertPrograms(regionFor: (kind: StoreKind) => Region, store: StoreKind, kind: InsertKind): Programs {
  const region = regionFor(store);
  const { onExisting, unique } = kind;
  const matters = copiesMatter(onExisting, unique, region.shape.request.valueWords);
  return {
    change: insertKernel(region, kind),
    ...(matters && { decide: decideKernel(regionFor('whole region'), onExisting) }),
  };
}

const insertContent = ({ request: { valueWords } }: Shape, kind: InsertKind) => ({
  valueWords,
  numbered: isNumbered(kind, valueWords),
  writable: marksClaims(kind, valueWords),
});

function stepsOf(
  { shape, fields, kind, bits }: { shape: Shape; fields: DynamicPlan['fields']; kind: StoreKind; bits: number },
  content: Omit<ParcelContent, 'key'>,
  programsOf: ProgramsOf,
): Steps {
  const { key } = shape.request;
  const { regions } = shape;
  const groups = Math.ceil(regions / 2 ** bits);
  const header = HeaderLayout.of(fields).forReading();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', content.valueWords);
  const inTable = key.access('table');
  const shift = uniform('contextStart', 'u32');
  const parcelInput: ParcelInput = {
    keys,
    valueAt: (i) => wgsl`${values}[${i}]`,
    header,
    moved: key.hasContext ? { access: inTable, by: shift } : undefined,
  };
  const { regionOf: regionOfHash } = geometry(shape, header);
  const arriving = parcelsOf({ key, ...content, writable: false }, parcelInput);
  const recordPartition = partition(
    {
      ...arriving,
      owner: OWNER,
      count: wgsl`${extentCount}`,
      regionOf: (parcel) => wgsl`(${regionOfHash(arriving.hash(parcel))} >> ${groupBits})`,
    },
    groups,
  );
  const parcels = parcelsOf({ key, ...content }, parcelInput);
  const access = key.hasContext ? inTable : keys.access;
  const { change, decide } = programsOf((store) => regionOf(shape, header, parcels, access, store), kind);
  return (recorder, table, batch) => {
    const { gpu } = recorder;
    const { workspace, items } = batch;
    const specs = partitionScratch(OWNER, { items: items.max, words: parcels.words, regions: groups });
    const scratch = (name: PartitionScratch) => workspace.scratch(specs[name].name, specs[name].bytes);
    const input: Bound = [
      [header, table.header],
      ...keys.bind(batch),
      ...(batch.values ? [[values, batch.values] as const] : []),
      ...(inTable.context && table.context ? [[inTable.context, table.context] as const] : []),
      [shift, gpu.constants(batch.contextStart ?? 0)],
      [groupBits, gpu.constants(bits)],
      [extentCount, items.count],
    ];
    recordPartition(recorder, { bound: input, items: items.max, scratch, workspace });
    const bound: Bound = [
      ...input,
      [counters, batch.counters],
      [parcels.buffer, scratch('parcels')],
      [groupEnds, scratch('regionEnds')],
      [bucketsOut, table.get('buckets')],
      [sideOut, table.get('side')],
      ...(batch.left ? [[leftItems, batch.left] as const] : []),
    ];
    if (!decide) {
      recorder.run(change, bound, groups);
      return;
    }
    const { name, bytes } = crowdedSpec(regions);
    const list = workspace.scratch(name, bytes);
    recordFill(recorder, { output: list, value: 0, items: 1 });
    recorder.run(change, [...bound, [crowdedOut, list]], groups);
    recorder.run(decide, [...bound, [crowded, list]], Math.min(DECIDING_GROUPS, regions));
  };
}

/** The list of regions with copies. */
export const crowdedSpec = (regions: number): BufferSpec => ({ name: `${OWNER}/crowded`, bytes: (1 + regions) * 4 });

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
