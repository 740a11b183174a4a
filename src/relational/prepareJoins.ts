/** Compiling ahead of the first join. What does it is loaded then. */
import type { PrepareOptions } from '../collections/prepare.ts';
import { type Gpu, Later, refuse, requireGpu } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { requireKeyType } from '../table/source.ts';
import type { How } from './join.wgsl.ts';
import { requireHow } from './joinBuffers.ts';
import type { JoinTable } from './joinTable.ts';
import { type RowOptions, requireRowOptions } from './rowKeys.ts';

/** What a table will be built from and joined with, for `prepare`. */
export interface PrepareJoinOptions extends RowOptions, PrepareOptions {
  /** The type of the column, or of each column. */
  readonly key: KeyType | readonly KeyType[];
  /** Whether there are rows that have no value in a column. Default false. */
  readonly nulls?: boolean;
  /** Which rows will be wanted. Default `'inner'`. */
  readonly how?: How;
}

const rehearsal = new Later(() => import('./prepareJoins.later.ts'));

export async function prepareJoins(gpu: Gpu, Kind: typeof JoinTable, options: PrepareJoinOptions): Promise<void> {
  requireGpu(gpu);
  requireRowOptions(options, ['items', 'key', 'nulls', 'how']);
  const { how, nulls = false } = options;
  requireHow(how);
  if (typeof nulls !== 'boolean') refuse('nulls', 'true or false', nulls);
  const types = [options.key].flat();
  for (const type of types) requireKeyType(type);
  const own = { ...options };
  await rehearsal.use((part) => part.prepareJoins(gpu, Kind, types, own));
}
