/**
 * The items of every key together: their ids are looked up, ids and values are sorted by id, and where the ids change is
 * where one key's values end and the next one's begin (after Alcantara 2011, algorithm 6.4). The sort is stable, so the
 * values of a key stay in the order of the input.
 */
import { type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../../gpu/index.ts';
import { type KeyBuffers, keysView } from '../../keys/index.ts';
import { recordCopy, recordSort } from '../../primitives/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kept, kernel, storage, WORD_BYTES, wgsl } from '../../wgsl/index.ts';

const THREADS = 256;
const IDS = 'groups/ids';

const idsOut = storage('ids', 'array<u32>', 'read_write');
const ids = storage('ids', 'array<u32>');
const boundsOut = storage('bounds', 'array<u32>', 'read_write');

/** Items of a collection that stands on a key index. */
export interface GroupedItems extends KeyBuffers {
  /** The id of every item, where the index keeps them. */
  readonly ids?: BufferView | undefined;
  readonly items: Extent;
  /** The most ids that there can be. */
  readonly maxKeys: number;
  readonly workspace: Workspace;
}

/** What a grouping reads and writes. */
export interface GroupsCall extends GroupedItems {
  readonly values: BufferView;
  /** Gets the values, those of a key together. */
  readonly grouped: GPUBuffer;
  /** Gets two words an id: where its values begin, and where they end. */
  readonly bounds: GPUBuffer;
}

/** Records that every item's id goes to `output`: it is looked up, or known already. */
export function recordItemIds(
  recorder: Recorder,
  table: Searchable,
  call: GroupedItems & { readonly output: GPUBuffer },
) {
  const { items, output } = call;
  if (call.ids) {
    recordCopy(recorder, { from: call.ids, to: output, items });
    return;
  }
  const { program, keys } = itemIdsKernel(table.reading);
  recorder.run(program, [...table.bound, ...keys.bind(call), [idsOut, output], [extentCount, items.count]], items);
}

/** Records the grouping. */
export function recordGroups(recorder: Recorder, table: Searchable, call: GroupsCall): void {
  const { items, maxKeys, grouped, workspace } = call;
  const idWords = workspace.scratch(IDS, items.max * WORD_BYTES);
  recordItemIds(recorder, table, { ...call, output: idWords });
  recordSort(recorder, {
    keys: idWords,
    values: grouped,
    valuesFrom: call.values,
    bits: bitsOf(maxKeys),
    items,
    workspace,
  });
  recorder.run(
    markBounds,
    [
      [ids, idWords],
      [boundsOut, call.bounds],
      [extentCount, items.count],
    ],
    items,
  );
}

/** Bits of the greatest id. */
export const bitsOf = (maxKeys: number): number => 32 - Math.clz32(Math.max(0, maxKeys - 1));

const markBounds = kernel({
  label: 'groups/bounds',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let id = ${ids}[item];
  let last = ${extentCount} - 1u;
  if (item == 0u || ${ids}[item - 1u] != id) { ${boundsOut}[2u * id] = item; }
  if (item == last || ${ids}[item + 1u] != id) { ${boundsOut}[2u * id + 1u] = item + 1u; }`,
});

const itemIdsKernel = kept((reading: Reading) => {
  const keys = keysView(reading.request.key, 'input');
  return {
    keys,
    program: kernel({
      label: 'groups/ids',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${idsOut}[item] = ${reading.find(keys.access)}(${keys.at('item')}).value;`,
    }),
  };
});
