/** How batches end: items without room are listed, keys that are to go are removed, and all slots become empty. */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { type Items, THREADS } from './items.wgsl.ts';
import { BUCKET_WORDS } from './layout.wgsl.ts';
import { NONE, workOf } from './scratch.wgsl.ts';

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
    if (atomicLoad(&${workOf('slot', 'speaking')}) != ${NONE}) { return; }
  }
  let at = atomicAdd(&${counters}.left, 1u);
  ${lists ? wgsl`if (at < arrayLength(&${leftItems})) { ${leftItems}[at] = item; }` : ''}`,
  });

/** Empties the slots that were found. Of several copies, the one that finds the tag still there has removed the key. */
export function removeKernel({ shape, parts, tagWord }: Items): Kernel {
  const removed = wgsl`var<workgroup> removed: atomic<u32>;`;
  return kernel({
    label: 'dyCuckoo/remove',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) {
    let slot = atomicLoad(&${workOf('slot', 'item')});
    if (slot != ${NONE}) {
      let empty = ${parts.emptyTag}(slot / ${shape.perBucket}u);
      if (atomicExchange(&${tagWord('slot')}, empty) != empty) { atomicAdd(&${removed}, 1u); }
    }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let inGroup = atomicLoad(&${removed});
    if (inGroup > 0u) { atomicSub(&${counters}.keys, inGroup); }
  }`,
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
