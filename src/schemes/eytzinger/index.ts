/**
 * Sorted keys in the order in which a search tree is read level by level (Khuong and Morin 2015; Due et al. 2025, section
 * 3.4). The keys that every search looks at first lie side by side, and stay in the cache.
 */
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planEytzinger } from './plan.ts';

/** Keys as a search tree without pointers; as small as a sorted array, and its build cannot fail either. */
export function eytzinger(options: Readonly<Record<string, never>> = {}): Scheme {
  requireSchemeOptions('eytzinger', options, []);
  return { name: 'eytzinger', options: {}, plan: planEytzinger, withOptions: () => eytzinger() };
}
