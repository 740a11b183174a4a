import type { KeySide } from '../../keys/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import { entryType, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { sortedTable } from '../kit/sortedTable.wgsl.ts';

/** Khuong and Morin 2015: from the root down to where the needle would hang, without a branch. */
export function eytzingerShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const { size, lead, isLess, isEqual, hitAt, entryAt, bindings } = sortedTable(plan, side);
  const find = wgsl`
fn findSlot(key: ${key.access(side).type}) -> ${hitType(valueWords)} {
  let lead = ${lead}(key);
  let size = ${size};
  var node = 1u;
  var probes = 0u;
  // Node numbers double every time, so 32 rounds are enough for any size.
  for (; probes < 32u && node <= size; probes++) {
    node = 2u * node + u32(${isLess}(node, lead, key));
  }
  // Every step to the right has left a one in the number. The last step to the left was taken at the first key that is not
  // less than the needle; without such a step there is none, and node 0 is nowhere.
  node >>= countTrailingZeros(~node) + 1u;
  if (node > 0u && ${isEqual}(node, lead, key)) {
    return ${hitAt('node', 'probes + 1u')};
  }
  return ${miss(valueWords, 'probes + u32(node > 0u)')};
}`;
  const entry = wgsl`
fn entry(slot: u32) -> ${entryType(key.words, valueWords)} {
  return ${entryAt('slot', wgsl`slot > 0u && slot <= ${size}`)};
}`;
  return { find, entry, bindings };
}
