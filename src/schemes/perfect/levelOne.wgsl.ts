/**
 * Level one (Due et al. 2025, section 2.5, `make1`): a histogram of the items over the subarrays, and where each begins. No
 * item is moved: the sortless construction.
 */
import type { HashFamily } from '../../hashing/index.ts';
import { scanKernels } from '../../primitives/scanKernels.wgsl.ts';
import { type Binding, type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { distinctFromAttempt, distinctItems } from '../kit/distinct.wgsl.ts';
import { subarrayOf } from './place.wgsl.ts';

const THREADS = 256;

export const hashesOut = storage('hashes', 'array<vec2u>', 'read_write');
export const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
/** See `COUNTER_WORDS`. */
export const counters = storage('counters', 'array<atomic<u32>>', 'read_write');

/** No table has as many items in a subarray. What a workgroup adds for them stays below 2³¹. */
const TOO_MANY = 2 ** 22 - 1;

/**
 * Counts the items of every subarray, and adds up the squares of these counts: 1 + 3 + 5 + … The sum would overflow for keys
 * that all have one hash. But both the bound and what a workgroup adds are below 2³¹, so the workgroup that passes the bound
 * sees it.
 */
export function countKernel(plan: TablePlan, family: HashFamily, keys: Binding): Kernel {
  const { key, duplicates } = plan;
  const input = key.access('input');
  const { count, itemAt } = distinctItems(distinctFromAttempt(duplicates));
  const groupSquares = wgsl`var<workgroup> groupSquares: atomic<u32>;`;
  // All items are copies, until those that hold a slot are taken off again.
  const countsCopies = forbidsCopies(duplicates) ? '' : wgsl`atomicAdd(&${buildHeader}.copies, total);`;
  return kernel({
    label: 'perfect/count',
    threads: THREADS,
    body: wgsl`
  let total = ${count}();
  if (item < total) {
    let source = ${itemAt}(item);
    let hash = ${key.hash(input, family)}(${input.of(wgsl`${keys}[source]`)}, ${buildHeader}.hash);
    ${hashesOut}[source] = hash;
    let before = atomicAdd(&${counts}[${subarrayOf(family)}(hash, ${buildHeader}.own.x)], 1u);
    atomicAdd(&${groupSquares}, 2u * min(before, ${TOO_MANY}u) + 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    let squares = atomicLoad(&${groupSquares});
    if (atomicAdd(&${counters}[0], squares) + squares > ${buildHeader}.capacity) {
      atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
      atomicStore(&${buildHeader}.failed, total);
    }
  }
  if (item == 0u) {
    atomicStore(&${buildHeader}.longest, 2u);
    ${countsCopies}
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
