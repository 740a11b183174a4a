/**
 * A sorted array, searched by bisection: what Alcantara 2011 (section 3.3.2) compares hashing with, and the first map of
 * Due et al. 2025 (section 3.4). No empty slots, no attempts, no bad luck; about lg n reads a search.
 */
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planSortedArray } from './plan.ts';

/** Keys in order, searched by bisection; the smallest table, and its build cannot fail. */
export function sortedArray(options: Readonly<Record<string, never>> = {}): Scheme {
  requireSchemeOptions('sortedArray', options, []);
  return { name: 'sortedArray', options: {}, plan: planSortedArray, withOptions: () => sortedArray() };
}
