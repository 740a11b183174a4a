/** The tables from whose rates docs/choosing.md is written: every scheme at several loads and sizes. */
import { u32 } from '../src/index.ts';
import { type Axes, type Configuration, configurationsOf } from './configurations.ts';
import type { SchemeChoice } from './schemeChoice.ts';

/** All that take u32 keys. Chaining has the bytes of 1.05, 1.25 and 2 slots an item, as in Alcantara 2011, section 4.3. */
export const GRID_SCHEMES: readonly SchemeChoice[] = [
  { name: 'bucketCuckoo' },
  { name: 'cuckoo' },
  { name: 'twoLevelCuckoo' },
  { name: 'linearProbing' },
  { name: 'quadraticProbing' },
  { name: 'doubleHashing' },
  { name: 'robinHood' },
  { name: 'chaining', options: { bucketsPerItem: 0.1 } },
  { name: 'chaining', options: { bucketsPerItem: 0.5 } },
  { name: 'chaining', options: { bucketsPerItem: 2 } },
  { name: 'perfect' },
  { name: 'eytzinger' },
  { name: 'sortedArray' },
];
export const GRID_LOADS: readonly number[] = [0.5, 0.8, 0.9, 0.95, 0.99];
export const GRID_SHARES: readonly number[] = [0, 0.5, 1];

/** At 0.99 an absent key takes linear probing 5,000 probes: seconds for 10⁸ of them. */
const MOST_LINEAR = 0.95;

export const gridConfigurations = (axes: Pick<Axes, 'schemes' | 'sizes' | 'loads'>): Configuration[] =>
  configurationsOf({ ...axes, collections: ['map'], keys: [u32] }).filter(
    ({ scheme, loadFactor = 0 }) => scheme.name !== 'linearProbing' || loadFactor <= MOST_LINEAR,
  );
