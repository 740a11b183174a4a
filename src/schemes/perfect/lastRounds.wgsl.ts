/** The last rounds have few items; one workgroup does them all, with barriers where large rounds are kernels of their own. */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { isGoingWell, STATUS } from '../contract/index.ts';
import { leaveSlot } from './again.wgsl.ts';
import type { Claim } from './claim.wgsl.ts';
import { list, listLength, type PerfectBuild, round, THREADS } from './round.wgsl.ts';
import { MOST_ROUNDS } from './sizes.ts';

/** Far more than are ever left, and still done in no time. With more, the hash function is no good. */
const MOST_ITEMS = 65_536;

export function lastRoundsKernel(build: PerfectBuild, { claimItem, flush }: Claim): Kernel {
  const { header } = build.view;
  const total = wgsl`var<workgroup> total: u32;`;
  const leaving = wgsl`var<workgroup> leaving: atomic<u32>;`;
  const left = wgsl`var<workgroup> left: u32;`;
  return kernel({
    label: 'perfect/lastRounds',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  if (thread == 0u) { ${total} = select(0u, ${listLength}(${round}), ${isGoingWell(header)}()); }
  let length = workgroupUniformLoad(&${total});
  var remaining = length;
  if (length <= ${MOST_ITEMS}u) {
    for (var current = ${round}; current < ${MOST_ROUNDS}u && remaining > 0u; current++) {
      for (var i = thread; i < length; i += ${THREADS}u) { ${claimItem}(${list}[i], current); }
      storageBarrier();
      for (var i = thread; i < length; i += ${THREADS}u) {
        if (${leaveSlot(build)}(${list}[i], current + 1u)) { atomicAdd(&${leaving}, 1u); }
      }
      storageBarrier();
      workgroupBarrier();
      if (thread == 0u) {
        ${left} = atomicExchange(&${leaving}, 0u);
        atomicStore(&${header}.rounds, current + 1u);
      }
      remaining = workgroupUniformLoad(&${left});
    }
  }
  if (thread == 0u && remaining > 0u) {
    atomicOr(&${header}.status, ${STATUS.retry}u);
    atomicStore(&${header}.failed, remaining);
  }
  ${flush}`,
  });
}
