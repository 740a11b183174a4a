/** Figure 3 of García et al. 2011: how many probes the insertion of each key took, with and without evictions. */
import type { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { HashMap, robinHood, type SequenceName } from '../../src/index.ts';
import { orderTwin } from '../order.ts';
import { ageHistogram, readSlotWords } from './garciaSlots.ts';

export interface AgesRequest {
  readonly items: number;
  readonly load: number;
  readonly sequence: SequenceName;
  readonly evict: boolean;
  readonly seed: number;
}

export interface AgesRecord extends AgesRequest {
  readonly slots: number;
  /** How many keys have each age, from 1 on. */
  readonly ages: readonly number[];
  readonly averageAge: number;
  readonly greatestAge: number;
  readonly attempts: number;
  readonly wrong: number;
}

/** Keys of the universe for every key of the table: 2²⁴ for 2²⁰. */
const SPARSITY = 16;

/** So many different keys, at random out of a universe that is sixteen times as large. */
export function sparseKeys(items: number, seed: number): Uint32Array<ArrayBuffer> {
  const random = randomWords(seed);
  const words = [random(), random(), random(), random()] as const;
  return Uint32Array.from({ length: items }, (_, i) => orderTwin(i, SPARSITY * items, words));
}

export async function measureAges(gpu: Gpu, request: AgesRequest): Promise<AgesRecord> {
  const { items, load: loadFactor, sequence, evict, seed } = request;
  const keys = sparseKeys(items, seed);
  const scheme = robinHood({ sequence, evict, loadFactor });
  const map = await HashMap.from(gpu, { keys, values: keys }, { scheme, duplicates: 'unique', seed });
  try {
    const slotWords = await readSlotWords(map.table);
    const [, ...ages] = ageHistogram(slotWords);
    const { values, found } = await map.get(keys);
    return {
      ...request,
      slots: slotWords.words.length,
      ages,
      averageAge: ages.reduce((sum, keysOfAge, i) => sum + keysOfAge * (i + 1), 0) / items,
      greatestAge: ages.length,
      attempts: map.report.attempts,
      wrong:
        Math.abs(items - ages.reduce((sum, keysOfAge) => sum + keysOfAge, 0)) +
        keys.filter((key, i) => found[i] !== 1 || values[i] !== key).length,
    };
  } finally {
    map.destroy();
  }
}
