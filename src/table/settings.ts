import { type Gpu, requireSeed, UnsupportedError } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { Duplicates, GpuBuild, Scheme, TablePlan, ValueWords } from '../schemes/contract/index.ts';
import { planTable } from './plan.ts';

/** What a table is and stays, however often it is rebuilt. */
export interface TableSettings {
  readonly scheme: Scheme;
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  readonly duplicates: Duplicates;
  readonly seed?: number | undefined;
  /**
   * The one way that is tried where a scheme has two: `'thorough'` where keys are likely to be there more than once, which the quick way gives up; `'quick'` for who has
   * another way of their own. Default: the quick way, then the thorough one.
   */
  readonly effort?: 'quick' | 'thorough' | undefined;
}

/** The plan for so many items, or the typed error that says why there is none. */
export function planItems(gpu: Gpu, settings: TableSettings, items: number, format?: string): TablePlan {
  const { scheme, key, valueWords, duplicates, seed } = settings;
  requireSeed(seed);
  return planTable(scheme, { items, key, valueWords, duplicates, growth: 0, format }, gpu.limits);
}

/** How kernels build the table; an error for schemes that are built on the CPU, which cannot be recorded. */
export function requireGpuBuild({ scheme }: TableSettings, { build }: TablePlan): GpuBuild {
  if (build.on === 'gpu') return build;
  throw new UnsupportedError(
    `${scheme.name} is built on the CPU, which cannot be recorded: build it by from() or rebuild(), or take a scheme that is built on the GPU, such as bucketCuckoo`,
  );
}
