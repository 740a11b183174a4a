import { HashnestError, mostBytes, requireOneOf, TooLargeError } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type {
  BufferSpec,
  Duplicates,
  PlannedTable,
  PlanRequest,
  Scheme,
  TablePlan,
} from '../schemes/contract/index.ts';
import { kept, WORD_BYTES } from '../wgsl/index.ts';

const POLICIES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];

/** A plan that fits the device, or the reason why there is none. */
export const planTable = (scheme: Scheme, request: PlanRequest, limits: GPUSupportedLimits): TablePlan =>
  requireFit(scheme, planOf(scheme, request), limits);

/** Who builds tables of one kind over and over has few different ones. */
const PLANS_KEPT = 8;

const plansOf = kept((_scheme: Scheme, _key: KeyType): TablePlan[] => []);

/** What tells requests apart, but for the key type. */
const TOLD_APART = ['items', 'valueWords', 'duplicates', 'growth', 'format'] as const satisfies (keyof PlanRequest)[];

/** The scheme's plan, whether it fits a device or not. The same request gives the same plan, and with it the kernels that were made for it. */
export function planOf(scheme: Scheme, request: PlanRequest): TablePlan {
  requireOneOf(request.duplicates, 'duplicates', POLICIES);
  const plans = plansOf(scheme, request.key);
  const known = plans.find((one) => TOLD_APART.every((member) => one.request[member] === request[member]));
  if (known) return known;
  const plan = scheme.plan(request);
  plans.push(plan);
  if (plans.length > PLANS_KEPT) plans.shift();
  return plan;
}

/** The plan or a tighter one, if it can be built on the device; an error that says how many items would fit, if it cannot. */
export function requireFit(scheme: Scheme, plan: TablePlan, limits: GPUSupportedLimits): TablePlan {
  const fitting = tightened(plan, limits);
  return requireRoom(scheme, fitting, limits, misfit(fitting, limits));
}

const tightened = (plan: TablePlan, limits: GPUSupportedLimits): TablePlan =>
  misfit(plan, limits) === undefined ? plan : (plan.tighter?.() ?? plan);

/** The same for a table that is built already: neither its input nor any scratch has to fit. */
export const requireTableFit = (scheme: Scheme, plan: TablePlan, limits: GPUSupportedLimits): TablePlan =>
  requireRoom(scheme, plan, limits, tooLong(plan.buffers, limits));

function requireRoom(
  scheme: Scheme,
  plan: TablePlan,
  limits: GPUSupportedLimits,
  tooLarge: string | undefined,
): TablePlan {
  if (tooLarge === undefined) return plan;
  const { request } = plan;
  const largest = largestItems(scheme, request, limits);
  throw new TooLargeError(
    `${scheme.name}: ${tooLarge} for ${request.items} items; this device holds at most ${largest}`,
    largest,
  );
}

/** Bytes of a finished table. */
export const tableBytes = ({ buffers }: PlannedTable): number => buffers.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes while building, the input not counted. */
export const peakBytes = (plan: TablePlan): number =>
  tableBytes(plan) + plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);

/** What does not fit, in words. */
function misfit({ request, buffers, scratch, mostItems }: TablePlan, limits: GPUSupportedLimits): string | undefined {
  const { items, key, valueWords } = request;
  if (mostItems !== undefined && items > mostItems) return `a build tells no more than ${mostItems} items apart`;
  const input = [
    { name: 'keys', bytes: items * key.words * WORD_BYTES },
    { name: 'values', bytes: items * valueWords * WORD_BYTES },
  ];
  return tooLong([...buffers, ...scratch, ...input], limits);
}

function tooLong(buffers: readonly BufferSpec[], limits: GPUSupportedLimits): string | undefined {
  const most = mostBytes(limits);
  const worst = buffers.find(({ bytes }) => bytes > most);
  return worst && `the buffer '${worst.name}' would need ${worst.bytes} bytes of the ${most} that a binding may have`;
}

function largestItems(scheme: Scheme, request: PlanRequest, limits: GPUSupportedLimits): number {
  const fits = (items: number): boolean => {
    try {
      return misfit(tightened(scheme.plan({ ...request, items }), limits), limits) === undefined;
    } catch (error) {
      if (error instanceof HashnestError) return false;
      throw error;
    }
  };
  return largestFitting(request.items, fits);
}

/** The greatest number that fits, below one that does not. */
export function largestFitting(tooMany: number, fits: (items: number) => boolean): number {
  let fitting = 0;
  let failing = tooMany;
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2);
    if (fits(middle)) fitting = middle;
    else failing = middle;
  }
  return fitting;
}
