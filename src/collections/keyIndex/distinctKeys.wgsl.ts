/**
 * Ids by sorting first (as in Alcantara 2011, algorithm 6.4): the keys are sorted, the first of every run of equal ones is
 * listed, and its position in the list is its id. A table of the listed keys then needs no copies to be resolved.
 */
import {
  type Bound,
  type BufferView,
  countWord,
  type Extent,
  type GpuCount,
  type Recorder,
  UnsupportedError,
} from '../../gpu/index.ts';
import { type KeyBuffers, type KeyType, keysView, wordsArray } from '../../keys/index.ts';
import { recordFill, recordGatherRows } from '../../primitives/index.ts';
import { recordScan, scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { type OrderedKey, recordSortKeys, sortedKeys, sortedOrder } from '../../primitives/sortKeys.wgsl.ts';
import { HeaderLayout, STATUS } from '../../schemes/contract/index.ts';
import type { Table } from '../../table/table.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { SortedAlong } from '../groups/sortedGroups.wgsl.ts';
import type { KeysById } from './keysById.ts';

const IDS = 'keyIndex/ids';

const idsOut = storage('ids', 'array<u32>', 'read_write');
const startsOut = storage('starts', 'array<u32>', 'read_write');
const itemIdsOut = storage('itemIds', 'array<u32>', 'read_write');

/** Throws unless keys of this type can be sorted. */
export function requireOrder(key: KeyType<never> | KeyType): void {
  if (!key.order) {
    throw new UnsupportedError(`${key.name} keys have no order to sort by; use the construction 'table'`);
  }
}

/** Records the listing of the distinct keys in `byId`. Returns a buffer in which every id stands at its own position. */
export function recordDistinctKeys(
  recorder: Recorder,
  byId: KeysById,
  input: KeyBuffers,
  items: Extent,
  along: SortedAlong | undefined,
): GPUBuffer {
  const { size } = byId;
  const key = byId.key as OrderedKey;
  const { workspace } = byId.scratch;
  const keysOut = byId.reserve(items.max);
  const ids = workspace.scratch(IDS, items.max * WORD_BYTES);
  if (items.max === 0) {
    recordFill(recorder, { output: size, value: 0, items: 1 });
    return ids;
  }
  const kernels = kernelsOf(key, along?.starts ? 'starts' : along?.ids ? 'ids' : 'nothing');
  const sorted = recordSorted(recorder, byId, input, items, along);
  const beside: Bound = [
    ...(along?.starts ? [[startsOut, along.starts] as const] : []),
    ...(along?.ids ? [[itemIdsOut, along.ids] as const] : []),
  ];
  recordScan(recorder, kernels.scan, {
    bound: [...sorted, ...kernels.keys.bind(input), [kernels.keysOut, keysOut], [idsOut, ids], ...beside],
    items,
    total: { buffer: size },
    workspace,
  });
  return ids;
}

/** Sorts the keys, and the values along with them: themselves where they are words, else by the numbers of their items. */
function recordSorted(
  recorder: Recorder,
  { key, scratch: { workspace } }: KeysById,
  input: KeyBuffers,
  items: Extent,
  along: SortedAlong | undefined,
): Bound {
  const { order } = key as OrderedKey;
  const values = along?.values;
  const isAlone = order.unlead !== undefined && (values === undefined || values.words === 1);
  const sorted = recordSortKeys(recorder, {
    key: key as OrderedKey,
    input,
    items,
    workspace,
    withOrder: !isAlone,
    along: values && { from: values.from, to: values.grouped },
  });
  if (values && !isAlone) {
    recordGatherRows(recorder, {
      rows: values.from,
      rowWords: values.words,
      rowCount: items.max,
      indices: sorted.find(([binding]) => binding === sortedOrder)?.[1] as BufferView,
      output: values.grouped,
      items,
    });
  }
  return sorted;
}

const kernelsOf = kept((key: OrderedKey, beside: 'starts' | 'ids' | 'nothing') => {
  const keys = keysView(key, 'input');
  const keysOut = wordsArray('keysOut', key.words, 'read_write');
  const inOrder = sortedKeys(key, keys);
  const load = wgsl`
fn load(entry: u32) -> u32 {
  if (entry == 0u) { return 1u; }
  return u32(!${inOrder.isSame}(entry - 1u, entry));
}`;
  const store = wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  // A rebuild may have more keys than there is room for; the table then says so.
  if (loaded == 1u && prefix < arrayLength(&${keysOut})) {
    ${keysOut}[prefix] = ${inOrder.at('entry')};
    ${idsOut}[prefix] = prefix;
    ${beside === 'starts' ? wgsl`${startsOut}[prefix] = entry;` : ''}
  }
  ${beside === 'ids' ? wgsl`${itemIdsOut}[entry] = prefix + loaded - 1u;` : ''}
}`;
  return { keys, keysOut, scan: scanKernels('keyIndex/distinct', load, store) };
});

const given = storage('given', 'array<u32>');
/** Which word of `given` is the number of items, and the most that it may be. */
const limits = uniform('limits', 'vec2u');

const recountKernel = kept((layout: HeaderLayout) => {
  const header = layout.forBuilding();
  return {
    header,
    program: kernel({
      label: 'keyIndex/recount',
      threads: 1,
      body: wgsl`
  let items = ${given}[${limits}.x];
  // More keys than the table holds were counted already.
  if ((atomicLoad(&${header}.status) & ${STATUS.overflow}u) != 0u) { return; }
  let dropped = max(min(items, ${limits}.y), ${header}.count) - ${header}.count;
  ${header}.count += dropped;
  atomicAdd(&${header}.copies, dropped);
  if (items > ${limits}.y) {
    atomicOr(&${header}.status, ${STATUS.overflow}u);
    atomicStore(&${header}.failed, items - ${limits}.y);
  }`,
    }),
  };
});

/** The table was built from the listed keys alone. Records that its header counts all items, and the copies among them. */
export function recordRecount(recorder: Recorder, table: Table, count: number | GpuCount, maxCount: number): void {
  const { buffer, word } = countWord(recorder.gpu, count);
  const { program, header } = recountKernel(HeaderLayout.of(table.plan.fields));
  recorder.runOnce(program, [
    [header, table.buffers.header],
    [given, buffer],
    [limits, recorder.gpu.constants(word, maxCount)],
  ]);
}
