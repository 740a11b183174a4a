/** Records batches: large ones region by region, small ones in place. */
import { extentCount, type Recorder } from '../../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { Batch, DynamicPlan, InsertBatch, TableBuffers } from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { type Items, itemsOf } from './items.wgsl.ts';
import { emptyBucket } from './layout.wgsl.ts';
import { regionBatches } from './regionBatches.wgsl.ts';
import type { Shape } from './shape.ts';
import { smallBatches } from './smallBatches.wgsl.ts';

/** Records a batch. */
export type RecordBatch = (recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>) => void;

/** The batches of a table. */
export interface Batches {
  insert(recorder: Recorder, table: TableBuffers, batch: InsertBatch): void;
  readonly countAbsent: RecordBatch;
  readonly remove: RecordBatch;
}

/** With fewer items a region, or so few in all, most of what the owner of a region would read is not needed. */
const FEW_IN_REGION = 64;
const FEW = 2048;

/** Whether so many items go into the table one by one. */
export const isSmall = ({ regions }: Shape, items: number): boolean => items <= Math.max(FEW, FEW_IN_REGION * regions);

/** What changes tables of that shape. */
export function batches(
  shape: Shape,
  fields: DynamicPlan['fields'],
): Pick<DynamicPlan, 'recordClear' | 'recordInsert' | 'recordCountAbsent' | 'recordDelete'> {
  const items: Items = itemsOf(shape, fields);
  const [small, large] = [smallBatches(items), regionBatches(items)];
  const fitting = ({ items: { max } }: Batch): Batches => (isSmall(shape, max) ? small : large);
  return {
    recordClear: (recorder, table) => recordClear(recorder, shape, table),
    recordInsert: (recorder, table, batch) => fitting(batch).insert(recorder, table, batch),
    recordCountAbsent: (recorder, table, batch) => fitting(batch).countAbsent(recorder, table, batch),
    recordDelete: (recorder, table, batch) => fitting(batch).remove(recorder, table, batch),
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
