import type { HashConstants } from '../hashing/index.ts';
import { type BuildInput, type HeaderValues, type Scheme, STATUS, type TablePlan } from '../schemes/contract/index.ts';
import { once } from '../wgsl/index.ts';
import { requireFit } from './plan.ts';
import { failureOf } from './report.ts';
import type { TableSettings } from './settings.ts';

/** Seeds tried before the table grows, and how many are encoded where nobody can look at the result, unless the scheme says otherwise. */
export const SEEDS_PER_SIZE = 3;
/** Seeds tried for a table that cannot grow. */
const SEEDS_AT_FIXED_SIZE = 8;

/** An attempt to build a table. */
export interface Attempted {
  /** Counted from 1. */
  readonly number: number;
  /** Its constants: the same for the quick way and the thorough one. */
  readonly draw: () => HashConstants;
  readonly effort: BuildInput['effort'];
  /** Whether the quick way was tried before, with the same constants. */
  readonly isAgain: boolean;
}

/** A build as its driver sees it. */
export interface Driven {
  readonly scheme: Scheme;
  readonly limits: GPUSupportedLimits;
  /** The one way that is tried, if not both. */
  readonly effort?: TableSettings['effort'];
  /** The plan of the next attempt. */
  plan(): TablePlan;
  /** Draws the constants of an attempt. */
  draw(number: number): HashConstants;
  /** Makes an attempt and tells how it ended. */
  attempt(attempt: Attempted): Promise<HeaderValues>;
  /** Gives the table another size. */
  resize(plan: TablePlan): Promise<void>;
}

/** Tries seeds and sizes until an attempt succeeds; throws when there is nothing left to try. */
export async function drive(driven: Driven): Promise<{
  readonly header: HeaderValues;
  readonly growths: number;
}> {
  const { scheme, limits, plan, resize } = driven;
  for (let attempts = 1, growths = 0; ; attempts++) {
    const header = { ...(await tried(driven, attempts)), attempts };
    if (header.status === 0) return { header, growths };
    const planned = plan();
    const { larger, build } = planned;
    if (header.status !== STATUS.retry || (!larger && attempts >= SEEDS_AT_FIXED_SIZE)) {
      throw failureOf(scheme, planned, header);
    }
    // On the host every size gets one attempt.
    if (larger && (build.on === 'host' || attempts % SEEDS_PER_SIZE === 0)) {
      growths++;
      await resize(requireFit(scheme, larger(), limits));
    }
  }
}

/** Makes an attempt: the quick way first where there is one that may do, and then the thorough one if that was not enough. */
async function tried({ limits, effort, plan, draw, attempt }: Driven, number: number): Promise<HeaderValues> {
  const { build } = plan();
  const first = { number, draw: once(() => draw(number)), isAgain: false };
  if (build.on === 'host' || !build.hasQuickWay?.(limits)) return attempt({ ...first, effort: 'both' });
  const header = await attempt({ ...first, effort: effort ?? 'quick' });
  const isDone = effort !== undefined || !(header.status & STATUS.unfinished);
  return isDone ? header : attempt({ ...first, effort: 'thorough', isAgain: true });
}
