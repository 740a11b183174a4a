/** Compiling ahead of the first batch. */
import { type Gpu, rehearse, requireGpu, requireOptions, requireWhole } from '../../gpu/index.ts';
import type { PreparedKeys } from '../../keys/index.ts';
import { requireKeyType } from '../../table/source.ts';
import { drawKeys } from '../../table/stats.wgsl.ts';
import type { PrepareOptions } from '../prepare.ts';
import type { DynamicOptions } from './dynamicCollection.ts';

/** How a collection is made, and what is done with it, on whatever `Gpu`. */
interface Batches<Made extends { destroy(): void }> {
  create(gpu: Gpu, options: never): Promise<Made>;
  /** Each is called with a collection of its own, for nothing that one did would be there for the next. */
  readonly calls: readonly ((made: Made, keys: PreparedKeys<never>) => Promise<unknown>)[];
}

/** Compiles what batches of so many keys will need, in a collection of these options. */
export async function prepareBatches<Made extends { destroy(): void }>(
  gpu: Gpu,
  options: DynamicOptions & PrepareOptions,
  names: readonly string[],
  { create, calls }: Batches<Made>,
): Promise<void> {
  requireGpu(gpu);
  requireOptions(options, [...names, 'items']);
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
