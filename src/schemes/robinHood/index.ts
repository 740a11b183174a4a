/**
 * Coherent hashing: a Robin Hood table that is built in one pass, keeps neighbouring keys together and rejects absent ones early
 * (García, Lefebvre, Hornus and Lasram 2011).
 */
import { refuse, requireOptions, within } from '../../gpu/index.ts';
import type { PlaceOrder } from '../../keys/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { DEFAULT_ORDER } from './place.wgsl.ts';
import { DEFAULT_LOAD, planRobinHood } from './plan.ts';
import { SEQUENCES, type SequenceName } from './sequence.wgsl.ts';

/** Options of `robinHood`. */
export interface RobinHoodOptions {
  /**
   * Where a key is looked for after its first slot. `'coherent'`, the default: at each age the whole table is shifted by a random offset, so that
   * neighbours stay neighbours. `'random'`: a hash function for each age. `'stride'`: steps of one random length from a random slot, as the
   * paper prints its random sequence.
   */
  readonly sequence?: SequenceName;
  /** Items per slot, above 0 and at most 1. Default 0.8; 0.99 is built without failures. */
  readonly loadFactor?: number;
  /** Whether older keys evict younger ones. Without, it is plain open addressing: some keys take many probes. Default true. */
  readonly evict?: boolean;
  /** Whether maximum ages are kept, by which absent keys are rejected. Without, the build is shorter. Default true. */
  readonly reject?: boolean;
  /** What neighbours are, for keys with coordinates: `rowMajor(width)`, `morton`, … Default `morton`. */
  readonly order?: PlaceOrder;
}

const OPTIONS = ['sequence', 'loadFactor', 'evict', 'reject', 'order'];

/**
 * For keys that are near each other and are asked for together: pixels, voxels, cells of a grid. Loads up to 0.99.
 * @example
 * const map = await HashMap.from(gpu, { keys, values }, { scheme: robinHood({ loadFactor: 0.99 }) });
 */
export function robinHood(options: RobinHoodOptions = {}): Scheme {
  within('robinHood', () => requireOptions(options, OPTIONS));
  const { sequence = 'coherent', evict = true, reject = true, order, ...numbers } = options;
  requireSchemeOptions('robinHood', numbers, ['loadFactor']);
  within('robinHood', () => {
    if (!SEQUENCES.includes(sequence)) refuse('sequence', "'coherent', 'random' or 'stride'", sequence);
    if (typeof evict !== 'boolean') refuse('evict', 'true or false', evict);
    if (typeof reject !== 'boolean') refuse('reject', 'true or false', reject);
    if (order !== undefined && typeof order?.wide !== 'function') refuse('order', 'an order such as morton', order);
  });
  const { loadFactor = DEFAULT_LOAD } = numbers;
  const settings = { sequence, loadFactor, evict, reject, order };
  const isOther = order !== undefined && order !== DEFAULT_ORDER;
  return {
    name: 'robinHood',
    options: { sequence, loadFactor, evict, reject, ...(isOther && { order: order.name, ...order.options }) },
    plan: (request) => planRobinHood(settings, request),
    withOptions: ({ sequence, loadFactor, evict, reject, order: name, ...saved }) =>
      robinHood({
        ...({ sequence, loadFactor, evict, reject } as RobinHoodOptions),
        ...(order && { order: name === undefined ? DEFAULT_ORDER : order.withOptions(saved) }),
      }),
  };
}
