/** The tables that García et al. 2011 compare, and those of this library beside them. */
import {
  bucketCuckoo,
  cuckoo,
  InvalidInputError,
  type RobinHoodOptions,
  robinHood,
  type Scheme,
  twoLevelCuckoo,
  u32,
} from '../../src/index.ts';

const robinHoodAs =
  (options: RobinHoodOptions) =>
  (loadFactor: number): Scheme =>
    robinHood({ ...options, loadFactor });

const SERIES = {
  coherent: robinHoodAs({}),
  random: robinHoodAs({ sequence: 'random' }),
  stride: robinHoodAs({ sequence: 'stride' }),
  'coherent/noReject': robinHoodAs({ reject: false }),
  'random/noReject': robinHoodAs({ sequence: 'random', reject: false }),
  cuckoo: (loadFactor: number) => cuckoo({ loadFactor }),
  /** The paper has 0.7 at most, here larger buckets reach 0.8. Lower loads are not to be had. */
  twoLevelCuckoo: (loadFactor: number) =>
    twoLevelCuckoo({ bucketCapacity: loadFactor <= 0.71 ? 512 : loadFactor <= 0.757 ? 1024 : 2048 }),
  bucketCuckoo: (loadFactor: number) => bucketCuckoo({ loadFactor }),
} as const;

/** How a line of a figure is called. Behind the stroke: without maximum ages. */
export type SeriesName = keyof typeof SERIES;
export const SERIES_NAMES = Object.keys(SERIES) as SeriesName[];

/** Sizes are rounded up, to primes or to whole buckets: a table that is larger than that has another load than was asked for. */
const roundedUp = (slots: number): number => slots / 0.97 + 64;

/** The scheme of a series for so many items at a load; undefined where it does not reach that load. */
export function schemeAt(name: SeriesName, loadFactor: number, items: number): Scheme | undefined {
  try {
    const scheme = SERIES[name](loadFactor);
    const plan = scheme.plan({ items, key: u32, valueWords: 1, duplicates: 'unique', growth: 0 });
    return plan.capacitySlots > roundedUp(items / loadFactor) ? undefined : scheme;
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}
