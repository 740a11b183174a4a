import type { Gpu } from '../../src/gpu/index.ts';

/** One behaviour, checked on whatever GPU is given: by vitest, by a browser page, and by the command `selftest`. */
export interface ConformanceCase {
  readonly name: string;
  /** Part of the list for places where time is short. */
  readonly short: boolean;
  /** Left out unless all is asked for. */
  readonly full?: boolean;
  run(gpu: Gpu): Promise<void>;
}
