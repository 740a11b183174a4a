/** Rehearses batches, to compile what they need. */
import { type Gpu, requireWhole } from '../../gpu/index.ts';
import { rehearse } from '../../gpu/rehearsal.ts';
import { drawKeys } from '../../table/drawnKeys.ts';
import { requireKeyType } from '../../table/source.ts';
import type { PrepareOptions } from '../prepare.ts';
import type { DynamicOptions } from './dynamicCollection.ts';
import type { Batches } from './prepareBatches.ts';

/** Compiles what batches of so many keys will need, in a collection of these options. */
export async function prepareBatches<Made extends { destroy(): void }>(
  gpu: Gpu,
  options: DynamicOptions & PrepareOptions,
  { create, calls }: Batches<Made>,
): Promise<void> {
  const { items, ...rest } = options;
  requireWhole(items, 'items');
  const key = requireKeyType(options.key);
  await rehearse(
    gpu,
    () => undefined,
    async (idle) => {
      for (const call of calls) {
        const made = await create(idle, rest as never);
        await call(made, { ...drawKeys(key, items, 1), type: key as never });
        made.destroy();
      }
    },
  );
}
