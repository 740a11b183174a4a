/** How many slots a table gets, by a load factor or by their number. */
import { InvalidInputError } from '../../gpu/index.ts';
import type { PlanRequest } from '../contract/index.ts';
import { forbidsCopies } from './copies.wgsl.ts';

/** Indices of slots, with a step or a stash behind them, must stay below 2³². */
const MOST_SLOTS = 2 ** 31;

/** What the caller says about the size of a table. */
export interface CapacityOptions {
  /** Items per slot. */
  readonly loadFactor?: number | undefined;
  /** Exactly this many slots, instead of a load factor; the table then never grows. */
  readonly capacitySlots?: number | undefined;
}

/** What a scheme can do. */
export interface CapacityRules {
  readonly scheme: string;
  readonly defaultLoad: number;
  /** The greatest load that can be built. Default 1. */
  readonly maxLoad?: number;
  /** Says what would help against a load that cannot be built. */
  readonly advice?: (load: number) => string;
  /** By how much each growth step multiplies the slots, and how many steps there are. */
  readonly growthFactor: number;
  readonly mostGrowths: number;
}

/** The slots of a table, and whether another growth step would give more. Throws `InvalidInputError` for what cannot be. */
export function chooseCapacity(
  rules: CapacityRules,
  options: CapacityOptions,
  { items, duplicates, growth }: PlanRequest,
): { readonly capacitySlots: number; readonly canGrow: boolean } {
  const { scheme, defaultLoad, maxLoad = 1, advice = () => '', growthFactor, mostGrowths } = rules;
  const { loadFactor = defaultLoad, capacitySlots } = options;
  if (capacitySlots === undefined) {
    if (!(typeof loadFactor === 'number' && loadFactor > 0 && loadFactor <= 1)) {
      throw new InvalidInputError(`${scheme}: loadFactor must be above 0 and at most 1, not ${loadFactor}`);
    }
    if (loadFactor > maxLoad) {
      throw new InvalidInputError(`${scheme}: a load of ${loadFactor} cannot be built${advice(loadFactor)}`);
    }
    const wanted = Math.max(1, Math.ceil((items / loadFactor) * growthFactor ** growth));
    return { capacitySlots: requireAddressable(scheme, wanted), canGrow: growth < mostGrowths };
  }
  if (options.loadFactor !== undefined) {
    throw new InvalidInputError(`${scheme}: give either loadFactor or capacitySlots, not both`);
  }
  if (!Number.isInteger(capacitySlots) || capacitySlots < 1) {
    throw new InvalidInputError(`${scheme}: capacitySlots must be a positive integer, not ${capacitySlots}`);
  }
  if (forbidsCopies(duplicates) && items > Math.ceil(capacitySlots * maxLoad)) {
    throw new InvalidInputError(
      `${scheme}: ${items} items do not fit into ${capacitySlots} slots${advice(items / capacitySlots)}`,
    );
  }
  return { capacitySlots: requireAddressable(scheme, capacitySlots), canGrow: false };
}

/** Throws for more slots than indices can address. */
export function requireAddressable(scheme: string, slots: number): number {
  if (slots > MOST_SLOTS) {
    throw new InvalidInputError(`${scheme}: ${slots} slots are more than the ${MOST_SLOTS} it can address`);
  }
  return slots;
}
