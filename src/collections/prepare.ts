/** Compiling ahead of the first call. What does it is loaded then. */
import { type Gpu, Later, requireGpu, requireOptions } from '../gpu/index.ts';
import type { KeyType, PreparedKeys } from '../keys/index.ts';
import type { TableSettings } from '../table/settings.ts';
import type { Searched } from './searched.ts';

/** What a collection will be built from, for `prepare`. */
export interface PrepareOptions {
  /** How many items, or nearly: tables of other sizes may be built by other kernels. */
  readonly items: number;
}

/** What searches are recorded by. */
export type Recorded = Pick<Searched<never>, 'gpu' | 'table' | 'encodeSearch' | 'destroy'>;

/** What is asked of a collection that is prepared. */
export interface Prepared extends Recorded {
  encodeRebuild(target: GPUCommandEncoder, input: never): void;
}

/** Keys that are searched for by recorded commands. */
interface Queries {
  readonly queries: GPUBuffer;
  readonly count: number;
  readonly context?: GPUBuffer;
}

/** A build and a search of a collection, on whatever `Gpu`. What they are called with is no more typed than what it is for. */
export interface Calls<Options, Made extends Prepared> {
  /** The options that the collection takes. */
  readonly names: readonly string[];
  settings(options: Options): TableSettings;
  /** The names of the values, for collections that have several. */
  columns?(options: Options): readonly string[];
  build(gpu: Gpu, input: never, options: never): Promise<Made>;
  search(made: Made, keys: PreparedKeys<never>): Promise<unknown>;
  /** Records searches that not all collections have. */
  record?(made: Made, encoder: GPUCommandEncoder, queries: Queries): void;
}

export interface Named<K> {
  readonly key?: KeyType<K>;
  /** One, or by the names of values. */
  readonly value?: unknown;
}

const rehearsal = new Later(() => import('./prepare.later.ts'));

/** Compiles what a build from so many items, and a search in what it builds, will need. */
export async function prepareCalls<K, Options extends Named<K> & PrepareOptions, Made extends Prepared>(
  gpu: Gpu,
  options: Options,
  calls: Calls<Options & { readonly key: KeyType<K> }, Made>,
): Promise<void> {
  requireGpu(gpu);
  requireOptions(options, [...calls.names, 'items']);
  const own = { ...options };
  await rehearsal.use((part) => part.prepareCalls(gpu, own, calls));
}
