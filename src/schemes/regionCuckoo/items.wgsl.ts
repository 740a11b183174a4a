/** The items of a batch and the table that they change, as kernels see them. */
import type { Bound, Recorder } from '../../gpu/index.ts';
import type { KeyAccess, KeysView } from '../../keys/index.ts';
import type { Binding, Wgsl, WgslPart } from '../../wgsl/index.ts';
import type { Batch, DynamicPlan, InsertBatch, TableBuffers } from '../contract/index.ts';
import { leftItems } from '../kit/batch/ends.wgsl.ts';
import { batchInput } from '../kit/batch/input.wgsl.ts';
import { type ParcelContent, type Parcels, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import type { Shape } from './shape.ts';
import { sideOut } from './slots.wgsl.ts';

/** What parcels hold beside keys. */
export type Content = Omit<ParcelContent, 'key'>;

export interface Items {
  readonly shape: Shape;
  readonly header: Binding;
  readonly keys: KeysView;
  valueAt(item: WgslPart): Wgsl;
  /** Items as parcels with that content. */
  parcels(content: Content): Parcels;
  /** How keys of parcels are read, and those of the table. */
  readonly access: KeyAccess;
  /** Everything but the buckets of the table, and what a batch needs while it runs. */
  bind(recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound;
}

export function itemsOf(shape: Shape, fields: DynamicPlan['fields']): Items {
  const { key } = shape.request;
  const input = batchInput(shape.request, fields);
  const { header, keys, valueAt, inTable, contextStart } = input;
  return {
    shape,
    header,
    keys,
    valueAt,
    access: key.hasContext ? inTable : keys.access,
    parcels: (content) =>
      parcelsOf(
        { key, ...content },
        { keys, valueAt, header, moved: key.hasContext ? { access: inTable, by: contextStart } : undefined },
      ),
    bind: ({ gpu }, table, batch) => [
      ...input.bind(gpu, table, batch),
      [sideOut, table.get('side')],
      ...(batch.left ? [[leftItems, batch.left] as const] : []),
    ],
  };
}
