/** From claimed slots to filled ones: keys that do not follow from their slots, values, and maximum ages. */
import { wordsOf } from '../../keys/index.ts';
import { join, type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { isGoingWell } from '../contract/index.ts';
import { type BuildParts, keyInSlot, storeValue, THREADS } from './parts.wgsl.ts';
import type { WordSequence } from './sequence.wgsl.ts';

/** Every slot exchanges the number of its item for the mark, the key and the value of that item. */
export function redeemKernel(parts: BuildParts): Kernel {
  const { request, view, probes, word, wordOf, keyWord } = parts;
  const { header, keys } = view;
  const storeKey = wordsOf(request.key.words, 'stored').map(
    (part, i) => wgsl`atomicStore(&${keyWord('item', i)}, ${part});`,
  );
  return kernel({
    label: 'robinHood/redeem',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.hash.x || !${isGoingWell(header)}()) { return; }
  let token = atomicLoad(&${wordOf('item')});
  if (token == 0u) { return; }
  let age = ${word.ageIn}(token);
  let owner = token & ((1u << ${header}.ageShift) - 1u);
  let stored = ${keys.stored('owner')};
  let probe = ${probes.probe}(${probes.begin(keys.access)}(${keys.access.of('stored')}), age);
  atomicStore(&${wordOf('item')}, ${word.seniorityOf}(age, probe.y));
  ${join(storeKey, '\n  ')}
  ${storeValue(parts, 'item', 'owner')}`,
  });
}

/**
 * Every item of a one-word key finds its slot and leaves its value there. If the input has copies and the policy chooses among
 * them, it leaves its rank instead, turned round because empty slots are 0: the greatest remains.
 */
export function deliverKernel(parts: BuildParts): Kernel {
  const { view, probes, word, rank, ownerIsChosen, wordOf, valueWord } = parts;
  const { header, keys } = view;
  const leaveValue = storeValue(parts, 'probe.x', 'item');
  const leaveRank = wgsl`
      let turned = ~${rank}(item);
      // The load spares the atomic to nearly all of a million copies.
      if (atomicLoad(&${valueWord('probe.x', 0)}) < turned) {
        atomicMax(&${valueWord('probe.x', 0)}, turned);
      }`;
  return kernel({
    label: 'robinHood/deliver',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.count || !${isGoingWell(header)}()) { return; }
  let state = ${probes.begin(keys.access)}(${keys.at('item')});
  let longest = atomicLoad(&${header}.longest);
  for (var age = 1u; age <= longest; age++) {
    let probe = ${probes.probe}(state, age);
    if (atomicLoad(&${wordOf('probe.x')}) == ${word.seniorityOf}(age, probe.y)) {
      ${ownerIsChosen ? wgsl`if (atomicLoad(&${header}.copies) == 0u) { ${leaveValue} } else {${leaveRank} }` : leaveValue}
      return;
    }
  }`,
  });
}

/** Every slot exchanges the rank of its owner for the owner's value. */
export function exchangeKernel(parts: BuildParts): Kernel {
  const { view, rank, wordOf, valueWord } = parts;
  const { header } = view;
  return kernel({
    label: 'robinHood/exchange',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.hash.x || atomicLoad(&${header}.copies) == 0u || !${isGoingWell(header)}()) { return; }
  if (atomicLoad(&${wordOf('item')}) == 0u) { return; }
  let owner = ${rank}(~atomicLoad(&${valueWord('item', 0)}));
  ${storeValue(parts, 'item', 'owner')}`,
  });
}

/**
 * Maximum ages (García et al. 2011, section 3.1): every key tells its age to the slot of its first probe. The bits above stay
 * as they are from now on, so a maximum of whole words is one of their lowest bits. Keys of age 1 have nothing to tell.
 */
export function agesKernel(parts: BuildParts, words: WordSequence | undefined): Kernel {
  const { view, probes, word, wordOf } = parts;
  const { header, keys } = view;
  const state = words
    ? wgsl`${words.resume}(item, age, ${word.markIn}(stored))`
    : wgsl`${probes.begin(keys.access)}(${keyInSlot(parts, 'item')})`;
  return kernel({
    label: 'robinHood/ages',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.hash.x || !${isGoingWell(header)}()) { return; }
  let stored = atomicLoad(&${wordOf('item')});
  let age = ${word.ageIn}(stored);
  if (age < 2u) { return; }
  let first = ${probes.probe}(${state}, 1u).x;
  let seniority = ${word.seniorityIn}(atomicLoad(&${wordOf('first')}));
  atomicMax(&${wordOf('first')}, seniority | ${word.maximumOf}(age));`,
  });
}
