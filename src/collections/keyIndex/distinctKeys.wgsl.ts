/**
 * Ids by sorting first (as in Alcantara 2011, algorithm 6.4): the keys are sorted, the first of every run of equal ones is
 * listed, and its place in the list is its id. A table of the listed keys then needs no copies to be resolved.
 */
import {
  type BufferView,
  type Extent,
  type GpuCount,
  knownExtent,
  type Recorder,
  UnsupportedError,
} from '../../gpu/index.ts';
import { type KeyType, wordsType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { recordScan, type ScanKernels, scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { type OrderedKey, recordSortKeys, sortedKeys } from '../../primitives/sortKeys.wgsl.ts';
import { buildHeader, STATUS } from '../../schemes/contract/header.wgsl.ts';
import type { Table } from '../../table/table.ts';
import { type Binding, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

const IDS = 'keyIndex/ids';

const idsOut = storage('ids', 'array<u32>', 'read_write');

/** Throws unless keys of this type can be sorted. */
export function requireOrder(key: KeyType): void {
  if (!key.order) {
    throw new UnsupportedError(`${key.name} keys have no order to sort by; use the construction 'table'`);
  }
}

/** Records the listing of the distinct keys in `byId`. Returns a buffer in which every id stands at its own place. */
export function recordDistinctKeys(
  recorder: Recorder,
  byId: KeysById,
  input: { readonly keys: BufferView; readonly items: number | Extent },
): GPUBuffer {
  const { key, size } = byId;
  const { workspace } = byId.scratch;
  const extent = typeof input.items === 'number' ? knownExtent(recorder.gpu, input.items) : input.items;
  const keysOut = byId.reserve(extent.max);
  const ids = workspace.scratch(IDS, extent.max * 4);
  if (extent.max === 0) {
    recordFill(recorder, { output: size, value: 0, items: 1 });
    return ids;
  }
  const ordered = key as OrderedKey;
  const kernels = kernelsOf(ordered);
  const sorted = recordSortKeys(recorder, {
    key: ordered,
    keys: input.keys,
    items: extent,
    workspace,
    withOrder: !ordered.order.unlead,
  });
  recordScan(recorder, kernels.scan, {
    bound: [...sorted, [kernels.keys, input.keys], [kernels.keysOut, keysOut], [idsOut, ids]],
    items: extent,
    total: { buffer: size },
    workspace,
  });
  return ids;
}

interface Kernels {
  readonly keys: Binding;
  readonly keysOut: Binding;
  readonly scan: ScanKernels;
}

const KERNELS = new WeakMap<KeyType, Kernels>();

function kernelsOf(key: OrderedKey): Kernels {
  const known = KERNELS.get(key);
  if (known) return known;
  const type = wgsl`array<${wordsType(key.words)}>`;
  const keys = storage('keys', type);
  const keysOut = storage('keysOut', type, 'read_write');
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
  }
}`;
  const made = { keys, keysOut, scan: scanKernels('keyIndex/distinct', load, store) };
  KERNELS.set(key, made);
  return made;
}

const given = storage('given', 'array<u32>');
/** Which word of `given` is the number of items, and the most that it may be. */
const place = uniform('place', 'vec2u');

const recount = kernel({
  label: 'keyIndex/recount',
  threads: 1,
  body: wgsl`
  let items = ${given}[${place}.x];
  let dropped = max(min(items, ${place}.y), ${buildHeader}.count) - ${buildHeader}.count;
  ${buildHeader}.count += dropped;
  atomicAdd(&${buildHeader}.copies, dropped);
  if (items > ${place}.y) {
    atomicOr(&${buildHeader}.status, ${STATUS.overflow}u);
    atomicStore(&${buildHeader}.failed, items - ${place}.y);
  }`,
});

/** The table knows only the listed keys: records that its header counts all items, and the copies among them. */
export function recordRecount(recorder: Recorder, table: Table, count: number | GpuCount, maxCount: number): void {
  const { gpu } = recorder;
  const [source, at] = typeof count === 'number' ? [gpu.constants(count), 0] : [count.buffer, (count.offset ?? 0) / 4];
  recorder.runOnce(recount, [
    [buildHeader, table.buffers.header],
    [given, source],
    [place, gpu.constants(at, maxCount)],
  ]);
}
