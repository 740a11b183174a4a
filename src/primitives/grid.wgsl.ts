import { type Kernel, kept, wgsl } from '../wgsl/index.ts';

/** `ceilDiv(a, b)`: how many times b to cover a. */
export const ceilDiv = wgsl`
fn ceilDiv(a: u32, b: u32) -> u32 {
  return a / b + u32(a % b != 0u);
}`;

/**
 * How much work a workgroup takes on so that no more than `mostGroups` are needed: a power of two times `tile`, which
 * keeps the number of different grids small.
 */
export function workPerGroup(work: number, tile: number, mostGroups: number): number {
  let perGroup = tile;
  while (Math.ceil(work / perGroup) > mostGroups) perGroup *= 2;
  return perGroup;
}

/** The same kernel over a coarser or finer grid; kept, because pipelines are found by kernel. */
export const withItemsPerGroup = kept(
  (kernel: Kernel, itemsPerGroup: number): Kernel => ({ ...kernel, itemsPerGroup }),
);
