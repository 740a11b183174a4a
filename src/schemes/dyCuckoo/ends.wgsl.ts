/** Keys that are to go are removed; and all slots become empty. */
import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, storage, wgsl } from '../../wgsl/index.ts';
import { removedKeys } from '../kit/batch/ends.wgsl.ts';
import { ABSENT, THREADS } from '../kit/batch/work.wgsl.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { work } from './scratch.wgsl.ts';

/** Empties the slots that were found. Of several copies, the one that finds the tag still there has removed the key. */
export function removeKernel({ shape, parts, tagWord }: Items): Kernel {
  return kernel({
    label: 'dyCuckoo/remove',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) {
    let slot = atomicLoad(&${work.of('slot', 'item')});
    if (slot < ${ABSENT}) {
      let empty = ${parts.emptyTag}(slot / ${shape.perBucket}u);
      if (atomicExchange(&${tagWord('slot')}, empty) != empty) { ${removedKeys.count} }
    }
  }
  ${removedKeys.flush}`,
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
