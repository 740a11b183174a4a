/** The items of a batch and the table that they change, as kernels see them. */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { type KeyAccess, type KeysView, keysView, wordsArray } from '../../keys/index.ts';
import { type Binding, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import {
  type Batch,
  counters,
  type DynamicPlan,
  HeaderLayout,
  type InsertBatch,
  type TableBuffers,
} from '../contract/index.ts';
import { leftItems } from '../kit/batch/ends.wgsl.ts';
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
  const { key, valueWords } = shape.request;
  const header = HeaderLayout.of(fields).forReading();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', valueWords);
  const inTable = key.access('table');
  // The bytes of the batch have become a part of the table's.
  const shift = uniform('contextStart', 'u32');
  const valueAt = (item: WgslPart): Wgsl => wgsl`${values}[${item}]`;
  return {
    shape,
    header,
    keys,
    valueAt,
    access: key.hasContext ? inTable : keys.access,
    parcels: (content) =>
      parcelsOf(
        { key, ...content },
        { keys, valueAt, header, moved: key.hasContext ? { access: inTable, by: shift } : undefined },
      ),
    bind: ({ gpu }, table, batch) => [
      [header, table.header],
      ...keys.bind(batch),
      ...(batch.values ? [[values, batch.values] as const] : []),
      ...(inTable.context && table.context ? [[inTable.context, table.context] as const] : []),
      [shift, gpu.constants(batch.contextStart ?? 0)],
      [extentCount, batch.items.count],
      [counters, batch.counters],
      [sideOut, table.get('side')],
      ...(batch.left ? [[leftItems, batch.left] as const] : []),
    ],
  };
}
