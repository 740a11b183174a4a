import type { Recorder } from '../../gpu/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import type { BuildInput, TableBuffers, TablePlan } from '../contract/scheme.ts';
import { recordSortedItems } from '../kit/sortedItems.wgsl.ts';

const slotOf = wgsl`
fn slotOf(rank: u32, size: u32) -> u32 {
  return rank;
}`;

/** Every key stands at its rank. */
export function recordSortedBuild(recorder: Recorder, plan: TablePlan, buffers: TableBuffers, input: BuildInput): void {
  recordSortedItems(recorder, plan, buffers, input, slotOf);
}
