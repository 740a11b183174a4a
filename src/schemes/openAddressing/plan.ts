import { InvalidInputError } from '../../gpu/index.ts';
import type { PlanRequest, TablePlan } from '../contract/scheme.ts';
import type { OpenAddressingOptions } from './index.ts';

/** The dissertation's probe limit is min(N, 10,000), section 3.1.1. */
const PROBE_LIMIT = 10_000;

/**
 * Steps of the sequences never reach some slots of some capacities, so an insertion that runs out of probes walks on
 * slot by slot, this far at most. Tables up to this size can be filled to the last slot.
 */
const SWEEP_LIMIT = 10_000;

/** Indices plus a step must stay below 2³². */
const MAX_CAPACITY = 2 ** 31;

/** Each growth step adds a tenth. */
const GROWTH = 1.1;

export function planOpenAddressing(name: string, options: OpenAddressingOptions, request: PlanRequest): TablePlan {
  const { items, key, valueWords, growth } = request;
  const capacitySlots = chooseCapacity(name, options, request);
  const probeLimit = Math.min(Math.max(items, 1), PROBE_LIMIT);
  if (capacitySlots > MAX_CAPACITY) {
    throw new InvalidInputError(`${name}: ${capacitySlots} slots are more than the ${MAX_CAPACITY} it can address`);
  }
  return {
    ...request,
    capacitySlots,
    canGrow: options.capacitySlots === undefined && growth < 8,
    // One slot more than the capacity: the home of the key that looks like an empty slot.
    table: [{ name: 'slots', bytes: (capacitySlots + 1) * (key.words + valueWords) * 4 }],
    scratch: [],
    own: [probeLimit, probeLimit + Math.min(capacitySlots, SWEEP_LIMIT)],
  };
}

function chooseCapacity(name: string, options: OpenAddressingOptions, request: PlanRequest): number {
  const { items, duplicates, growth } = request;
  const { loadFactor = 0.8, capacitySlots } = options;
  if (capacitySlots !== undefined) {
    if (options.loadFactor !== undefined) {
      throw new InvalidInputError(`${name}: give either loadFactor or capacitySlots, not both`);
    }
    if (!Number.isInteger(capacitySlots) || capacitySlots < 1) {
      throw new InvalidInputError(`${name}: capacitySlots must be a positive integer, not ${capacitySlots}`);
    }
    const noneIsDropped = duplicates === 'error' || duplicates === 'unique';
    if (noneIsDropped && capacitySlots < items) {
      throw new InvalidInputError(`${name}: ${items} items do not fit into ${capacitySlots} slots`);
    }
    return capacitySlots;
  }
  if (!(loadFactor > 0 && loadFactor <= 1)) {
    throw new InvalidInputError(`${name}: loadFactor must be above 0 and at most 1, not ${loadFactor}`);
  }
  return Math.max(1, Math.ceil((items / loadFactor) * GROWTH ** growth));
}
