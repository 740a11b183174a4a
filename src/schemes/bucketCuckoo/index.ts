/**
 * Cuckoo hashing with two choices over buckets of one memory sector, built region by region in workgroup memory after a
 * partition. One-word keys are kept as remainders of a bijective hash, so a bucket holds up to six pairs in the bytes of
 * four, and class bits let most searches for absent keys end after one bucket.
 */
import { mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/scheme.ts';
import { recordBucketBuild } from './build.wgsl.ts';
import { bucketShader } from './find.wgsl.ts';
import { planBucketCuckoo, shapeOf } from './plan.ts';
import { bucketValueStore } from './valueStore.wgsl.ts';

/** Options of `bucketCuckoo`. */
export interface BucketCuckooOptions {
  /**
   * Items per slot, above 0 and at most 1. Default 0.8. For one-word keys with one-word values it is measured in bytes:
   * 0.8 takes what a plain table of pairs takes at 0.8, 10 bytes an item, however many pairs a bucket then holds.
   * Loads that two choices cannot reach are lowered to the highest that they can.
   */
  readonly loadFactor?: number;
}

/** Fastest to build and to search on a large GPU, for present keys and for absent ones: `docs/performance.md`. */
export const bucketCuckoo = (options: BucketCuckooOptions = {}): Scheme => ({
  name: 'bucketCuckoo',
  family: mix,
  options: { loadFactor: options.loadFactor ?? 0.8 },
  plan: (request) => planBucketCuckoo(options, request),
  encodeBuild: recordBucketBuild,
  slotCount: (plan) => {
    const { buckets, layout, overflowSlots } = shapeOf(plan);
    return buckets * layout.slots + overflowSlots;
  },
  shader: bucketShader,
  valueStore: bucketValueStore,
});
