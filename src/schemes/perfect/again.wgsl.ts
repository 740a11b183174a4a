/**
 * Between two rounds (Due et al. 2025, section 2.5: `segresult` and the new keys of `segmake2'`): the items of the subarrays that
 * had a collision are listed for the next round, and give back their slots.
 */
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { isGoingWell } from '../contract/index.ts';
import {
  counters,
  hashes,
  list,
  listLength,
  type PerfectBuild,
  round,
  subarrays,
  THREADS,
  tokens,
} from './round.wgsl.ts';
import { functionIn, NEXT_FUNCTION, slotIn, subarrayOf } from './subarray.wgsl.ts';

export const nextList = storage('nextList', 'array<u32>', 'read_write');

/**
 * WGSL: `(item: u32, round: u32) -> bool`, whether the item takes part in that round because of a collision in the one before.
 * If so, the slot that it had or wanted there is emptied: all who may hold it are to leave.
 */
export const leaveSlot = ({ family, view: { header } }: PerfectBuild): Wgsl => wgsl`
fn leaveSlot(item: u32, round: u32) -> bool {
  let hash = ${hashes}[item];
  let at = 2u * ${subarrayOf(family)}(hash, ${header}.subarrays);
  let state = atomicLoad(&${subarrays}[at + 1u]);
  if (${functionIn}(state) != round) { return false; }
  let before = vec2u(atomicLoad(&${subarrays}[at]), state - ${NEXT_FUNCTION}u);
  atomicStore(&${tokens}[${slotIn}(before, hash, ${header}.hash)], 0xffffffffu);
  return true;
}`;

/** Lists the items for the next round; a workgroup takes its part of the list together. */
function againKernel(label: string, build: PerfectBuild, length: Wgsl, itemAt: Wgsl): Kernel {
  const { header } = build.view;
  const total = wgsl`var<workgroup> total: u32;`;
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const first = wgsl`var<workgroup> first: u32;`;
  return kernel({
    label,
    threads: THREADS,
    body: wgsl`
  if (thread == 0u) { ${total} = select(0u, ${length}, ${isGoingWell(header)}()); }
  let end = workgroupUniformLoad(&${total});
  for (var start = group * ${THREADS}u; start < end; start += groups * ${THREADS}u) {
    var source = 0u;
    var goesOn = false;
    if (start + thread < end) {
      source = ${itemAt}(start + thread);
      goesOn = ${leaveSlot(build)}(source, ${round});
    }
    var position = 0u;
    if (goesOn) { position = atomicAdd(&${taken}, 1u); }
    workgroupBarrier();
    if (thread == 0u) { ${first} = atomicAdd(&${counters}[${round}], atomicExchange(&${taken}, 0u)); }
    position += workgroupUniformLoad(&${first});
    if (goesOn) { ${nextList}[position] = source; }
  }`,
  });
}

/** Before round 1: the items are not listed yet. */
export const firstAgainKernel = (build: PerfectBuild): Kernel =>
  againKernel('perfect/firstAgain', build, wgsl`${build.distinct.count}()`, build.distinct.itemAt);

/** Before a later round. */
export const laterAgainKernel = (build: PerfectBuild): Kernel =>
  againKernel(
    'perfect/again',
    build,
    wgsl`${listLength}(${round} - 1u)`,
    wgsl`fn listedItem(i: u32) -> u32 { return ${list}[i]; }`,
  );
