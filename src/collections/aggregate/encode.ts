/** Searches of an aggregate on the encoder face. */
import { type Extent, type Recorder, requireMembers, type Target, type Workspace } from '../../gpu/index.ts';
import { requireApart, requireStorage } from '../../primitives/checks.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { requireContext } from '../../table/context.ts';
import { checkCount, roomFor, sized } from '../../table/source.ts';
import type { Table } from '../../table/table.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { missingWords, type ResultColumn, type ResultColumns } from './columns.ts';
import { recordResults } from './kernels.wgsl.ts';
import type { ResultBuffers, Results } from './options.ts';

const SEARCH = ['queries', 'count', 'values', 'found', 'missing', 'context'];

/** What an aggregate has for its keys, and what searches use. */
interface ResultSearch {
  readonly columns: ResultColumns;
  readonly results: (column: ResultColumn) => GPUBuffer;
  readonly workspace: Workspace;
}

/** Records a search for the results of keys. */
export function encodeResults<R extends Results>(
  target: Target,
  table: Table,
  { columns, results, workspace }: ResultSearch,
  buffers: ResultBuffers<R>,
): void {
  const { gpu } = table;
  const { key } = table.settings;
  const { all } = columns;
  requireMembers(buffers, 'buffers', SEARCH);
  const { queries, values, found, count, missing = 0, context } = buffers;
  requireContext(key, context);
  const outputs = columns.split<GPUBuffer>(values as GPUBuffer, 'values');
  const named = Object.fromEntries(all.map(({ name }, i) => [columns.areNamed ? name : 'values', outputs[i]]));
  for (const [name, buffer] of Object.entries({ queries, ...named })) requireStorage(buffer as GPUBuffer, name);
  if (found !== undefined) requireStorage(found, 'found');
  requireApart({ queries, ...named, found });
  const words = all.map((column) => missingWords(column, missing));
  const rooms = words.map(({ length }, i) => roomFor(outputs[i] as GPUBuffer, length * WORD_BYTES));
  if (found) rooms.push(roomFor(found, 4));
  const max = checkCount(count, Math.min(roomFor(queries, key.words * WORD_BYTES), ...rooms));
  const look = (recorder: Recorder, items: Extent) => {
    for (const [i, column] of all.entries()) {
      const missing = words[i] as readonly number[];
      recordResults(recorder, table, missing.length, {
        queries: { keys: sized(gpu, queries, max * key.words * WORD_BYTES), context },
        values: sized(gpu, outputs[i] as GPUBuffer, max * missing.length * WORD_BYTES),
        found: i === 0 && found ? sized(gpu, found, max * WORD_BYTES) : undefined,
        results: results(column),
        items,
        missing,
      });
    }
  };
  recordCounted(gpu, target, { label: 'aggregate/get', count, max, workspace }, look);
}
