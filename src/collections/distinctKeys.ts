/**
 * Ids by sorting first (as in Alcantara 2011, algorithm 6.4): the keys are sorted, the first of every run of equal ones is
 * listed, and its place in the list is its id. A table of the listed keys then needs no copies to be resolved.
 */
import {
  type BufferView,
  type Extent,
  extentCount,
  type GpuCount,
  knownExtent,
  type Recorder,
  UnsupportedError,
} from '../gpu/index.ts';
import { type KeyType, wordAt, wordsType } from '../keys/index.ts';
import { recordCopy, recordFill, recordSort } from '../primitives/index.ts';
import { recordScan, type ScanKernels, scanKernels } from '../primitives/scanKernels.ts';
import { buildHeader, STATUS } from '../schemes/header.ts';
import { type Binding, type Kernel, kernel, storage, uniform, type WgslPart, wgsl } from '../wgsl/index.ts';
import type { KeysById } from './keysById.ts';
import type { Table } from './table.ts';

const THREADS = 256;
const SORT_KEYS = 'keyIndex/sortKeys';
const ORDER = 'keyIndex/order';
const IDS = 'keyIndex/ids';

const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
const sorted = storage('sorted', 'array<u32>');
const order = storage('order', 'array<u32>');
const orderOut = storage('order', 'array<u32>', 'read_write');
const idsOut = storage('ids', 'array<u32>', 'read_write');

/** Throws unless keys of this type can be sorted. */
export function requireOrder(key: KeyType): void {
  if (!key.radixWords) {
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
  const perItem = (name: string) => workspace.scratch(name, extent.max * 4);
  const [sortWords, ids] = [perItem(SORT_KEYS), perItem(IDS)];
  if (extent.max === 0) {
    recordFill(recorder, { output: size, value: 0, items: 1 });
    return ids;
  }
  const kernels = kernelsOf(key);
  const bound: (readonly [Binding, BufferView])[] = [
    [kernels.keys, input.keys],
    [sorted, sortWords],
    [kernels.keysOut, keysOut],
    [idsOut, ids],
  ];
  if (key.words === 1) {
    recordCopy(recorder, { from: input.keys, to: sortWords, items: extent });
    recordSort(recorder, { keys: sortWords, items: extent, workspace });
  } else {
    const orderWords = perItem(ORDER);
    bound.push([order, orderWords], [orderOut, orderWords], [sortKeys, sortWords], [extentCount, extent.count]);
    for (const pick of kernels.picks) {
      recorder.run(pick, bound, extent);
      recordSort(recorder, { keys: sortWords, values: orderWords, items: extent, workspace });
    }
  }
  recordScan(recorder, kernels.scan, { bound, items: extent, total: { buffer: size }, workspace });
  return ids;
}

interface Kernels {
  readonly keys: Binding;
  readonly keysOut: Binding;
  /** For keys of several words: one for each, from the least significant on. */
  readonly picks: readonly Kernel[];
  readonly scan: ScanKernels;
}

const KERNELS = new WeakMap<KeyType, Kernels>();

function kernelsOf(key: KeyType): Kernels {
  const known = KERNELS.get(key);
  if (known) return known;
  const type = wgsl`array<${wordsType(key.words)}>`;
  const keys = storage('keys', type);
  const keysOut = storage('keysOut', type, 'read_write');
  const side = key.access('input');
  // The sort has already moved one-word keys; wider ones are read through the order.
  const keyAt = (i: WgslPart) => (key.words === 1 ? wgsl`${sorted}[${i}]` : wgsl`${keys}[${order}[${i}]]`);
  const same = wgsl`${key.equals(side, side)}(${side.of(keyAt('entry - 1u'))}, ${side.of(keyAt('entry'))})`;
  const load = wgsl`
fn load(entry: u32) -> u32 {
  if (entry == 0u) { return 1u; }
  return u32(!${same});
}`;
  const store = wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  // A rebuild may have more keys than there is room for; the table then says so.
  if (loaded == 1u && prefix < arrayLength(&${keysOut})) {
    ${keysOut}[prefix] = ${keyAt('entry')};
    ${idsOut}[prefix] = prefix;
  }
}`;
  const made = {
    keys,
    keysOut,
    picks: (key.radixWords ?? []).map((word, i) => pickKernel(keys, key.words, word, i === 0)),
    scan: scanKernels('keyIndex/distinct', load, store),
  };
  KERNELS.set(key, made);
  return made;
}

const pickKernel = (keys: Binding, words: number, word: number, first: boolean): Kernel =>
  kernel({
    label: 'keyIndex/pick',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${first ? wgsl`${orderOut}[item] = item;` : ''}
  ${sortKeys}[item] = ${wordAt(words, wgsl`${keys}[${first ? 'item' : wgsl`${orderOut}[item]`}]`, word)};`,
  });

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
