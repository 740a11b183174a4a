/** Rehearses batches, to compile what they need. */
import { type Gpu, requireWhole } from '../../gpu/index.ts';
import { drawKeys } from '../../table/drawnKeys.ts';
import { requireKeyType } from '../../table/source.ts';
import type { PrepareOptions } from '../prepare.ts';
import { recordSearches, rehearseCalls, roomOn } from '../rehearseCalls.ts';
import type { DynamicCollection, DynamicOptions } from './dynamicCollection.ts';
import type { Batches } from './prepareBatches.ts';

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
    const batch = { keys: room(key.words), ...(key.hasContext && { context: roomOn(idle, 1) }) };
    // Reserved on its own, because it is no more than room.
    if (key.hasContext) await made.reserve(items, 9 * items);
    const encoder = idle.device.createCommandEncoder();
    // A table that is known to be empty is filled in another way, and counts that only the GPU knows take gates.
    for (const count of [items, items, { buffer: room() }]) {
      record(made, encoder, { ...batch, count }, room(Math.max(1, valueWords)));
    }
    recordSearches(made);
    made.destroy();
  });
}
