import type { HashFamily } from '../../hashing/index.ts';
import { type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../header.ts';
import type { TablePlan } from '../scheme.ts';
import { bucketAt, groupingOf, slotAt } from './sortedItems.ts';

const THREADS = 256;
const BUCKETS_PER_THREAD = 4;
const BUCKETS_PER_GROUP = THREADS * BUCKETS_PER_THREAD;

/** Word b is where bucket b ends and bucket b + 1 begins; bucket 0 begins at 0 (section 4.2). */
export const starts = storage('starts', 'array<u32>', 'read_write');

const reach = wgsl`var<workgroup> reach: array<u32, 2>;`;
const groupStarts = wgsl`var<workgroup> groupStarts: array<u32, ${BUCKETS_PER_GROUP + 1}>;`;
const groupLongest = wgsl`var<workgroup> groupLongest: atomic<u32>;`;

/**
 * Where the buckets begin. Listing 4.1 has one thread write all the empty buckets before its item, which can be all buckets
 * there are. Here every bucket looks for its own end by bisection: no more than 2 lg N steps whatever the items are, no
 * atomics and no second array. A workgroup finds the reach of its buckets first, so that nearly all steps stay in a few
 * kilobytes.
 */
export function startsKernel(family: HashFamily, plan: TablePlan): Kernel {
  const itemsBelow = wgsl`
// How many items are in buckets below this one, known to be from least to most.
fn itemsBelow(bucket: u32, least: u32, most: u32) -> u32 {
  var low = least;
  var high = most;
  // The interval halves every time, so 32 rounds are enough for any size.
  for (var round = 0u; round < 32u && low < high; round++) {
    let middle = low + (high - low) / 2u;
    if (${bucketAt(family, groupingOf(family, plan))}(middle) < bucket) { low = middle + 1u; } else { high = middle; }
  }
  return low;
}`;
  const slotOfItem = slotAt(plan);

  return kernel({
    label: 'chaining/starts',
    threads: THREADS,
    itemsPerGroup: BUCKETS_PER_GROUP,
    body: wgsl`
  let buckets = ${buildHeader}.own.x;
  let first = group * ${BUCKETS_PER_GROUP}u;
  if (thread < 2u) {
    let items = ${itemsBelow}(first + thread * ${BUCKETS_PER_GROUP}u, 0u, ${buildHeader}.count);
    ${reach}[thread] = items;
    if (thread == 0u) { ${groupStarts}[0] = ${slotOfItem}(items); }
  }
  workgroupBarrier();
  for (var place = thread; place < ${BUCKETS_PER_GROUP}u; place += ${THREADS}u) {
    let end = ${slotOfItem}(${itemsBelow}(first + place + 1u, ${reach}[0], ${reach}[1]));
    ${groupStarts}[place + 1u] = end;
    if (first + place < buckets) { ${starts}[first + place] = end; }
  }
  workgroupBarrier();
  var longest = 0u;
  for (var place = thread; place < ${BUCKETS_PER_GROUP}u; place += ${THREADS}u) {
    longest = max(longest, ${groupStarts}[place + 1u] - ${groupStarts}[place]);
  }
  atomicMax(&${groupLongest}, longest);
  workgroupBarrier();
  // The load spares most workgroups the contended atomic.
  if (thread == 0u && atomicLoad(&${groupLongest}) > atomicLoad(&${buildHeader}.longest)) {
    atomicMax(&${buildHeader}.longest, atomicLoad(&${groupLongest}));
  }`,
  });
}
