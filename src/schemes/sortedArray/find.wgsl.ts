import type { KeySide } from '../../keys/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import { entryType, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { sortedTable } from '../kit/sortedTable.wgsl.ts';

/** Bisection for the first key that is not less than the needle. */
export function sortedShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const { size, lead, isLess, isEqual, hitAt, entryAt, bindings } = sortedTable(plan, side);
  const find = wgsl`
fn findSlot(key: ${key.access(side).type}) -> ${hitType(valueWords)} {
  let lead = ${lead}(key);
  let size = ${size};
  var low = 0u;
  var high = size;
  var probes = 0u;
  // The interval halves every time, so 32 rounds are enough for any size.
  for (; probes < 32u && low < high; probes++) {
    let middle = low + (high - low) / 2u;
    if (${isLess}(middle, lead, key)) { low = middle + 1u; } else { high = middle; }
  }
  if (low < size && ${isEqual}(low, lead, key)) {
    return ${hitAt('low', 'probes + 1u')};
  }
  return ${miss(valueWords, 'probes + u32(low < size)')};
}`;
  const entry = wgsl`
fn entry(slot: u32) -> ${entryType(key.words, valueWords)} {
  return ${entryAt('slot', wgsl`slot < ${size}`)};
}`;
  return { find, entry, bindings };
}
