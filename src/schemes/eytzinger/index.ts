/**
 * Sorted keys in the order in which a search tree is read level by level (Khuong and Morin 2015; Due et al. 2025, section
 * 3.4). The keys that every search looks at first lie side by side, and stay in the cache.
 */
import { mix } from '../../hashing/index.ts';
import type { Scheme } from '../contract/scheme.ts';
import { sortedValueStore } from '../kit/sortedTable.wgsl.ts';
import { recordEytzingerBuild } from './build.wgsl.ts';
import { eytzingerShader } from './find.wgsl.ts';
import { planEytzinger, slotsOf } from './plan.ts';

/** Keys as a search tree without pointers; as small as a sorted array, and its build cannot fail either. */
export const eytzinger = (): Scheme => ({
  name: 'eytzinger',
  // No hash function is used; the constants are drawn all the same, and ignored.
  family: mix,
  options: {},
  plan: planEytzinger,
  encodeBuild: recordEytzingerBuild,
  slotCount: slotsOf,
  shader: eytzingerShader,
  valueStore: sortedValueStore,
});
