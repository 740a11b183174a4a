import { InvalidInputError } from '../../gpu/index.ts';
import { type HashFamily, mix } from '../../hashing/index.ts';
import type { KeyType } from '../../keys/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { chooseCapacity, requireAddressable } from '../kit/capacity.ts';
import { slotValueStore } from '../kit/slot.wgsl.ts';
import { robinHoodBuild } from './build.wgsl.ts';
import { robinHoodReader } from './find.wgsl.ts';
import { primesFrom } from './primes.ts';
import { type RobinHood, slotBuffers } from './shape.ts';
import { itemFields, quotientFields } from './word.wgsl.ts';

/** The load that the paper compares schemes at (section 4.1). */
export const DEFAULT_LOAD = 0.8;

/** Slots of the least table: one whose quotients of 32-bit keys leave room for an age. */
const LEAST_SLOTS = 37;

/** Sizes that attempts take in turn: one that fails because of keys with the same remainder is followed by one with other remainders. */
const SIZES = 3;

/** Wide keys are claimed by the numbers of their items, which share a word with an age. */
const MOST_WIDE_ITEMS = 2 ** 27;

/** What a scheme was made with. */
export interface RobinHoodSettings extends RobinHood {
  readonly loadFactor: number;
}

export function planRobinHood(settings: RobinHoodSettings, request: PlanRequest): TablePlan {
  const { key, items } = request;
  requireOrder(settings, key);
  const rules = { scheme: 'robinHood', defaultLoad: DEFAULT_LOAD, growthFactor: 1.05, mostGrowths: 8 };
  const { capacitySlots: wanted, canGrow } = chooseCapacity(rules, settings, request);
  const sizes = primesFrom(Math.max(wanted, LEAST_SLOTS), SIZES);
  const capacitySlots = requireAddressable('robinHood', sizes.at(-1) as number);
  const fields = key.isWord
    ? quotientFields(bitsOf(0xffff_ffff / (sizes[0] as number)), settings.evict)
    : itemFields(bitsOf(items - 1), settings.evict);
  return {
    request,
    family: familyOf(sizes),
    format: 'robinHood/1',
    capacitySlots,
    slotCount: capacitySlots,
    buffers: slotBuffers(request, capacitySlots),
    scratch: [],
    fields,
    larger: canGrow ? () => planRobinHood(settings, { ...request, growth: request.growth + 1 }) : undefined,
    build: robinHoodBuild({ made: settings, request, fields, slotCount: capacitySlots }),
    mostItems: key.isWord ? undefined : MOST_WIDE_ITEMS,
    reader: (view) => robinHoodReader(settings, request, view),
    soundness: { longest: fields.mostAge, hash: ([size = 0]) => sizes.includes(size) },
    valueStore: () => slotValueStore('slots', request),
  };
}

/** The default family, with the size of the table in place of its first word. */
const familyOf = (sizes: readonly number[]): HashFamily => ({
  ...mix,
  draw: (random, attempt = 1) => [sizes[(attempt - 1) % sizes.length] as number, random(), random(), random()],
});

/** Bits of the whole part of a number. */
const bitsOf = (number: number): number => Math.floor(Math.log2(Math.max(1, Math.floor(number)))) + 1;

function requireOrder({ order }: RobinHoodSettings, key: KeyType): void {
  if (order && !key.coordinates) {
    throw new InvalidInputError(`robinHood: order is for keys with coordinates, such as vec2i; ${key.name} has none`);
  }
}
