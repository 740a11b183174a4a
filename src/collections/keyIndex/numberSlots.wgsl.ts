/**
 * Ids inside the table build, after Alcantara et al. 2009, section 4.3, and Alcantara 2011, sections 5.3 and 6.3. There, slots
 * that hold a key are numbered by a scan over the slots; but which slot a key gets depends on which thread came first. Here the
 * scan goes over the items: the first item of every key counts as one, so ids follow the input and are the same every time. The
 * number becomes the value of the slot, and the position of the key in the list of keys.
 */
import { extentCount, type Recorder } from '../../gpu/index.ts';
import { wordsArray } from '../../keys/index.ts';
import { recordScan, scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { NO_SLOT, type TablePlan, type ValueStore } from '../../schemes/contract/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Source } from '../../table/source.ts';
import type { Table } from '../../table/table.ts';
import { kept, kernel, storage, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { recordFirstItems, recordRoomForIds } from './items.wgsl.ts';
import type { KeysById } from './keysById.ts';

const THREADS = 256;

/** The slot of every item, and the first item of every slot. */
const slots = storage('slots', 'array<u32>');
const firstsBySlot = storage('firstsBySlot', 'array<u32>');
/** How many keys came before an item. */
const ranks = storage('ranks', 'array<u32>');
const ranksOut = storage('ranks', 'array<u32>', 'read_write');
const firstItems = storage('firstItems', 'array<u32>');
const firstItemsOut = storage('firstItems', 'array<u32>', 'read_write');
const size = storage('size', 'u32');
const idsOut = storage('ids', 'array<u32>', 'read_write');

/** Records the numbering of a table that was just built. */
export function recordNumbering(recorder: Recorder, table: Table, source: Source, byId: KeysById): void {
  const { plan, buffers, bound } = table;
  const { workspace } = byId.scratch;
  const { maxCount } = source;
  const input = source.load();
  const maxKeys = Math.min(plan.request.items, plan.slotCount);
  const keysOut = byId.reserve(maxKeys);
  const items = recorder.extent(maxCount);
  const slotWords = workspace.scratch('keyIndex/slots', maxCount * WORD_BYTES);
  const firstWords = workspace.scratch('keyIndex/firstsBySlot', plan.slotCount * WORD_BYTES);
  const rankWords = workspace.scratch('keyIndex/ranks', maxCount * WORD_BYTES);
  const firsts = byId.firstItems(maxKeys);

  const call = { ...input, maxCount, numbers: slotWords, firsts: firstWords, maxNumbers: plan.slotCount };
  recordFirstItems(recorder, table, 'slot', call);
  const bySlot = [
    [slots, slotWords],
    [firstsBySlot, firstWords],
  ] as const;
  recordScan(recorder, scanFirsts, {
    bound: [...bySlot, [ranksOut, rankWords], [firstItemsOut, firsts]],
    items,
    total: { buffer: byId.size },
    workspace,
  });
  const { list, store, keysList, values } = listKernels(table.reading);
  const listed = [
    [slots, slotWords],
    [firstItems, firsts],
    [size, byId.size],
  ] as const;
  recorder.run(list, [...bound, ...listed, [keysList, keysOut]], maxKeys);
  recorder.run(store, [...values.bind(buffers), ...listed], maxKeys);
  if (byId.keepsItems) {
    const ranked = [
      ...bySlot,
      [ranks, rankWords],
      [idsOut, recordRoomForIds(recorder, byId, maxCount)],
      [extentCount, items.count],
    ] as const;
    recorder.run(itemIds, ranked, items);
  }
}

const scanFirsts = scanKernels(
  'keyIndex/firsts',
  wgsl`
fn load(item: u32) -> u32 {
  let slot = ${slots}[item];
  if (slot == ${NO_SLOT}u) { return 0u; }
  return u32(${firstsBySlot}[slot] == item);
}`,
  wgsl`
fn store(item: u32, isFirst: u32, prefix: u32) {
  ${ranksOut}[item] = prefix;
  // A build that failed may have left copies behind, more than there is room for.
  if (isFirst == 1u && prefix < arrayLength(&${firstItemsOut})) { ${firstItemsOut}[prefix] = item; }
}`,
);

/** The slot of an id. */
const slotOf = wgsl`
fn slotOf(id: u32) -> u32 {
  return ${slots}[${firstItems}[id]];
}`;

const listKernels = kept(({ plan, entry }: Reading<TablePlan>) => {
  const values = plan.valueStore?.() as ValueStore;
  const keysList = wordsArray('keysOut', plan.request.key.words, 'read_write');
  return {
    keysList,
    values,
    list: kernel({
      label: 'keyIndex/list',
      threads: THREADS,
      body: wgsl`
  if (item >= ${size} || item >= arrayLength(&${keysList})) { return; }
  ${keysList}[item] = ${entry}(${slotOf}(item)).key;`,
    }),
    // Apart from the list, because a kernel must not bind the table both for reading and for writing.
    store: kernel({
      label: 'keyIndex/store',
      threads: THREADS,
      body: wgsl`
  if (item >= ${size} || item >= arrayLength(&${firstItems})) { return; }
  ${values.store}(${slotOf}(item), item);`,
    }),
  };
});

const itemIds = kernel({
  label: 'keyIndex/itemIds',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let slot = ${slots}[item];
  var id = ${NO_SLOT}u;
  if (slot != ${NO_SLOT}u) { id = ${ranks}[${firstsBySlot}[slot]]; }
  ${idsOut}[item] = id;`,
});
