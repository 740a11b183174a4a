import type { TablePlan } from '../contract/scheme.ts';

/**
 * Makes something once for every plan, such as its kernels: a table that is rebuilt every frame asks for them every frame.
 * Everything else that goes into it must follow from the plan or from the scheme that made the plan.
 */
export function keptPerPlan<Others extends unknown[], Made>(
  make: (plan: TablePlan, ...others: Others) => Made,
): (plan: TablePlan, ...others: Others) => Made {
  const kept = new WeakMap<TablePlan, { readonly made: Made }>();
  return (plan, ...others) => {
    const known = kept.get(plan) ?? { made: make(plan, ...others) };
    kept.set(plan, known);
    return known.made;
  };
}
