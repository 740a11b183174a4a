/**
 * One item of each key, for schemes that cannot take many copies: items are sorted by a hash of their key, and of every
 * run of equal keys the item that the policy keeps is listed. The list and its length stay on the GPU. A sort of
 * everything costs more than most builds, so it runs only from a given attempt on: as the remedy for attempts that failed.
 */
import { type Bound, Gate, gateArgs, gateRows, type Recorder, writeGrids } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import { compactScratch, recordCompact, recordSort, sortScratch } from '../../primitives/index.ts';
import { type Kernel, kernel, storage, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { BufferSpec, BuildInput, BuildView, Duplicates, PlanRequest } from '../contract/index.ts';
import { forbidsCopies, reportDuplicate } from './copies.wgsl.ts';
import { groupCounter } from './groupCounters.wgsl.ts';

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
const listed = storage('listed', 'array<u32>');
const listedCount = storage('listedCount', 'array<u32>');

/** From this attempt on copies are removed first. Who says that there are none is believed once more. */
const firstAttempt = (duplicates: Duplicates): number => (duplicates === 'unique' ? 3 : 2);

/** The scratch buffers of `DistinctItems.record`. */
export const distinctScratch = (items: number): readonly BufferSpec[] => [
  ...[HASHES, ORDER, FLAGS].map((name) => ({ name, bytes: items * WORD_BYTES })),
  { name: COUNT, bytes: 4 },
  ...sortScratch(items, { withValues: true }),
  ...compactScratch(items),
];

/**
 * The items of a build: all of them in the first attempts, nearly one of each key in later ones. A scheme that uses it has to
 * be right with copies in any case.
 */
export interface DistinctItems {
  /** WGSL: `() -> u32`, how many there are. */
  readonly count: Wgsl;
  /** WGSL: `(i: u32) -> u32`, which item of the input is the i-th. */
  readonly itemAt: Wgsl;
  /**
   * Records the listing, which does nothing in the first attempts, and returns what the functions need. Copies that are
   * dropped are added to `header.copies`; where the policy forbids them, they are reported instead.
   */
  record(recorder: Recorder, input: BuildInput, build: Bound): Bound;
}

/** Lists one item of each key as the remedy for attempts that failed: from the second on, with `'unique'` from the third. */
export function distinctItems(build: BuildView, request: PlanRequest): DistinctItems {
  const { header } = build;
  const isListed = wgsl`${header}.attempts >= ${firstAttempt(request.duplicates)}u`;
  const open = kernel({
    label: 'distinct/open',
    threads: 1,
    body: wgsl`${writeGrids}(${header}.count, ${isListed});`,
  });
  const hash = hashKernel(build, request);
  const mark = markKernel(build, request);
  return {
    count: wgsl`
fn distinctCount() -> u32 {
  return select(${header}.count, ${listedCount}[0], ${isListed});
}`,
    itemAt: wgsl`
fn distinctItemAt(i: u32) -> u32 {
  if (${isListed}) { return ${listed}[i]; }
  return i;
}`,
    record: (recorder, { items, workspace }, bound) => {
      const perItem = (name: string) => workspace.scratch(name, request.items * WORD_BYTES);
      const [hashWords, orderWords, flagWords] = [perItem(HASHES), perItem(ORDER), perItem(FLAGS)];
      const count = workspace.scratch(COUNT, 4);
      // A new gate's grids are empty until `open` has run, which an outer gate may prevent.
      const gate = new Gate(recorder.gpu);
      recorder.run(open, [...bound, [gateRows, gate.rows], [gateArgs, gate.args]], 1);
      const behind = recorder.behind(gate);
      behind.run(hash, [...bound, [hashesOut, hashWords], [orderOut, orderWords]], items);
      recordSort(behind, { keys: hashWords, values: orderWords, items, workspace });
      behind.run(mark, [...bound, [hashes, hashWords], [order, orderWords], [flagsOut, flagWords]], items);
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
    },
  };
}

const hashKernel = ({ header, keys }: BuildView, { key }: PlanRequest): Kernel =>
  kernel({
    label: 'distinct/hash',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.count) { return; }
  ${hashesOut}[item] = ${key.hash(keys.access, mix)}(${keys.at('item')}, ${header}.hash).x;
  ${orderOut}[item] = item;`,
  });

/** The sort is stable, so the first of several copies is the first of the input, and the last the last. */
function markKernel({ header, keys }: BuildView, { key, duplicates }: PlanRequest): Kernel {
  const [other, isInside] =
    duplicates === 'last' ? ['item + step', wgsl`item + step < ${header}.count`] : ['item - step', wgsl`step <= item`];
  const keyOf = (i: string) => keys.at(wgsl`${order}[${i}]`);
  const isSame = wgsl`${key.equals(keys.access, keys.access)}(${keyOf('other')}, ${keyOf('item')})`;
  const copies = groupCounter(header);
  const onCopy = forbidsCopies(duplicates) ? wgsl`${reportDuplicate(header)}(${order}[item]);` : copies.count;
  return kernel({
    label: 'distinct/mark',
    threads: THREADS,
    body: wgsl`
  if (item < ${header}.count) {
    var isCopy = false;
    for (var step = 1u; step <= ${REACH}u && ${isInside} && !isCopy; step++) {
      let other = ${other};
      if (${hashes}[other] != ${hashes}[item]) { break; }
      isCopy = ${isSame};
    }
    ${flagsOut}[item] = u32(!isCopy);
    if (isCopy) { ${onCopy} }
  }
  workgroupBarrier();
  if (thread == 0u) { ${copies.flush} }`,
  });
}
