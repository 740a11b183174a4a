/** From claimed slots to filled ones: what the tokens stand for, and the value of the item that a slot belongs to. */
import { allOnes, fromWords, wordAt, wordsOf } from '../../keys/index.ts';
import { join, type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { NO_SLOT } from '../contract/index.ts';
import { markedWords } from '../kit/extraSlot.wgsl.ts';
import { keyIn, slotOf, valueIn } from '../kit/slot.wgsl.ts';
import { type BuildParts, keySlots, locate } from './parts.wgsl.ts';

const THREADS = 256;

/** Every slot trades its rank for the item's key and value; where the owner is chosen later, the rank stays as the value. */
export function redeemKernel(parts: BuildParts): Kernel {
  const { cuckoo, request, view, rank, ownerIsChosen, slotWords, slotsOut } = parts;
  const { header, keys } = view;
  const { key, valueWords } = request;
  const asValue = fromWords(Array.from({ length: valueWords }, () => 'token'));
  const value = ownerIsChosen ? asValue : view.valueAt(wgsl`${rank}(token)`);
  return kernel({
    label: 'cuckoo/redeem',
    threads: THREADS,
    body: wgsl`
  let capacity = ${header}.capacity;
  if (item >= capacity + ${1 + cuckoo.stashSlots}u) { return; }
  let slot = ${slotsOut}[item];
  let token = ${wordAt(slotWords, 'slot', 0)};
  if (token == 0xffffffffu) { return; }
  let stored = ${keys.stored(wgsl`${rank}(token)`)};
  let marked = ${fromWords(markedWords(key.words, 'item == capacity'))};
  ${valueWords > 0 ? wgsl`let value = ${value};` : ''}
  ${slotsOut}[item] = ${slotOf(request, 'marked', 'value')};`,
  });
}

/**
 * Every item finds the slot of its key and leaves its value there. If the input has copies and the policy chooses among
 * them, it leaves its rank instead, and the least one remains. Where tokens are ranks, every slot has one
 * already (`redeemKernel`), and there is nothing to do unless there are copies.
 */
export function deliverKernel(parts: BuildParts): Kernel {
  const { request, view, token, rank, ownerIsChosen, slotWords, words } = parts;
  const { header, keys } = view;
  const { key, valueWords } = request;
  // Word by word and by atomics: other invocations write to these slots.
  const slots = keySlots(parts, (index) =>
    fromWords(
      Array.from({ length: key.words }, (_, i) => wgsl`atomicLoad(&${words}[${index} * ${slotWords}u + ${i}u])`),
    ),
  );
  const find = wgsl`slot = ${locate(parts, slots)}(${keys.access.of('stored')});`;
  const leaveRank = wgsl`
    // The load spares the atomic to nearly all of a million copies.
    if (${rank}(item) < atomicLoad(&${words}[at])) { atomicMin(&${words}[at], ${rank}(item)); }`;
  const storeWords = wordsOf(valueWords, 'value').map((word, i) => wgsl`atomicStore(&${words}[at + ${i}u], ${word});`);
  const leaveValue = wgsl`
    let value = ${view.valueAt('item')};
    ${join(storeWords, '\n    ')}`;
  return kernel({
    label: 'cuckoo/deliver',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.count) { return; }
  let hasCopies = atomicLoad(&${header}.copies) > 0u;
  ${token === 'rank' ? 'if (!hasCopies) { return; }' : ''}
  let stored = ${keys.stored('item')};
  var slot = ${header}.capacity;
  ${key.hasContext ? find : wgsl`if (!${allOnes(key.words, 'stored')}) { ${find} }`}
  if (slot == ${NO_SLOT}u) { return; } // It is what this attempt failed at.
  let at = slot * ${slotWords}u + ${key.words}u;
  ${ownerIsChosen ? wgsl`if (hasCopies) { ${leaveRank} } else { ${token === 'key' ? leaveValue : ''} }` : leaveValue}`,
  });
}

/** Every slot exchanges the rank of its owner for the owner's value. Copies that no search finds have none. */
export function fillKernel(parts: BuildParts): Kernel {
  const { cuckoo, request, view, token, rank, slotsOut } = parts;
  const { header } = view;
  const { key, valueWords } = request;
  return kernel({
    label: 'cuckoo/fill',
    threads: THREADS,
    body: wgsl`
  let capacity = ${header}.capacity;
  if (item >= capacity + ${1 + cuckoo.stashSlots}u) { return; }
  ${token === 'key' ? wgsl`if (atomicLoad(&${header}.copies) == 0u) { return; }` : ''}
  let slot = ${slotsOut}[item];
  let stored = ${keyIn(request, 'slot')};
  if (${allOnes(key.words, 'stored')}) { return; }
  let owner = ${wordAt(valueWords, valueIn(request, 'slot'), 0)};
  if (owner == 0xffffffffu) { return; }
  let value = ${view.valueAt(wgsl`${rank}(owner)`)};
  ${slotsOut}[item] = ${slotOf(request, 'stored', 'value')};`,
  });
}
