/**
 * Chaining without pointers (Alcantara 2011, chapter 4): the items of a bucket lie next to each other in one array, and a
 * second array tells where each bucket begins. A radix sort puts them there.
 */
import { type HashFamily, mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planChaining } from './plan.ts';

/** Options of `chaining`. */
export interface ChainingOptions {
  /** Buckets for every item, above 0. Default 0.5, the dissertation's 1.25 N; 0.1 gives its 1.05 N and 2 its 2 N. */
  readonly bucketsPerItem?: number;
  /** Exactly this many buckets, instead of a ratio. */
  readonly buckets?: number;
  /** The hash family. Default `mix`; the others reproduce the dissertation. */
  readonly hash?: HashFamily;
}

/**
 * Buckets of any length: no empty slots, and a build that cannot fail.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: chaining({ bucketsPerItem: 2 }) });
 */
export function chaining(options: ChainingOptions = {}): Scheme {
  requireSchemeOptions('chaining', options, ['buckets', 'bucketsPerItem', 'hash']);
  const { buckets, bucketsPerItem, hash: family = mix } = options;
  const size = buckets === undefined ? { bucketsPerItem: bucketsPerItem ?? 0.5 } : { buckets };
  return {
    name: 'chaining',
    options: { ...size, hash: family.name },
    plan: (request) => planChaining(options, request),
    withOptions: (saved) => chaining({ ...saved, hash: family }),
  };
}
