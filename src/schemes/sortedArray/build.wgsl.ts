import { wgsl } from '../../wgsl/index.ts';

/** WGSL: `(position: u32, size: u32) -> u32`: the slot of every key is its position in the order. */
export const slotOf = wgsl`
fn slotOf(position: u32, size: u32) -> u32 {
  return position;
}`;
