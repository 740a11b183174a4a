/** How batches end: items without room are listed, absent keys counted, keys that are to go removed; and all slots become empty. */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { type Items, THREADS } from './items.wgsl.ts';
import { ABSENT, NONE, workOf } from './scratch.wgsl.ts';

/** The numbers of items without room. */
export const leftItems = storage('left', 'array<u32>', 'read_write');

/** Counts, and lists if asked to, the items whose speaker has no slot: all copies of a key share its fate. */
export const leaveKernel = (speaker: Wgsl, lists: boolean): Kernel =>
  kernel({
    label: 'dyCuckoo/leave',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let speaking = ${speaker}(item);
  if (speaking != ${NONE}) {
    if (atomicLoad(&${workOf('slot', 'speaking')}) < ${ABSENT}) { return; }
  }
  let at = atomicAdd(&${counters}.left, 1u);
  ${lists ? wgsl`if (at < arrayLength(&${leftItems})) { ${leftItems}[at] = item; }` : ''}`,
  });

/** Counts the keys that were not found, by who speaks for them. */
export function countKernel(speaker: Wgsl): Kernel {
  const absent = wgsl`var<workgroup> absent: atomic<u32>;`;
  return kernel({
    label: 'dyCuckoo/count',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) {
    if (${speaker}(item) == item && atomicLoad(&${workOf('slot', 'item')}) >= ${ABSENT}) { atomicAdd(&${absent}, 1u); }
  }
  ${flush(absent, 'absent', 'atomicAdd')}`,
  });
}

/** Adds what a workgroup has counted to a counter, or takes it off. */
const flush = (counted: Wgsl, counter: 'keys' | 'absent', change: 'atomicAdd' | 'atomicSub'): Wgsl => wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let inGroup = atomicLoad(&${counted});
    if (inGroup > 0u) { ${change}(&${counters}.${counter}, inGroup); }
  }`;

/** Empties the slots that were found. Of several copies, the one that finds the tag still there has removed the key. */
export function removeKernel({ shape, parts, tagWord }: Items): Kernel {
  const removed = wgsl`var<workgroup> removed: atomic<u32>;`;
  return kernel({
    label: 'dyCuckoo/remove',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) {
    let slot = atomicLoad(&${workOf('slot', 'item')});
    if (slot < ${ABSENT}) {
      let empty = ${parts.emptyTag}(slot / ${shape.perBucket}u);
      if (atomicExchange(&${tagWord('slot')}, empty) != empty) { atomicAdd(&${removed}, 1u); }
    }
  }
  ${flush(removed, 'keys', 'atomicSub')}`,
  });
}

const cleared = storage('cleared', 'array<u32>', 'read_write');

/** Over all words of all buckets. */
export const clearKernel = ({ parts }: Items) => ({
  cleared,
  program: kernel({
    label: 'dyCuckoo/clear',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) { ${cleared}[item] = ${parts.emptyTag}(item / ${BUCKET_WORDS}u); }`,
  }),
});
