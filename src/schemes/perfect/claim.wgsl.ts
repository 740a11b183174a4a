/**
 * Level two (Due et al. 2025, section 2.5, `segmake2'`): in round r every item of a subarray without a good function claims
 * the slot that function r gives it. A subarray in which two keys meet has a collision, and goes on to function r + 1.
 */
import type { HashFamily } from '../../hashing/index.ts';
import { wordsType } from '../../keys/index.ts';
import { type Binding, type Kernel, kernel, storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, isGoingWell } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { distinctFromAttempt, distinctItems } from '../kit/distinct.wgsl.ts';
import { competes, rankOf, tryClaim } from '../kit/token.wgsl.ts';
import { counters } from './levelOne.wgsl.ts';
import { functionIn, NEXT_FUNCTION, slotIn, subarrayOf } from './place.wgsl.ts';

export const THREADS = 256;

export const hashes = storage('hashes', 'array<vec2u>');
export const subarrays = storage('subarrays', 'array<atomic<u32>>', 'read_write');
/** The rank of the item that holds a slot, all ones for nobody. */
export const tokens = storage('tokens', 'array<atomic<u32>>', 'read_write');
/** Items that take part in a round. */
export const list = storage('list', 'array<u32>');
export const round = uniform('round', 'u32');

/** WGSL: `(round: u32) -> u32`, how many items are listed for it. */
export const listLength = wgsl`
fn listLength(round: u32) -> u32 {
  return atomicLoad(&${counters}[round]);
}`;

/** WGSL: `(item: u32, round: u32)` and what the kernels around it need. */
export interface Claim {
  readonly keys: Binding;
  readonly claimItem: Wgsl;
  /** For every thread, at the end of the kernel: counts the subarrays that go on to their next function. */
  readonly flush: Wgsl;
}

export function claimOf(plan: TablePlan, family: HashFamily): Claim {
  const { key, duplicates } = plan;
  const input = key.access('input');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const rank = rankOf(duplicates);
  const collided = wgsl`var<workgroup> collided: atomic<u32>;`;
  const onCopy = forbidsCopies(duplicates)
    ? wgsl`${reportDuplicate}(item);`
    : competes(duplicates)
      ? wgsl`atomicMin(&${tokens}[slot], token);`
      : '';
  const claimItem = wgsl`
fn claimItem(item: u32, round: u32) {
  let hash = ${hashes}[item];
  let at = 2u * ${subarrayOf(family)}(hash, ${buildHeader}.own.x);
  let state = atomicLoad(&${subarrays}[at + 1u]);
  // Done in an earlier round, or a collision has been met in this one already.
  if (${functionIn}(state) != round) { return; }
  let slot = ${slotIn}(vec2u(atomicLoad(&${subarrays}[at]), state), hash, ${buildHeader}.hash);
  let token = ${rank}(item);
  let old = ${tryClaim(tokens)}(slot, token);
  if (old == 0xffffffffu) { return; }
  if (${key.equals(input, input)}(${input.of(wgsl`${keys}[${rank}(old)]`)}, ${input.of(wgsl`${keys}[item]`)})) {
    ${onCopy}
    return;
  }
  if (atomicMax(&${subarrays}[at + 1u], state + ${NEXT_FUNCTION}u) == state) { atomicAdd(&${collided}, 1u); }
}`;
  const flush = wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let restarts = atomicLoad(&${collided});
    if (restarts > 0u) { atomicAdd(&${buildHeader}.restarts, restarts); }
  }`;
  return { keys, claimItem, flush };
}

/** Round 0, in which all items take part. */
export function firstClaimKernel({ duplicates }: TablePlan, { claimItem, flush }: Claim): Kernel {
  const { count, itemAt } = distinctItems(distinctFromAttempt(duplicates));
  return kernel({
    label: 'perfect/firstClaim',
    threads: THREADS,
    body: wgsl`
  if (item < ${count}() && ${isGoingWell}()) { ${claimItem}(${itemAt}(item), 0u); }
  ${flush}
  if (item == 0u) { atomicStore(&${buildHeader}.rounds, 1u); }`,
  });
}

/** A later round. How many threads there are was guessed, so each goes on until the list ends. */
export function claimKernel({ claimItem, flush }: Claim): Kernel {
  return kernel({
    label: 'perfect/claim',
    threads: THREADS,
    body: wgsl`
  let length = select(0u, ${listLength}(${round}), ${isGoingWell}());
  for (var i = item; i < length; i += groups * ${THREADS}u) { ${claimItem}(${list}[i], ${round}); }
  ${flush}
  if (item == 0u && length > 0u) { atomicStore(&${buildHeader}.rounds, ${round} + 1u); }`,
  });
}
