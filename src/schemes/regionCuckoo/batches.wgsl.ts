/** Records batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { keysView, wordsArray } from '../../keys/index.ts';
import { type Kernel, kernel, once, storage, uniform, wgsl } from '../../wgsl/index.ts';
import {
  type Batch,
  counters,
  type DynamicPlan,
  HeaderLayout,
  type InsertBatch,
  type TableBuffers,
} from '../contract/index.ts';
import { parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { type PartitionScratch, partition, partitionScratch } from '../kit/partition/partition.wgsl.ts';
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
      inserts.get(name) ??
      stepsOf(shape, fields, isNumbered(kind, shape.request.valueWords), true, (region) => insertKernel(region, kind));
    inserts.set(name, steps);
    return steps;
  };
  const countSteps = once(() => stepsOf(shape, fields, false, false, (region) => insertKernel(region, COUNTING)));
  const deleteSteps = once(() => stepsOf(shape, fields, false, false, deleteKernel));
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

/** The steps of a batch: the function that records them. */
function stepsOf(
  shape: Shape,
  fields: DynamicPlan['fields'],
  numbered: boolean,
  withValues: boolean,
  programOf: (region: Region) => Kernel,
) {
  const { request, regions } = shape;
  const { key } = request;
  const valueWords = withValues ? request.valueWords : 0;
  const header = HeaderLayout.of(fields).forReading();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', valueWords);
  const inTable = key.access('table');
  const shift = uniform('contextStart', 'u32');
  const content = { key, valueWords, numbered } as const;
  const parcels = parcelsOf(content, {
    keys,
    valueAt: (i) => wgsl`${values}[${i}]`,
    header,
    moved: key.hasContext ? { access: inTable, by: shift } : undefined,
  });
  const { regionOf: regionOfHash } = geometry(shape, header);
  const recordPartition = partition(
    { ...parcels, owner: OWNER, count: wgsl`${extentCount}`, regionOf: (parcel) => regionOfHash(parcels.hash(parcel)) },
    regions,
  );
  const program = programOf(regionOf(shape, header, parcels, key.hasContext ? inTable : keys.access));
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
    recorder.run(program, bound, regions);
  };
}

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
