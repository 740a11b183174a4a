/**
 * Copies of a key that came to lie in different slots while items were moved about. Searches find the one in the slot of
 * the earliest function and none of the others, so these may stay: erasing them, as in the set of section 6.3, would make
 * slots empty at which searches then must not stop. They are counted, and reported where the policy forbids them.
 */
import { allOnes } from '../../keys/index.ts';
import { type Kernel, kernel, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { accuse, forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { groupCounter } from '../kit/groupCounters.wgsl.ts';
import { keyIn } from '../kit/slot.wgsl.ts';
import { type BuildParts, isSameKey, keySlots, locate } from './parts.wgsl.ts';

const THREADS = 256;

/** Every slot looks whether a search for its key would end elsewhere. */
export function countCopiesKernel(parts: BuildParts): Kernel {
  const { cuckoo, request, view, token, slots } = parts;
  const { header, keys } = view;
  const { key, duplicates } = request;
  const keyAt = (index: WgslPart) => keyIn(request, wgsl`${slots}[${index}]`);
  const whereFound = locate(parts, keySlots(parts, keyAt));
  const copies = groupCounter(header);
  const onCopy = forbidsCopies(duplicates)
    ? wgsl`${accuse(header)}(${token === 'key' ? 'stored' : 'item'});`
    : copies.count;
  return kernel({
    label: 'cuckoo/countCopies',
    threads: THREADS,
    body: wgsl`
  let capacity = ${header}.capacity;
  if (item != capacity && item < capacity + ${1 + cuckoo.stashSlots}u) {
    let stored = ${keyAt('item')};
    if (!${allOnes(key.words, 'stored')}) {
      if (${whereFound}(${keys.access.of('stored')}) != item) { ${onCopy} }
    }
  }
  workgroupBarrier();
  if (thread == 0u) {${copies.flush}
  }`,
  });
}

/** Names an item whose key was found to occur twice. */
export function blameKernel(parts: BuildParts): Kernel {
  const { request, view, token, slots } = parts;
  const { header, keys } = view;
  const accusedKey = token === 'key' ? 'accused' : keyIn(request, wgsl`${slots}[accused]`);
  return kernel({
    label: 'cuckoo/blame',
    threads: THREADS,
    body: wgsl`
  if (item >= ${header}.count) { return; }
  let accused = atomicLoad(&${header}.witness);
  if (accused == 0xffffffffu) { return; }
  let accusedKey = ${keys.access.of(accusedKey)};
  if (${isSameKey(parts)}(${keys.at('item')}, accusedKey)) { ${reportDuplicate(header)}(item); }`,
  });
}
