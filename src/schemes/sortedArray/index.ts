/**
 * A sorted array, searched by bisection: what Alcantara 2011 (section 3.3.2) compares hashing with, and the first map of
 * Due et al. 2025 (section 3.4). No empty slots, no attempts, no bad luck; about lg n reads a search.
 */
import { mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/scheme.ts';
import { sortedValueStore } from '../kit/sortedTable.wgsl.ts';
import { recordSortedBuild } from './build.wgsl.ts';
import { sortedShader } from './find.wgsl.ts';
import { planSortedArray } from './plan.ts';

/** Keys in order, searched by bisection; the smallest table, and its build cannot fail. */
export const sortedArray = (): Scheme => ({
  name: 'sortedArray',
  // No hash function is used; the constants are drawn all the same, and ignored.
  family: mix,
  options: {},
  plan: planSortedArray,
  encodeBuild: recordSortedBuild,
  slotCount: (plan) => plan.items,
  shader: sortedShader,
  valueStore: sortedValueStore,
});
