import type { HashFamily } from '../../hashing/index.ts';
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { keyIn, slotEntry, valueIn } from '../kit/slot.wgsl.ts';
import { itemsIn, slotIn, subarrayOf } from './subarray.wgsl.ts';

/**
 * Due et al. 2025, section 2.2: the key is at its one slot or nowhere. That is two reads, the subarray and the slot; or one, where
 * the subarray has no items.
 */
export function perfectReader(family: HashFamily, request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords } = request;
  const { header } = view;
  const subarrays = view.buffer('subarrays');
  const slots = view.buffer('slots');

  // A slot without an item holds a key that belongs elsewhere.
  const isOwn = wgsl`
fn isOwnSlot(key: ${view.key.type}, index: u32) -> bool {
  if (${header}.count == 0u) { return false; }
  let constants = ${header}.hash;
  let hash = ${key.hash(view.key, family)}(key, constants);
  let subarray = ${subarrays}[${subarrayOf(family)}(hash, ${header}.subarrays)];
  return ${itemsIn}(subarray.y) > 0u && ${slotIn}(subarray, hash, constants) == index;
}`;

  return {
    find: (needle) => wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let constants = ${header}.hash;
  let hash = ${key.hash(needle, family)}(key, constants);
  let subarray = ${subarrays}[${subarrayOf(family)}(hash, ${header}.subarrays)];
  if (${itemsIn}(subarray.y) == 0u) { return ${miss(valueWords, '1u')}; }
  let index = ${slotIn}(subarray, hash, constants);
  let slot = ${slots}[index];
  let stored = ${keyIn(request, 'slot')};
  if (${key.equals(view.key, needle)}(${view.key.of('stored')}, key)) {
    return ${hit(valueWords, 'index', '2u', valueIn(request, 'slot'))};
  }
  return ${miss(valueWords, '2u')};
}`,
    entry: slotEntry(request, slots, wgsl`${isOwn}(${view.key.of(view.key.safe('stored'))}, index)`),
  };
}

/** A subarray of c items has c² slots, all of them among those of the table. */
export function areSoundSubarrays(view: TableView): Wgsl {
  const { header } = view;
  return wgsl`
fn isSoundSubarray(i: u32) -> bool {
  let subarray = ${view.buffer('subarrays')}[i];
  let items = ${itemsIn}(subarray.y);
  return items == 0u || (subarray.x < ${header}.capacity && items * items <= ${header}.capacity - subarray.x);
}`;
}
