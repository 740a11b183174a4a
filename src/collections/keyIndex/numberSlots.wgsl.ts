/**
 * Ids inside the table build (Alcantara et al. 2009, section 4.3; Alcantara 2011, sections 5.3 and 6.3): every slot that
 * holds a key counts as one, an exclusive scan over the slots numbers them, and the number becomes the value of the slot
 * and the position of the key in the list of keys.
 */
import type { Recorder } from '../../gpu/index.ts';
import { wordsArray } from '../../keys/index.ts';
import { recordExclusiveScan } from '../../primitives/index.ts';
import type { TablePlan, ValueStore } from '../../schemes/contract/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Table } from '../../table/table.ts';
import { kept, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

const THREADS = 256;
const IDS = 'keyIndex/ids';

const slotCount = uniform('slotCount', 'u32');
const marks = storage('marks', 'array<u32>', 'read_write');
const ids = storage('ids', 'array<u32>');
const size = storage('size', 'u32');

/** Records the numbering of a table that was just built. */
export function recordNumbering(recorder: Recorder, table: Table, byId: KeysById): void {
  const { plan, bound, buffers } = table;
  const { workspace } = byId.scratch;
  const slots = plan.slotCount;
  const idWords = workspace.scratch(IDS, slots * 4);
  const kernels = kernelsOf(table.reading);
  const count = [slotCount, recorder.gpu.constants(slots)] as const;
  const numbered = [count, [ids, idWords], [size, byId.size]] as const;

  recorder.run(kernels.mark, [...bound, count, [marks, idWords]], slots);
  recordExclusiveScan(recorder, {
    input: idWords,
    output: idWords,
    items: slots,
    total: { buffer: byId.size },
    workspace,
  });
  recorder.run(
    kernels.list,
    [...bound, ...numbered, [kernels.keys, byId.reserve(Math.min(plan.request.items, slots))]],
    slots,
  );
  recorder.run(kernels.store, [...kernels.values.bind(buffers), ...numbered], slots);
}

/** A slot has an id if the next one has another. */
const isNumbered = wgsl`
fn isNumbered(slot: u32) -> bool {
  let next = slot + 1u;
  if (next == ${slotCount}) { return ${ids}[slot] != ${size}; }
  return ${ids}[slot] != ${ids}[next];
}`;

const kernelsOf = kept(({ plan, entry }: Reading<TablePlan>) => {
  const values = plan.valueStore?.() as ValueStore;
  const keys = wordsArray('keys', plan.request.key.words, 'read_write');
  return {
    keys,
    values,
    mark: kernel({
      label: 'keyIndex/mark',
      threads: THREADS,
      body: wgsl`
  if (item >= ${slotCount}) { return; }
  ${marks}[item] = u32(${entry}(item).present);`,
    }),
    list: kernel({
      label: 'keyIndex/list',
      threads: THREADS,
      body: wgsl`
  if (item >= ${slotCount} || !${isNumbered}(item)) { return; }
  let id = ${ids}[item];
  // A build that failed may have left copies behind, more than there is room for.
  if (id < arrayLength(&${keys})) { ${keys}[id] = ${entry}(item).key; }`,
    }),
    // Apart from the list, because a kernel must not bind the table both for reading and for writing.
    store: kernel({
      label: 'keyIndex/store',
      threads: THREADS,
      body: wgsl`
  if (item >= ${slotCount} || !${isNumbered}(item)) { return; }
  ${values.store}(item, ${ids}[item]);`,
    }),
  };
});
