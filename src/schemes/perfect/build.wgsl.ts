import type { Bound, Recorder } from '../../gpu/index.ts';
import type { HashFamily } from '../../hashing/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { recordScan } from '../../primitives/scanKernels.wgsl.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { distinctFromAttempt, recordDistinct } from '../kit/distinct.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { firstAgainKernel, laterAgainKernel, nextList } from './again.wgsl.ts';
import { claimKernel, claimOf, firstClaimKernel, hashes, list, round, subarrays, tokens } from './claim.wgsl.ts';
import { fillKernel, tokensIn } from './fill.wgsl.ts';
import { lastRoundsKernel } from './lastRounds.wgsl.ts';
import { counters, countKernel, counts, countsIn, hashesOut, startKernels, subarraysOut } from './levelOne.wgsl.ts';
import {
  COUNTER_WORDS,
  COUNTERS,
  COUNTS_THEN_LIST,
  expectedInRound,
  HASHES,
  LIST,
  lastRoundsFrom,
  subarraysOf,
  TOKENS,
} from './plan.ts';

/** The sortless construction of Due et al. 2025, section 2.5. */
export function recordPerfectBuild(
  family: HashFamily,
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  input: BuildInput,
): void {
  const { gpu } = recorder;
  const { items: maxItems, capacitySlots, duplicates } = plan;
  const { keys, values, items, workspace } = input;
  const kernels = kernelsOf(plan, family);
  const subarrayCount = subarraysOf(plan);
  const subarrayBuffer = bufferOf(buffers, 'subarrays');
  const hashWords = workspace.scratch(HASHES, maxItems * 8);
  const tokenWords = workspace.scratch(TOKENS, capacitySlots * 4);
  const counterWords = workspace.scratch(COUNTERS, COUNTER_WORDS * 4);
  const countWords = workspace.scratch(COUNTS_THEN_LIST, subarrayCount * 4);
  // The counts have been read when the second list is written.
  const listOf = (round: number) => (round % 2 === 0 ? countWords : workspace.scratch(LIST, maxItems * 4));

  const distinct = recordDistinct(recorder, plan, buffers.header, input, distinctFromAttempt(duplicates));
  const header = [buildHeader, buffers.header] as const;
  recordFill(recorder, { output: counterWords, value: 0, items: COUNTER_WORDS });
  recordFill(recorder, { output: countWords, value: 0, items: subarrayCount });
  recordFill(recorder, { output: tokenWords, value: 0xffffffff, items: capacitySlots });

  const counterBound = [counters, counterWords] as const;
  recorder.run(
    kernels.count,
    [header, [kernels.keys, keys], ...distinct, counterBound, [counts, countWords], [hashesOut, hashWords]],
    items,
  );
  recordScan(recorder, startKernels, {
    bound: [
      [countsIn, countWords],
      [subarraysOut, subarrayBuffer],
    ],
    items: subarrayCount,
    workspace,
  });

  const places: Bound = [header, [hashes, hashWords], [subarrays, subarrayBuffer], [tokens, tokenWords]];
  const claims: Bound = [...places, [kernels.keys, keys]];
  const later = (number: number) => [counterBound, [round, gpu.constants(number)]] as const;
  recorder.run(kernels.firstClaim, [...claims, ...distinct], items);
  const listAgain = (number: number) => {
    const bound: Bound = [...places, ...later(number), [nextList, listOf(number)]];
    if (number === 1) recorder.run(kernels.firstAgain, [...bound, ...distinct], items);
    else {
      recorder.run(kernels.again, [...bound, [list, listOf(number - 1)]], expectedInRound(maxItems, number - 1));
    }
  };
  const last = lastRoundsFrom(maxItems);
  for (let number = 1; number < last; number++) {
    listAgain(number);
    recorder.run(
      kernels.claim,
      [...claims, ...later(number), [list, listOf(number)]],
      expectedInRound(maxItems, number),
    );
  }
  listAgain(last);
  recorder.run(kernels.lastRounds, [...claims, ...later(last), [list, listOf(last)]], 1);

  recorder.run(
    kernels.fill.kernel,
    [
      header,
      [kernels.keys, keys],
      ...(values ? ([[kernels.fill.values, values]] as const) : []),
      [tokensIn, tokenWords],
      [kernels.fill.slots, bufferOf(buffers, 'slots')],
    ],
    capacitySlots,
  );
}

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan, family: HashFamily) {
  const claim = claimOf(plan, family);
  const { keys } = claim;
  return {
    keys,
    count: countKernel(plan, family, keys),
    firstClaim: firstClaimKernel(plan, claim),
    claim: claimKernel(claim),
    firstAgain: firstAgainKernel(family, plan.duplicates),
    again: laterAgainKernel(family),
    lastRounds: lastRoundsKernel(family, claim),
    fill: fillKernel(plan, keys),
  };
}
