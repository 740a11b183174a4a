import type { TablePlan } from '../schemes/contract/scheme.ts';
import type { Table } from './table.ts';

/**
 * Kernels around the shader of a table, written once for each plan and variant: a table that is rebuilt or searched every
 * frame asks for them every frame, and one that has grown needs others.
 */
export function perPlan<Made, Variant = undefined>(
  make: (table: Table, variant: Variant) => Made,
): (table: Table, variant: Variant) => Made {
  const kept = new WeakMap<TablePlan, Map<Variant, Made>>();
  return (table, variant) => {
    const variants = kept.get(table.plan) ?? new Map<Variant, Made>();
    kept.set(table.plan, variants);
    const made = variants.get(variant) ?? make(table, variant);
    variants.set(variant, made);
    return made;
  };
}
