/** The items of a batch, as kernels see them. */
import { type Bound, extentCount, type Gpu } from '../../../gpu/index.ts';
import { bindContext, keysView, wordsArray } from '../../../keys/index.ts';
import { uniform, type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import {
  type Batch,
  counters,
  type DynamicPlan,
  HeaderLayout,
  type InsertBatch,
  type TableBuffers,
  type TableRequest,
} from '../../contract/index.ts';

export function batchInput({ key, valueWords }: TableRequest, fields: DynamicPlan['fields']) {
  const header = HeaderLayout.of(fields).forReading();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', valueWords);
  const inTable = key.access('table');
  const contextStart = uniform('contextStart', 'u32');
  return {
    header,
    keys,
    valueAt: (item: WgslPart): Wgsl => wgsl`${values}[${item}]`,
    /** How keys of the table are read. */
    inTable,
    /** Where the bytes of the batch begin in the context of the table, of which they have become a part. */
    contextStart,
    /** The items, the header and the context of the table, and the counters. */
    bind: (gpu: Gpu, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound => [
      [header, table.header],
      ...keys.bind(batch),
      ...(batch.values ? [[values, batch.values] as const] : []),
      ...bindContext(key, inTable, table.context),
      [contextStart, gpu.constants(batch.contextStart ?? 0)],
      [extentCount, batch.items.count],
      [counters, batch.counters],
    ],
  };
}
