/** The end of phase 2: which of the copies of a key owns its slot, and what the owners write. */
import { fromWords, wordsOf } from '../../keys/index.ts';
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { markedWords } from '../kit/extraSlot.wgsl.ts';
import { groupCounter } from '../kit/groupCounters.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { globalSlot } from './hashes.wgsl.ts';
import { type BuildParts, bucketCount } from './parts.wgsl.ts';
import { EXTRA, NOBODY } from './rounds.wgsl.ts';

/** All copies of a key are in one slot by now. The table has done its work, and takes the least rank of each slot. */
export function electOwners({ shape, rounds, rank }: BuildParts): Wgsl {
  const { threads, itemsPerThread, subtableSlots } = shape;
  const { table, items, homes, localSlotOf } = rounds;
  return wgsl`
fn electOwners(thread: u32) {
  for (var localSlot = thread; localSlot <= ${3 * subtableSlots}u; localSlot += ${threads}u) {
    atomicStore(&${table}[localSlot], 0xffffffffu);
  }
  workgroupBarrier();
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    if (${homes}[k] != ${NOBODY}u) { atomicMin(&${table}[${localSlotOf}(${homes}[k])], ${rank}(${items}[k])); }
  }
  workgroupBarrier();
}`;
}

/**
 * Tokens of wider keys are hashes, so different keys may take each other for copies, about once in 10⁷ buckets. Returns
 * how many do, the same for the whole workgroup.
 */
export function countMistaken({ request, shape, view, rounds, rank }: BuildParts): Wgsl {
  const { keys } = view;
  const { table, items, homes, localSlotOf } = rounds;
  const isSame = request.key.equals(keys.access, keys.access);
  const mistaken = wgsl`var<workgroup> mistaken: atomic<u32>;`;
  const counted = wgsl`var<workgroup> counted: u32;`;
  return wgsl`
fn countMistaken(thread: u32) -> u32 {
  for (var k = 0u; k < ${shape.itemsPerThread}u; k++) {
    if (${homes}[k] == ${NOBODY}u) { continue; }
    let item = ${items}[k];
    let owner = ${rank}(atomicLoad(&${table}[${localSlotOf}(${homes}[k])]));
    if (owner != item && !${isSame}(${keys.at('owner')}, ${keys.at('item')})) {
      atomicAdd(&${mistaken}, 1u);
    }
  }
  workgroupBarrier();
  if (thread == 0u) { ${counted} = atomicExchange(&${mistaken}, 0u); }
  return workgroupUniformLoad(&${counted});
}`;
}

/** Owners write their key and value to their slots, and the workgroup marks the rest as empty. */
export function writeOut({ request, shape, view, rounds, rank, slots }: BuildParts): Wgsl {
  const { key, valueWords, duplicates } = request;
  const { header, keys } = view;
  const { threads, itemsPerThread, subtableSlots } = shape;
  const { table, items, tokens, homes, localSlotOf } = rounds;
  const slotAt = globalSlot(subtableSlots);
  const empty = fromWords(Array.from({ length: slotWords(request) }, () => '0xffffffffu'));
  const owned = fromWords([...markedWords(key.words, wgsl`home == ${EXTRA}u`), ...wordsOf(valueWords, 'value')]);
  const copies = groupCounter(header);
  const [onCopy, addCopies] = forbidsCopies(duplicates)
    ? [wgsl`${reportDuplicate(header)}(item);`, '']
    : [copies.count, wgsl`workgroupBarrier();\n  if (thread == 0u) {${copies.flush}\n  }`];
  return wgsl`
fn writeOut(bucket: u32, thread: u32) {
  for (var localSlot = thread; localSlot < ${3 * subtableSlots}u; localSlot += ${threads}u) {
    if (atomicLoad(&${table}[localSlot]) == 0xffffffffu) {
      ${slots}[${slotAt}(bucket, localSlot, ${bucketCount})] = ${empty};
    }
  }
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    let home = ${homes}[k];
    if (home == ${NOBODY}u) { continue; }
    let item = ${items}[k];
    let localSlot = ${localSlotOf}(home);
    if (atomicLoad(&${table}[localSlot]) == ${rank}(item)) {
      let stored = ${key.isWord ? wgsl`${tokens}[k]` : keys.stored('item')};
      ${valueWords > 0 ? wgsl`let value = ${view.valueAt('item')};` : ''}
      let slot = select(${slotAt}(bucket, localSlot, ${bucketCount}), ${header}.capacity, home == ${EXTRA}u);
      ${slots}[slot] = ${owned};
    } else {
      ${onCopy}
    }
  }
  ${addCopies}
}`;
}
