import type { Bound, Recorder } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { recordScan } from '../../primitives/scanKernels.wgsl.ts';
import { once, WORD_BYTES } from '../../wgsl/index.ts';
import type { BuildInput, GpuBuild, TableBuffers } from '../contract/index.ts';
import { firstAgainKernel, laterAgainKernel, nextList } from './again.wgsl.ts';
import { claimKernel, claimOf, firstClaimKernel } from './claim.wgsl.ts';
import { fillKernel, tokensIn } from './fill.wgsl.ts';
import { lastRoundsKernel } from './lastRounds.wgsl.ts';
import { countKernel, counts, countsIn, hashesOut, startKernels, subarraysOut } from './levelOne.wgsl.ts';
import { counters, hashes, list, perfectView, round, subarrays, tokens } from './round.wgsl.ts';
import {
  COUNTER_WORDS,
  COUNTERS,
  COUNTS_THEN_LIST,
  expectedInRound,
  HASHES,
  LIST,
  lastRoundsFrom,
  type PerfectPlan,
  TOKENS,
} from './sizes.ts';

/** The sortless construction of Due et al. 2025, section 2.5: level one, the rounds of level two, the slots. */
export function perfectBuild(plan: PerfectPlan): GpuBuild {
  const kernels = once(() => buildKernels(plan));
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { build, count, fill, slotsOut } = kernels();
      const scratch = scratchIn(plan, input);
      const bound = build.view.bind(table, input);
      const distinct = build.distinct.record(recorder, input, bound);
      recordFill(recorder, { output: scratch.counters, value: 0, items: COUNTER_WORDS });
      recordFill(recorder, { output: scratch.counts, value: 0, items: plan.fields.subarrays });
      recordFill(recorder, { output: scratch.tokens, value: 0xffffffff, items: plan.capacitySlots });

      const io: Bound = [
        [counters, scratch.counters],
        [counts, scratch.counts],
        [hashesOut, scratch.hashes],
      ];
      recorder.run(count, [...bound, ...distinct, ...io], input.items);
      recordScan(recorder, startKernels, {
        bound: [
          [countsIn, scratch.counts],
          [subarraysOut, table.get('subarrays')],
        ],
        items: plan.fields.subarrays,
        workspace: input.workspace,
      });
      recordRounds(recorder, plan, kernels(), { table, input, bound, distinct });
      recorder.run(fill, [...bound, [tokensIn, scratch.tokens], [slotsOut, table.get('slots')]], plan.capacitySlots);
    },
  };
}

function buildKernels(plan: PerfectPlan) {
  const build = perfectView(plan);
  const claim = claimOf(build);
  return {
    build,
    count: countKernel(build),
    firstClaim: firstClaimKernel(build, claim),
    claim: claimKernel(build, claim),
    firstAgain: firstAgainKernel(build),
    again: laterAgainKernel(build),
    lastRounds: lastRoundsKernel(build, claim),
    ...fillKernel(build),
  };
}

const scratchIn = ({ request, capacitySlots, fields }: PerfectPlan, { workspace }: BuildInput) => ({
  hashes: workspace.scratch(HASHES, request.items * 8),
  tokens: workspace.scratch(TOKENS, capacitySlots * WORD_BYTES),
  counters: workspace.scratch(COUNTERS, COUNTER_WORDS * WORD_BYTES),
  counts: workspace.scratch(COUNTS_THEN_LIST, fields.subarrays * WORD_BYTES),
});

/** Records the rounds: items of subarrays with a collision are listed, and claim slots by their next function. */
function recordRounds(
  recorder: Recorder,
  plan: PerfectPlan,
  { firstClaim, claim, firstAgain, again, lastRounds }: ReturnType<typeof buildKernels>,
  parts: { readonly table: TableBuffers; readonly input: BuildInput; readonly bound: Bound; readonly distinct: Bound },
): void {
  const { input, distinct } = parts;
  const { items: maxItems } = plan.request;
  const scratch = scratchIn(plan, input);
  // The counts have been read when the second list is written.
  const listOf = (number: number) =>
    number % 2 === 0 ? scratch.counts : input.workspace.scratch(LIST, maxItems * WORD_BYTES);
  const slots: Bound = [
    ...parts.bound,
    [hashes, scratch.hashes],
    [subarrays, parts.table.get('subarrays')],
    [tokens, scratch.tokens],
  ];
  const later = (number: number): Bound => [
    ...slots,
    [counters, scratch.counters],
    [round, recorder.gpu.constants(number)],
  ];
  const listAgain = (number: number) => {
    const bound: Bound = [...later(number), [nextList, listOf(number)]];
    if (number === 1) recorder.run(firstAgain, [...bound, ...distinct], input.items);
    else recorder.run(again, [...bound, [list, listOf(number - 1)]], expectedInRound(maxItems, number - 1));
  };

  recorder.run(firstClaim, [...slots, ...distinct], input.items);
  const last = lastRoundsFrom(maxItems);
  for (let number = 1; number < last; number++) {
    listAgain(number);
    recorder.run(claim, [...later(number), [list, listOf(number)]], expectedInRound(maxItems, number));
  }
  listAgain(last);
  recorder.run(lastRounds, [...later(last), [list, listOf(last)]], 1);
}
