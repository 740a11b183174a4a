import type { HashFamily } from '../../hashing/index.ts';
import type { KeySide } from '../../keys/index.ts';
import { storage, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';
import { itemsIn, slotIn, subarrayOf } from './place.wgsl.ts';

/**
 * Due et al. 2025, section 2.2: the key is at its one slot or nowhere. That is two reads, the subarray and the slot; or one, where
 * the subarray has no items.
 */
export function perfectShader(family: HashFamily, plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const needle = key.access(side);
  const inTable = key.access('table');
  const subarrays = storage('subarrays', 'array<vec2u>');
  const slots = storage('slots', slotsType(plan));

  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let constants = ${header}.hash;
  let hash = ${key.hash(needle, family)}(key, constants);
  let subarray = ${subarrays}[${subarrayOf(family)}(hash, ${header}.own.x)];
  if (${itemsIn}(subarray.y) == 0u) { return ${miss(valueWords, '1u')}; }
  let index = ${slotIn}(subarray, hash, constants);
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  if (${key.equals(inTable, needle)}(${inTable.of('stored')}, key)) {
    return ${hit(valueWords, 'index', '2u', valueIn(plan, 'slot'))};
  }
  return ${miss(valueWords, '2u')};
}`;

  // A slot without an item holds a key that belongs elsewhere.
  const isOwn = wgsl`
fn isOwnSlot(key: ${inTable.type}, index: u32) -> bool {
  if (${header}.count == 0u) { return false; }
  let constants = ${header}.hash;
  let hash = ${key.hash(inTable, family)}(key, constants);
  let subarray = ${subarrays}[${subarrayOf(family)}(hash, ${header}.own.x)];
  return ${itemsIn}(subarray.y) > 0u && ${slotIn}(subarray, hash, constants) == index;
}`;
  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  let isPresent = ${isOwn}(${inTable.of('stored')}, index);
  return ${entryOf(key.words, valueWords, 'isPresent', 'stored', valueIn(plan, 'slot'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['subarrays', subarrays],
      ['slots', slots],
    ]),
  };
}
