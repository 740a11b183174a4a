import type { Recorder } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { claimKernel } from './claim.wgsl.ts';
import { blameKernel, countCopiesKernel } from './copies.wgsl.ts';
import { fillKernel, placeKernel, settleKernel } from './fill.wgsl.ts';
import { partsOf } from './parts.wgsl.ts';
import type { Cuckoo } from './places.wgsl.ts';
import { slotCount } from './plan.ts';

/**
 * Claims slots, then fills them: WGSL has no 64-bit atomics to move a key with its value. Between the two, copies of a
 * key are counted, because only if there are any does the value's owner have to be found out.
 */
export function recordCuckooBuild(
  cuckoo: Cuckoo,
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, items }: BuildInput,
): void {
  const { claim, settle, countCopies, blame, place, fill, parts } = kernelsOf(plan, cuckoo);
  const table = bufferOf(buffers, 'slots');
  const slotTotal = slotCount(cuckoo, plan.capacitySlots);
  const header = [buildHeader, buffers.header] as const;
  const inputs = [[parts.keys, keys] as const, ...(values ? [[parts.values, values] as const] : [])];
  const asWords = [header, [parts.words, table] as const, ...inputs];
  const asSlots = [header, [parts.slots, table] as const, ...inputs];
  const asSlotsOut = [header, [parts.slotsOut, table] as const, ...inputs];

  recordFill(recorder, { output: table, value: 0xffffffff, items: slotTotal * parts.slotWords });
  recorder.run(claim, asWords, items);
  if (parts.token === 'rank') recorder.run(settle, asSlotsOut, slotTotal);
  recorder.run(countCopies, asSlots, slotTotal);
  if (forbidsCopies(plan.duplicates)) recorder.run(blame, asSlots, items);
  if (values && (parts.token === 'key' || parts.ownerIsChosen)) recorder.run(place, asWords, items);
  if (parts.ownerIsChosen) recorder.run(fill, asSlotsOut, slotTotal);
}

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan, cuckoo: Cuckoo) {
  const parts = partsOf(cuckoo, plan);
  return {
    parts,
    claim: claimKernel(parts),
    settle: settleKernel(parts),
    countCopies: countCopiesKernel(parts),
    blame: blameKernel(parts),
    place: placeKernel(parts),
    fill: fillKernel(parts),
  };
}
