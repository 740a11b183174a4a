import type { HashFamily } from '../../hashing/index.ts';
import { allOnes, type KeySide } from '../../keys/index.ts';
import { join, storage, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { extraEntry, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';
import { globalSlot, levelHashes } from './hashes.wgsl.ts';
import type { BucketShape } from './plan.ts';

/**
 * Section 5.2.3: the bucket's seed is read, and the slot of the key in each subtable is looked at in turn. That is four
 * reads at most; the seed is not counted as a probe.
 */
export function twoLevelShader(family: HashFamily, shape: BucketShape, plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const { subtableSlots } = shape;
  const needle = key.access(side);
  const inTable = key.access('table');
  const slots = storage('slots', slotsType(plan));
  const seeds = storage('seeds', 'array<u32>');
  const { hashed, bucketOf, slotsOf } = levelHashes(key, needle, family, subtableSlots);
  const slotAt = globalSlot(subtableSlots);

  // Written out for each subtable: a vector indexed by a variable may end up in memory.
  const probe = (subtable: number) => wgsl`
  {
    let place = ${subtable * subtableSlots}u + places[${subtable}];
    let index = ${slotAt}(bucket, place, buckets);
    let slot = ${slots}[index];
    let stored = ${keyIn(plan, 'slot')};
    // Whoever left a slot was driven out by another, so nobody has been where a slot is empty.
    if (${allOnes(key.words, 'stored')}) { return ${miss(valueWords, `${subtable + 1}u`)}; }
    if (${key.equals(inTable, needle)}(${inTable.of('stored')}, key)) {
      return ${hit(valueWords, 'index', `${subtable + 1}u`, valueIn(plan, 'slot'))};
    }
  }`;
  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  ${searchExtraSlot(plan, slots)}
  let constants = ${header}.hash;
  let buckets = ${header}.own.x;
  let hashed = ${hashed('key', 'constants')};
  let bucket = ${bucketOf}(hashed, constants, ${header}.attempts, buckets);
  let places = ${slotsOf}(hashed, ${seeds}[bucket], constants);
  ${join([0, 1, 2].map(probe), '')}
  return ${miss(valueWords, '3u')};
}`;

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  ${extraEntry(plan)}
  return ${entryOf(key.words, valueWords, wgsl`!${allOnes(key.words, 'stored')}`, 'stored', valueIn(plan, 'slot'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['slots', slots],
      ['seeds', seeds],
    ]),
  };
}
