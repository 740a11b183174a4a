import type { BufferView } from '../../gpu/index.ts';
import { recordExclusiveScan, recordSort } from '../../primitives/index.ts';
import {
  type Binding,
  type Kernel,
  kernel,
  once,
  storage,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../../wgsl/index.ts';
import { type BuildView, buildView, type GpuBuild, headerOffset } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { dropped, droppedOut, keptBefore } from '../kit/droppedCopies.wgsl.ts';
import { slotOf, slotsType } from '../kit/slot.wgsl.ts';
import { checkKernel, markKernel } from './copies.wgsl.ts';
import { bucketOf, keyAt, order, orderOut, sorted, sortKeys } from './sortedItems.wgsl.ts';
import { type ChainingPlan, SCRATCH } from './sorting.ts';
import { starts, startsKernel } from './starts.wgsl.ts';

const THREADS = 256;

/**
 * Section 4.2: the bucket of every item, a radix sort of buckets with item numbers, the boundaries between buckets. Where
 * copies are dropped, the sort also brings equal keys together, and the items behind a dropped one move up.
 */
export function chainingBuild(plan: ChainingPlan): GpuBuild {
  const { request, sorting } = plan;
  const dropsCopies = !forbidsCopies(request.duplicates);
  const kernels = once(() => buildKernels(plan));
  return {
    on: 'gpu',
    // A sort cannot fail.
    encodedAttempts: 1,
    record: (recorder, table, input) => {
      const { view, contents, contentsOut, sorts, mark, gather, check, starts: findStarts } = kernels();
      const { items, workspace } = input;
      const scratch = (name: string) => workspace.scratch(name, request.items * WORD_BYTES);
      const sortWords = scratch(SCRATCH.sortKeys);
      const orderWords = sorting.withOrder ? scratch(SCRATCH.order) : undefined;
      const bound: (readonly [Binding, BufferView])[] = [
        ...view.bind(table, input),
        [sortKeys, sortWords],
        [sorted, sortWords],
        [contents, table.get('contents')],
        [contentsOut, table.get('contents')],
        [starts, table.get('starts')],
      ];
      if (orderWords) bound.push([order, orderWords], [orderOut, orderWords]);

      for (const { pick, bits } of sorts) {
        recorder.run(pick, bound, items);
        recordSort(recorder, { keys: sortWords, values: orderWords, bits, items, workspace });
      }
      if (dropsCopies) {
        const droppedWords = scratch(SCRATCH.dropped);
        bound.push([dropped, droppedWords], [droppedOut, droppedWords]);
        recorder.run(mark, bound, items);
        const total = { buffer: table.header, offset: headerOffset('copies') };
        recordExclusiveScan(recorder, { input: droppedWords, output: droppedWords, total, items, workspace });
      }
      recorder.run(gather, bound, items);
      if (!dropsCopies) recorder.run(check, bound, items);
      recorder.run(findStarts, bound, plan.fields.buckets);
    },
  };
}

function buildKernels(plan: ChainingPlan) {
  const { request, fields } = plan;
  const view = buildView(request, fields);
  const contents = storage('contents', slotsType(request));
  const contentsOut = storage('contents', slotsType(request), 'read_write');
  const slotAt = keptBefore(view.header, request.duplicates);
  return {
    view,
    contents,
    contentsOut,
    sorts: sortsOf(plan, view),
    mark: markKernel(plan, view),
    gather: gatherKernel(plan, view, slotAt, contentsOut),
    check: checkKernel(plan, view, contents),
    starts: startsKernel(view.header, bucketOf(plan), slotAt),
  };
}

/** The sorts of a build: which word is picked for every item, in the order so far, and how many bits of it count. */
function sortsOf(
  { request: { key }, family, sorting }: ChainingPlan,
  { header, keys }: BuildView,
): readonly { readonly pick: Kernel; readonly bits: number }[] {
  const pick = (word: WgslPart, source: WgslPart = 'item'): Kernel =>
    kernel({
      label: 'chaining/pick',
      threads: THREADS,
      body: wgsl`
  if (item >= ${header}.count) { return; }
  let source = ${source};
  let hash = ${key.hash(keys.access, family)}(${keys.at('source')}, ${header}.hash);
  ${sortKeys}[item] = ${word};
  ${sorting.withOrder ? wgsl`${orderOut}[item] = source;` : ''}`,
    });
  const { by, bucketBits } = sorting;
  const bucket = wgsl`${family.reduce}(hash.x, ${header}.buckets)`;
  const sorts = {
    bucket: () => [{ pick: pick(bucket), bits: bucketBits }],
    hash: () => [{ pick: pick('hash.x'), bits: 32 }],
    secondHash: () => [
      { pick: pick('hash.y'), bits: 32 },
      { pick: pick(bucket, wgsl`${orderOut}[item]`), bits: bucketBits },
    ],
  };
  return sorts[by]();
}

/** Every item that is kept moves to its slot. */
function gatherKernel(plan: ChainingPlan, view: BuildView, slotAt: Wgsl, contentsOut: Binding): Kernel {
  const { request } = plan;
  return kernel({
    label: 'chaining/gather',
    threads: THREADS,
    body: wgsl`
  if (item >= ${view.header}.count) { return; }
  let slot = ${slotAt}(item);
  // A dropped item leaves its slot to the next one.
  if (${slotAt}(item + 1u) == slot) { return; }
  let key = ${keyAt(plan, view, 'item')};
  ${request.valueWords > 0 ? wgsl`let value = ${view.valueAt(wgsl`${order}[item]`)};` : ''}
  ${contentsOut}[slot] = ${slotOf(request, 'key', 'value')};`,
  });
}
