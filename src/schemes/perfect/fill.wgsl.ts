/**
 * Every slot gets the key and the value of its holder. A slot without one gets some key of the table (Due et al. 2025, section
 * 2.2): a search compares whole keys at the one slot where the key must be, so another key there means that it is absent.
 */
import { wordsType } from '../../keys/index.ts';
import { type Binding, type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { buildHeader, isGoingWell } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { slotOf, slotsType } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';

const THREADS = 256;

export const tokensIn = storage('tokens', 'array<u32>');

/** The kernel, and its bindings that depend on the plan. */
export interface FillKernel {
  readonly kernel: Kernel;
  readonly values: Binding;
  readonly slots: Binding;
}

export function fillKernel(plan: TablePlan, keys: Binding): FillKernel {
  const { valueWords, duplicates } = plan;
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const slots = storage('slots', slotsType(plan), 'read_write');
  const groupHolders = wgsl`var<workgroup> groupHolders: atomic<u32>;`;
  const [countHolder, flush] = forbidsCopies(duplicates)
    ? ['', '']
    : [
        wgsl`if (token != 0xffffffffu) { atomicAdd(&${groupHolders}, 1u); }`,
        wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let holders = atomicLoad(&${groupHolders});
    if (holders > 0u) { atomicSub(&${buildHeader}.copies, holders); }
  }`,
      ];
  const stored = wgsl`${keys}[owner]`;
  return {
    values,
    slots,
    kernel: kernel({
      label: 'perfect/fill',
      threads: THREADS,
      body: wgsl`
  let count = ${buildHeader}.count;
  if (item < ${buildHeader}.capacity && count > 0u && ${isGoingWell}()) {
    let token = ${tokensIn}[item];
    // Another key for every slot: a long one is then not hashed over and over by those who go through all slots.
    var owner = item % count;
    if (token != 0xffffffffu) { owner = ${rankOf(duplicates)}(token); }
    ${slots}[item] = ${slotOf(plan, stored, wgsl`${values}[owner]`)};
    ${countHolder}
  }
  ${flush}`,
    }),
  };
}
