/**
 * Between two rounds (Due et al. 2025, section 2.5: `segresult` and the new keys of `segmake2'`): the items of the subarrays that
 * had a collision are listed for the next round, and give back their slots.
 */
import type { HashFamily } from '../../hashing/index.ts';
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, isGoingWell } from '../contract/header.wgsl.ts';
import type { Duplicates } from '../contract/scheme.ts';
import { distinctFromAttempt, distinctItems } from '../kit/distinct.wgsl.ts';
import { hashes, list, listLength, round, subarrays, THREADS, tokens } from './claim.wgsl.ts';
import { counters } from './levelOne.wgsl.ts';
import { functionIn, NEXT_FUNCTION, slotIn, subarrayOf } from './place.wgsl.ts';

export const nextList = storage('nextList', 'array<u32>', 'read_write');

/**
 * WGSL: `(item: u32, round: u32) -> bool`, whether the item takes part in that round because of a collision in the one before.
 * If so, the slot that it had or wanted there is emptied: all who may hold it are to leave.
 */
export const leaveSlot = (family: HashFamily): Wgsl => wgsl`
fn leaveSlot(item: u32, round: u32) -> bool {
  let hash = ${hashes}[item];
  let at = 2u * ${subarrayOf(family)}(hash, ${buildHeader}.own.x);
  let state = atomicLoad(&${subarrays}[at + 1u]);
  if (${functionIn}(state) != round) { return false; }
  let before = vec2u(atomicLoad(&${subarrays}[at]), state - ${NEXT_FUNCTION}u);
  atomicStore(&${tokens}[${slotIn}(before, hash, ${buildHeader}.hash)], 0xffffffffu);
  return true;
}`;

/** Lists the items for the next round; a workgroup takes its places in the list together. */
function againKernel(label: string, family: HashFamily, length: Wgsl, itemAt: Wgsl): Kernel {
  const total = wgsl`var<workgroup> total: u32;`;
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const first = wgsl`var<workgroup> first: u32;`;
  return kernel({
    label,
    threads: THREADS,
    body: wgsl`
  if (thread == 0u) { ${total} = select(0u, ${length}, ${isGoingWell}()); }
  let end = workgroupUniformLoad(&${total});
  for (var start = group * ${THREADS}u; start < end; start += groups * ${THREADS}u) {
    var source = 0u;
    var goesOn = false;
    if (start + thread < end) {
      source = ${itemAt}(start + thread);
      goesOn = ${leaveSlot(family)}(source, ${round});
    }
    var place = 0u;
    if (goesOn) { place = atomicAdd(&${taken}, 1u); }
    workgroupBarrier();
    if (thread == 0u) { ${first} = atomicAdd(&${counters}[${round}], atomicExchange(&${taken}, 0u)); }
    place += workgroupUniformLoad(&${first});
    if (goesOn) { ${nextList}[place] = source; }
  }`,
  });
}

/** Before round 1: the items are not listed yet. */
export function firstAgainKernel(family: HashFamily, duplicates: Duplicates): Kernel {
  const { count, itemAt } = distinctItems(distinctFromAttempt(duplicates));
  return againKernel('perfect/firstAgain', family, wgsl`${count}()`, itemAt);
}

/** Before a later round. */
export const laterAgainKernel = (family: HashFamily): Kernel =>
  againKernel(
    'perfect/again',
    family,
    wgsl`${listLength}(${round} - 1u)`,
    wgsl`fn listedItem(i: u32) -> u32 { return ${list}[i]; }`,
  );
