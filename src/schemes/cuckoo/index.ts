/**
 * Cuckoo hashing with a stash: one table in global memory, in which every key has two to five possible slots
 * (Alcantara 2011, chapter 6).
 */
import { type HashFamily, mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { defaultLoad, type FunctionCount, planCuckoo } from './plan.ts';

/** Options of `cuckoo`. */
export interface CuckooOptions {
  /** Hash functions: slots that a key may be in. More allow higher loads and make absent keys dearer. Default 4. */
  readonly functions?: FunctionCount;
  /**
   * Items per slot: at most 0.477, 0.91, 0.971 and 0.981 for two to five functions. Default 0.8, the dissertation's
   * 1.25 N slots; 0.477 for two functions.
   */
  readonly loadFactor?: number;
  /** Exactly this many slots, instead of a load factor; the table then never grows. */
  readonly capacitySlots?: number;
  /** Exchanges after which an insertion goes to the stash. Default 7 lg N at the default load, more at higher ones. */
  readonly chainLimit?: number;
  /** Slots for items that found none in the table. Default 101, which holds up to ten items as a rule; 0 for none. */
  readonly stashSlots?: number;
  /** The hash family. Default `mix`; the others reproduce the dissertation. */
  readonly hash?: HashFamily;
}

const OPTIONS = ['functions', 'loadFactor', 'capacitySlots', 'chainLimit', 'stashSlots', 'hash'];

/**
 * One-slot cuckoo hashing: no search looks at more slots than there are hash functions, plus one if the stash is in use.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: cuckoo({ functions: 5, loadFactor: 0.95 }) });
 */
export function cuckoo(options: CuckooOptions = {}): Scheme {
  requireSchemeOptions('cuckoo', options, OPTIONS);
  const { functions = 4, stashSlots = 101, loadFactor, capacitySlots, chainLimit, hash: family = mix } = options;
  const settings = { family, functions, stashSlots, loadFactor, capacitySlots, chainLimit };
  return {
    name: 'cuckoo',
    options: {
      functions,
      stashSlots,
      ...(capacitySlots === undefined ? { loadFactor: loadFactor ?? defaultLoad(functions) } : { capacitySlots }),
      ...(chainLimit !== undefined && { chainLimit }),
      hash: family.name,
    },
    plan: (request) => planCuckoo(settings, request),
    withOptions: (saved) => cuckoo({ ...saved, hash: family }),
  };
}
