import type { Bound, Recorder } from '../../gpu/index.ts';
import type { HashFamily } from '../../hashing/index.ts';
import { wordsType } from '../../keys/index.ts';
import { recordExclusiveScan, recordSort } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, COPIES_OFFSET } from '../header.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../scheme.ts';
import { slotOf, slotsType } from '../slot.ts';
import { checkKernel, markKernel } from './copies.wgsl.ts';
import { bucketBits, bucketsOf, DROPPED, dropsCopies, ORDER, SORT_KEYS } from './plan.ts';
import { dropped, droppedOut, groupingOf, order, orderOut, slotAt, sorted, sortKeys } from './sortedItems.ts';
import { starts, startsKernel } from './starts.wgsl.ts';

const THREADS = 256;

/**
 * Section 4.2: the bucket of every item, a radix sort of buckets with item numbers, the boundaries between buckets. Where
 * copies are dropped, the sort also brings equal keys together, and the items behind a dropped one move up.
 */
export function recordChainingBuild(
  family: HashFamily,
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, items, workspace }: BuildInput,
): void {
  const kernels = kernelsOf(family, plan);
  const scratch = (name: string) => workspace.scratch(name, plan.items * 4);
  const bufferBy = new Map([
    ['sorted', scratch(SORT_KEYS)],
    ['order', scratch(ORDER)],
    
  ]);
}
