/** One way to sort items by their keys, whatever the type of the keys. */
import { type Bound, type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { type KeyBuffers, type KeyOrder, type KeysView, type KeyType, keysView } from '../keys/index.ts';
import { type Kernel, kept, kernel, storage, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { mergeSortScratch, recordMergeSort } from './mergeSort.ts';
import { type MergeSortKernels, mergeSortKernels } from './mergeSortKernels.wgsl.ts';
import type { ScratchBuffer } from './scratch.ts';
import { recordSort, sortScratch } from './sort.ts';

const THREADS = 256;
const LEADS = 'sortKeys/leads';
const ORDER = 'sortKeys/order';

/** A type of keys that has an order. */
export type OrderedKey = KeyType & { readonly order: KeyOrder };

/** What `recordSortKeys` sorts. */
export interface SortKeysCall {
  readonly key: OrderedKey;
  /** The keys; they stay as they are. */
  readonly input: KeyBuffers;
  readonly items: number | Extent;
  /** Where the results lie too, until the next sort with it. */
  readonly workspace: Workspace;
  /**
   * Whether item numbers are sorted along. They can be left out where the leads tell the keys (`KeyOrder.unlead`) and
   * nothing but the keys is asked for. Default true.
   */
  readonly withOrder?: boolean;
  /** Words that are sorted along where item numbers are not: from where to where. */
  readonly along?: { readonly from: BufferView; readonly to: GPUBuffer } | undefined;
}

/** The scratch buffers of `recordSortKeys`, its results among them. */
export function sortKeysScratch(
  { order }: OrderedKey,
  maxItems: number,
  { withOrder = true }: Pick<SortKeysCall, 'withOrder'> = {},
): readonly ScratchBuffer[] {
  return [
    { name: LEADS, bytes: WORD_BYTES * maxItems },
    ...(withOrder ? [{ name: ORDER, bytes: WORD_BYTES * maxItems }] : []),
    ...(order.words ? sortScratch(maxItems, { withValues: withOrder }) : mergeSortScratch(maxItems)),
  ];
}

const leadsOut = storage('leads', 'array<u32>', 'read_write');
const orderOut = storage('order', 'array<u32>', 'read_write');

/** The leads of sorted keys, as the kernels that come after the sort see them. */
export const sortedLeads = storage('sortedLeads', 'array<u32>');
/** And the item numbers. */
export const sortedOrder = storage('sortedOrder', 'array<u32>');

/**
 * Records a stable sort of the items by their keys, and returns what is to be bound for the kernels that come after it:
 * `sortedLeads` and `sortedOrder`. Word by word where the order consists of words, else by comparisons.
 */
export function recordSortKeys(recorder: Recorder, call: SortKeysCall): Bound {
  const { key, input, items, workspace, withOrder = true, along } = call;
  const extent = recorder.extent(items);
  const leads = workspace.scratch(LEADS, WORD_BYTES * extent.max);
  const kernels = kernelsOf(key);
  const keys = kernels.keys.bind(input);
  const picked: Bound = [...keys, [extentCount, extent.count], [leadsOut, leads]];
  if (!withOrder) {
    const keysFrom = key.order.isLead ? input.keys : leads;
    if (keysFrom === leads) recorder.run(kernels.pickLead, picked, extent);
    recordSort(recorder, {
      keys: leads,
      keysFrom,
      values: along?.to,
      valuesFrom: along?.from,
      items: extent,
      workspace,
    });
    return [[sortedLeads, leads]];
  }
  const order = workspace.scratch(ORDER, WORD_BYTES * extent.max);
  if (kernels.merge) {
    recordMergeSort(recorder, kernels.merge, { bound: keys, leads, order, items: extent, workspace });
  }
  for (const pick of kernels.picks) {
    recorder.run(pick, [...picked, [orderOut, order]], extent);
    recordSort(recorder, { keys: leads, values: order, items: extent, workspace });
  }
  return [
    [sortedLeads, leads],
    [sortedOrder, order],
  ];
}

interface Kernels {
  readonly keys: KeysView;
  /** Picks the lead of every key, and nothing else. */
  readonly pickLead: Kernel;
  /** Each picks a word of every key, in the order so far; from the least significant on. None where there are no words. */
  readonly picks: readonly Kernel[];
  /** For orders without words. */
  readonly merge: MergeSortKernels | undefined;
}

const kernelsOf = kept((key: OrderedKey): Kernels => {
  const { order } = key;
  const keys = keysView(key, 'input');
  /** A function of the key of an item. */
  const ofItem = (word: Wgsl): Wgsl => wgsl`
fn ofItem(i: u32) -> u32 {
  let key = ${keys.stored('i')};
  return ${word}(${keys.access.of('key')});
}`;
  const lead = ofItem(order.lead(keys.access));
  return {
    keys,
    pickLead: pickKernel(wgsl`${leadsOut}[item] = ${lead}(item);`),
    picks: (order.words?.(keys.access) ?? []).toReversed().map((word, i) =>
      pickKernel(wgsl`
  let source = ${i === 0 ? 'item' : wgsl`${orderOut}[item]`};
  ${leadsOut}[item] = ${ofItem(word)}(source);
  ${orderOut}[item] = source;`),
    ),
    merge: order.words ? undefined : mergeSortKernels('sortKeys', lead, lessItems(key, keys)),
  };
});

const pickKernel = (body: Wgsl): Kernel =>
  kernel({
    label: 'sortKeys/pick',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${body}`,
  });

function lessItems({ order }: OrderedKey, { access, stored }: KeysView): Wgsl {
  return wgsl`
fn lessItems(itemA: u32, itemB: u32) -> bool {
  let keyA = ${stored('itemA')};
  let keyB = ${stored('itemB')};
  return ${order.less(access, access)}(${access.of('keyA')}, ${access.of('keyB')});
}`;
}

/** WGSL to look at the keys of sorted items: where they lie in the input, or through their leads where those tell them. */
export interface SortedKeys {
  /** The key at that position in the order, as words. */
  at(position: WgslPart): WgslPart;
  /** WGSL: `(i: u32, j: u32) -> bool`, whether the same key stands at both positions. */
  readonly isSame: Wgsl;
}

/** The keys of that view, in the order that `recordSortKeys` found. */
export function sortedKeys(key: OrderedKey, { access, stored }: KeysView): SortedKeys {
  const { unlead } = key.order;
  const at = (position: WgslPart): WgslPart =>
    unlead ? wgsl`${unlead}(${sortedLeads}[${position}])` : stored(wgsl`${sortedOrder}[${position}]`);
  const isSameKey = wgsl`
  let keyI = ${at('i')};
  let keyJ = ${at('j')};
  return ${key.equals(access, access)}(${access.of('keyI')}, ${access.of('keyJ')});`;
  return {
    at,
    isSame: wgsl`
fn isSame(i: u32, j: u32) -> bool {
  // Nearly all neighbours differ in their leads, which lie side by side.
  if (${sortedLeads}[i] != ${sortedLeads}[j]) { return false; }
  ${unlead ? 'return true;' : isSameKey}
}`,
  };
}
