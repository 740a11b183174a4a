import { type HostBuild, type HostItems, type HostOutcome, type PlanRequest, STATUS } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { arrange } from './arrange.ts';
import { distinctItems } from './distinctItems.ts';
import { cells, type Geometry } from './geometry.ts';

/** Offsets for each item up to which keys that are too crowded by their coordinates get more of them, before they are hashed. */
const PATIENT_OFFSETS_PER_ITEM = 0.25;

/** A build on the CPU. */
export const perfectSpatialBuild = (request: PlanRequest, geometry: Geometry): HostBuild => ({
  on: 'host',
  run: (items, random) => buildOnce(request, geometry, items, random),
});

/** One of each key is kept, the offsets are found, and the slots are filled. */
function buildOnce(
  request: PlanRequest,
  geometry: Geometry,
  { keys, values }: HostItems,
  random: () => number,
): HostOutcome {
  const { words } = request.key;
  const { kept, copy } = distinctItems(keys, words, request.duplicates, random);
  if (copy !== undefined && forbidsCopies(request.duplicates)) return { status: STATUS.duplicate, example: copy };

  const distinct = new Uint32Array(kept.length * words);
  copyWords(keys, words, kept, (i) => i * words, distinct);
  const { dimensions, slotSide, offsetSide } = geometry;
  const offsetsPerItem = cells(offsetSide, dimensions) / request.items;
  const outcome = arrange(distinct, geometry, random, offsetsPerItem < PATIENT_OFFSETS_PER_ITEM);
  if ('reason' in outcome) return { status: STATUS.retry, failed: outcome.left };

  const stride = slotWords(request);
  const capacitySlots = cells(slotSide, dimensions);
  const slots = new Uint32Array(capacitySlots * stride);
  // No key is reserved for empty slots: they hold a key that is there, but lives elsewhere.
  const filler = distinct.subarray(0, words);
  for (let slot = 0; slot < capacitySlots; slot++) slots.set(filler, slot * stride);
  const slotAt = (i: number) => (outcome.slots[i] as number) * stride;
  copyWords(keys, words, kept, slotAt, slots);
  if (values) copyWords(values, request.valueWords, kept, (i) => slotAt(i) + words, slots);
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

/** Copies the words of chosen items, each to a position of its own. */
function copyWords(
  source: Uint32Array,
  words: number,
  items: Uint32Array,
  positionOf: (i: number) => number,
  destination: Uint32Array,
): void {
  for (let i = 0; i < items.length; i++) {
    const from = (items[i] as number) * words;
    const to = positionOf(i);
    for (let word = 0; word < words; word++) destination[to + word] = source[from + word] as number;
  }
}
