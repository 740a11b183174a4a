/** Where a key is (Due et al. 2025, section 2.2): hash₂ chooses a subarray, hash₁ a slot in it. */
import { type HashFamily, multiplyHigh, rehash } from '../../hashing/index.ts';
import { kept, type Wgsl, wgsl } from '../../wgsl/index.ts';

/**
 * A subarray is a `vec2u`: its first slot; and its items with the number of its function above them. No subarray has
 * 2¹⁶ items, since their square is below 2³².
 */
const ITEM_BITS = 16;
const ITEM_MASK = 2 ** ITEM_BITS - 1;

/** What makes the function number of a subarray's second word one greater. */
export const NEXT_FUNCTION = 2 ** ITEM_BITS;

/** WGSL: `(state: u32) -> u32`, from the second word of a subarray. */
export const itemsIn = wgsl`fn itemsIn(state: u32) -> u32 { return state & ${ITEM_MASK}u; }`;
export const functionIn = wgsl`fn functionIn(state: u32) -> u32 { return state >> ${ITEM_BITS}u; }`;

/** WGSL: `(hash: vec2u, subarrays: u32) -> u32`. */
export const subarrayOf = kept(
  (family: HashFamily): Wgsl => wgsl`
fn subarrayOf(hash: vec2u, subarrays: u32) -> u32 {
  return ${family.reduce}(hash.x, subarrays);
}`,
);

/** WGSL: `(subarray: vec2u, hash: vec2u, constants: vec4u) -> u32`, the slot by the subarray's own function. */
export const slotIn = wgsl`
fn slotIn(subarray: vec2u, hash: vec2u, constants: vec4u) -> u32 {
  let items = ${itemsIn}(subarray.y);
  // One item has one slot.
  if (items == 1u) { return subarray.x; }
  return subarray.x + ${multiplyHigh}(${rehash}(hash, constants, ${functionIn}(subarray.y)), items * items);
}`;
