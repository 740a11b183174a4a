import type { Recorder } from '../../gpu/index.ts';
import { wordAt, wordsType } from '../../keys/index.ts';
import { recordExclusiveScan, recordSort } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, storage, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../header.ts';
import { keptPerPlan } from '../keptPerPlan.ts';
import { reportDuplicate } from '../reportDuplicate.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../scheme.ts';
import { KEPT, ORDER, PLACES, SORT_KEYS } from './plan.ts';

const THREADS = 256;

const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
const sortedKeys = storage('sortedKeys', 'array<u32>');
const order = storage('order', 'array<u32>');
const orderOut = storage('order', 'array<u32>', 'read_write');
const kept = storage('kept', 'array<u32>');
const keptOut = storage('kept', 'array<u32>', 'read_write');
const places = storage('places', 'array<u32>');

/** Sorts item numbers by key, word by word; marks one item of each run of equal keys; moves the marked ones to their places. */
export function recordSortedBuild(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, items, workspace }: BuildInput,
): void {
  const kernels = kernelsOf(plan);
  const scratch = new Map(
    [SORT_KEYS, ORDER, KEPT, PLACES].map((name) => [name, workspace.scratch(name, plan.items * 4)]),
  );
  const temporary = (name: string) => scratch.get(name) as GPUBuffer;
  const header = [buildHeader, buffers.header] as const;
  const input = [kernels.keys, keys] as const;

  for (const pick of kernels.picks) {
    recorder.run(pick, [header, input, [sortKeys, temporary(SORT_KEYS)], [orderOut, temporary(ORDER)]], items);
    recordSort(recorder, { keys: temporary(SORT_KEYS), values: temporary(ORDER), items, workspace });
  }
  const sorted = [
    header,
    plan.key.words === 1 ? ([sortedKeys, temporary(SORT_KEYS)] as const) : input,
    [order, temporary(ORDER)] as const,
  ];
  recorder.run(kernels.mark, [...sorted, [keptOut, temporary(KEPT)]], items);
  recordExclusiveScan(recorder, { input: temporary(KEPT), output: temporary(PLACES), items, workspace });
  recorder.run(
    kernels.place,
    [
      ...sorted,
      [kept, temporary(KEPT)],
      [places, temporary(PLACES)],
      [kernels.tableKeys, bufferOf(buffers, 'keys')],
      ...(values
        ? ([
            [kernels.values, values],
            [kernels.tableValues, bufferOf(buffers, 'values')],
          ] as const)
        : []),
    ],
    items,
  );
}

interface Kernels {
  readonly keys: Binding;
  readonly values: Binding;
  readonly tableKeys: Binding;
  readonly tableValues: Binding;
  /** One for each word of the key: takes that word of every item, in the order so far. */
  readonly picks: readonly Kernel[];
  readonly mark: Kernel;
  readonly place: Kernel;
}

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan): Kernels {
  const { key, valueWords } = plan;
  const keysType = wgsl`array<${wordsType(key.words)}>`;
  const valuesType = wgsl`array<${wordsType(valueWords || 1)}>`;
  const keys = storage('keys', keysType);
  const values = storage('values', valuesType);
  const tableKeys = storage('tableKeys', keysType, 'read_write');
  const tableValues = storage('tableValues', valuesType, 'read_write');
  // The sort has already moved one-word keys; wider ones are read through the order.
  const keyAt = (i: WgslPart) => (key.words === 1 ? wgsl`${sortedKeys}[${i}]` : wgsl`${keys}[${order}[${i}]]`);

  return {
    keys,
    values,
    tableKeys,
    tableValues,
    picks: (key.radixWords ?? []).map((word, i) => pickKernel(keys, key.words, word, i === 0)),
    mark: markKernel(plan, keyAt),
    place: kernel({
      label: 'sortedArray/place',
      threads: THREADS,
      body: wgsl`
  let count = ${buildHeader}.count;
  if (item >= count) { return; }
  if (${kept}[item] == 1u) {
    ${tableKeys}[${places}[item]] = ${keyAt('item')};
    ${valueWords > 0 ? wgsl`${tableValues}[${places}[item]] = ${values}[${order}[item]];` : ''}
  }
  if (item == count - 1u) { atomicStore(&${buildHeader}.copies, count - ${places}[item] - ${kept}[item]); }`,
    }),
  };
}

const pickKernel = (keys: Binding, words: number, word: number, first: boolean): Kernel =>
  kernel({
    label: 'sortedArray/pick',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  ${first ? wgsl`${orderOut}[item] = item;` : ''}
  ${sortKeys}[item] = ${wordAt(words, wgsl`${keys}[${first ? 'item' : wgsl`${orderOut}[item]`}]`, word)};`,
  });

/** The sort is stable, so the first of a run of equal keys is the first of the input, and the last the last. */
function markKernel({ key, duplicates }: TablePlan, keyAt: (i: WgslPart) => WgslPart): Kernel {
  const side = key.access('input');
  const same = (i: string, j: string) => wgsl`${key.equals(side, side)}(${side.of(keyAt(i))}, ${side.of(keyAt(j))})`;
  const isKept =
    duplicates === 'last'
      ? wgsl`item == ${buildHeader}.count - 1u || !${same('item', 'item + 1u')}`
      : wgsl`item == 0u || !${same('item - 1u', 'item')}`;
  const forbidden = wgsl`
  if (!isKept) { ${reportDuplicate}(${order}[item]); }`;
  return kernel({
    label: 'sortedArray/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let isKept = ${isKept};
  ${keptOut}[item] = u32(isKept);
  ${duplicates === 'error' || duplicates === 'unique' ? forbidden : ''}`,
  });
}
