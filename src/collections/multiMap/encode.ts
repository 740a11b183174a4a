/** Searches of a multi-map on the encoder face. */
import type { Extent, Recorder, Target, Workspace } from '../../gpu/index.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { sized } from '../../table/source.ts';
import type { Table } from '../../table/table.ts';
import type { ValueType } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { type CountBuffers, checkCountBuffers, checkRetrieveBuffers, type RetrieveBuffers } from './options.ts';
import { recordLocate, recordRetrieve } from './retrieve.wgsl.ts';

/** What all retrievals read, and what they use. */
export interface Retrieval {
  readonly type: ValueType;
  readonly values: GPUBuffer;
  readonly bounds: GPUBuffer;
  readonly workspace: Workspace;
}

/** Records a search for how many values each query has. */
export function encodeCounts(target: Target, table: Table, own: Retrieval, buffers: CountBuffers): void {
  const { gpu } = table;
  const { key } = table.settings;
  const max = checkCountBuffers(key, buffers);
  const { queries, counts, starts, count, context } = buffers;
  const locate = (recorder: Recorder, items: Extent) =>
    recordLocate(recorder, table, {
      queries: { keys: sized(gpu, queries, max * key.words * WORD_BYTES), context },
      counts: sized(gpu, counts, max * WORD_BYTES),
      starts: starts && sized(gpu, starts, max * WORD_BYTES),
      bounds: own.bounds,
      items,
    });
  const { workspace } = own;
  recordCounted(gpu, target, { label: 'multiMap/count', count, max, workspace }, locate);
}

/** Records the retrieval of all values of all queries, as far as there is room for them. */
export function encodeRetrieval(target: Target, table: Table, own: Retrieval, buffers: RetrieveBuffers): void {
  const { gpu } = table;
  const { key } = table.settings;
  const valueBytes = own.type.words * WORD_BYTES;
  const { max, capacity } = checkRetrieveBuffers(key, valueBytes, buffers);
  const { queries, offsets, values, total, count, context } = buffers;
  const retrieve = (recorder: Recorder, items: Extent) =>
    recordRetrieve(recorder, table, {
      queries: { keys: sized(gpu, queries, max * key.words * WORD_BYTES), context },
      offsets: max === 0 ? offsets : { buffer: offsets, size: max * WORD_BYTES },
      output: sized(gpu, values, capacity * valueBytes),
      items,
      capacity,
      total,
      ...own,
    });
  const { workspace } = own;
  recordCounted(gpu, target, { label: 'multiMap/retrieve', count, max, workspace }, retrieve);
}
