/**
 * Two-level cuckoo hashing (Alcantara et al. 2009, section 4; Alcantara 2011, chapter 5): items are partitioned into small
 * buckets, and every bucket becomes a cuckoo table of three subtables, built in workgroup memory.
 */
import { type HashFamily, mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { type BucketCapacity, planTwoLevelCuckoo } from './plan.ts';

/** Options of `twoLevelCuckoo`. */
export interface TwoLevelCuckooOptions {
  /**
   * Items that a bucket may have: 512 (80% full on average, 1.41 N slots), 1024 (85%, 1.32 N) or 2048 (90%, 1.25 N).
   * Default 512. Larger buckets make smaller tables that take longer to build.
   */
  readonly bucketCapacity?: BucketCapacity;
  /** The hash family behind the papers' functions, and of keys wider than a word. Default `mix`. */
  readonly hash?: HashFamily;
}

/**
 * Every search ends after at most four reads.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: twoLevelCuckoo({ bucketCapacity: 1024 }) });
 */
export function twoLevelCuckoo(options: TwoLevelCuckooOptions = {}): Scheme {
  requireSchemeOptions('twoLevelCuckoo', options, ['bucketCapacity', 'hash']);
  const { bucketCapacity = 512, hash: family = mix } = options;
  return {
    name: 'twoLevelCuckoo',
    options: { bucketCapacity, hash: family.name },
    plan: (request) => planTwoLevelCuckoo({ bucketCapacity, family }, request),
    withOptions: (saved) => twoLevelCuckoo({ ...saved, hash: family }),
  };
}
