import { once } from '../../wgsl/index.ts';
import type { GpuBuild } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { claimItemsKernel, claimWordsKernel } from './claim.wgsl.ts';
import { blameKernel } from './copies.wgsl.ts';
import { agesKernel, deliverKernel, exchangeKernel, redeemKernel } from './fill.wgsl.ts';
import { partsOf, type RobinHoodPlan } from './parts.wgsl.ts';

/** Claims slots, then fills them: WGSL has no 64-bit atomics to move a key with its value. */
export function robinHoodBuild(plan: RobinHoodPlan): GpuBuild {
  const { made, request, slotCount } = plan;
  const kernels = once(() => {
    const parts = partsOf(plan);
    const { words, ownerIsChosen } = parts;
    const hasValues = request.valueWords > 0;
    return {
      parts,
      claim: words ? claimWordsKernel(parts, words) : claimItemsKernel(parts),
      blame: words && forbidsCopies(request.duplicates) ? blameKernel(parts) : undefined,
      redeem: words ? undefined : redeemKernel(parts),
      deliver: words && hasValues ? deliverKernel(parts) : undefined,
      exchange: words && ownerIsChosen ? exchangeKernel(parts) : undefined,
      ages: made.reject ? agesKernel(parts, words) : undefined,
    };
  });
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { parts, claim, blame, redeem, deliver, exchange, ages } = kernels();
      const bound = [...parts.view.bind(table, input), ...parts.bindSlots(table)];
      parts.recordClear(recorder, table);
      recorder.run(claim, bound, input.items);
      if (blame) recorder.run(blame, bound, input.items);
      if (redeem) recorder.run(redeem, bound, slotCount);
      if (deliver) recorder.run(deliver, bound, input.items);
      if (exchange) recorder.run(exchange, bound, slotCount);
      if (ages) recorder.run(ages, bound, slotCount);
    },
  };
}
