import { wgsl } from '../../wgsl/index.ts';

/**
 * WGSL: `(position: u32, size: u32) -> u32`, the node of the key at that position in the order.
 *
 * In a full tree key number p, counted from 1, stands as many levels above the lowest as p has zeros at its end. Any other
 * tree lacks nodes at the right of its lowest level: behind the last key that stands there, only every other number of
 * the full tree is taken.
 */
export const nodeOf = wgsl`
fn nodeOf(position: u32, size: u32) -> u32 {
  let lowestLevel = firstLeadingBit(size);
  let lowestNodes = size + 1u - (1u << lowestLevel);
  let number = select(2u * (position + 1u - lowestNodes), position + 1u, position < 2u * lowestNodes);
  let height = countTrailingZeros(number);
  return (1u << (lowestLevel - height)) + (number >> (height + 1u));
}`;
