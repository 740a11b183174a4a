/** Phase 1 (Alcantara 2011, Algorithm 5.2): counts the items of every bucket, then moves each item into its own. */
import { type Binding, type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { buildHeader, isGoingWell, STATUS } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { distinctFromAttempt, distinctItems } from '../kit/distinct.wgsl.ts';
import type { LevelHashes } from './hashes.wgsl.ts';
import type { BucketShape } from './plan.ts';
import { recordOf } from './record.wgsl.ts';

const THREADS = 256;

/** Items of each bucket while they are counted; after a prefix sum, where each bucket starts. */
export const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
export const starts = storage('starts', 'array<u32>');
/** An item's place inside its bucket. */
export const offsetsOut = storage('offsets', 'array<u32>', 'read_write');
export const offsets = storage('offsets', 'array<u32>');

/** Steps 6 to 10: every item learns its place in its bucket; an item too many makes the attempt fail. */
export function countKernel(plan: TablePlan, shape: BucketShape, hashes: LevelHashes, keys: Binding): Kernel {
  const input = plan.key.access('input');
  const { count, itemAt } = distinctItems(distinctFromAttempt(plan.duplicates));
  const tooMany = wgsl`var<workgroup> tooMany: atomic<u32>;`;
  return kernel({
    label: 'twoLevelCuckoo/count',
    threads: THREADS,
    body: wgsl`
  if (item < ${count}()) {
    let stored = ${keys}[${itemAt}(item)];
    let constants = ${buildHeader}.hash;
    let hashed = ${hashes.hashed(input.of('stored'), 'constants')};
    let bucket = ${hashes.bucketOf}(hashed, constants, ${buildHeader}.attempts, ${buildHeader}.own.x);
    let offset = atomicAdd(&${counts}[bucket], 1u);
    ${offsetsOut}[item] = offset;
    if (offset >= ${shape.capacity}u) { atomicAdd(&${tooMany}, 1u); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let failed = atomicLoad(&${tooMany});
    if (failed > 0u) {
      atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
      atomicAdd(&${buildHeader}.failed, failed);
    }
  }`,
  });
}

/** Steps 12 to 14: the prefix sum is known, and the items of a bucket come to lie side by side. */
export function scatterKernel(plan: TablePlan, hashes: LevelHashes, keys: Binding, records: Binding): Kernel {
  const { key } = plan;
  const { count, itemAt } = distinctItems(distinctFromAttempt(plan.duplicates));
  return kernel({
    label: 'twoLevelCuckoo/scatter',
    threads: THREADS,
    body: wgsl`
  if (item >= ${count}() || !${isGoingWell}()) { return; }
  let source = ${itemAt}(item);
  let stored = ${keys}[source];
  let constants = ${buildHeader}.hash;
  let hashed = ${hashes.hashed(key.access('input').of('stored'), 'constants')};
  let bucket = ${hashes.bucketOf}(hashed, constants, ${buildHeader}.attempts, ${buildHeader}.own.x);
  ${records}[${starts}[bucket] + ${offsets}[item]] = ${recordOf(key, 'stored', 'source')};`,
  });
}
