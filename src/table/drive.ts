import { type HeaderValues, type Scheme, STATUS, type TablePlan } from '../schemes/contract/index.ts';
import { requireFit } from './plan.ts';
import { failureOf } from './report.ts';

/** Seeds tried before the table grows, and how many are encoded where nobody can look at the result in between. */
export const SEEDS_PER_SIZE = 3;
/** Seeds tried for a table that cannot grow. */
const SEEDS_AT_FIXED_SIZE = 8;

/** A build as its driver sees it. */
export interface Driven {
  readonly scheme: Scheme;
  readonly limits: GPUSupportedLimits;
  /** The plan of the next attempt. */
  plan(): TablePlan;
  /** Makes an attempt, counted from 1, and tells how it ended. */
  attempt(number: number): Promise<HeaderValues>;
  /** Gives the table another size. */
  resize(plan: TablePlan): Promise<void>;
}

/** Tries seeds and sizes until an attempt succeeds; throws when there is nothing left to try. */
export async function drive({ scheme, limits, plan, attempt, resize }: Driven): Promise<{
  readonly header: HeaderValues;
  readonly growths: number;
}> {
  for (let attempts = 1, growths = 0; ; attempts++) {
    const header = { ...(await attempt(attempts)), attempts };
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
