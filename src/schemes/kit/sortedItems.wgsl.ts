/** The build of a table of sorted keys, wherever its slots lie: sort, mark copies, move every item that is kept to its slot. */
import { type Bound, UnsupportedError } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import { recordExclusiveScan, scanScratch } from '../../primitives/index.ts';
import {
  type OrderedKey,
  recordSortKeys,
  type SortedKeys,
  sortedKeys,
  sortedLeads,
  sortedOrder,
  sortKeysScratch,
} from '../../primitives/sortKeys.wgsl.ts';
import { type Kernel, kernel, once, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import {
  type BuildView,
  buildView,
  type GpuBuild,
  headerOffset,
  type PlanRequest,
  type TablePlan,
} from '../contract/index.ts';
import { forbidsCopies, reportDuplicate } from './copies.wgsl.ts';
import { dropped, droppedOut, keptBefore } from './droppedCopies.wgsl.ts';
import { type SortedSlots, sortedSlots, sortedTableBuffers, sortedValueStore } from './sortedTable.wgsl.ts';

const THREADS = 256;
const DROPPED = 'sortedItems/dropped';

/** What distinguishes the tables of sorted keys. */
export interface SortedTable extends Pick<TablePlan, 'request' | 'reader' | 'slotCount'> {
  readonly scheme: string;
  /** WGSL: `(position: u32, size: u32) -> u32`, the slot of the key at that position in the order of all. */
  readonly slotOf: Wgsl;
}

/** Plans such a table. Throws `UnsupportedError` for keys without an order. */
export function planSortedItems({ scheme, request, slotCount, slotOf, reader }: SortedTable): TablePlan {
  const { items, key, duplicates } = request;
  if (!key.order) {
    throw new UnsupportedError(
      `${scheme}: ${key.name} keys have no order to sort by; use a hash table such as chaining`,
    );
  }
  return {
    request,
    // No hash function is used; the constants are drawn all the same, and ignored.
    family: mix,
    format: `${scheme}/1`,
    capacitySlots: Math.max(1, items),
    slotCount,
    buffers: sortedTableBuffers(request, slotCount),
    scratch: [
      ...sortKeysScratch(key as OrderedKey, items, { withOrder: needsOrder(request) }),
      ...(forbidsCopies(duplicates) ? [] : [{ name: DROPPED, bytes: items * WORD_BYTES }, ...scanScratch(items)]),
    ],
    fields: {},
    build: sortedBuild(request, slotOf),
    reader,
    valueStore: () => sortedValueStore(request),
  };
}

/** Whether item numbers have to move along: not if the leads are all that is ever asked for. */
const needsOrder = ({ key, valueWords, duplicates }: PlanRequest): boolean =>
  !key.order?.unlead || valueWords > 0 || forbidsCopies(duplicates);

function sortedBuild(request: PlanRequest, slotOf: Wgsl): GpuBuild {
  const key = request.key as OrderedKey;
  const kernels = once(() => {
    const view = buildView(request, {});
    const slots = sortedSlots(request);
    const inOrder = sortedKeys(key, view.keys);
    return {
      view,
      slots,
      mark: markKernel(view, request, inOrder),
      move: moveKernel(view, request, slots, slotOf),
    };
  });
  return {
    on: 'gpu',
    // A sort cannot fail.
    encodedAttempts: 1,
    record: (recorder, table, input) => {
      const { view, slots, mark, move } = kernels();
      const { items, workspace } = input;
      const sorted = recordSortKeys(recorder, { key, input, items, workspace, withOrder: needsOrder(request) });
      const dropsCopies = !forbidsCopies(request.duplicates);
      const droppedWords = dropsCopies ? workspace.scratch(DROPPED, request.items * WORD_BYTES) : undefined;
      const bound: Bound = [
        ...sorted,
        ...view.bind(table, input),
        [slots.leads, table.get('leads')],
        ...(slots.rest ? ([[slots.rest, table.get('rest')]] as const) : []),
      ];
      recorder.run(mark, [...bound, ...(droppedWords ? ([[droppedOut, droppedWords]] as const) : [])], items);
      if (droppedWords) {
        const total = { buffer: table.header, offset: headerOffset('copies') };
        recordExclusiveScan(recorder, { input: droppedWords, output: droppedWords, total, items, workspace });
      }
      recorder.run(move, [...bound, ...(droppedWords ? ([[dropped, droppedWords]] as const) : [])], items);
    },
  };
}

/** The sort is stable, so the first of a run of equal keys is the first of the input, and the last the last. */
function markKernel({ header }: BuildView, { duplicates }: PlanRequest, { isSame }: SortedKeys): Kernel {
  const isCopy =
    duplicates === 'last'
      ? wgsl`item + 1u < ${header}.count && ${isSame}(item, item + 1u)`
      : wgsl`item > 0u && ${isSame}(item - 1u, item)`;
  return kernel({
    label: 'sortedItems/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.count) { return; }
  let isCopy = ${isCopy};
  ${
    forbidsCopies(duplicates)
      ? wgsl`if (isCopy) { ${reportDuplicate(header)}(${sortedOrder}[item]); }`
      : wgsl`${droppedOut}[item] = u32(isCopy);`
  }`,
  });
}

function moveKernel(
  { header, keys, valueAt }: BuildView,
  { key, valueWords, duplicates }: PlanRequest,
  { leads, rest, restOf }: SortedSlots,
  slotOf: Wgsl,
): Kernel {
  const positionAt = keptBefore(header, duplicates);
  const writeRest =
    rest &&
    wgsl`
  // As they are: bytes to check them by would be one buffer too many. Searches make them safe.
  ${key.order?.unlead ? '' : wgsl`let key = ${keys.words}[${sortedOrder}[item]];`}
  ${valueWords > 0 ? wgsl`let value = ${valueAt(wgsl`${sortedOrder}[item]`)};` : ''}
  ${rest}[slot] = ${restOf('key', 'value')};`;
  return kernel({
    label: 'sortedItems/move',
    threads: THREADS,
    body: wgsl`
  let count = ${header}.count;
  if (item >= count) { return; }
  let position = ${positionAt}(item);
  // A dropped item leaves its position to the next one.
  if (${positionAt}(item + 1u) == position) { return; }
  let slot = ${slotOf}(position, ${positionAt}(count));
  ${leads}[slot] = ${sortedLeads}[item];
  ${writeRest ?? ''}`,
  });
}
