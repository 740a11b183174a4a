/** Compiling ahead of the first batch. What does it is loaded then. */
import { type Gpu, Later, requireGpu, requireOptions } from '../../gpu/index.ts';
import type { PreparedKeys } from '../../keys/index.ts';
import type { PrepareOptions } from '../prepare.ts';
import type { DynamicCollection, DynamicOptions, KeyBatchBuffers } from './dynamicCollection.ts';

/** How a collection is made, and what is done with it, on whatever `Gpu`. */
export interface Batches<Made extends DynamicCollection<never>> {
  create(gpu: Gpu, options: never): Promise<Made>;
  /** Each is called with a collection of its own, for nothing that one did would be there for the next. */
  readonly calls: readonly ((made: Made, keys: PreparedKeys<never>) => Promise<unknown>)[];
  /** Records a batch of each kind. `words` has room for a value or an id of every key. */
  record(made: Made, encoder: GPUCommandEncoder, batch: KeyBatchBuffers, words: GPUBuffer): void;
}

const rehearsal = new Later(() => import('./prepareBatches.later.ts'));

/** Compiles what batches of so many keys will need, in a collection of these options. */
export async function prepareBatches<Made extends DynamicCollection<never>>(
  gpu: Gpu,
  options: DynamicOptions & PrepareOptions,
  names: readonly string[],
  batches: Batches<Made>,
): Promise<void> {
  requireGpu(gpu);
  requireOptions(options, [...names, 'items']);
  const own = { ...options };
  await rehearsal.use((part) => part.prepareBatches(gpu, own, batches));
}
