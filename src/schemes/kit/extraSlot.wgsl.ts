/**
 * The slot of the key whose words are all ones. It cannot be told from an empty slot, so it lives in an extra one at index
 * `capacity`, marked as taken by any other first word.
 */
import { allOnes, fromWords, wordAt } from '../../keys/index.ts';
import type { Binding, Wgsl } from '../../wgsl/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, hit, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { slotWords, valueIn } from './slot.wgsl.ts';

const isTaken = (plan: TablePlan): Wgsl => wgsl`${wordAt(slotWords(plan), 'slot', 0)} != 0xffffffffu`;

/** Statements for a search: return the hit or miss of `key` if it is that key; none where a context rules such keys out. */
export const searchExtraSlot = (plan: TablePlan, slots: Binding): Wgsl =>
  plan.key.access('table').context
    ? wgsl``
    : wgsl`
  if (${allOnes(plan.key.words, 'key')}) {
    let slot = ${slots}[${header}.capacity];
    if (${isTaken(plan)}) { return ${hit(plan.valueWords, wgsl`${header}.capacity`, '1u', valueIn(plan, 'slot'))}; }
    return ${miss(plan.valueWords, '1u')};
  }`;

/** Statements for `entry`: return what is in `slot` if `index` is that slot's. */
export function extraEntry(plan: TablePlan): Wgsl {
  const { key, valueWords } = plan;
  const ones = fromWords(Array.from({ length: key.words }, () => '0xffffffffu'));
  return wgsl`
  if (index == ${header}.capacity) {
    return ${entryOf(key.words, valueWords, isTaken(plan), ones, valueIn(plan, 'slot'))};
  }`;
}
