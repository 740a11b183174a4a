/** What a device can hold: a table that lives, and a batch. */
import { type Gpu, HashnestError, mostBytes, TooLargeError } from '../gpu/index.ts';
import type { BufferSpec, DynamicPlan } from '../schemes/contract/index.ts';
import { largestFitting } from '../table/plan.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { type Bounds, fewestSlots, targetOf } from './settings.ts';

/** More keys than any table has. */
const TOO_MANY_KEYS = 2 ** 32;

type Buffers = readonly Pick<BufferSpec, 'bytes'>[];

const largestBytes = (buffers: Buffers): number => Math.max(...buffers.map(({ bytes }) => bytes));

const areHeld = ({ limits }: Gpu, buffers: Buffers): boolean => largestBytes(buffers) <= mostBytes(limits);

/** The plan of a table of so many slots, if the device can hold it. */
function heldPlan(gpu: Gpu, slots: number, planFor: (slots: number) => DynamicPlan): DynamicPlan | undefined {
  try {
    const plan = planFor(slots);
    return areHeld(gpu, plan.buffers) ? plan : undefined;
  } catch (error) {
    if (error instanceof HashnestError) return undefined;
    throw error;
  }
}

/**
 * Slots for so many keys: between the bounds where the sizes of tables are close enough and the device holds one, else as near the upper one
 * as they are.
 */
export function slotsBetween(gpu: Gpu, keys: number, bounds: Bounds, planFor: (slots: number) => DynamicPlan): number {
  const slots = Math.ceil(keys / targetOf(bounds));
  const plan = heldPlan(gpu, slots, planFor);
  return plan && keys >= bounds.lowest * plan.capacitySlots ? slots : fewestSlots(keys, bounds);
}

/** The plan, if the device can hold such a table. */
export function requireTableFits(gpu: Gpu, plan: DynamicPlan, needed: number, bounds: Bounds): DynamicPlan {
  if (areHeld(gpu, plan.buffers)) return plan;
  const planFor = (slots: number): DynamicPlan => plan.resized(slots);
  const largest = largestFitting(TOO_MANY_KEYS, (keys) => !!heldPlan(gpu, fewestSlots(keys, bounds), planFor));
  throw new TooLargeError(
    `a table for ${needed} keys would need a buffer of ${worstOf(gpu, plan.buffers)}; this device holds at most ${largest}`,
    largest,
  );
}

/** Items that the device takes in one batch, of so many. */
export function batchOf(gpu: Gpu, plan: DynamicPlan, count: number): number {
  const isTaken = (items: number): boolean => areHeld(gpu, buffersFor(plan, items));
  return isTaken(count) ? count : largestFitting(count, isTaken);
}

/** Throws if a batch of so many items cannot be. */
export function requireBatchFits(gpu: Gpu, plan: DynamicPlan, count: number): void {
  const largest = batchOf(gpu, plan, count);
  if (largest === count) return;
  throw new TooLargeError(
    `a batch of ${count} items needs a buffer of ${worstOf(gpu, buffersFor(plan, count))}; this device takes at most ${largest} at once`,
    largest,
  );
}

/** Scratch, keys and values of a batch. */
function buffersFor(plan: DynamicPlan, items: number): Buffers {
  const { key, valueWords } = plan.request;
  const input = [key.words, valueWords].map((words) => ({ bytes: items * words * WORD_BYTES }));
  return [...plan.scratchFor(items), ...input];
}

const worstOf = ({ limits }: Gpu, buffers: Buffers): string =>
  `${largestBytes(buffers)} bytes of the ${mostBytes(limits)} that a binding may have`;
