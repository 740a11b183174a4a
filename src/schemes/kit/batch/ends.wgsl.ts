/** How batches end: keys are counted, and items without room are listed. */
import { extentCount } from '../../../gpu/index.ts';
import { type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import { counters } from '../../contract/index.ts';
import type { Speakers } from './speakers.wgsl.ts';
import { ABSENT, NONE, THREADS, type Work } from './work.wgsl.ts';

/** The numbers of items without room. */
export const leftItems = storage('left', 'array<u32>', 'read_write');

/** A count that the threads of a workgroup share until all of them come to `flush`, which adds it to a counter or takes it off. */
function tally(counter: 'keys' | 'absent', change: 'atomicAdd' | 'atomicSub') {
  const counted = wgsl`var<workgroup> counted: atomic<u32>;`;
  return {
    count: wgsl`atomicAdd(&${counted}, 1u);`,
    add: (more: WgslPart): Wgsl => wgsl`atomicAdd(&${counted}, ${more});`,
    flush: wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let inGroup = atomicLoad(&${counted});
    if (inGroup > 0u) { ${change}(&${counters}.${counter}, inGroup); }
  }`,
  };
}

export const newKeys = tally('keys', 'atomicAdd');
export const removedKeys = tally('keys', 'atomicSub');
export const absentKeys = tally('absent', 'atomicAdd');

interface Ending {
  readonly owner: string;
  readonly work: Work<'slot'>;
  readonly copies: Omit<Speakers, 'meet'>;
}

/** WGSL: `(item: u32)`, counts, and lists if asked to, an item whose speaker has no slot: all copies of a key share its fate. */
export const leaving = ({ work, copies: { speaker } }: Omit<Ending, 'owner'>, lists: boolean): Wgsl => wgsl`
fn leave(item: u32) {
  let speaking = ${speaker}(item);
  if (speaking != ${NONE}) {
    if (atomicLoad(&${work.of('slot', 'speaking')}) < ${ABSENT}) { return; }
  }
  let at = atomicAdd(&${counters}.left, 1u);
  ${lists ? wgsl`if (at < arrayLength(&${leftItems})) { ${leftItems}[at] = item; }` : ''}
}`;

/**
 * The same for all items. It may have any number of workgroups.
 * @param isNobody whether it is known that there are none
 */
export const leaveKernel = (ending: Ending, lists: boolean, isNobody: WgslPart = 'false'): Kernel =>
  kernel({
    label: `${ending.owner}/leave`,
    threads: THREADS,
    body: wgsl`
  if (${isNobody}) { return; }
  for (var i = item; i < ${extentCount}; i += groups * ${THREADS}u) { ${leaving(ending, lists)}(i); }`,
  });

/** Counts the keys that were not found, by who speaks for them. */
export const countKernel = ({ owner, work, copies: { isSpeaker } }: Ending): Kernel =>
  kernel({
    label: `${owner}/count`,
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) {
    if (${isSpeaker}(item) && atomicLoad(&${work.of('slot', 'item')}) >= ${ABSENT}) { ${absentKeys.count} }
  }
  ${absentKeys.flush}`,
  });
