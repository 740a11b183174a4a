/** Rehearses batches, to compile what they need. */
import { type Gpu, requireWhole } from '../../gpu/index.ts';
import { drawKeys } from '../../table/drawnKeys.ts';
import { requireKeyType } from '../../table/source.ts';
import type { PrepareOptions } from '../prepare.ts';
import { recordSearches, rehearseCalls, roomOn } from '../rehearseCalls.ts';
import type { DynamicCollection, DynamicOptions } from './dynamicCollection.ts';
import type { Batches } from './prepareBatches.ts';

/** More batches than are recorded here. */
const MOST_BATCHES = 64;

/** Compiles what batches of so many keys will need, in a collection of these options. */
export async function prepareBatches<Made extends DynamicCollection<never>>(
  gpu: Gpu,
  options: DynamicOptions & PrepareOptions,
  { create, calls, record }: Batches<Made>,
): Promise<void> {
  const { items, ...rest } = options;
  requireWhole(items, 'items');
  const key = requireKeyType(options.key);
  await rehearseCalls(gpu, items, async (idle) => {
    for (const call of calls) {
      const made = await create(idle, rest as never);
      await call(made, { ...drawKeys(key, items, 1), type: key as never });
      made.destroy();
    }
    const made = await create(idle, { ...rest, reserve: items } as never);
    const { valueWords } = made.table.settings;
    const room = (words = 1) => roomOn(idle, items, words);
    const context = key.hasContext ? roomOn(idle, 1) : undefined;
    const batch = { keys: room(key.words), ...(context && { context }) };
    // Reserved on its own, because it is no more than room. Each batch that is recorded adds its context.
    if (context) await made.reserve(items, MOST_BATCHES * context.size);
    const encoder = idle.device.createCommandEncoder();
    // A table that is known to be empty is filled in another way, and counts that only the GPU knows take gates.
    for (const count of [items, items, { buffer: room() }]) {
      record(made, encoder, { ...batch, count }, room(Math.max(1, valueWords)));
    }
    recordSearches(made);
    made.destroy();
  });
}
