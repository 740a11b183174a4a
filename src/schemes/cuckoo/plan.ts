import { InvalidInputError } from '../../gpu/index.ts';
import type { PlanRequest, TablePlan } from '../contract/scheme.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import type { CuckooOptions } from './index.ts';

/** How many hash functions a table may have. */
export type FunctionCount = 2 | 3 | 4 | 5;

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
const DEFAULT_STASH_SLOTS = 101;
const MOST_STASH_SLOTS = 65_536;

/** Slot numbers, the stash included, must stay below 2³². */
const MAX_CAPACITY = 2 ** 31;

/** Each growth step adds a tenth. */
const GROWTH = 1.1;

/** What a scheme was made with, defaults filled in and everything checked. */
export interface CuckooSettings {
  readonly functions: FunctionCount;
  readonly stashSlots: number;
  /** Either this or `capacitySlots`. */
  readonly loadFactor: number | undefined;
  readonly capacitySlots: number | undefined;
  readonly chainLimit: number | undefined;
}

/** The options with their defaults; nothing is checked yet. */
export function settingsOf(options: CuckooOptions): CuckooSettings {
  const { functions = 4, stashSlots = DEFAULT_STASH_SLOTS, capacitySlots, chainLimit } = options;
  // A wrong number of functions is refused when planning.
  const { maxLoad } = REACH[functions] ?? REACH[4];
  const usual = capacitySlots === undefined ? Math.min(DEFAULT_LOAD, maxLoad) : undefined;
  return { functions, stashSlots, loadFactor: options.loadFactor ?? usual, capacitySlots, chainLimit };
}

export function planCuckoo(settings: CuckooSettings, request: PlanRequest): TablePlan {
  const { items, growth } = request;
  requireSettings(settings);
  const capacitySlots = chooseCapacity(settings, request);
  if (capacitySlots > MAX_CAPACITY) {
    throw new InvalidInputError(`cuckoo: ${capacitySlots} slots are more than the ${MAX_CAPACITY} it can address`);
  }
  return {
    ...request,
    capacitySlots,
    canGrow: settings.capacitySlots === undefined && growth < 8,
    table: [{ name: 'slots', bytes: slotCount(settings, capacitySlots) * slotWords(request) * 4 }],
    scratch: [],
    own: [settings.chainLimit ?? chainLimitFor(settings.functions, items, capacitySlots)],
  };
}

/** The table, the slot of the key that looks like an empty slot, and the stash. */
export const slotCount = ({ stashSlots }: CuckooSettings, capacitySlots: number): number =>
  capacitySlots + 1 + stashSlots;

/** Whether the table may be given more items than it has room for, because copies are dropped. */
export const isCrowded = ({ functions }: CuckooSettings, { items, capacitySlots }: TablePlan): boolean =>
  items > capacitySlots * REACH[functions].maxLoad;

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
  if (!(functions in REACH)) {
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

function chooseCapacity(settings: CuckooSettings, { items, duplicates, growth }: PlanRequest): number {
  const { functions, loadFactor, capacitySlots } = settings;
  const { maxLoad } = REACH[functions];
  if (capacitySlots !== undefined) {
    if (loadFactor !== undefined) {
      throw new InvalidInputError('cuckoo: give either loadFactor or capacitySlots, not both');
    }
    if (!Number.isInteger(capacitySlots) || capacitySlots < 1) {
      throw new InvalidInputError(`cuckoo: capacitySlots must be a positive integer, not ${capacitySlots}`);
    }
    const noneIsDropped = duplicates === 'error' || duplicates === 'unique';
    if (noneIsDropped && items > Math.ceil(capacitySlots * maxLoad)) {
      throw new InvalidInputError(
        `cuckoo: ${items} items do not fit into ${capacitySlots} slots: ${whatReaches(functions, items / capacitySlots)}`,
      );
    }
    return capacitySlots;
  }
  if (!(loadFactor !== undefined && loadFactor > 0 && loadFactor <= 1)) {
    throw new InvalidInputError(`cuckoo: loadFactor must be above 0 and at most 1, not ${loadFactor}`);
  }
  if (loadFactor > maxLoad) {
    throw new InvalidInputError(
      `cuckoo: a load of ${loadFactor} cannot be built: ${whatReaches(functions, loadFactor)}`,
    );
  }
  return Math.max(1, Math.ceil((items / loadFactor) * GROWTH ** growth));
}

/** Why a load is too high, and what would do. */
function whatReaches(functions: FunctionCount, load: number): string {
  const enough = ([2, 3, 4, 5] as const).find((count) => REACH[count].maxLoad >= load);
  const advice =
    enough === undefined
      ? `no number of functions reaches more than ${REACH[5].maxLoad}`
      : `use ${enough} functions, which reach ${REACH[enough].maxLoad}, or more slots`;
  return `${functions} functions reach a load of ${REACH[functions].maxLoad}; ${advice}`;
}
