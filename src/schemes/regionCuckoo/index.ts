/**
 * Cuckoo hashing with two choices over buckets of one memory sector, both in one region. A batch is partitioned by region, and the
 * workgroup that owns a region makes all changes in it, so that barriers order them and nothing is ever half written.
 */
import type { DynamicScheme } from '../contract/index.ts';
import { planRegionCuckoo } from './plan.ts';

/** The default of tables that live: `docs/dynamic.md`. */
export const regionCuckoo = (): DynamicScheme => ({
  name: 'regionCuckoo',
  options: {},
  mostFilled: 0.9,
  plan: planRegionCuckoo,
});
