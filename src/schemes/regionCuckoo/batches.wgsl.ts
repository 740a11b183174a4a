/** Records batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { keysView, wordsArray } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Kernel, kernel, once, storage, uniform, wgsl } from '../../wgsl/index.ts';
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
import { copiesMatter, crowded, crowdedOut, DECIDING_GROUPS, decideKernel } from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, leftItems } from './insert.wgsl.ts';
import { BUCKET_WORDS, emptyBucket } from './layout.wgsl.ts';
import { bucketsOut, type Region, regionEnds, regionOf, sideOut } from './region.wgsl.ts';
import type { Shape } from './shape.ts';

const OWNER = 'regionCuckoo';

/** What changes tables of that shape. */
export function batches(
  shape: Shape,
  fields: DynamicPlan['fields'],
): Pick<DynamicPlan, 'recordClear' | 'recordInsert' | 'recordCountAbsent' | 'recordDelete'> {
  const inserts = new Map<string, ReturnType<typeof stepsOf>>();
  /** Combiners are told apart by identity. */
  const combiners: unknown[] = [];
  const insertSteps = (kind: InsertKind) => {
    const { onExisting, unique, listsLeft } = kind;
    if (typeof onExisting === 'object' && !combiners.includes(onExisting)) combiners.push(onExisting);
    const policy = typeof onExisting === 'object' ? combiners.indexOf(onExisting) : onExisting;
    const name = [policy, unique, listsLeft].join();
    const steps =
      inserts.get(name) ?? stepsOf(shape, fields, insertContent(shape, kind), (region) => insertPrograms(region, kind));
    inserts.set(name, steps);
    return steps;
  };
  const keysAlone = { valueWords: 0, numbered: false } as const;
  const countSteps = once(() =>
    stepsOf(shape, fields, keysAlone, (region) => ({ change: insertKernel(region, COUNTING) })),
  );
  const deleteSteps = once(() => stepsOf(shape, fields, keysAlone, (region) => ({ change: deleteKernel(region) })));
  return {
    recordClear: (recorder, table) => recordClear(recorder, shape, table),
    recordInsert: (recorder, table, batch) => {
      const { onExisting, unique, left } = batch;
      insertSteps({ onExisting, unique, listsLeft: left !== undefined, onlyCounts: false })(recorder, table, batch);
    },
    recordCountAbsent: (recorder, table, batch) => countSteps()(recorder, table, batch),
    recordDelete: (recorder, table, batch) => deleteSteps()(recorder, table, batch),
  };
}

/** The kernels of a batch behind its partition: the change, and what decides between copies where they matter. */
interface Programs {
  readonly change: Kernel;
  readonly decide?: Kernel;
}

function insertPrograms(region: Region, kind: InsertKind): Programs {
  const { onExisting, unique } = kind;
  const matters = copiesMatter(onExisting, unique, region.shape.request.valueWords);
  return { change: insertKernel(region, kind), ...(matters && { decide: decideKernel(region, onExisting) }) };
}

const insertContent = ({ request: { valueWords } }: Shape, kind: InsertKind) => ({
  valueWords,
  numbered: isNumbered(kind, valueWords),
  writable: true,
});

/** The steps of a batch: the function that records them. */
function stepsOf(
  shape: Shape,
  fields: DynamicPlan['fields'],
  content: Omit<ParcelContent, 'key'>,
  programsOf: (region: Region) => Programs,
) {
  const { request, regions } = shape;
  const { key } = request;
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
      regionOf: (parcel) => regionOfHash(arriving.hash(parcel)),
    },
    regions,
  );
  const parcels = parcelsOf({ key, ...content }, parcelInput);
  const { change, decide } = programsOf(regionOf(shape, header, parcels, key.hasContext ? inTable : keys.access));
  return (recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>): void => {
    const { gpu } = recorder;
    const { workspace, items } = batch;
    const specs = partitionScratch(OWNER, { items: items.max, words: parcels.words, regions });
    const scratch = (name: PartitionScratch) => workspace.scratch(specs[name].name, specs[name].bytes);
    const input: Bound = [
      [header, table.header],
      ...keys.bind(batch),
      ...(batch.values ? [[values, batch.values] as const] : []),
      ...(inTable.context && table.context ? [[inTable.context, table.context] as const] : []),
      [shift, gpu.constants(batch.contextStart ?? 0)],
      [extentCount, items.count],
    ];
    recordPartition(recorder, { bound: input, items: items.max, scratch, workspace });
    const bound: Bound = [
      ...input,
      [counters, batch.counters],
      [parcels.buffer, scratch('parcels')],
      [regionEnds, scratch('regionEnds')],
      [bucketsOut, table.get('buckets')],
      [sideOut, table.get('side')],
      ...(batch.left ? [[leftItems, batch.left] as const] : []),
    ];
    if (!decide) {
      recorder.run(change, bound, regions);
      return;
    }
    const { name, bytes } = crowdedSpec(regions);
    const list = workspace.scratch(name, bytes);
    recordFill(recorder, { output: list, value: 0, items: 1 });
    recorder.run(change, [...bound, [crowdedOut, list]], regions);
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
