import { recordFill } from '../../primitives/index.ts';
import { once } from '../../wgsl/index.ts';
import type { GpuBuild } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { claimKernel } from './claim.wgsl.ts';
import { blameKernel, countCopiesKernel } from './copies.wgsl.ts';
import { deliverKernel, fillKernel, redeemKernel } from './fill.wgsl.ts';
import { type CuckooPlan, partsOf } from './parts.wgsl.ts';

/**
 * Claims slots, then fills them: WGSL has no 64-bit atomics to move a key with its value. Between the two, copies of a
 * key are counted, because only if there are any does the value's owner have to be found out.
 */
export function cuckooBuild(plan: CuckooPlan): GpuBuild {
  const { request, slotCount, isCrowded } = plan;
  const kernels = once(() => {
    const parts = partsOf(plan);
    const { token, ownerIsChosen } = parts;
    const needsDelivery = request.valueWords > 0 && (token === 'key' || ownerIsChosen);
    return {
      parts,
      claim: claimKernel(parts, isCrowded),
      redeem: token === 'rank' ? redeemKernel(parts) : undefined,
      countCopies: countCopiesKernel(parts),
      blame: forbidsCopies(request.duplicates) ? blameKernel(parts) : undefined,
      deliver: needsDelivery ? deliverKernel(parts) : undefined,
      fill: ownerIsChosen ? fillKernel(parts) : undefined,
    };
  });
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { parts, claim, redeem, countCopies, blame, deliver, fill } = kernels();
      const slots = table.get('slots');
      const bound = [...parts.view.bind(table, input), ...parts.bindSlots(slots)];
      recordFill(recorder, { output: slots, value: 0xffffffff, items: slotCount * parts.slotWords });
      recorder.run(claim, bound, input.items);
      if (redeem) recorder.run(redeem, bound, slotCount);
      recorder.run(countCopies, bound, slotCount);
      if (blame) recorder.run(blame, bound, input.items);
      if (deliver) recorder.run(deliver, bound, input.items);
      if (fill) recorder.run(fill, bound, slotCount);
    },
  };
}
