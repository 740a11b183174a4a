import { HashnestError, mostBytes, requireOneOf, TooLargeError } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { Duplicates, PlanRequest, Scheme, TablePlan } from '../schemes/contract/index.ts';
import { kept } from '../wgsl/index.ts';

const POLICIES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];

/** A plan that fits the device, or the reason why there is none. */
export function planTable(scheme: Scheme, request: PlanRequest, limits: GPUSupportedLimits): TablePlan {
  requireOneOf(request.duplicates, 'duplicates', POLICIES);
  return requireFit(scheme, planOf(scheme, request), limits);
}

/** Who builds tables of one kind over and over has few different ones. */
const PLANS_KEPT = 8;

/** By scheme and key type; then by the rest of the request. */
const plansOf = kept((_: Scheme) => kept((_: KeyType) => new Map<string, TablePlan>()));

/** The scheme's plan. The same request gives the same plan, and with it the kernels that were made for it. */
function planOf(scheme: Scheme, request: PlanRequest): TablePlan {
  const { items, key, valueWords, duplicates, growth, format } = request;
  const plans = plansOf(scheme)(key);
  const name = [items, valueWords, duplicates, growth, format].join('/');
  const known = plans.get(name);
  if (known) return known;
  const plan = scheme.plan(request);
  const oldest = plans.keys().next();
  if (plans.size >= PLANS_KEPT && !oldest.done) plans.delete(oldest.value);
  plans.set(name, plan);
  return plan;
}

/** The plan, if it fits the device; an error that says how many items would fit, if it does not. */
export function requireFit(scheme: Scheme, plan: TablePlan, limits: GPUSupportedLimits): TablePlan {
  const tooLarge = misfit(plan, limits);
  if (tooLarge === undefined) return plan;
  const { request } = plan;
  const largest = largestItems(scheme, request, limits);
  throw new TooLargeError(
    `${scheme.name}: ${tooLarge} for ${request.items} items; this device holds at most ${largest}`,
    largest,
  );
}

/** Bytes of a finished table. */
export const tableBytes = (plan: TablePlan): number => plan.buffers.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes while building, the input not counted. */
export const peakBytes = (plan: TablePlan): number =>
  tableBytes(plan) + plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);

/** What does not fit, in words. */
function misfit({ request, buffers, scratch }: TablePlan, limits: GPUSupportedLimits): string | undefined {
  const most = mostBytes(limits);
  const { items, key, valueWords } = request;
  const input = [
    { name: 'keys', bytes: items * key.words * 4 },
    { name: 'values', bytes: items * valueWords * 4 },
  ];
  const worst = [...buffers, ...scratch, ...input].find(({ bytes }) => bytes > most);
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
