import { HashnestError, InvalidInputError, mostBytes, TooLargeError } from '../gpu/index.ts';
import type { Duplicates, PlanRequest, Scheme, TablePlan } from '../schemes/contract/scheme.ts';

const POLICIES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];

/** A plan that fits the device, or the reason why there is none. */
export function planTable(scheme: Scheme, request: PlanRequest, limits: GPUSupportedLimits): TablePlan {
  if (!POLICIES.includes(request.duplicates)) {
    throw new InvalidInputError(`duplicates must be one of ${POLICIES.join(', ')}, not ${request.duplicates}`);
  }
  const plan = scheme.plan(request);
  const tooLarge = misfit(plan, limits);
  if (tooLarge === undefined) return plan;
  const largest = largestItems(scheme, request, limits);
  throw new TooLargeError(
    `${scheme.name}: ${tooLarge} for ${request.items} items; this device holds at most ${largest}`,
    largest,
  );
}

/** Bytes of a finished table. */
export const tableBytes = (plan: TablePlan): number => plan.table.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes while building, the input not counted. */
export const peakBytes = (plan: TablePlan): number =>
  tableBytes(plan) + plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);

/** What does not fit, in words. */
function misfit(plan: TablePlan, limits: GPUSupportedLimits): string | undefined {
  const most = mostBytes(limits);
  const input = [
    { name: 'keys', bytes: plan.items * plan.key.words * 4 },
    { name: 'values', bytes: plan.items * plan.valueWords * 4 },
  ];
  const worst = [...plan.table, ...plan.scratch, ...input].find(({ bytes }) => bytes > most);
  return worst && `the buffer '${worst.name}' would need ${worst.bytes} bytes of the ${most} that a binding may have`;
}

function largestItems(scheme: Scheme, request: PlanRequest, limits: GPUSupportedLimits): number {
  const fits = (items: number): boolean => {
    try {
      return misfit(scheme.plan({ ...request, items }), limits) === undefined;
    } catch (error) {
      if (error instanceof HashnestError) return false;
      throw error;
    }
  };
  let fitting = 0;
  let failing = request.items;
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2);
    if (fits(middle)) fitting = middle;
    else failing = middle;
  }
  return fitting;
}
