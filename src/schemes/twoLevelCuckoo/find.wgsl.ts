import { allOnes } from '../../keys/index.ts';
import { join, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { entryWithExtraSlot, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, valueIn } from '../kit/slot.wgsl.ts';
import { globalSlot, levelHashes } from './hashes.wgsl.ts';
import type { TwoLevels } from './plan.ts';

/**
 * Section 5.2.3: the bucket's seed is read, and the slot of the key in each subtable is looked at in turn. That is four
 * reads at most; the seed is not counted as a probe.
 */
export function twoLevelReader({ family, shape }: TwoLevels, request: PlanRequest, view: TableView): TableReader {
  const { subtableSlots } = shape;
  const { key, valueWords } = request;
  const { header } = view;
  const [slots, seeds] = [view.buffer('slots'), view.buffer('seeds')];
  const slotAt = globalSlot(subtableSlots);
  return {
    find: (needle) => {
      const { hashed, bucketOf, slotsOf } = levelHashes(key, needle, family, subtableSlots);
      const isSame = key.equals(view.key, needle);
      // Written out for each subtable: a vector indexed by a variable may end up in memory.
      const probe = (subtable: number) => wgsl`
  {
    let localSlot = ${subtable * subtableSlots}u + inSubtables[${subtable}];
    let index = ${slotAt}(bucket, localSlot, buckets);
    let slot = ${slots}[index];
    let stored = ${keyIn(request, 'slot')};
    // Whoever left a slot was driven out by another, so nobody has been where a slot is empty.
    if (${allOnes(key.words, 'stored')}) { return ${miss(valueWords, `${subtable + 1}u`)}; }
    if (${isSame}(${view.key.of('stored')}, key)) {
      return ${hit(valueWords, 'index', `${subtable + 1}u`, valueIn(request, 'slot'))};
    }
  }`;
      return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  ${searchExtraSlot(request, view, slots)}
  let constants = ${header}.hash;
  let buckets = ${header}.buckets;
  let hashed = ${hashed('key', 'constants')};
  let bucket = ${bucketOf}(hashed, constants, ${header}.attempts, buckets);
  let inSubtables = ${slotsOf}(hashed, ${seeds}[bucket], constants);
  ${join([0, 1, 2].map(probe), '')}
  return ${miss(valueWords, '3u')};
}`;
    },
    entry: entryWithExtraSlot(request, view, slots),
  };
}
