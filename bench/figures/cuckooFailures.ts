/** How often builds of `cuckoo` need the stash, and how often they fail in spite of it (Alcantara 2011, section 6.1.1). */
import { cuckoo, type Gpu, type Scheme } from '../../src/index.ts';
import { type FunctionCount, REACH } from '../../src/schemes/cuckoo/plan.ts';
import { buildMany, type ManyBuilds } from './manyBuilds.ts';

/** Slots per item; `least` is the smallest size that the functions can do. */
export type SlotsPerItem = number | 'least';

/** One table of the figure. */
export interface CuckooTable {
  readonly functions: FunctionCount;
  readonly slots: number;
  readonly items: number;
  readonly stashSlots: number;
  readonly scheme: Scheme;
}

export interface CuckooFailures extends Omit<CuckooTable, 'scheme'> {
  readonly builds: number;
  readonly capacitySlots: number;
  readonly chainLimit: number;
  /** The longest chain of exchanges. */
  readonly longest: number;
  /** Builds in which some item found no slot in the table. */
  readonly needed: number;
  /** The most items of one build that found no slot in the table. */
  readonly most: number;
  /** Builds in which the stash could not take them all. */
  readonly failed: number;
}

/** Every combination, but for those that are too full for their number of functions. */
export function cuckooTables(axes: {
  readonly functions: readonly FunctionCount[];
  readonly slots: readonly SlotsPerItem[];
  readonly items: readonly number[];
  readonly stashSlots: number;
}): CuckooTable[] {
  const { stashSlots } = axes;
  return axes.functions.flatMap((functions) =>
    axes.slots
      .map((slots) => (slots === 'least' ? REACH[functions].maxLoad : 1 / slots))
      .filter((loadFactor) => loadFactor <= REACH[functions].maxLoad)
      .flatMap((loadFactor) =>
        axes.items.map((items) => ({
          functions,
          slots: 1 / loadFactor,
          items,
          stashSlots,
          scheme: cuckoo({ functions, loadFactor, stashSlots }),
        })),
      ),
  );
}

/** Builds one table of the figure many times. */
export async function cuckooFailures(
  gpu: Gpu,
  { scheme, ...table }: CuckooTable,
  options: Pick<ManyBuilds, 'builds' | 'random' | 'onProgress'>,
): Promise<CuckooFailures> {
  let [longest, needed, most, failed] = [0, 0, 0, 0];
  const plan = await buildMany(gpu, { ...options, scheme, items: table.items }, (line) => {
    const outside = line.stashed + line.lost;
    longest = Math.max(longest, line.longest);
    needed += Number(outside > 0);
    most = Math.max(most, outside);
    failed += Number(line.hasFailed);
  });
  const { capacitySlots } = plan;
  const chainLimit = plan.fields.chainLimit as number;
  return { ...table, builds: options.builds, capacitySlots, chainLimit, longest, needed, most, failed };
}
