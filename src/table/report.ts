import { BuildError, DuplicateKeyError, type HashnestError, InvalidInputError } from '../gpu/index.ts';
import { type HeaderValues, type Scheme, STATUS, type TablePlan } from '../schemes/contract/index.ts';

/** How the last build went. */
export interface BuildReport {
  /** Hash functions tried. */
  readonly attempts: number;
  /** How often the table was made larger because none worked. */
  readonly growths: number;
  /** The `seed` that was given, from which every random choice follows; without one they are secret, and stay so. */
  readonly seed: number | undefined;
  /** From the call to the answer, transfers of the status included; 0 where the caller submitted the build. */
  readonly milliseconds: number;
  /** Items whose key was there already. */
  readonly copies: number;
  /** Probes of the longest insertion, for schemes that probe. */
  readonly longestProbe: number;
  /** Items kept outside the table proper, for schemes with a stash. */
  readonly stashed: number;
  /** Parts of the table begun again, and rounds of all parts together, for schemes that build part by part. */
  readonly restarts: number;
  readonly rounds: number;
}

/** Why a build failed, from its header. */
export function failureOf(scheme: Scheme, plan: TablePlan, header: HeaderValues): HashnestError {
  const { status, example, failed, attempts, count } = header;
  if (status & STATUS.duplicate) {
    return new DuplicateKeyError(
      `the key of item ${example} occurs more than once; with duplicates: 'first' | 'last' | 'any' one of them is kept`,
      example,
    );
  }
  if (status & STATUS.overflow) {
    return new InvalidInputError(
      `the count on the GPU was ${count + failed}, but the buffers and the table hold ${count} items`,
    );
  }
  const advice = plan.larger
    ? 'build it on the host face, where tables grow'
    : 'give it more slots, by capacitySlots or what else the scheme has for it';
  return new BuildError(
    `${scheme.name}: ${failed} of ${count} items found no slot among ${plan.capacitySlots} in ${attempts} attempts; ${advice}`,
    failed,
    attempts,
  );
}
