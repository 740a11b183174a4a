/** The build of a table of sorted keys, wherever its slots lie: sort, mark copies, move every item that is kept to its slot. */
import { type Recorder, UnsupportedError } from '../../gpu/index.ts';
import { wordsType } from '../../keys/index.ts';
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
import { type Binding, type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, COPIES_OFFSET } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type PlanRequest, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { forbidsCopies, reportDuplicate } from './copies.wgsl.ts';
import { dropped, droppedOut, placeAt } from './droppedCopies.wgsl.ts';
import { keptPerPlan } from './keptPerPlan.ts';
import { recordOf, sortedTableBindings, sortedTableBuffers } from './sortedTable.wgsl.ts';

const THREADS = 256;
const DROPPED = 'sortedItems/dropped';

/** Plans such a table. Throws `UnsupportedError` for keys without an order. */
export function planSortedItems(scheme: string, request: PlanRequest, slots: number): TablePlan {
  const { items, key, duplicates } = request;
  if (!key.order) {
    throw new UnsupportedError(
      `${scheme}: ${key.name} keys have no order to sort by; use a hash table such as chaining`,
    );
  }
  return {
    ...request,
    capacitySlots: Math.max(1, items),
    canGrow: false,
    table: sortedTableBuffers(request, slots),
    scratch: [
      ...sortKeysScratch(key as OrderedKey, items, { withOrder: needsOrder(request) }),
      ...(forbidsCopies(duplicates) ? [] : [{ name: DROPPED, bytes: items * 4 }, ...scanScratch(items)]),
    ],
    own: [],
  };
}

/** Whether item numbers have to move along: not if the leads are all that is ever asked for. */
const needsOrder = ({ key, valueWords, duplicates }: PlanRequest): boolean =>
  !key.order?.unlead || valueWords > 0 || forbidsCopies(duplicates);

/**
 * Records the build.
 * @param slotOf WGSL: `(rank: u32, size: u32) -> u32`, the slot of the key that has so many lesser ones among all
 */
export function recordSortedItems(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, items, workspace }: BuildInput,
  slotOf: Wgsl,
): void {
  const kernels = kernelsOf(plan, slotOf);
  const sorted = recordSortKeys(recorder, {
    key: plan.key as OrderedKey,
    keys,
    items,
    workspace,
    withOrder: needsOrder(plan),
  });
  const drops = !forbidsCopies(plan.duplicates);
  const droppedWords = drops ? workspace.scratch(DROPPED, plan.items * 4) : undefined;
  const bound = [
    ...sorted,
    [buildHeader, buffers.header] as const,
    [kernels.keys, keys] as const,
    ...(values ? [[kernels.values, values] as const] : []),
    ...(droppedWords ? [[dropped, droppedWords] as const, [droppedOut, droppedWords] as const] : []),
    ...[...kernels.table].map(([name, binding]) => [binding, bufferOf(buffers, name)] as const),
  ];
  recorder.run(kernels.mark, bound, items);
  if (droppedWords) {
    const total = { buffer: buffers.header, offset: COPIES_OFFSET };
    recordExclusiveScan(recorder, { input: droppedWords, output: droppedWords, total, items, workspace });
  }
  recorder.run(kernels.place, bound, items);
}

const kernelsOf = keptPerPlan((plan, slotOf: Wgsl) => {
  const { key, valueWords } = plan;
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const table = sortedTableBindings(plan, 'read_write');
  const inOrder = sortedKeys(key as OrderedKey, keys);
  return {
    keys,
    values,
    table,
    mark: markKernel(plan, inOrder),
    place: placeKernel(plan, inOrder, values, table, slotOf),
  };
});

/** The sort is stable, so the first of a run of equal keys is the first of the input, and the last the last. */
function markKernel({ duplicates }: TablePlan, { isSame }: SortedKeys): Kernel {
  const isCopy =
    duplicates === 'last'
      ? wgsl`item + 1u < ${buildHeader}.count && ${isSame}(item, item + 1u)`
      : wgsl`item > 0u && ${isSame}(item - 1u, item)`;
  return kernel({
    label: 'sortedItems/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let isCopy = ${isCopy};
  ${
    forbidsCopies(duplicates)
      ? wgsl`if (isCopy) { ${reportDuplicate}(${sortedOrder}[item]); }`
      : wgsl`${droppedOut}[item] = u32(isCopy);`
  }`,
  });
}

function placeKernel(
  plan: TablePlan,
  inOrder: SortedKeys,
  values: Binding,
  table: ReadonlyMap<string, Binding>,
  slotOf: Wgsl,
): Kernel {
  const place = placeAt(plan.duplicates);
  const records = table.get('records');
  const writeRecord = wgsl`
  let key = ${inOrder.at('item')};
  ${plan.valueWords > 0 ? wgsl`let value = ${values}[${sortedOrder}[item]];` : ''}
  ${records ?? ''}[slot] = ${recordOf(plan, 'key', 'value')};`;
  return kernel({
    label: 'sortedItems/place',
    threads: THREADS,
    body: wgsl`
  let count = ${buildHeader}.count;
  if (item >= count) { return; }
  let rank = ${place}(item);
  // A dropped item leaves its rank to the next one.
  if (${place}(item + 1u) == rank) { return; }
  let slot = ${slotOf}(rank, ${place}(count));
  ${table.get('leads') as Binding}[slot] = ${sortedLeads}[item];
  ${records ? writeRecord : ''}`,
  });
}
