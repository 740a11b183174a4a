/** All items of a multi-map: every value with its key. */
import { extentCount, record, requireMembers, type Target } from '../../gpu/index.ts';
import { type Column, type EntryBuffers, recordNone, requireEntryRoom } from '../../table/entryBuffers.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import { sized } from '../../table/source.ts';
import { kept, kernel, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { sizeNow } from '../keyIndex/entries.wgsl.ts';
import type { KeyIndex } from '../keyIndex/keyIndex.ts';
import { bounds, countsOut, type RetrieveCall, recordExpand, startsOut } from './retrieve.wgsl.ts';

const THREADS = 256;

/** How many values each id has, and where they begin. There may be fewer ids than there is room for. */
const locateIds = kept((reading: Reading) =>
  kernel({
    label: 'multiMap/locateIds',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  var range = vec2u(0u);
  if (item < ${sizeNow(reading)}) { range = ${bounds}[item]; }
  ${countsOut}[item] = range.y - range.x;
  ${startsOut}[item] = range.x;`,
  }),
);

/** Checks the buffers, then records that all items of a multi-map over that index are written: at most so many. */
export function encodeItems<K>(
  target: Target,
  { table, byId, keyCapacity }: KeyIndex<K>,
  capacity: number,
  buffers: EntryBuffers,
  retrieval: Pick<RetrieveCall, 'type' | 'values' | 'bounds' | 'workspace'>,
): void {
  requireMembers(buffers, 'buffers', ['keys', 'values', 'count']);
  const { gpu } = table;
  const { keys, values, count } = buffers;
  const { type, workspace } = retrieval;
  const { words } = byId.key;
  const columns: Column[] = [
    ['keys', keys, words],
    ['values', values, type.words],
  ];
  requireEntryRoom(table, capacity, columns, count, [byId.size]);
  record(gpu, target, 'multiMap/entries', (recorder) => {
    if (capacity === 0) {
      recordNone(recorder, count);
      return;
    }
    const items = recorder.extent(keyCapacity);
    const offsets = workspace.scratch('entries/offsets', keyCapacity * WORD_BYTES);
    const starts = workspace.scratch('entries/starts', keyCapacity * WORD_BYTES);
    recorder.run(
      locateIds(table.reading),
      [
        ...table.bound,
        [bounds, retrieval.bounds],
        [countsOut, offsets],
        [startsOut, starts],
        [extentCount, items.count],
      ],
      items,
    );
    recordExpand(recorder, {
      ...retrieval,
      items,
      offsets,
      starts,
      output: sized(gpu, values, capacity * type.words * WORD_BYTES),
      keys: { from: byId.keys, words, to: sized(gpu, keys, capacity * words * WORD_BYTES) },
      capacity,
      total: count,
    });
  });
}
