import type { BufferView, Extent, Recorder, Workspace } from '../gpu/index.ts';
import { type Batch, counters, type InsertBatch, type OnExisting } from '../schemes/contract/index.ts';
import { kernel, uniform, wgsl } from '../wgsl/index.ts';
import type { Body } from './body.ts';

/** How a batch is inserted. */
export interface InsertHow {
  readonly onExisting: OnExisting;
  readonly unique: boolean;
}

/** The items of a batch on the GPU. */
export interface Items {
  readonly keys: BufferView;
  readonly values: BufferView | undefined;
  /** The bytes that the keys point into, for keys that have a context, and where the table has them. */
  readonly context: GPUBuffer | undefined;
  readonly contextStart: number;
}

const number = uniform('number', 'u32');

const begin = kernel({
  label: 'batch/begin',
  threads: 1,
  body: wgsl`
  // Commands may run in another order than they were recorded: the last number counts. Behind the greatest word they begin at 0 again.
  if (i32(${number} - atomicLoad(&${counters}.batch)) > 0) { atomicStore(&${counters}.batch, ${number}); }
  atomicAdd(&${counters}.leftBefore, atomicExchange(&${counters}.left, 0u));
  atomicStore(&${counters}.absent, 0u);`,
});

/** What is done with a batch. */
export type Change =
  | ({ readonly kind: 'insert'; readonly left?: GPUBuffer | undefined } & InsertHow)
  | { readonly kind: 'delete' }
  | { readonly kind: 'count' };

/** What a batch is recorded with beside its items. */
export interface BatchCall {
  readonly body: Body;
  /** The bytes that the table's keys point into. */
  readonly context: GPUBuffer | undefined;
  readonly workspace: Workspace;
  /** Tells one batch of a table from the next. */
  readonly number: number;
  readonly extent: Extent;
  /** Whether the table is known to be empty, unless batches run in another order than they were recorded. */
  readonly isEmpty?: boolean;
}

/** Records a batch. Behind it the counters tell how it went. */
export function recordBatch(recorder: Recorder, call: BatchCall, items: Items, change: Change): void {
  const { body, context, workspace, extent, isEmpty = false } = call;
  const { plan } = body;
  // Behind a gate, too: it counts one item.
  recorder.runOnce(begin, [
    [counters, body.counters],
    [number, recorder.gpu.wordsOnce(Uint32Array.of(call.number))],
  ]);
  const table = body.buffers(context);
  const batch: Batch & Pick<InsertBatch, 'values'> = { ...items, items: extent, workspace, counters: body.counters };
  if (change.kind === 'insert') plan.recordInsert(recorder, table, { ...batch, ...change, isEmpty });
  else if (change.kind === 'delete') plan.recordDelete(recorder, table, batch);
  else plan.recordCountAbsent?.(recorder, table, batch);
}

/** What the counters of a table say, from bytes that were read back. */
export interface Counted {
  readonly keys: number;
  readonly left: number;
  readonly absent: number;
  readonly batch: number;
  readonly leftBefore: number;
}

export function countedIn(bytes: ArrayBuffer): Counted {
  const [keys = 0, left = 0, absent = 0, batch = 0, leftBefore = 0] = new Uint32Array(bytes);
  return { keys, left, absent, batch, leftBefore };
}
