/** What the kernels of the rounds share (Due et al. 2025, section 2.5). */

import { storage, uniform, wgsl } from '../../wgsl/index.ts';
import { type BuildView, buildView } from '../contract/index.ts';
import { type DistinctItems, distinctItems } from '../kit/distinct.wgsl.ts';
import type { PerfectPlan } from './sizes.ts';

export const THREADS = 256;

export const hashes = storage('hashes', 'array<vec2u>');
export const subarrays = storage('subarrays', 'array<atomic<u32>>', 'read_write');
/** The rank of the item that holds a slot, all ones for nobody. */
export const tokens = storage('tokens', 'array<atomic<u32>>', 'read_write');
/** Items that take part in a round. */
export const list = storage('list', 'array<u32>');
export const round = uniform('round', 'u32');
/** See `COUNTER_WORDS`. */
export const counters = storage('counters', 'array<atomic<u32>>', 'read_write');

/** WGSL: `(round: u32) -> u32`, how many items are listed for it. */
export const listLength = wgsl`
fn listLength(round: u32) -> u32 {
  return atomicLoad(&${counters}[round]);
}`;

/** A build, as all its kernels see it. */
export interface PerfectBuild extends PerfectPlan {
  readonly view: BuildView;
  readonly distinct: DistinctItems;
}

export function perfectView(plan: PerfectPlan): PerfectBuild {
  const view = buildView(plan.request, plan.fields);
  return { ...plan, view, distinct: distinctItems(view, plan.request) };
}
