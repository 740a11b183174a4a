/**
 * Perfect hashing with two levels (Fredman, Komlós and Szemerédi 1984), built without sorting as by Due et al. 2025, section
 * 2.5: n items fall into n subarrays, and a subarray of c items has c² slots and a function by which no two of them meet.
 */
import { type HashFamily, universal } from '../../hashing/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planPerfect } from './plan.ts';

/** Options of `perfect`. */
export interface PerfectOptions {
  /** The hash family. Default `universal`, for which the sizes and the number of rounds are proven. */
  readonly hash?: HashFamily;
}

/**
 * Every search ends after two reads, whatever the key.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: perfect() });
 */
export function perfect(options: PerfectOptions = {}): Scheme {
  requireSchemeOptions('perfect', options, ['hash']);
  const { hash: family = universal } = options;
  return {
    name: 'perfect',
    options: { hash: family.name },
    plan: (request) => planPerfect(family, request),
    withOptions: () => perfect({ hash: family }),
  };
}
