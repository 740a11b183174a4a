/**
 * One item of each key, for schemes that cannot take many copies: items are sorted by a hash of their key, and of every
 * run of equal keys the item that the policy keeps is listed. The list and its length stay on the GPU. A sort of
 * everything costs more than most builds, so it runs only from a given attempt on: as the remedy for attempts that failed.
 */
import { type Bound, Gate, gateArgs, gateRows, type Recorder, writeGrids } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import { wordsType } from '../../keys/index.ts';
import { compactScratch, recordCompact, recordSort, sortScratch } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import type { BufferSpec, BuildInput, Duplicates, TablePlan } from '../contract/scheme.ts';
import { reportDuplicate } from './copies.wgsl.ts';
import { keptPerPlan } from './keptPerPlan.ts';

const THREADS = 256;

const HASHES = 'distinct/hashes';
const ORDER = 'distinct/order';
const FLAGS = 'distinct/flags';
const COUNT = 'distinct/count';

/** Scratch buffers of a word an item that are free again once the list is made. */
export const FREE_AFTER_DISTINCT = ORDER;
export const ALSO_FREE_AFTER_DISTINCT = FLAGS;

/**
 * How far a copy is looked for past other keys of the same hash word. A copy that is missed stays in the list, which costs
 * the scheme one item more; the item that the policy keeps is never missed.
 */
const REACH = 64;

const hashesOut = storage('hashes', 'array<u32>', 'read_write');
const hashes = storage('hashes', 'array<u32>');
const orderOut = storage('order', 'array<u32>', 'read_write');
const order = storage('order', 'array<u32>');
const flagsOut = storage('flags', 'array<u32>', 'read_write');
const firstAttempt = uniform('firstAttempt', 'u32');

/** From this attempt on copies are removed first. Who says that there are none is believed once more. */
export const distinctFromAttempt = (duplicates: Duplicates): number => (duplicates === 'unique' ? 3 : 2);

/** The scratch buffers of `recordDistinct`. */
export const distinctScratch = (items: number): readonly BufferSpec[] => [
  ...[HASHES, ORDER, FLAGS].map((name) => ({ name, bytes: items * 4 })),
  { name: COUNT, bytes: 4 },
  ...sortScratch(items, { withValues: true }),
  ...compactScratch(items),
];

const listed = storage('listed', 'array<u32>');
const listedCount = storage('listedCount', 'array<u32>');

/** WGSL to go over the items, or from `fromAttempt` on over the listed ones: how many, and which is the i-th. */
export const distinctItems = (fromAttempt: number): { readonly count: Wgsl; readonly itemAt: Wgsl } => ({
  count: wgsl`
fn distinctCount() -> u32 {
  return select(${buildHeader}.count, ${listedCount}[0], ${buildHeader}.attempts >= ${fromAttempt}u);
}`,
  itemAt: wgsl`
fn distinctItemAt(i: u32) -> u32 {
  if (${buildHeader}.attempts >= ${fromAttempt}u) { return ${listed}[i]; }
  return i;
}`,
});

/**
 * Records the listing, and returns what the functions of `distinctItems` need. Copies that are dropped are added to
 * `header.copies`; where the policy forbids them, they are reported instead.
 */
export function recordDistinct(
  recorder: Recorder,
  plan: TablePlan,
  header: GPUBuffer,
  { keys, items, workspace }: BuildInput,
  fromAttempt: number,
): Bound {
  const perItem = (name: string) => workspace.scratch(name, plan.items * 4);
  const [hashWords, orderWords, flagWords] = [perItem(HASHES), perItem(ORDER), perItem(FLAGS)];
  const count = workspace.scratch(COUNT, 4);
  const kernels = kernelsOf(plan);

  // A new gate's grids are empty until `open` has run, which an outer gate may prevent.
  const gate = new Gate(recorder.gpu);
  recorder.run(
    open,
    [
      [buildHeader, header],
      [firstAttempt, recorder.gpu.constants(fromAttempt)],
      [gateRows, gate.rows],
      [gateArgs, gate.args],
    ],
    1,
  );
  const behind = recorder.behind(gate);
  const bound = [
    [buildHeader, header],
    [kernels.keys, keys],
  ] as const;
  behind.run(kernels.hash, [...bound, [hashesOut, hashWords], [orderOut, orderWords]], items);
  recordSort(behind, { keys: hashWords, values: orderWords, items, workspace });
  behind.run(kernels.mark, [...bound, [hashes, hashWords], [order, orderWords], [flagsOut, flagWords]], items);
  // The hashes have done their work, so the list takes their place.
  const listedWords = hashWords;
  recordCompact(behind, {
    values: orderWords,
    flags: flagWords,
    output: listedWords,
    total: { buffer: count },
    items,
    workspace,
  });
  gate.seal();
  return [
    [listed, listedWords],
    [listedCount, count],
  ];
}

const open = kernel({
  label: 'distinct/open',
  threads: 1,
  body: wgsl`${writeGrids}(${buildHeader}.count, ${buildHeader}.attempts >= ${firstAttempt});`,
});

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan) {
  const { key } = plan;
  const input = key.access('input');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  return {
    keys,
    hash: kernel({
      label: 'distinct/hash',
      threads: THREADS,
      body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  ${hashesOut}[item] = ${key.hash(input, mix)}(${input.of(wgsl`${keys}[item]`)}, ${buildHeader}.hash).x;
  ${orderOut}[item] = item;`,
    }),
    mark: markKernel(plan, keys),
  };
}

/** The sort is stable, so the first of several copies is the first of the input, and the last the last. */
function markKernel({ key, duplicates }: TablePlan, keys: Binding): Kernel {
  const input = key.access('input');
  const [other, isInside] =
    duplicates === 'last'
      ? ['item + step', wgsl`item + step < ${buildHeader}.count`]
      : ['item - step', wgsl`step <= item`];
  const keyOf = (i: string) => input.of(wgsl`${keys}[${order}[${i}]]`);
  const isSame = wgsl`${key.equals(input, input)}(${keyOf('other')}, ${keyOf('item')})`;
  const dropped = wgsl`var<workgroup> dropped: atomic<u32>;`;
  const isForbidden = duplicates === 'error' || duplicates === 'unique';
  const onCopy = isForbidden ? wgsl`${reportDuplicate}(${order}[item]);` : wgsl`atomicAdd(&${dropped}, 1u);`;
  const addDropped = wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let copies = atomicLoad(&${dropped});
    if (copies > 0u) { atomicAdd(&${buildHeader}.copies, copies); }
  }`;
  return kernel({
    label: 'distinct/mark',
    threads: THREADS,
    body: wgsl`
  if (item < ${buildHeader}.count) {
    var isCopy = false;
    for (var step = 1u; step <= ${REACH}u && ${isInside} && !isCopy; step++) {
      let other = ${other};
      if (${hashes}[other] != ${hashes}[item]) { break; }
      isCopy = ${isSame};
    }
    ${flagsOut}[item] = u32(!isCopy);
    if (isCopy) { ${onCopy} }
  }
  ${isForbidden ? '' : addDropped}`,
  });
}
