import { UnsupportedError } from '../../gpu/index.ts';
import { scanScratch, sortScratch } from '../../primitives/index.ts';
import type { BufferSpec, PlanRequest, TablePlan } from '../scheme.ts';

/** Scratch of the build, a word an item each. */
export const SORT_KEYS = 'sortedArray/sortKeys';
export const ORDER = 'sortedArray/order';
export const KEPT = 'sortedArray/kept';
export const PLACES = 'sortedArray/places';

export function planSortedArray(request: PlanRequest): TablePlan {
  const { items, key, valueWords } = request;
  if (!key.radixWords || !key.less) {
    throw new UnsupportedError(`sortedArray: ${key.name} keys have no order to sort by; use a hash table instead`);
  }
  const perItem = (name: string, words: number): BufferSpec => ({ name, bytes: items * words * 4 });
  return {
    ...request,
    capacitySlots: Math.max(1, items),
    canGrow: false,
    table: [perItem('keys', key.words), ...(valueWords > 0 ? [perItem('values', valueWords)] : [])],
    scratch: [
      ...[SORT_KEYS, ORDER, KEPT, PLACES].map((name) => perItem(name, 1)),
      ...sortScratch(items, { withValues: true }),
      ...scanScratch(items),
    ],
    own: [],
  };
}
