import { InvalidInputError } from '../../gpu/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { type CapacityOptions, chooseCapacity } from '../kit/capacity.ts';
import { slotsBuffer, slotValueStore, slotWords } from '../kit/slot.wgsl.ts';
import { cuckooBuild } from './build.wgsl.ts';
import type { Cuckoo } from './choices.wgsl.ts';
import { cuckooReader } from './find.wgsl.ts';

/** How many hash functions a table may have. */
const FUNCTION_COUNTS = [2, 3, 4, 5] as const;
export type FunctionCount = (typeof FUNCTION_COUNTS)[number];

/** What a number of hash functions can do. */
interface Reach {
  /** The load up to which an arrangement exists in large tables (Dietzfelbinger et al. 2010, "Tight thresholds"). */
  readonly threshold: number;
  /** The load up to which it is found: about 1/2.1, 1/1.1, 1/1.03 and 1/1.02 (Alcantara 2011, section 6.1.1). */
  readonly maxLoad: number;
}

export const REACH: Readonly<Record<FunctionCount, Reach>> = {
  2: { threshold: 0.5, maxLoad: 0.477 },
  3: { threshold: 0.917935, maxLoad: 0.91 },
  4: { threshold: 0.97677, maxLoad: 0.971 },
  5: { threshold: 0.992438, maxLoad: 0.981 },
};

const DEFAULT_LOAD = 0.8;
const MOST_STASH_SLOTS = 65_536;

/** The usual load, or the greatest that so many functions reach. A wrong number of them is refused when planning. */
export const defaultLoad = (functions: FunctionCount): number =>
  Math.min(DEFAULT_LOAD, (REACH[functions] ?? REACH[4]).maxLoad);

/** What a scheme was made with, defaults filled in where they do not depend on the table; nothing is checked yet. */
export interface CuckooSettings extends Cuckoo, CapacityOptions {
  readonly chainLimit?: number | undefined;
}

export function planCuckoo(settings: CuckooSettings, request: PlanRequest): TablePlan {
  requireSettings(settings);
  const { functions, stashSlots, family, chainLimit } = settings;
  const { items } = request;
  const { maxLoad } = REACH[functions];
  const rules = {
    scheme: 'cuckoo',
    defaultLoad: defaultLoad(functions),
    maxLoad,
    advice: (load: number) => `: ${whatReaches(functions, load)}`,
    growthFactor: 1.1,
    mostGrowths: 8,
  };
  const { capacitySlots, canGrow } = chooseCapacity(rules, settings, request);
  // The table, the extra slot, and the stash.
  const slotCount = capacitySlots + 1 + stashSlots;
  const fields = { chainLimit: chainLimit ?? chainLimitFor(functions, items, capacitySlots) };
  const isCrowded = items > capacitySlots * maxLoad;
  return {
    request,
    family,
    format: 'cuckoo/1',
    capacitySlots,
    slotCount,
    buffers: [slotsBuffer('slots', request, slotCount)],
    scratch: [],
    fields,
    larger: canGrow ? () => planCuckoo(settings, { ...request, growth: request.growth + 1 }) : undefined,
    build: cuckooBuild({ cuckoo: settings, request, fields, slotCount, isCrowded }),
    reader: (view) => cuckooReader(settings, request, view),
    soundness: { hashed: { buffer: 'slots', slotWords: slotWords(request) } },
    valueStore: () => slotValueStore('slots', request),
  };
}

/**
 * Exchanges after which an insertion is given up. The dissertation has 7 lg N for four functions and 1.25 N slots
 * (section 6.1.1) and an unpublished formula for the rest. Here: the chance that a chain is longer than x was found to
 * fall as exp(−x / λ), where λ hardly depends on N and follows 0.75 (1 − load / threshold)^−1.1 for three to five functions
 * (it is below that for two). So the limit is 7 lg N times λ over its value at four functions and load 0.8, and no less
 * than 7 lg N. `bench/cuckooChains.ts` measures λ, and how often the limit is hit.
 */
export function chainLimitFor(functions: FunctionCount, items: number, capacitySlots: number): number {
  const { threshold, maxLoad } = REACH[functions];
  const load = Math.min(items / capacitySlots, maxLoad);
  const distance = 1 - load / threshold;
  const usualDistance = 1 - DEFAULT_LOAD / REACH[4].threshold;
  // Below 16 items the logarithm would leave no room for bad luck.
  return Math.ceil(7 * Math.log2(Math.max(items, 16)) * Math.max(1, (distance / usualDistance) ** -1.1));
}

function requireSettings({ functions, stashSlots, chainLimit }: CuckooSettings): void {
  if (!FUNCTION_COUNTS.includes(functions)) {
    throw new InvalidInputError(`cuckoo: functions must be 2, 3, 4 or 5, not ${functions}`);
  }
  if (!Number.isInteger(stashSlots) || stashSlots < 0 || stashSlots > MOST_STASH_SLOTS) {
    throw new InvalidInputError(
      `cuckoo: stashSlots must be a whole number from 0 to ${MOST_STASH_SLOTS}, not ${stashSlots}`,
    );
  }
  if (chainLimit !== undefined && !(Number.isInteger(chainLimit) && chainLimit >= 1 && chainLimit < 2 ** 31)) {
    throw new InvalidInputError(`cuckoo: chainLimit must be a positive integer, not ${chainLimit}`);
  }
}

/** Why a load is too high, and what would do. */
function whatReaches(functions: FunctionCount, load: number): string {
  const enough = FUNCTION_COUNTS.find((count) => REACH[count].maxLoad >= load);
  const advice =
    enough === undefined
      ? `no number of functions reaches more than ${REACH[5].maxLoad}`
      : `use ${enough} functions, which reach ${REACH[enough].maxLoad}, or more slots`;
  return `${functions} functions reach a load of ${REACH[functions].maxLoad}; ${advice}`;
}
