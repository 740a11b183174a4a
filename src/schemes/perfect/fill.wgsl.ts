/**
 * Every slot gets the key and the value of its holder. A slot without one gets some key of the table (Due et al. 2025, section
 * 2.2): a search compares whole keys at the one slot where the key must be, so another key there means that it is absent.
 */
import { type Binding, type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { isGoingWell } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { slotOf, slotsType } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';
import { type PerfectBuild, THREADS } from './round.wgsl.ts';

export const tokensIn = storage('tokens', 'array<u32>');

export function fillKernel({ request, view }: PerfectBuild): { readonly fill: Kernel; readonly slotsOut: Binding } {
  const { duplicates } = request;
  const { header, keys, valueAt } = view;
  const slotsOut = storage('slots', slotsType(request), 'read_write');
  const groupHolders = wgsl`var<workgroup> groupHolders: atomic<u32>;`;
  const [countHolder, flush] = forbidsCopies(duplicates)
    ? ['', '']
    : [
        wgsl`if (token != 0xffffffffu) { atomicAdd(&${groupHolders}, 1u); }`,
        wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let holders = atomicLoad(&${groupHolders});
    if (holders > 0u) { atomicSub(&${header}.copies, holders); }
  }`,
      ];
  const fill = kernel({
    label: 'perfect/fill',
    threads: THREADS,
    body: wgsl`
  let count = ${header}.count;
  if (item < ${header}.capacity && count > 0u && ${isGoingWell(header)}()) {
    let token = ${tokensIn}[item];
    // Another key for every slot: a long one is then not hashed over and over by those who go through all slots.
    var owner = item % count;
    if (token != 0xffffffffu) { owner = ${rankOf(duplicates)}(token); }
    ${slotsOut}[item] = ${slotOf(request, keys.stored('owner'), valueAt('owner'))};
    ${countHolder}
  }
  ${flush}`,
  });
  return { fill, slotsOut };
}
