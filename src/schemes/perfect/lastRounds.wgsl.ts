/** The last rounds have few items; one workgroup does them all, with barriers where large rounds are kernels of their own. */
import type { HashFamily } from '../../hashing/index.ts';
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { buildHeader, isGoingWell, STATUS } from '../contract/header.wgsl.ts';
import { leaveSlot } from './again.wgsl.ts';
import { type Claim, list, listLength, round, THREADS } from './claim.wgsl.ts';
import { MOST_ROUNDS } from './plan.ts';

/** Far more than are ever left, and still done in no time. With more, the hash function is no good. */
const MOST_ITEMS = 65_536;

export function lastRoundsKernel(family: HashFamily, { claimItem, flush }: Claim): Kernel {
  const total = wgsl`var<workgroup> total: u32;`;
  const leaving = wgsl`var<workgroup> leaving: atomic<u32>;`;
  const left = wgsl`var<workgroup> left: u32;`;
  return kernel({
    label: 'perfect/lastRounds',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  if (thread == 0u) { ${total} = select(0u, ${listLength}(${round}), ${isGoingWell}()); }
  let length = workgroupUniformLoad(&${total});
  var remaining = length;
  if (length <= ${MOST_ITEMS}u) {
    for (var current = ${round}; current < ${MOST_ROUNDS}u && remaining > 0u; current++) {
      for (var i = thread; i < length; i += ${THREADS}u) { ${claimItem}(${list}[i], current); }
      storageBarrier();
      for (var i = thread; i < length; i += ${THREADS}u) {
        if (${leaveSlot(family)}(${list}[i], current + 1u)) { atomicAdd(&${leaving}, 1u); }
      }
      storageBarrier();
      workgroupBarrier();
      if (thread == 0u) {
        ${left} = atomicExchange(&${leaving}, 0u);
        atomicStore(&${buildHeader}.rounds, current + 1u);
      }
      remaining = workgroupUniformLoad(&${left});
    }
  }
  if (thread == 0u && remaining > 0u) {
    atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
    atomicStore(&${buildHeader}.failed, remaining);
  }
  ${flush}`,
  });
}
