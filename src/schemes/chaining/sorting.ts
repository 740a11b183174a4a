import type { HashFamily } from '../../hashing/index.ts';
import type { Wgsl } from '../../wgsl/index.ts';
import type { PlanRequest } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';

/** How the items of a build are sorted. */
export interface Sorting {
  /**
   * - `bucket`: by nothing but the bucket. Copies of a key end up in one bucket, anywhere in it.
   * - `hash`: by the first word of the hash. If a greater hash never means a lower bucket, that orders the buckets too, and
   *   brings the copies of a key together in the same passes.
   * - `secondHash`: first by the second word of the hash, which brings copies together; then, stably, by the bucket.
   */
  readonly by: 'bucket' | 'hash' | 'secondHash';
  /** Bits of a bucket number. */
  readonly bucketBits: number;
  /** WGSL: `(hash: u32, constants: vec4u) -> u32`, where the sorted hashes tell the keys, which saves fetching them. */
  readonly unhash: Wgsl | undefined;
  /** Whether item numbers have to move along: not if the hashes are all that is ever asked for. */
  readonly withOrder: boolean;
}

/** Scratch of the build, a word an item each. */
export const SCRATCH = {
  sortKeys: 'chaining/sortKeys',
  order: 'chaining/order',
  dropped: 'chaining/dropped',
} as const;

/** What the build has to know. */
export interface ChainingPlan {
  readonly request: PlanRequest;
  readonly family: HashFamily;
  readonly fields: { readonly buckets: number };
  readonly sorting: Sorting;
}

/** Below this many bits, sorting by bucket takes half the passes of sorting by hash, or fewer. */
const SHORT_BITS = 16;

export function sortingOf(family: HashFamily, request: PlanRequest, buckets: number): Sorting {
  const { key, valueWords, duplicates } = request;
  const bucketBits = 32 - Math.clz32(buckets - 1);
  const unhash = key.isWord ? family.unhash?.(1) : undefined;
  if (duplicates === 'unique' && (!unhash || bucketBits <= SHORT_BITS)) {
    return { by: 'bucket', bucketBits, unhash: undefined, withOrder: true };
  }
  return {
    by: family.reduceKeepsOrder ? 'hash' : 'secondHash',
    bucketBits,
    unhash,
    withOrder: !unhash || valueWords > 0 || forbidsCopies(duplicates),
  };
}
