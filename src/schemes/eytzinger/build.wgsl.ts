import type { Recorder } from '../../gpu/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import type { BuildInput, TableBuffers, TablePlan } from '../contract/scheme.ts';
import { recordSortedItems } from '../kit/sortedItems.wgsl.ts';

/**
 * `nodeOf(rank, size)`: the node of the key that has so many lesser ones. In a full tree the key at place p, counted from 1,
 * stands as many levels above the lowest as p has zeros at its end. Any other tree lacks nodes at the right of its lowest
 * level: behind the last key that stands there, only every other place of the full tree is taken.
 */
export const nodeOf = wgsl`
fn nodeOf(rank: u32, size: u32) -> u32 {
  let lowestLevel = firstLeadingBit(size);
  let lowestNodes = size + 1u - (1u << lowestLevel);
  let place = select(2u * (rank + 1u - lowestNodes), rank + 1u, rank < 2u * lowestNodes);
  let height = countTrailingZeros(place);
  return (1u << (lowestLevel - height)) + (place >> (height + 1u));
}`;

/** Every key stands at its node of the search tree. */
export function recordEytzingerBuild(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  input: BuildInput,
): void {
  recordSortedItems(recorder, plan, buffers, input, nodeOf);
}
