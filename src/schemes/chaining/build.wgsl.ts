import type { BufferView, Recorder } from '../../gpu/index.ts';
import type { HashFamily } from '../../hashing/index.ts';
import { wordsType } from '../../keys/index.ts';
import { recordExclusiveScan, recordSort } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader, COPIES_OFFSET } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { dropped, droppedOut, placeAt } from '../kit/droppedCopies.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { keyIn, slotOf, slotsType } from '../kit/slot.wgsl.ts';
import { checkKernel, type KeysAt, markKernel } from './copies.wgsl.ts';
import { bucketsOf, DROPPED, ORDER, SORT_KEYS } from './plan.ts';
import { bucketOf, order, orderOut, sorted, sortKeys } from './sortedItems.wgsl.ts';
import { dropsCopies, type Sorting, sortingOf } from './sorting.ts';
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
  const kernels = kernelsOf(plan, family);
  const drops = dropsCopies(plan.duplicates);
  const scratch = (name: string) => workspace.scratch(name, plan.items * 4);
  const sortWords = scratch(SORT_KEYS);
  const orderWords = kernels.withOrder ? scratch(ORDER) : undefined;
  const contents = bufferOf(buffers, 'contents');
  const bound: (readonly [Binding, BufferView])[] = [
    [buildHeader, buffers.header],
    [kernels.keys, keys],
    [sortKeys, sortWords],
    [sorted, sortWords],
    [kernels.contents, contents],
    [kernels.contentsOut, contents],
    [starts, bufferOf(buffers, 'starts')],
  ];
  if (values) bound.push([kernels.values, values]);
  if (orderWords) bound.push([order, orderWords], [orderOut, orderWords]);

  for (const { pick, bits } of kernels.sorts) {
    recorder.run(pick, bound, items);
    recordSort(recorder, { keys: sortWords, values: orderWords, bits, items, workspace });
  }
  if (drops) {
    const droppedWords = scratch(DROPPED);
    bound.push([dropped, droppedWords], [droppedOut, droppedWords]);
    recorder.run(kernels.mark, bound, items);
    const total = { buffer: buffers.header, offset: COPIES_OFFSET };
    recordExclusiveScan(recorder, { input: droppedWords, output: droppedWords, total, items, workspace });
  }
  recorder.run(kernels.gather, bound, items);
  if (!drops) recorder.run(kernels.check, bound, items);
  recorder.run(kernels.starts, bound, bucketsOf(plan));
}

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan, family: HashFamily) {
  const { key, valueWords, duplicates } = plan;
  const sorting = sortingOf(family, plan, bucketsOf(plan));
  const { unhash } = sorting;
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const contents = storage('contents', slotsType(plan));
  const contentsOut = storage('contents', slotsType(plan), 'read_write');
  const inInput: KeysAt = {
    side: key.access('input'),
    family,
    sorting,
    at: (place) =>
      unhash ? wgsl`${unhash}(${sorted}[${place}], ${buildHeader}.hash)` : wgsl`${keys}[${order}[${place}]]`,
  };
  const inTable: KeysAt = {
    ...inInput,
    side: key.access('table'),
    at: (place) => keyIn(plan, wgsl`${contents}[${place}]`),
  };
  const slot = placeAt(duplicates);
  return {
    keys,
    values,
    contents,
    contentsOut,
    withOrder: sorting.withOrder,
    sorts: sortsOf(plan, family, sorting, keys),
    mark: markKernel(plan, inInput),
    gather: gatherKernel(plan, slot, inInput, values, contentsOut),
    check: checkKernel(plan, inTable),
    starts: startsKernel(bucketOf(sorting, family), slot),
  };
}

/** The sorts of a build: which word is picked for every item, in the order so far, and how many bits of it count. */
function sortsOf(
  plan: TablePlan,
  family: HashFamily,
  { by, bucketBits, withOrder }: Sorting,
  keys: Binding,
): readonly { readonly pick: Kernel; readonly bits: number }[] {
  const input = plan.key.access('input');
  const pick = (word: WgslPart, place: WgslPart = 'item'): Kernel =>
    kernel({
      label: 'chaining/pick',
      threads: THREADS,
      body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let place = ${place};
  let hash = ${plan.key.hash(input, family)}(${input.of(wgsl`${keys}[place]`)}, ${buildHeader}.hash);
  ${sortKeys}[item] = ${word};
  ${withOrder ? wgsl`${orderOut}[item] = place;` : ''}`,
    });
  const bucket = wgsl`${family.reduce}(hash.x, ${buildHeader}.own.x)`;
  const sorts = {
    bucket: [{ pick: pick(bucket), bits: bucketBits }],
    hash: [{ pick: pick('hash.x'), bits: 32 }],
    secondHash: [
      { pick: pick('hash.y'), bits: 32 },
      { pick: pick(bucket, wgsl`${orderOut}[item]`), bits: bucketBits },
    ],
  };
  return sorts[by];
}

/** Every item that is kept moves to its slot. */
function gatherKernel(plan: TablePlan, slotAt: Wgsl, keys: KeysAt, values: Binding, contentsOut: Binding): Kernel {
  return kernel({
    label: 'chaining/gather',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let slot = ${slotAt}(item);
  // A dropped item leaves its slot to the next one.
  if (${slotAt}(item + 1u) == slot) { return; }
  let key = ${keys.at('item')};
  ${plan.valueWords > 0 ? wgsl`let value = ${values}[${order}[item]];` : ''}
  ${contentsOut}[slot] = ${slotOf(plan, 'key', 'value')};`,
  });
}
