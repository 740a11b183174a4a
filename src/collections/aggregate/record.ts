/** From items to the results of their keys. */

import type { BufferView, Extent, Recorder } from '../../gpu/index.ts';
import { recordCopy, recordGatherRows } from '../../primitives/index.ts';
import type { Source } from '../../table/source.ts';
import type { ValueType } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { recordGroups } from '../groups/groups.wgsl.ts';
import { recordBounds } from '../groups/sortedGroups.wgsl.ts';
import { recordGroupsOf, recordNumbers } from '../groups/wideGroups.wgsl.ts';
import type { Along, Construction } from '../keyIndex/build.ts';
import type { KeyIndex } from '../keyIndex/keyIndex.ts';
import type { ArraysById } from '../onIndex.ts';
import type { ResultColumn, ResultColumns } from './columns.ts';
import { type Combiner, type FoldWay, isAtomic } from './combiners.wgsl.ts';
import { type AtomicCall, recordAtomics, recordFinish } from './kernels.wgsl.ts';
import { foldsOf, recordReduce } from './reduceGroups.wgsl.ts';

/** What is combined. */
export interface CombineCall {
  readonly index: KeyIndex<never>;
  readonly own: ArraysById;
  readonly source: Source;
  readonly columns: ResultColumns;
  readonly items: Extent;
  readonly maxKeys: number;
  /** Where the results of a column go. */
  results(column: ResultColumn): GPUBuffer;
}

/** The values of every key together, until they are combined. */
const groupedIn = ({ scratch }: ArraysById, bytes: number): GPUBuffer =>
  scratch.workspace.scratch('aggregate/grouped', bytes);

/** The values, where they are combined in order and the index is constructed by a sort that takes them along. */
export function alongOf(
  { construction }: { readonly construction: Construction },
  own: ArraysById,
  source: Source,
  { all: [only], areNamed }: ResultColumns,
): Along | undefined {
  if (construction !== 'sort' || areNamed || !only?.value || isAtomic(only.combiner.way)) return undefined;
  const { of, value } = only;
  const alone: Source = {
    ...source,
    load: () => ({ ...source.load(), values: source.load().columns?.get(of as string) }),
  };
  return own.along(alone, value.words, groupedIn);
}

/** Records that all columns get their results. */
export function recordColumns(recorder: Recorder, call: CombineCall): void {
  const { index, columns, items, maxKeys } = call;
  const { workspace } = call.own.scratch;
  const input = call.source.load();
  // An index that keeps its items knows their ids already.
  const ids = index.byId.knownIds;
  const by = ids ? { ids } : { table: index.table, input };
  const isDirect = columns.all.every(({ combiner }) => isAtomic(combiner.way) && !combiner.finish);
  const gate = isDirect ? undefined : workspace.gate('aggregate', maxKeys, items.max);
  // How many keys there are is known only on the GPU where the build was recorded just before.
  gate?.open(recorder, index.sizeOnGpu, maxKeys);
  const behind = gate ? recorder.behind(gate) : recorder;
  const keys = gate?.extent(maxKeys) ?? recorder.extent(maxKeys);
  const groups = groupsOf(recorder, call);
  for (const column of columns.all) {
    const { combiner, value, of } = column;
    const { words, finish } = combiner;
    const results = call.results(column);
    const accumulators = finish ? workspace.scratch('aggregate/accumulators', maxKeys * words * WORD_BYTES) : results;
    const values = of === undefined ? undefined : (input.columns?.get(of) as BufferView);
    if (isAtomic(combiner.way)) {
      const atomic = combiner as AtomicCall['combiner'];
      recordAtomics(recorder, by, { combiner: atomic, value, values, items, maxKeys, accumulators });
    } else {
      recordReduce(behind, {
        ...groups(values as BufferView, (value as ValueType).words),
        folds: foldsOf(combiner as Combiner & { readonly way: FoldWay }, value as ValueType),
        combiner,
        results: accumulators,
        keys,
        maxItems: items.max,
        workspace,
      });
    }
    if (finish) recordFinish(behind, combiner, { accumulators, results, keys });
  }
  gate?.seal();
}

interface Groups {
  readonly values: BufferView;
  readonly bounds: GPUBuffer;
}

/** Gives the values of a column, those of a key together. Several columns share the order of their items. */
function groupsOf(recorder: Recorder, call: CombineCall): (values: BufferView, words: number) => Groups {
  const { index, own, source, items, maxKeys } = call;
  const { workspace } = own.scratch;
  if (call.columns.areNamed) return sharedGroups(recorder, call);
  return (values, words) => {
    const bounds = boundsIn(call);
    const grouped = groupedIn(own, items.max * words * WORD_BYTES);
    if (index.construction === 'sort') {
      const starts = own.starts(source.maxCount);
      recordBounds(recorder, { starts, bounds, size: index.sizeOnGpu.buffer, maxKeys, items });
    } else {
      const ids = index.byId.knownIds;
      const groups = { ...source.load(), ids, values, items, maxKeys, grouped, bounds, workspace };
      recordGroupsOf(words, recordGroups, recorder, index.table, groups);
    }
    return { values: grouped, bounds };
  };
}

/** Two words a key; a reduction overwrites them. */
const boundsIn = ({ own, maxKeys }: CombineCall): GPUBuffer =>
  own.scratch.workspace.scratch('aggregate/bounds', maxKeys * 8);

function sharedGroups(recorder: Recorder, combined: CombineCall) {
  const { index, own, source, items, maxKeys } = combined;
  const { workspace } = own.scratch;
  let isOrdered = false;
  return (values: BufferView, words: number): Groups => {
    const order = workspace.scratch('aggregate/order', items.max * WORD_BYTES);
    const shared = workspace.scratch('aggregate/sharedBounds', maxKeys * 8);
    const bounds = boundsIn(combined);
    if (!isOrdered) {
      const numbers = recordNumbers(recorder, items, workspace);
      const ids = index.byId.knownIds;
      const call = {
        ...source.load(),
        ids,
        values: numbers,
        items,
        maxKeys,
        grouped: order,
        bounds: shared,
        workspace,
      };
      recordGroups(recorder, index.table, call);
      isOrdered = true;
    }
    const grouped = groupedIn(own, items.max * words * WORD_BYTES);
    const rows = { rows: values, rowWords: words, rowCount: items.max, indices: order, output: grouped, items };
    recordGatherRows(recorder, rows);
    recordCopy(recorder, { from: shared, to: bounds, items: maxKeys * 2 });
    return { values: grouped, bounds };
  };
}
