import { type Binding, type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { sorted } from './sortedItems.wgsl.ts';

const THREADS = 256;
const BUCKETS_PER_GROUP = THREADS * 4;

/** Word b is where bucket b ends and bucket b + 1 begins; bucket 0 begins at 0 (section 4.2). */
export const starts = storage('starts', 'array<u32>', 'read_write');

const reach = wgsl`var<workgroup> reach: array<u32, 2>;`;
const groupStarts = wgsl`var<workgroup> groupStarts: array<u32, ${BUCKETS_PER_GROUP + 1}>;`;
const groupLongest = wgsl`var<workgroup> groupLongest: atomic<u32>;`;

/**
 * Where the buckets begin. In Listing 4.1 one thread writes all the empty buckets before its item, which may be all buckets
 * there are. Here every bucket looks for its own end by bisection: at most 2 lg N steps whatever the items are, no atomics
 * and no second array. A workgroup first finds the reach of all its buckets, so that the other steps stay within a few
 * kilobytes. On the way the longest bucket is found: no search takes more probes.
 */
export function startsKernel(header: Binding, bucketOf: Wgsl, slotAt: Wgsl): Kernel {
  const itemsBelow = wgsl`
// How many items are in buckets below this one; known to be from least to most.
fn itemsBelow(bucket: u32, buckets: u32, least: u32, most: u32) -> u32 {
  var low = least;
  var high = most;
  // The interval halves every time, so 32 rounds are enough for any size.
  for (var round = 0u; round < 32u && low < high; round++) {
    let middle = low + (high - low) / 2u;
    if (${bucketOf}(${sorted}[middle], buckets) < bucket) { low = middle + 1u; } else { high = middle; }
  }
  return low;
}`;
  return kernel({
    label: 'chaining/starts',
    threads: THREADS,
    itemsPerGroup: BUCKETS_PER_GROUP,
    body: wgsl`
  let buckets = ${header}.buckets;
  let first = group * ${BUCKETS_PER_GROUP}u;
  if (thread < 2u) {
    ${reach}[thread] = ${itemsBelow}(first + thread * ${BUCKETS_PER_GROUP}u, buckets, 0u, ${header}.count);
    if (thread == 0u) { ${groupStarts}[0] = ${slotAt}(${reach}[0]); }
  }
  workgroupBarrier();
  for (var local = thread; local < ${BUCKETS_PER_GROUP}u; local += ${THREADS}u) {
    let end = ${slotAt}(${itemsBelow}(first + local + 1u, buckets, ${reach}[0], ${reach}[1]));
    ${groupStarts}[local + 1u] = end;
    if (first + local < buckets) { ${starts}[first + local] = end; }
  }
  workgroupBarrier();
  var longest = 0u;
  for (var local = thread; local < ${BUCKETS_PER_GROUP}u; local += ${THREADS}u) {
    longest = max(longest, ${groupStarts}[local + 1u] - ${groupStarts}[local]);
  }
  atomicMax(&${groupLongest}, longest);
  workgroupBarrier();
  // The load spares most workgroups the contended atomic.
  if (thread == 0u && atomicLoad(&${groupLongest}) > atomicLoad(&${header}.longest)) {
    atomicMax(&${header}.longest, atomicLoad(&${groupLongest}));
  }`,
  });
}
