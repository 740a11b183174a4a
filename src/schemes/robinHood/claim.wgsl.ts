/**
 * Claiming slots (García et al. 2011, section 3.2): every item goes along its probe sequence and takes the first slot at which it
 * is more senior than what is there; what it evicts goes on in its place. A slot never becomes less senior again. So it does not
 * matter in which order items come: the table is the same in the end, as in the deferred acceptance of Gale and Shapley 1962,
 * where keys propose and slots choose. For the same reason the copies of a key meet.
 */
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { accuse, forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { groupCounter, longestCounter } from '../kit/groupCounters.wgsl.ts';
import { tryClaim } from '../kit/token.wgsl.ts';
import { type BuildParts, MOST_PROBES, THREADS } from './parts.wgsl.ts';
import type { WordSequence } from './sequence.wgsl.ts';

/** What both kernels do around their loops, which set `isSettled` or `isCopy`. */
function claim(parts: BuildParts, label: string, loop: (longest: ReturnType<typeof longestCounter>) => Wgsl): Kernel {
  const { header } = parts.view;
  const copies = groupCounter(header);
  const longest = longestCounter(header);
  const onCopy = forbidsCopies(parts.request.duplicates) ? '' : wgsl`if (isCopy) { ${copies.count} }`;
  return kernel({
    label,
    threads: THREADS,
    body: wgsl`
  if (item < ${header}.count) {
    var isSettled = false;
    var isCopy = false;
    ${loop(longest)}
    ${onCopy}
    if (!isSettled && !isCopy) {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicAdd(&${header}.failed, 1u);
    }
  }
  workgroupBarrier();
  if (thread == 0u) {${longest.flush}${copies.flush}
  }`,
  });
}

/** One-word keys: the seniority is the key at this slot, so one atomic maximum compares, stores and says what was there. */
export function claimWordsKernel(parts: BuildParts, words: WordSequence): Kernel {
  const { made, request, view, probes, word, slots, slotWords, wordOf } = parts;
  const { header, keys } = view;
  const { evict } = made;
  const onCopy = forbidsCopies(request.duplicates)
    ? wgsl`if (isCopy) { ${accuse(header)}(${words.keyOf}(state)); }`
    : '';
  // What was there, seen by a load or returned by an atomic, gives way.
  const givesWay = evict ? 'old < own' : 'old == 0u';
  const take = evict
    ? wgsl`atomicMax(&${wordOf('probe.x')}, own)`
    : wgsl`${tryClaim(header, slots, 0)}(probe.x * ${slotWords}u, own)`;
  return claim(
    parts,
    'robinHood/claimWords',
    (longest) => wgsl`
    var state = ${probes.begin(keys.access)}(${keys.at('item')});
    var age = 1u;
    for (var i = 0u; i < ${MOST_PROBES}u && age <= ${header}.mostAge; i++) {
      let probe = ${probes.probe}(state, age);
      let own = ${word.seniorityOf}(age, probe.y);
      // The load spares the atomic where it would change nothing.
      var old = atomicLoad(&${wordOf('probe.x')});
      if (${givesWay}) { old = ${take}; }
      isCopy = old == own;
      isSettled = old == 0u;
      if (${givesWay}) { ${longest.note('age')} }
      if (isCopy || isSettled) { break; }
      ${
        evict
          ? wgsl`if (${givesWay}) {
        age = ${word.ageIn}(old);
        state = ${words.resume}(probe.x, age, ${word.markIn}(old));
      }`
          : ''
      }
      age++;
    }
    ${onCopy}`,
  );
}

/**
 * Keys of several words: a slot has the age and the number of an item, through which its key is read. Where ages are equal, the
 * keys decide, not the numbers, so that copies of a key are treated alike. Different keys of one hash begin again with another.
 */
export function claimItemsKernel(parts: BuildParts): Kernel {
  const { made, request, view, probes, word, rank, wordOf } = parts;
  const { header, keys } = view;
  const { key, duplicates } = request;
  const begin = probes.begin(keys.access);
  const itemIn = (token: string): Wgsl => wgsl`(${token} & ((1u << ${header}.ageShift) - 1u))`;
  const onCopy = forbidsCopies(duplicates) ? wgsl`if (isCopy) { ${reportDuplicate(header)}(owner); }` : '';
  return claim(
    parts,
    'robinHood/claimItems',
    (longest) => wgsl`
    var owner = item;
    var key = ${keys.at('owner')};
    var state = ${begin}(key);
    var age = 1u;
    for (var i = 0u; i < ${MOST_PROBES}u && age <= ${header}.mostAge; i++) {
      let probe = ${probes.probe}(state, age);
      let own = ${word.seniorityOf}(age, owner);
      let old = atomicLoad(&${wordOf('probe.x')});
      let oldAge = ${word.ageIn}(old);
      var givesWay = ${made.evict ? 'oldAge < age' : 'old == 0u'};
      if (oldAge == age) {
        let other = ${keys.at(itemIn('old'))};
        let otherState = ${begin}(other);
        isCopy = ${key.equals(keys.access, keys.access)}(key, other);
        if (isCopy) { givesWay = ${rank}(owner) < ${rank}(${itemIn('old')}); }
        else if (state.y == otherState.y) { break; }
        else { givesWay = ${made.evict ? 'otherState.y < state.y' : 'false'}; }
      }
      if (givesWay) {
        // Who fails, for whatever reason, looks at the slot again.
        if (!atomicCompareExchangeWeak(&${wordOf('probe.x')}, old, own).exchanged) {
          isCopy = false;
          continue;
        }
        ${longest.note('age')}
      }
      isSettled = givesWay && old == 0u;
      if (isCopy || isSettled) { break; }
      if (givesWay) {
        owner = ${itemIn('old')};
        key = ${keys.at('owner')};
        state = ${begin}(key);
        age = oldAge;
      }
      age++;
    }
    ${onCopy}`,
  );
}
