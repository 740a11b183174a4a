import { type KeySide, wordsType } from '../../keys/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { header } from '../header.ts';
import { entryOf, entryType, hit, hitType, miss } from '../hit.ts';
import type { TablePlan, TableShader } from '../scheme.ts';

/** Bisection for the first key that is not less than the needle. */
export function sortedShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const needle = key.access(side);
  const inTable = key.access('table');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const size = wgsl`(${header}.count - ${header}.copies)`;
  const less = key.less as NonNullable<typeof key.less>;

  const find: Wgsl = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let size = ${size};
  var low = 0u;
  var high = size;
  var probes = 0u;
  // The interval halves every time, so 32 rounds are enough for any size.
  for (; probes < 32u && low < high; probes++) {
    let middle = low + (high - low) / 2u;
    if (${less(inTable, needle)}(${inTable.of(wgsl`${keys}[middle]`)}, key)) { low = middle + 1u; } else { high = middle; }
  }
  if (low < size && ${key.equals(inTable, needle)}(${inTable.of(wgsl`${keys}[low]`)}, key)) {
    return ${hit(valueWords, 'low', 'probes + 1u', wgsl`${values}[low]`)};
  }
  return ${miss(valueWords, 'probes + u32(low < size)')};
}`;

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  return ${entryOf(key.words, valueWords, wgsl`index < ${size}`, wgsl`${keys}[index]`, wgsl`${values}[index]`)};
}`;

  const bindings = new Map([
    ['header', header],
    ['keys', keys],
  ]);
  if (valueWords > 0) bindings.set('values', values);
  return { find, entry, bindings };
}
