/**
 * The items of every key together, without a sort of everything (Alcantara et al. 2009, section 4.2): items are scattered
 * into buckets by their id, then a workgroup lays out each bucket: atomics count the values of every key, a scan reserves
 * a chunk for each, and the values are copied to their chunks in whatever order the atomics give. Buckets with more items
 * than a workgroup should handle alone are left to a sort, of their items only.
 */
import { type Bound, extentCount, type Recorder } from '../../gpu/index.ts';
import { recordCopy, recordExclusiveScan, recordFill, recordSort } from '../../primitives/index.ts';
import { recordScan, scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { workgroupScan } from '../../primitives/workgroupScan.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { bitsOf, type GroupsCall, recordItemIds } from './groups.wgsl.ts';

const THREADS = 256;
/** Keys of a bucket, as in the paper: their counters fit into workgroup memory. */
const BUCKET_KEYS = 512;
/** Items that a workgroup lays out alone: 64 a thread, twice. */
export const BUCKET_ITEMS = 16_384;

const ids = storage('ids', 'array<u32>');
const values = storage('values', 'array<u32>');
const cursors = storage('cursors', 'array<atomic<u32>>', 'read_write');
const starts = storage('starts', 'array<u32>');
const ends = storage('ends', 'array<u32>');
const bucketIds = storage('bucketIds', 'array<u32>');
const bucketIdsOut = storage('bucketIds', 'array<u32>', 'read_write');
const bucketValues = storage('bucketValues', 'array<u32>');
const bucketValuesOut = storage('bucketValues', 'array<u32>', 'read_write');
const grouped = storage('grouped', 'array<u32>', 'read_write');
const bounds = storage('bounds', 'array<u32>', 'read_write');
const buckets = uniform('buckets', 'u32');

const countItems = kernel({
  label: 'groupsInAnyOrder/count',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  atomicAdd(&${cursors}[${ids}[item] / ${BUCKET_KEYS}u], 1u);`,
});

const scatter = kernel({
  label: 'groupsInAnyOrder/scatter',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let id = ${ids}[item];
  let position = atomicAdd(&${cursors}[id / ${BUCKET_KEYS}u], 1u);
  ${bucketIdsOut}[position] = id;
  ${bucketValuesOut}[position] = ${values}[item];`,
});

const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${BUCKET_KEYS}>;`;
const threadSums = wgsl`var<workgroup> threadSums: array<u32, ${THREADS}>;`;

/** Where the values of a key go; a thread has two keys. */
const reserve = wgsl`
fn reserve(id: u32, local: u32, start: u32) -> u32 {
  let count = atomicLoad(&${counters}[local]);
  if (count > 0u) {
    ${bounds}[2u * id] = start;
    ${bounds}[2u * id + 1u] = start + count;
  }
  atomicStore(&${counters}[local], start);
  return start + count;
}`;

const layOut = kernel({
  label: 'groupsInAnyOrder/layOut',
  threads: THREADS,
  itemsPerGroup: 1,
  body: wgsl`
  if (group >= ${buckets}) { return; }
  let start = ${starts}[group];
  let end = ${ends}[group];
  if (end - start > ${BUCKET_ITEMS}u) { return; }
  let firstId = group * ${BUCKET_KEYS}u;
  for (var i = start + thread; i < end; i += ${THREADS}u) { atomicAdd(&${counters}[${bucketIds}[i] - firstId], 1u); }
  workgroupBarrier();
  let local = 2u * thread;
  let own = atomicLoad(&${counters}[local]) + atomicLoad(&${counters}[local + 1u]);
  let before = ${workgroupScan(THREADS, threadSums)}(own, thread).before;
  let next = ${reserve}(firstId + local, local, start + before);
  ${reserve}(firstId + local + 1u, local + 1u, next);
  workgroupBarrier();
  for (var i = start + thread; i < end; i += ${THREADS}u) {
    let position = atomicAdd(&${counters}[${bucketIds}[i] - firstId], 1u);
    ${grouped}[position] = ${bucketValues}[i];
  }`,
});

const listIds = storage('listIds', 'array<u32>', 'read_write');
const listValues = storage('listValues', 'array<u32>', 'read_write');
const firstsOut = storage('firsts', 'array<u32>', 'read_write');
const firsts = storage('firsts', 'array<u32>');

/** Lists the items of the buckets that were left out. */
const listRest = scanKernels(
  'groupsInAnyOrder/list',
  wgsl`
fn load(entry: u32) -> u32 {
  let bucket = ${bucketIds}[entry] / ${BUCKET_KEYS}u;
  return u32(${ends}[bucket] - ${starts}[bucket] > ${BUCKET_ITEMS}u);
}`,
  wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  if (loaded == 1u) {
    ${listIds}[prefix] = ${bucketIds}[entry];
    ${listValues}[prefix] = ${bucketValues}[entry];
  }
}`,
);

/** Where in the list each bucket begins. */
const markFirsts = kernel({
  label: 'groupsInAnyOrder/firsts',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let bucket = ${ids}[item] / ${BUCKET_KEYS}u;
  if (item == 0u || ${ids}[item - 1u] / ${BUCKET_KEYS}u != bucket) { ${firstsOut}[bucket] = item; }`,
});

const placeRest = kernel({
  label: 'groupsInAnyOrder/place',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let id = ${ids}[item];
  let bucket = id / ${BUCKET_KEYS}u;
  let position = ${starts}[bucket] + item - ${firsts}[bucket];
  ${grouped}[position] = ${values}[item];
  let last = ${extentCount} - 1u;
  if (item == 0u || ${ids}[item - 1u] != id) { ${bounds}[2u * id] = position; }
  if (item == last || ${ids}[item + 1u] != id) { ${bounds}[2u * id + 1u] = position + 1u; }`,
});

/** Records the grouping, like `recordGroups` but for the order of a key's values. */
export function recordGroupsInAnyOrder(recorder: Recorder, table: Searchable, call: GroupsCall): void {
  const { items, maxKeys, workspace } = call;
  const bucketCount = Math.ceil(maxKeys / BUCKET_KEYS);
  if (bucketCount === 0 || items.max === 0) return;
  const perItem = (name: string) => workspace.scratch(`groups/${name}`, items.max * WORD_BYTES);
  const perBucket = (name: string) => workspace.scratch(`groups/${name}`, bucketCount * WORD_BYTES);
  const [idWords, bucketIdWords, bucketValueWords] = [perItem('ids'), perItem('bucketIds'), perItem('bucketValues')];
  const [cursorWords, startWords] = [perBucket('cursors'), perBucket('starts')];
  const counted = [extentCount, items.count] as const;

  recordItemIds(recorder, table, { ...call, output: idWords });
  recordFill(recorder, { output: cursorWords, value: 0, items: bucketCount });
  recorder.run(countItems, [counted, [ids, idWords], [cursors, cursorWords]], items);
  recordExclusiveScan(recorder, { input: cursorWords, output: startWords, items: bucketCount, workspace });
  recordCopy(recorder, { from: startWords, to: cursorWords, items: bucketCount });
  recorder.run(
    scatter,
    [
      counted,
      [ids, idWords],
      [values, call.values],
      [cursors, cursorWords],
      [bucketIdsOut, bucketIdWords],
      [bucketValuesOut, bucketValueWords],
    ],
    items,
  );
  // The scatter has moved every cursor to the end of its bucket.
  const inBuckets: Bound = [
    [starts, startWords],
    [ends, cursorWords],
    [bucketIds, bucketIdWords],
    [bucketValues, bucketValueWords],
  ];
  const output: Bound = [
    [grouped, call.grouped],
    [bounds, call.bounds],
  ];
  recorder.run(layOut, [...inBuckets, ...output, [buckets, recorder.gpu.constants(bucketCount)]], bucketCount);
  recordRest(recorder, call, { inBuckets, output, startWords, idWords, bucketCount });
}

/** Sorts what the workgroups left, which is nothing as a rule: its grids are empty then. */
function recordRest(
  recorder: Recorder,
  { items, maxKeys, workspace }: GroupsCall,
  parts: {
    readonly inBuckets: Bound;
    readonly output: Bound;
    readonly startWords: GPUBuffer;
    /** Free again. */
    readonly idWords: GPUBuffer;
    readonly bucketCount: number;
  },
): void {
  const restIds = parts.idWords;
  const restValues = workspace.scratch('groups/restValues', items.max * WORD_BYTES);
  const restCount = { buffer: workspace.scratch('groups/restCount', 4) };
  const firstWords = workspace.scratch('groups/firsts', parts.bucketCount * WORD_BYTES);
  const listed: Bound = [...parts.inBuckets, [listIds, restIds], [listValues, restValues]];
  recordScan(recorder, listRest, { bound: listed, items, total: restCount, workspace });
  const gate = workspace.gate('groups/rest', items.max, maxKeys);
  gate.open(recorder, restCount, items.max);
  const rest = gate.extent(items.max);
  const behind = recorder.behind(gate);
  recordSort(behind, { keys: restIds, values: restValues, bits: bitsOf(maxKeys), items: rest, workspace });
  const bound: Bound = [
    [extentCount, rest.count],
    [ids, restIds],
    [values, restValues],
    [starts, parts.startWords],
    [firsts, firstWords],
    [firstsOut, firstWords],
    ...parts.output,
  ];
  behind.run(markFirsts, bound, rest);
  behind.run(placeRest, bound, rest);
  gate.seal();
}
