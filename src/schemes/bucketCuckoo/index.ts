/**
 * Cuckoo hashing with two choices over buckets of one memory sector, built region by region in workgroup memory after a
 * partition. One-word keys are kept as remainders of a bijective hash, so a bucket holds up to six pairs in the bytes of
 * four, and class bits let most searches for absent keys end after one bucket.
 */
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planBucketCuckoo } from './plan.ts';

/** Options of `bucketCuckoo`. */
export interface BucketCuckooOptions {
  /**
   * Items per slot, above 0. Default `'bySize'`: 0.8, and 0.5 for at most 50,000 items, which take little memory anyway
   * and are built twice as fast. For one-word keys with one-word values it is measured in bytes: 0.8 takes what a plain table of
   * pairs takes at 0.8, 10 bytes an item, however many pairs a bucket then holds. So loads above 1 are possible where a bucket holds
   * more pairs than a plain one: 1.4, or 5.7 bytes an item, for 10⁸ items. `'densest'` is the highest load that
   * so many items can be built with quickly; of one-word pairs that is also the fewest bytes. A load above 1 that they cannot have is an error that says how far they get; loads up to 1 that two choices cannot reach are
   * lowered to the highest that they can.
   */
  readonly loadFactor?: number | 'bySize' | 'densest';
}

/** Loads that are called by a name. */
const NAMED_LOADS = ['bySize', 'densest'];

/** Fastest to build and to search on a large GPU, for present keys and for absent ones: `docs/performance.md`. */
export function bucketCuckoo(options: BucketCuckooOptions = {}): Scheme {
  requireSchemeOptions('bucketCuckoo', options, ['loadFactor'], { loadFactor: NAMED_LOADS });
  return {
    name: 'bucketCuckoo',
    options: { loadFactor: options.loadFactor ?? 'bySize' },
    plan: (request) => planBucketCuckoo(options, request),
    withOptions: (saved) => bucketCuckoo({ ...saved }),
  };
}
