/** What a workgroup of the merge sort does in its own memory. */
import { unrolled, type Wgsl, type WgslPart, wgsl } from '../wgsl/index.ts';

export const MERGE_THREADS = 256;
/** Odd, so that threads reading their own stretches of workgroup memory hit different banks. */
export const PER_THREAD = 7;
/** Items of a tile: 14 KB of workgroup memory. */
export const MERGE_TILE = MERGE_THREADS * PER_THREAD;

export const tileLeads = wgsl`var<workgroup> tileLeads: array<u32, ${MERGE_TILE}>;`;
export const tileOrder = wgsl`var<workgroup> tileOrder: array<u32, ${MERGE_TILE}>;`;

/** Every item of a tile by the thread that reads or writes it in global memory: neighbours by neighbouring threads. */
export const eachOfTile = (lines: (at: WgslPart, k: number) => Wgsl): Wgsl =>
  unrolled(PER_THREAD, (k) => lines(wgsl`(${k * MERGE_THREADS}u + thread)`, k));

/** Two neighbouring runs: where they begin, and how many items they have. */
export const Runs = wgsl`
struct Runs {
  a: u32,
  b: u32,
  aCount: u32,
  bCount: u32,
}`;

/** `runsAt(start, length, end)`: the runs of up to that length from `start` on. */
export const runsAt = wgsl`
fn runsAt(start: u32, length: u32, end: u32) -> ${Runs} {
  let a = min(start, end);
  let b = min(start + length, end);
  return ${Runs}(a, b, b - a, min(length, end - b));
}`;

/** How items in some arrays compare, and where two runs of them are cut. */
export interface MergePath {
  /** WGSL: `(i: u32, j: u32) -> bool`, whether the item at `i` is less than the one at `j`. */
  readonly isLess: Wgsl;
  /** WGSL: `(runs: Runs, diagonal: u32) -> u32`, how many of that many merged items are from the first run. */
  readonly split: Wgsl;
}

/** Of equal items those of the first run come first: that makes the sort stable. */
export function mergePath(leads: WgslPart, order: WgslPart, less: Wgsl): MergePath {
  const isLess = wgsl`
fn isLess(i: u32, j: u32) -> bool {
  let leadI = ${leads}[i];
  let leadJ = ${leads}[j];
  if (leadI != leadJ) { return leadI < leadJ; }
  return ${less}(${order}[i], ${order}[j]);
}`;
  const split = wgsl`
fn split(runs: ${Runs}, diagonal: u32) -> u32 {
  var low = diagonal - min(diagonal, runs.bCount);
  var high = min(diagonal, runs.aCount);
  // The interval halves every time, so 32 rounds are enough for any size.
  for (var round = 0u; round < 32u && low < high; round++) {
    let middle = (low + high) / 2u;
    if (${isLess}(runs.b + diagonal - 1u - middle, runs.a + middle)) { high = middle; } else { low = middle + 1u; }
  }
  return low;
}`;
  return { isLess, split };
}

/**
 * `mergeInTile(runs, diagonal)`: every thread merges the few items from its diagonal on. It notes which run each comes
 * from, one bit an item, and moves them afterwards: so the comparison, which may be long, stands in the text once, and the
 * items stay in registers while everybody reads.
 */
export const mergeInTile = ({ isLess, split }: MergePath): Wgsl => wgsl`
fn mergeInTile(runs: ${Runs}, diagonal: u32) {
  let aEnd = runs.a + runs.aCount;
  let bEnd = runs.b + runs.bCount;
  let total = runs.aCount + runs.bCount;
  let first = min(diagonal, total);
  let count = min(${PER_THREAD}u, total - first);
  let fromA = ${split}(runs, first);
  var a = runs.a + fromA;
  var b = runs.b + first - fromA;
  var areFromB = 0u;
  for (var k = 0u; k < count; k++) {
    var isFromB = a == aEnd;
    if (a < aEnd && b < bEnd) { isFromB = ${isLess}(b, a); }
    areFromB |= u32(isFromB) << k;
    a += u32(!isFromB);
    b += u32(isFromB);
  }
  a = runs.a + fromA;
  b = runs.b + first - fromA;
  ${unrolled(
    PER_THREAD,
    (k) => wgsl`let isFromB${k} = extractBits(areFromB, ${k}u, 1u);
  let source${k} = min(select(a, b, isFromB${k} == 1u), ${MERGE_TILE - 1}u);
  let lead${k} = ${tileLeads}[source${k}];
  let item${k} = ${tileOrder}[source${k}];
  a += 1u - isFromB${k};
  b += isFromB${k};`,
  )}
  workgroupBarrier();
  let out = runs.a + first;
  ${unrolled(
    PER_THREAD,
    (k) => wgsl`if (${k}u < count) {
    ${tileLeads}[out + ${k}u] = lead${k};
    ${tileOrder}[out + ${k}u] = item${k};
  }`,
  )}
  workgroupBarrier();
}`;

/** `insertionSort(first, end)`, of the few items of one thread. */
const insertionSort = ({ isLess }: MergePath): Wgsl => wgsl`
fn insertionSort(first: u32, end: u32) {
  for (var next = first + 1u; next < end; next++) {
    for (var at = next; at > first && ${isLess}(at, at - 1u); at--) {
      let lead = ${tileLeads}[at];
      let item = ${tileOrder}[at];
      ${tileLeads}[at] = ${tileLeads}[at - 1u];
      ${tileOrder}[at] = ${tileOrder}[at - 1u];
      ${tileLeads}[at - 1u] = lead;
      ${tileOrder}[at - 1u] = item;
    }
  }
}`;

/** Statements that sort the first `size` items of the tile: every thread its own, then runs are merged until one is left. */
export const sortTile = (path: MergePath): Wgsl => wgsl`
  workgroupBarrier();
  let first = thread * ${PER_THREAD}u;
  ${insertionSort(path)}(first, min(first + ${PER_THREAD}u, size));
  workgroupBarrier();
  for (var run = ${PER_THREAD}u; run < ${MERGE_TILE}u; run *= 2u) {
    let inPair = first % (2u * run);
    ${mergeInTile(path)}(${runsAt}(first - inPair, run, size), inPair);
  }`;
