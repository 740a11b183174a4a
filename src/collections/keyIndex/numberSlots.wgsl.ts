/**
 * Ids inside the table build (Alcantara et al. 2009, section 4.3; Alcantara 2011, sections 5.3 and 6.3): every slot that
 * holds a key counts as one, an exclusive scan over the slots numbers them, and the number becomes the value of the slot
 * and the place of the key in the list of keys.
 */
import type { Recorder } from '../../gpu/index.ts';
import { wordsType } from '../../keys/index.ts';
import { recordExclusiveScan } from '../../primitives/index.ts';
import { bindTable, type ValueStore } from '../../schemes/contract/scheme.ts';
import { perPlan } from '../../table/perPlan.ts';
import type { Table } from '../../table/table.ts';
import { type Binding, type Kernel, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

const THREADS = 256;
const IDS = 'keyIndex/ids';

const slotCount = uniform('slotCount', 'u32');
const marks = storage('marks', 'array<u32>', 'read_write');
const ids = storage('ids', 'array<u32>');
const size = storage('size', 'u32');

/** Records the numbering of a table that was just built. */
export function recordNumbering(recorder: Recorder, table: Table, byId: KeysById): void {
  const { gpu } = recorder;
  const { plan, settings, buffers } = table;
  const slots = settings.scheme.slotCount(plan);
  const { workspace } = byId.scratch;
  const idWords = workspace.scratch(IDS, slots * 4);
  const kernels = kernelsOf(table, undefined);
  const count = [slotCount, gpu.constants(slots)] as const;
  const entries = bindTable(table.shader('table'), buffers);
  const numbered = [count, [ids, idWords], [size, byId.size]] as const;

  recorder.run(kernels.mark, [...entries, count, [marks, idWords]], slots);
  recordExclusiveScan(recorder, {
    input: idWords,
    output: idWords,
    items: slots,
    total: { buffer: byId.size },
    workspace,
  });
  recorder.run(kernels.list, [...entries, ...numbered, [kernels.keys, byId.reserve(plan.items)]], slots);
  recorder.run(kernels.store, [...bindTable(kernels.values, buffers), ...numbered], slots);
}

/** A slot has an id if the next one has another. */
const isNumbered = wgsl`
fn isNumbered(slot: u32) -> bool {
  let next = slot + 1u;
  if (next == ${slotCount}) { return ${ids}[slot] != ${size}; }
  return ${ids}[slot] != ${ids}[next];
}`;

interface Kernels {
  readonly keys: Binding;
  readonly values: ValueStore;
  readonly mark: Kernel;
  readonly list: Kernel;
  readonly store: Kernel;
}

const kernelsOf = perPlan((table): Kernels => {
  const { key } = table.plan;
  const { entry } = table.shader('table');
  const values = table.settings.scheme.valueStore?.(table.plan) as ValueStore;
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`, 'read_write');
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
