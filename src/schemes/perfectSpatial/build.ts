import { STATUS } from '../contract/header.wgsl.ts';
import type { HostBuild, HostItems, TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { arrange } from './arrange.ts';
import { distinctItems } from './distinctItems.ts';
import { cells } from './geometry.ts';
import { geometryOf } from './plan.ts';

/** Offsets for each item up to which keys that are too crowded by their coordinates get more of them, before they are hashed. */
const PATIENT_OFFSETS_PER_ITEM = 0.25;

/** One of each key is kept, the offsets are found, and the slots are filled. */
export function buildPerfectSpatial(plan: TablePlan, { keys, values }: HostItems, random: () => number): HostBuild {
  const { words } = plan.key;
  const { kept, copy } = distinctItems(keys, words, plan.duplicates, random);
  if (copy !== undefined && forbidsCopies(plan.duplicates)) return { status: STATUS.duplicate, example: copy };

  const distinct = new Uint32Array(kept.length * words);
  copyRecords(keys, words, kept, (i) => i * words, distinct);
  const geometry = geometryOf(plan);
  const offsetsPerItem = cells(geometry.offsetSide, geometry.dimensions) / plan.items;
  const outcome = arrange(distinct, geometry, random, offsetsPerItem < PATIENT_OFFSETS_PER_ITEM);
  if ('reason' in outcome) return { status: STATUS.retry, failed: outcome.left };

  const stride = slotWords(plan);
  const slots = new Uint32Array(plan.capacitySlots * stride);
  // No key is reserved for empty slots: they hold a key that is there, but lives elsewhere.
  const filler = distinct.subarray(0, words);
  for (let slot = 0; slot < plan.capacitySlots; slot++) slots.set(filler, slot * stride);
  const slotAt = (i: number) => (outcome.slots[i] as number) * stride;
  copyRecords(keys, words, kept, slotAt, slots);
  if (values) copyRecords(values, plan.valueWords, kept, (i) => slotAt(i) + words, slots);
  return {
    status: 0,
    hash: outcome.hash,
    copies: keys.length / words - kept.length,
    longest: kept.length > 0 ? 1 : 0,
    buffers: new Map([
      ['slots', slots],
      ['offsets', outcome.offsets],
    ]),
  };
}

/** Copies the words of chosen items, each to a place of its own. */
function copyRecords(
  source: Uint32Array,
  words: number,
  items: Uint32Array,
  placeOf: (i: number) => number,
  destination: Uint32Array,
): void {
  for (let i = 0; i < items.length; i++) {
    const from = (items[i] as number) * words;
    const to = placeOf(i);
    for (let word = 0; word < words; word++) destination[to + word] = source[from + word] as number;
  }
}
