/** From items to the results of their keys. */
import type { BufferView, Extent, Recorder } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
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
import { type AtomicCall, type AtomicsBy, recordAtomics, recordFinish } from './kernels.wgsl.ts';
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

interface Sorting {
  readonly construction: Construction;
  readonly key: KeyType<never> | KeyType;
}

/** The id of every item, in the order of the sort. */
const sortedIdsIn = ({ scratch }: ArraysById, items: number): GPUBuffer =>
  scratch.workspace.scratch('aggregate/sortedIds', items * WORD_BYTES);

/** Whether values are combined by atomics as they lie after the sort of their keys: where they are sorted as they are. */
const isByRuns = ({ construction, key }: Sorting, { all: [only], areNamed }: ResultColumns): boolean =>
  construction === 'sort' &&
  key.order?.unlead !== undefined &&
  only !== undefined &&
  !areNamed &&
  isAtomic(only.combiner.way) &&
  (only.value?.words ?? 1) === 1;

/** What the sort that constructs the index takes along, where values are combined as they lie after it. */
export function alongOf(index: Sorting, own: ArraysById, source: Source, columns: ResultColumns): Along | undefined {
  const {
    all: [only],
    areNamed,
  } = columns;
  const byRuns = isByRuns(index, columns);
  if (index.construction !== 'sort' || areNamed || !only || (isAtomic(only.combiner.way) && !byRuns)) return undefined;
  const { of, value } = only;
  const alone: Source = {
    ...source,
    load: () => ({ ...source.load(), values: source.load().columns?.get(of as string) }),
  };
  const withValues = of === undefined ? undefined : own.along(alone, (value as ValueType).words, groupedIn);
  if (!byRuns) return withValues;
  return () => ({ values: withValues?.().values, ids: sortedIdsIn(own, source.maxCount) });
}

/** Records that all columns get their results. */
export function recordColumns(recorder: Recorder, call: CombineCall): void {
  const { index, columns, items, maxKeys } = call;
  const { workspace } = call.own.scratch;
  const input = call.source.load();
  // An index that keeps its items knows their ids already.
  const ids = index.byId.knownIds;
  const byRuns = isByRuns(index, columns);
  const byItem: AtomicsBy = ids ? { ids, inOrder: false } : { table: index.table, input };
  const by: AtomicsBy = byRuns ? { ids: sortedIdsIn(call.own, call.source.maxCount), inOrder: true } : byItem;
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
    const given = of === undefined ? undefined : (input.columns?.get(of) as BufferView);
    const values = given && byRuns ? groupedIn(call.own, items.max * WORD_BYTES) : given;
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
