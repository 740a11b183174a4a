import type { Recorder } from '../gpu/index.ts';
import { type Batch, counters, type InsertBatch } from '../schemes/contract/index.ts';
import { kernel, wgsl } from '../wgsl/index.ts';
import type { Body } from './body.ts';

const begin = kernel({
  label: 'batch/begin',
  threads: 1,
  body: wgsl`atomicStore(&${counters}.left, 0u);`,
});

/** A batch that is inserted, or one that is deleted, without what the table adds to it. */
export type Change =
  | ({ readonly kind: 'insert' } & Omit<InsertBatch, 'counters'>)
  | ({ readonly kind: 'delete' } & Omit<Batch, 'counters'>);

/** Records a batch. Afterwards `counters.left` has the number of its items that found no room. */
export function recordChange(recorder: Recorder, body: Body, context: GPUBuffer | undefined, change: Change): void {
  const { plan, counters: buffer } = body;
  recorder.runOnce(begin, [[counters, buffer]]);
  const table = body.buffers(context);
  if (change.kind === 'insert') plan.recordInsert(recorder, table, { ...change, counters: buffer });
  else plan.recordDelete(recorder, table, { ...change, counters: buffer });
}
