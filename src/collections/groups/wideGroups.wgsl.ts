/**
 * Grouping of values of several words: the numbers of the items are grouped instead, and each value is then fetched
 * once. Moving whole values would take them through every pass of the sort.
 */
import { type Extent, extentCount, type Recorder, type Workspace } from '../../gpu/index.ts';
import { recordGatherRows } from '../../primitives/index.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kernel, storage, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { GroupsCall } from './groups.wgsl.ts';

const numbersOut = storage('numbers', 'array<u32>', 'read_write');

const numberItems = kernel({
  label: 'groups/number',
  threads: 256,
  body: wgsl`if (item < ${extentCount}) { ${numbersOut}[item] = item; }`,
});

/** Records a list of the numbers of the items. */
export function recordNumbers(recorder: Recorder, items: Extent, workspace: Workspace): GPUBuffer {
  const numbers = workspace.scratch('groups/numbers', items.max * WORD_BYTES);
  recorder.run(
    numberItems,
    [
      [numbersOut, numbers],
      [extentCount, items.count],
    ],
    items,
  );
  return numbers;
}

/** Records a grouping, by `recordGroups` or `recordGroupsInAnyOrder`, of values of that many words. */
export function recordGroupsOf(
  valueWords: number,
  recordWords: (recorder: Recorder, table: Searchable, call: GroupsCall) => void,
  recorder: Recorder,
  table: Searchable,
  call: GroupsCall,
): void {
  if (valueWords === 1) {
    recordWords(recorder, table, call);
    return;
  }
  const { items, workspace } = call;
  const numbers = recordNumbers(recorder, items, workspace);
  const order = workspace.scratch('groups/order', items.max * WORD_BYTES);
  recordWords(recorder, table, { ...call, values: numbers, grouped: order });
  recordGatherRows(recorder, {
    rows: call.values,
    rowWords: valueWords,
    rowCount: items.max,
    indices: order,
    output: call.grouped,
    items,
  });
}
