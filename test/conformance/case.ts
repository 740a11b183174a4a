import type { Gpu } from '../../src/gpu/index.ts';
import type { SchemeName } from '../../src/schemes/index.ts';

/** One behaviour, checked on whatever GPU is given: by vitest, by a browser page, and by the command `selftest`. */
export interface ConformanceCase {
  readonly name: string;
  /** The scheme that it is about, if it is about one. */
  readonly scheme?: SchemeName;
  /** Part of the list for places where time is short. */
  readonly short: boolean;
  /** Left out unless all is asked for. */
  readonly full?: boolean;
  /** How long it may take. Default two minutes. */
  readonly limitMs?: number;
  run(gpu: Gpu): Promise<void>;
}

/** The longest cases take seconds on a software GPU; with other work on all cores, some ten times as long. */
const CASE_LIMIT_MS = 120_000;

/** The limit of a test runner around `runCase`: longer, because a case is to name its end itself. */
export const RUNNER_LIMIT_MS = CASE_LIMIT_MS + 10_000;

/** Runs a case. One that does not end fails like one that is wrong, so that whoever runs the list can name it and go on. */
export async function runCase({ run, limitMs = CASE_LIMIT_MS }: ConformanceCase, gpu: Gpu): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${limitMs / 1000} s`)), limitMs);
  });
  try {
    await Promise.race([run(gpu), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
