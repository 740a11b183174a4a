/**
 * How often `twoLevelCuckoo` begins again, and how many rounds its buckets take, over many builds from random keys: the
 * statistics of Alcantara et al. 2009, sections 4.1 and 7 (the same in Alcantara 2011, sections 5.2.2 and 5.5).
 */
import { type Gpu, type Scheme, twoLevelCuckoo } from '../../src/index.ts';
import type { BucketCapacity } from '../../src/schemes/twoLevelCuckoo/plan.ts';
import { buildMany, type ManyBuilds } from './manyBuilds.ts';

/** One table of the figure. */
export interface TwoLevelTable {
  /** Items that a bucket may have. */
  readonly capacity: BucketCapacity;
  readonly items: number;
  readonly scheme: Scheme;
}

export interface TwoLevelRestarts extends Omit<TwoLevelTable, 'scheme'> {
  readonly builds: number;
  /** Buckets of one build. */
  readonly buckets: number;
  /** Builds in which a bucket got more items than it may have, so that phase one begins again. */
  readonly begunAgain: number;
  /** Builds in which no seed of phase two suited a bucket. */
  readonly gaveUp: number;
  /** Buckets of the builds that went well, their rounds, and how often one of them was begun again. */
  readonly bucketsBuilt: number;
  readonly rounds: number;
  readonly restarts: number;
}

/** Every combination. */
export const twoLevelTables = (axes: {
  readonly capacities: readonly BucketCapacity[];
  readonly items: readonly number[];
}): TwoLevelTable[] =>
  axes.capacities.flatMap((capacity) =>
    axes.items.map((items) => ({ capacity, items, scheme: twoLevelCuckoo({ bucketCapacity: capacity }) })),
  );

/** Builds one table of the figure many times. */
export async function twoLevelRestarts(
  gpu: Gpu,
  { scheme, ...table }: TwoLevelTable,
  options: Pick<ManyBuilds, 'builds' | 'random' | 'onProgress'>,
): Promise<TwoLevelRestarts> {
  let [begunAgain, gaveUp, rounds, restarts] = [0, 0, 0, 0];
  const plan = await buildMany(gpu, { ...options, scheme, items: table.items }, (line) => {
    if (!line.hasFailed) {
      rounds += line.rounds;
      restarts += line.restarts;
    }
    // After a bucket with too many items, phase two does not start.
    else if (line.rounds === 0) begunAgain++;
    else gaveUp++;
  });
  const { builds } = options;
  const buckets = plan.fields.buckets as number;
  const bucketsBuilt = buckets * (builds - begunAgain - gaveUp);
  return { ...table, builds, buckets, begunAgain, gaveUp, bucketsBuilt, rounds, restarts };
}
