/** Phase 1 (Alcantara 2011, Algorithm 5.2): counts the items of every bucket, then moves each item into its own. */
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { isGoingWell, STATUS } from '../contract/index.ts';
import { mostItems } from './crowd.wgsl.ts';
import { parcelOf } from './parcel.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';

const THREADS = 256;

/** Items of each bucket while they are counted; after a prefix sum, where each bucket starts. */
export const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
export const starts = storage('starts', 'array<u32>');
/** Which of its bucket's items an item is. */
export const offsetsOut = storage('offsets', 'array<u32>', 'read_write');
export const offsets = storage('offsets', 'array<u32>');

/** Statements that find the `bucket` of the key `stored`. */
function findBucket({ view, hashes }: BuildParts): Wgsl {
  const { header, keys } = view;
  return wgsl`let constants = ${header}.hash;
    let hashed = ${hashes.hashed(keys.access.of('stored'), 'constants')};
    let bucket = ${hashes.bucketOf}(hashed, constants, ${header}.attempts, ${header}.buckets);`;
}

/** Steps 6 to 10: every item learns its offset in its bucket; more than a workgroup takes make the attempt fail. */
export function countKernel(parts: BuildParts): Kernel {
  const { view, distinct } = parts;
  const { header, keys } = view;
  const tooMany = wgsl`var<workgroup> tooMany: atomic<u32>;`;
  return kernel({
    label: 'twoLevelCuckoo/count',
    threads: THREADS,
    body: wgsl`
  if (item < ${distinct.count}()) {
    let stored = ${keys.stored(wgsl`${distinct.itemAt}(item)`)};
    ${findBucket(parts)}
    let offset = atomicAdd(&${counts}[bucket], 1u);
    ${offsetsOut}[item] = offset;
    if (offset >= ${mostItems(parts)}u) { atomicAdd(&${tooMany}, 1u); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let failed = atomicLoad(&${tooMany});
    if (failed > 0u) {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicAdd(&${header}.failed, failed);
    }
  }`,
  });
}

/** Steps 12 to 14: the prefix sum is known, and the items of a bucket come to lie side by side. */
export function scatterKernel(parts: BuildParts): Kernel {
  const { request, view, distinct, parcelsOut } = parts;
  const { header, keys } = view;
  return kernel({
    label: 'twoLevelCuckoo/scatter',
    threads: THREADS,
    body: wgsl`
  if (item >= ${distinct.count}() || !${isGoingWell(header)}()) { return; }
  let source = ${distinct.itemAt}(item);
  let stored = ${keys.stored('source')};
  ${findBucket(parts)}
  ${parcelsOut}[${starts}[bucket] + ${offsets}[item]] = ${parcelOf(request.key, 'stored', 'source')};`,
  });
}
