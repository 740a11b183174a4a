/**
 * Copies of a key that came to lie in different slots while items were moved about. Searches find the one in the slot of
 * the earliest function and none of the others, so these may stay: erasing them, as in the set of section 6.3, would make
 * slots empty at which searches then must not stop. They are counted, and reported where they are forbidden.
 */
import { allOnes } from '../../keys/index.ts';
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import { forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { copyCounter } from '../kit/groupCounters.wgsl.ts';
import { keyIn } from '../kit/slot.wgsl.ts';
import { locate } from './locate.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';

const THREADS = 256;

/**
 * `accuse(what)`: a key that occurs twice was found, but no item that has it. `what` names the key: it is the token or, once
 * slots hold keys instead of tokens, the slot. The least of them waits in the header for `blameKernel`.
 */
export const accuse = wgsl`
fn accuse(what: u32) {
  // The loads spare the atomics to nearly all of a million copies.
  if ((atomicLoad(&${buildHeader}.status) & ${STATUS.duplicate}u) == 0u) {
    atomicOr(&${buildHeader}.status, ${STATUS.duplicate}u);
  }
  if (what < atomicLoad(&${buildHeader}.witness)) { atomicMin(&${buildHeader}.witness, what); }
}`;

/** Every slot looks whether a search for its key would end elsewhere. */
export function countCopiesKernel(parts: BuildParts): Kernel {
  const { cuckoo, plan, token, slots } = parts;
  const { key, duplicates } = plan;
  const input = key.access('input');
  const whereFound = locate(parts, {
    load: (index) => keyIn(plan, wgsl`${slots}[${index}]`),
    isEmpty: (stored) => allOnes(key.words, stored),
    keyOf: (stored) => input.of(stored),
  });
  const copies = copyCounter();
  const onCopy = forbidsCopies(duplicates) ? wgsl`${accuse}(${token === 'key' ? 'stored' : 'item'});` : copies.count;
  return kernel({
    label: 'cuckoo/countCopies',
    threads: THREADS,
    body: wgsl`
  let capacity = ${buildHeader}.capacity;
  if (item != capacity && item < capacity + ${1 + cuckoo.stashSlots}u) {
    let stored = ${keyIn(plan, wgsl`${slots}[item]`)};
    if (!${allOnes(key.words, 'stored')}) {
      if (${whereFound}(${input.of('stored')}) != item) { ${onCopy} }
    }
  }
  workgroupBarrier();
  if (thread == 0u) {${copies.flush}
  }`,
  });
}

/** Names an item whose key was found to occur twice. */
export function blameKernel({ plan, token, slots, keys }: BuildParts): Kernel {
  const { key } = plan;
  const input = key.access('input');
  const accusedKey = token === 'key' ? 'accused' : keyIn(plan, wgsl`${slots}[accused]`);
  return kernel({
    label: 'cuckoo/blame',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let accused = atomicLoad(&${buildHeader}.witness);
  if (accused == 0xffffffffu) { return; }
  let accusedKey = ${input.of(accusedKey)};
  if (${key.equals(input, input)}(${input.of(wgsl`${keys}[item]`)}, accusedKey)) { ${reportDuplicate}(item); }`,
  });
}
