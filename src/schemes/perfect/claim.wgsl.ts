/**
 * Level two (Due et al. 2025, section 2.5, `segmake2'`): in round r every item of a subarray without a good function claims
 * the slot that function r gives it. A subarray in which two keys meet has a collision, and goes on to function r + 1.
 */
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { isGoingWell } from '../contract/index.ts';
import { copiesCompete, forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { groupCounter } from '../kit/groupCounters.wgsl.ts';
import { rankOf, tryClaim } from '../kit/token.wgsl.ts';
import { hashes, list, listLength, type PerfectBuild, round, subarrays, THREADS, tokens } from './round.wgsl.ts';
import { functionIn, NEXT_FUNCTION, slotIn, subarrayOf } from './subarray.wgsl.ts';

/** How the kernels of the rounds claim slots. */
export interface Claim {
  /** WGSL: `(item: u32, round: u32)`. */
  readonly claimItem: Wgsl;
  /** For every thread, at the end of the kernel: counts the subarrays that go on to their next function. */
  readonly flush: Wgsl;
}

export function claimOf({ request, family, view }: PerfectBuild): Claim {
  const { key, duplicates } = request;
  const { header, keys } = view;
  const rank = rankOf(duplicates);
  const collisions = groupCounter(header, 'restarts');
  const onCopy = forbidsCopies(duplicates)
    ? wgsl`${reportDuplicate(header)}(item);`
    : copiesCompete(duplicates)
      ? wgsl`atomicMin(&${tokens}[slot], token);`
      : '';
  const claimItem = wgsl`
fn claimItem(item: u32, round: u32) {
  let hash = ${hashes}[item];
  let at = 2u * ${subarrayOf(family)}(hash, ${header}.subarrays);
  let state = atomicLoad(&${subarrays}[at + 1u]);
  // Done in an earlier round, or a collision has been met in this one already.
  if (${functionIn}(state) != round) { return; }
  let slot = ${slotIn}(vec2u(atomicLoad(&${subarrays}[at]), state), hash, ${header}.hash);
  let token = ${rank}(item);
  let old = ${tryClaim(header, tokens)}(slot, token);
  if (old == 0xffffffffu) { return; }
  if (${key.equals(keys.access, keys.access)}(${keys.at(wgsl`${rank}(old)`)}, ${keys.at('item')})) {
    ${onCopy}
    return;
  }
  if (atomicMax(&${subarrays}[at + 1u], state + ${NEXT_FUNCTION}u) == state) { ${collisions.count} }
}`;
  const flush = wgsl`
  workgroupBarrier();
  if (thread == 0u) { ${collisions.flush} }`;
  return { claimItem, flush };
}

/** Round 0, in which all items take part. */
export const firstClaimKernel = ({ view: { header }, distinct }: PerfectBuild, { claimItem, flush }: Claim): Kernel =>
  kernel({
    label: 'perfect/firstClaim',
    threads: THREADS,
    body: wgsl`
  if (item < ${distinct.count}() && ${isGoingWell(header)}()) { ${claimItem}(${distinct.itemAt}(item), 0u); }
  ${flush}
  if (item == 0u) { atomicStore(&${header}.rounds, 1u); }`,
  });

/** A later round. How many threads there are was guessed, so each goes on until the list ends. */
export const claimKernel = ({ view: { header } }: PerfectBuild, { claimItem, flush }: Claim): Kernel =>
  kernel({
    label: 'perfect/claim',
    threads: THREADS,
    body: wgsl`
  let length = select(0u, ${listLength}(${round}), ${isGoingWell(header)}());
  for (var i = item; i < length; i += groups * ${THREADS}u) { ${claimItem}(${list}[i], ${round}); }
  ${flush}
  if (item == 0u && length > 0u) { atomicStore(&${header}.rounds, ${round} + 1u); }`,
  });
