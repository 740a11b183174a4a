/** From claimed slots to filled ones: what the tokens stand for, and the value of the item that a slot belongs to. */
import { allOnes, fromWords, wordAt, wordsOf } from '../../keys/index.ts';
import { join, type Kernel, kernel, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import { NO_SLOT } from '../contract/hit.wgsl.ts';
import { keyIn, slotOf, valueIn } from '../kit/slot.wgsl.ts';
import { locate } from './locate.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';

const THREADS = 256;

/** Rank tokens: every slot gets the key of its item, and the value, or where the owner is chosen later the rank in its place. */
export function settleKernel(parts: BuildParts): Kernel {
  const { cuckoo, plan, slotWords, slotsOut, keys, values, rank, ownerIsChosen } = parts;
  const { key, valueWords } = plan;
  // The extra slot is marked as taken by a first word that is not all ones.
  const [firstWord, ...otherWords] = wordsOf(key.words, 'stored') as [WgslPart, ...WgslPart[]];
  const marked = fromWords([wgsl`select(${firstWord}, 0u, item == capacity)`, ...otherWords]);
  const asValue = fromWords(Array.from({ length: valueWords || 1 }, () => 'token'));
  return kernel({
    label: 'cuckoo/settle',
    threads: THREADS,
    body: wgsl`
  let capacity = ${buildHeader}.capacity;
  if (item >= capacity + ${1 + cuckoo.stashSlots}u) { return; }
  let slot = ${slotsOut}[item];
  let token = ${wordAt(slotWords, 'slot', 0)};
  if (token == 0xffffffffu) { return; }
  let stored = ${keys}[${rank}(token)];
  let marked = ${marked};
  ${valueWords > 0 ? wgsl`let value = ${ownerIsChosen ? asValue : wgsl`${values}[${rank}(token)]`};` : ''}
  ${slotsOut}[item] = ${slotOf(plan, 'marked', 'value')};`,
  });
}

/**
 * Every item finds the slot of its key and leaves its value there. If the input has copies and the policy chooses among
 * them, it leaves its rank instead, and the least one remains. With rank tokens only that is left to do.
 */
export function placeKernel(parts: BuildParts): Kernel {
  const { plan, token, slotWords, words, keys, values, rank, ownerIsChosen } = parts;
  const { key, valueWords } = plan;
  const input = key.access('input');
  // Word by word and by atomics: other invocations write to these slots.
  const whereFound = locate(parts, {
    load: (index) =>
      fromWords(
        Array.from({ length: key.words }, (_, i) => wgsl`atomicLoad(&${words}[${index} * ${slotWords}u + ${i}u])`),
      ),
    isEmpty: (stored) => allOnes(key.words, stored),
    keyOf: (stored) => input.of(stored),
  });
  const find = wgsl`slot = ${whereFound}(${input.of('stored')});`;
  const leaveRank = wgsl`
    // The load spares the atomic to nearly all of a million copies.
    if (${rank}(item) < atomicLoad(&${words}[at])) { atomicMin(&${words}[at], ${rank}(item)); }`;
  const leaveValue = wgsl`
    let value = ${values}[item];
    ${join(
      wordsOf(valueWords || 1, 'value').map((word, i) => wgsl`atomicStore(&${words}[at + ${i}u], ${word});`),
      '\n    ',
    )}`;
  return kernel({
    label: 'cuckoo/place',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let hasCopies = atomicLoad(&${buildHeader}.copies) > 0u;
  ${token === 'rank' ? 'if (!hasCopies) { return; }' : ''}
  let stored = ${keys}[item];
  var slot = ${buildHeader}.capacity;
  ${input.context ? find : wgsl`if (!${allOnes(key.words, 'stored')}) { ${find} }`}
  if (slot == ${NO_SLOT}u) { return; } // It is what this attempt failed at.
  let at = slot * ${slotWords}u + ${key.words}u;
  ${ownerIsChosen ? wgsl`if (hasCopies) { ${leaveRank} } else { ${token === 'key' ? leaveValue : ''} }` : leaveValue}`,
  });
}

/** Every slot exchanges the rank of its owner for the owner's value. Copies that no search finds have none. */
export function fillKernel(parts: BuildParts): Kernel {
  const { cuckoo, plan, token, slotsOut, values, rank } = parts;
  const { key, valueWords } = plan;
  const owner = wordAt(valueWords, valueIn(plan, 'slot'), 0);
  return kernel({
    label: 'cuckoo/fill',
    threads: THREADS,
    body: wgsl`
  let capacity = ${buildHeader}.capacity;
  if (item >= capacity + ${1 + cuckoo.stashSlots}u) { return; }
  ${token === 'key' ? wgsl`if (atomicLoad(&${buildHeader}.copies) == 0u) { return; }` : ''}
  let slot = ${slotsOut}[item];
  let stored = ${keyIn(plan, 'slot')};
  if (${allOnes(key.words, 'stored')}) { return; }
  let owner = ${valueWords > 0 ? owner : '0u'};
  if (owner == 0xffffffffu) { return; }
  let value = ${values}[${rank}(owner)];
  ${slotsOut}[item] = ${slotOf(plan, 'stored', 'value')};`,
  });
}
