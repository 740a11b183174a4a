import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, type Wgsl, wgsl } from '../wgsl/index.ts';
import {
  eachOfTile,
  MERGE_THREADS,
  MERGE_TILE,
  type MergePath,
  mergeInTile,
  mergePath,
  PER_THREAD,
  Runs,
  runsAt,
  sortTile,
  tileLeads,
  tileOrder,
} from './mergeSortTile.wgsl.ts';

/**
 * The kernels of a stable merge sort. Tiles are sorted in workgroup memory. Then every pass merges pairs of runs: the merge
 * path (Green, McColl and Bader 2012) is cut where it crosses the diagonals between output tiles, so that a workgroup
 * merges exactly one tile, whatever the keys are; and inside the workgroup it is cut again, for every thread.
 *
 * An item is two words in two arrays here: its lead, by which most comparisons are decided, and its number.
 */
export interface MergeSortKernels {
  readonly sortTiles: Kernel;
  readonly splitRuns: Kernel;
  readonly mergeRuns: Kernel;
}

const SPLIT_THREADS = 64;

/** Tiles of a run, of which two are merged. */
export const runTiles = uniform('runTiles', 'u32');
export const leadsIn = storage('leadsIn', 'array<u32>');
export const orderIn = storage('orderIn', 'array<u32>');
export const leadsOut = storage('leadsOut', 'array<u32>', 'read_write');
export const orderOut = storage('orderOut', 'array<u32>', 'read_write');
/** For every output tile, how many items of the first run come before it. */
export const splits = storage('splits', 'array<u32>');
export const splitsOut = storage('splits', 'array<u32>', 'read_write');

/**
 * Makes the kernels that sort item numbers from `lead(item: u32) -> u32` and `less(itemA: u32, itemB: u32) -> bool`, which
 * is called only for items of the same lead.
 */
export function mergeSortKernels(label: string, lead: Wgsl, less: Wgsl): MergeSortKernels {
  const inTile = mergePath(tileLeads, tileOrder, less);
  const inRuns = mergePath(leadsIn, orderIn, less);
  return {
    sortTiles: sortTilesKernel(label, lead, inTile),
    splitRuns: splitRunsKernel(label, inRuns),
    mergeRuns: mergeRunsKernel(label, inTile),
  };
}

const sortTilesKernel = (label: string, lead: Wgsl, inTile: MergePath): Kernel =>
  kernel({
    label: `${label}/sortTiles`,
    threads: MERGE_THREADS,
    itemsPerGroup: MERGE_TILE,
    body: wgsl`
  let start = group * ${MERGE_TILE}u;
  if (start >= ${extentCount}) { return; }
  let size = min(${MERGE_TILE}u, ${extentCount} - start);
  ${eachOfTile((at, k) => wgsl`let lead${k} = ${lead}(start + min(${at}, size - 1u));`)}
  ${eachOfTile((at, k) => wgsl`${tileLeads}[${at}] = lead${k}; ${tileOrder}[${at}] = start + ${at};`)}
  ${sortTile(inTile)}
  ${storeTile}`,
  });

const storeTile = eachOfTile(
  (at) => wgsl`if (${at} < size) {
    ${leadsOut}[start + ${at}] = ${tileLeads}[${at}];
    ${orderOut}[start + ${at}] = ${tileOrder}[${at}];
  }`,
);

/** `pairOf(tile)`: the runs of which that tile of the output is a part. */
const pairOf = wgsl`
fn pairOf(tile: u32) -> ${Runs} {
  let pairStart = (tile - tile % (2u * ${runTiles})) * ${MERGE_TILE}u;
  return ${runsAt}(pairStart, ${runTiles} * ${MERGE_TILE}u, ${extentCount});
}`;

/** One thread finds where one tile of the output begins in both runs. */
const splitRunsKernel = (label: string, { split }: MergePath): Kernel =>
  kernel({
    label: `${label}/splitRuns`,
    threads: SPLIT_THREADS,
    itemsPerGroup: SPLIT_THREADS * MERGE_TILE,
    body: wgsl`
  let start = item * ${MERGE_TILE}u;
  if (start >= ${extentCount}) { return; }
  let pair = ${pairOf}(item);
  ${splitsOut}[item] = ${split}(pair, start - pair.a);`,
  });

/** One workgroup brings the two pieces of a tile together and merges them. */
const mergeRunsKernel = (label: string, inTile: MergePath): Kernel =>
  kernel({
    label: `${label}/mergeRuns`,
    threads: MERGE_THREADS,
    itemsPerGroup: MERGE_TILE,
    body: wgsl`
  let start = group * ${MERGE_TILE}u;
  if (start >= ${extentCount}) { return; }
  let pair = ${pairOf}(group);
  let diagonal = start - pair.a;
  let left = pair.aCount + pair.bCount - diagonal;
  let size = min(${MERGE_TILE}u, left);
  let aFirst = ${splits}[group];
  // A tile ends where the next one begins, and the last of a pair where the pair does.
  var aEnd = pair.aCount;
  if (size < left) { aEnd = ${splits}[group + 1u]; }
  let aCount = aEnd - aFirst;
  let a = pair.a + aFirst;
  let b = pair.b + diagonal - aFirst;
  ${eachOfTile(
    (at, k) => wgsl`let source${k} = select(b + min(${at}, size - 1u) - aCount, a + ${at}, ${at} < aCount);
  let lead${k} = ${leadsIn}[source${k}];
  let item${k} = ${orderIn}[source${k}];`,
  )}
  ${eachOfTile((at, k) => wgsl`${tileLeads}[${at}] = lead${k}; ${tileOrder}[${at}] = item${k};`)}
  workgroupBarrier();
  ${mergeInTile(inTile)}(${Runs}(0u, aCount, aCount, size - aCount), thread * ${PER_THREAD}u);
  ${storeTile}`,
  });
