/**
 * Level one (Due et al. 2025, section 2.5, `make1`): a histogram of the items over the subarrays, and where each begins. No
 * item is moved: the sortless construction.
 */
import { scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { counters, type PerfectBuild, THREADS } from './round.wgsl.ts';
import { subarrayOf } from './subarray.wgsl.ts';

export const hashesOut = storage('hashes', 'array<vec2u>', 'read_write');
export const counts = storage('counts', 'array<atomic<u32>>', 'read_write');

/** No subarray of a table that succeeds has as many items. With this bound, what a workgroup adds stays below 2³¹. */
const TOO_MANY = 2 ** 22 - 1;

/**
 * Counts the items of every subarray, and adds up the squares of these counts: c² is 1 + 3 + 5 + …, one term an item. For
 * keys that all have one hash the sum would overflow 32 bits. But both the bound and what a workgroup adds are below 2³¹,
 * so the workgroup that passes the bound sees that it does.
 */
export function countKernel({ request, family, view, distinct }: PerfectBuild): Kernel {
  const { key, duplicates } = request;
  const { header, keys } = view;
  const groupSquares = wgsl`var<workgroup> groupSquares: atomic<u32>;`;
  // All items are copies, until those that hold a slot are taken off again.
  const countCopies = forbidsCopies(duplicates) ? '' : wgsl`atomicAdd(&${header}.copies, total);`;
  return kernel({
    label: 'perfect/count',
    threads: THREADS,
    body: wgsl`
  let total = ${distinct.count}();
  if (item < total) {
    let source = ${distinct.itemAt}(item);
    let hash = ${key.hash(keys.access, family)}(${keys.at('source')}, ${header}.hash);
    ${hashesOut}[source] = hash;
    let before = atomicAdd(&${counts}[${subarrayOf(family)}(hash, ${header}.subarrays)], 1u);
    atomicAdd(&${groupSquares}, 2u * min(before, ${TOO_MANY}u) + 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    let squares = atomicLoad(&${groupSquares});
    if (atomicAdd(&${counters}[0], squares) + squares > ${header}.capacity) {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicStore(&${header}.failed, total);
    }
  }
  if (item == 0u) {
    atomicStore(&${header}.longest, 2u);
    ${countCopies}
  }`,
  });
}

export const countsIn = storage('counts', 'array<u32>');
export const subarraysOut = storage('subarrays', 'array<vec2u>', 'read_write');

/** The prefix sum of the squares writes the subarrays on its way, each with function 0. */
export const startKernels = scanKernels(
  'perfect/starts',
  wgsl`
fn load(entry: u32) -> u32 {
  let items = ${countsIn}[entry];
  return items * items;
}`,
  wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  ${subarraysOut}[entry] = vec2u(prefix, ${countsIn}[entry]);
}`,
);
