/** Where the values of queried keys are, and all of them in a row. */
import {
  type Bound,
  type BufferView,
  countedWord,
  type Extent,
  extentCount,
  type GpuCount,
  type Recorder,
  type Workspace,
} from '../../gpu/index.ts';
import { type KeyBuffers, keysView, wordsArray, wordsType } from '../../keys/index.ts';
import { recordExclusiveScan, recordFill } from '../../primitives/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import type { ValueType } from '../../table/values.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../../wgsl/index.ts';

const THREADS = 256;
const STARTS = 'retrieve/starts';
const SUMS = 'retrieve/sums';
const NONE = 0xffff_ffff;

/** Where the values of each id begin and end. */
export const bounds = storage('bounds', 'array<vec2u>');
export const countsOut = storage('counts', 'array<u32>', 'read_write');
export const startsOut = storage('starts', 'array<u32>', 'read_write');

const locateKernel = kept((reading: Reading, withStarts: boolean) => {
  const needles = keysView(reading.request.key, 'needle', 'queries');
  return {
    needles,
    program: kernel({
      label: 'multiMap/locate',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(needles.access)}(${needles.at('item')});
  var range = vec2u(0u);
  if (hit.found) { range = ${bounds}[hit.value]; }
  ${countsOut}[item] = range.y - range.x;
  ${withStarts ? wgsl`${startsOut}[item] = range.x;` : ''}`,
    }),
  };
});

/** Records how many values each query has, and where they begin. */
export function recordLocate(
  recorder: Recorder,
  table: Searchable,
  call: {
    readonly queries: KeyBuffers;
    readonly bounds: BufferView;
    readonly counts: BufferView;
    readonly starts?: BufferView | undefined;
    readonly items: Extent;
  },
): void {
  const { counts, starts, items } = call;
  const { program, needles } = locateKernel(table.reading, starts !== undefined);
  const bound: Bound = [
    ...table.bound,
    ...needles.bind(call.queries),
    [bounds, call.bounds],
    [countsOut, counts],
    [extentCount, items.count],
    ...(starts ? ([[startsOut, starts]] as const) : []),
  ];
  recorder.run(program, bound, items);
}

const queryCount = uniform('queryCount', 'u32');
const offsets = storage('offsets', 'array<u32>');
const starts = storage('starts', 'array<u32>');

/** The sum of all counts modulo 2³², and the first query whose values go past 2³². */
const Sums = wgsl`struct Sums { total: u32, wrap: u32 }`;
const sums = storage('sums', Sums);
const BuildSums = wgsl`struct BuildSums { total: u32, wrap: atomic<u32> }`;
const sumsOut = storage('sums', BuildSums, 'read_write');
const total = storage('total', 'array<u32>', 'read_write');
const totalAt = uniform('totalAt', 'u32');

/** Finds the query after which the offsets start again from 0. */
const findWrap = kernel({
  label: 'multiMap/wrap',
  threads: THREADS,
  body: wgsl`
  if (item >= ${queryCount}) { return; }
  var next = ${sumsOut}.total;
  if (item + 1u < ${queryCount}) { next = ${offsets}[item + 1u]; }
  if (next < ${offsets}[item]) { atomicMin(&${sumsOut}.wrap, item); }`,
});

const storeTotal = kernel({
  label: 'multiMap/total',
  threads: 1,
  body: wgsl`${total}[${totalAt}] = select(${sums}.total, ${NONE}u, ${sums}.wrap != ${NONE}u);`,
});

/** The queries of the first and the last output of a workgroup. */
const ends = wgsl`var<workgroup> ends: array<u32, 2>;`;

/**
 * The query of an output, by bisection of the offsets of those from `first` to before `end`; the first of them does not begin
 * after it. Queries without values share the offset of the next one, so the last of equal offsets is the right one.
 */
const queryOf = wgsl`
fn queryOf(output: u32, first: u32, end: u32) -> u32 {
  var low = first;
  var high = end;
  // The interval halves every time.
  for (var i = 0u; i < 32u && low < high; i++) {
    let middle = low + (high - low) / 2u;
    // Past the wrap every offset is beyond all outputs.
    if (middle <= ${sums}.wrap && ${offsets}[middle] <= output) { low = middle + 1u; } else { high = middle; }
  }
  return low - 1u;
}`;

/** What an expansion writes beside the values: keys of so many words, the numbers of the queries, or nothing. */
type BesideValues = number | 'numbers';

/**
 * One thread an output: a key with a million values keeps a million threads busy. Two threads of a workgroup look for the
 * queries of its first and last output among all; the others then look between these, which lie side by side.
 */
const expandKernel = kept(({ words }: ValueType, beside: BesideValues) => {
  const keyWords = beside === 'numbers' ? 1 : beside;
  const source = wordsArray('source', words);
  const output = wordsArray('output', words, 'read_write');
  const keys = wordsArray('keys', keyWords);
  const keysOut = wordsArray('keysOut', keyWords, 'read_write');
  const stored = wgsl`${source}[start + item - ${offsets}[query]]`;
  // Only numbers of queries go with queries that have an output and no value.
  const value =
    beside === 'numbers' ? wgsl`select(${stored}, ${wordsType(words)}(${NONE}u), start == ${NONE}u)` : stored;
  return {
    source,
    output,
    keys,
    keysOut,
    kernel: kernel({
      label: 'multiMap/expand',
      threads: THREADS,
      body: wgsl`
  if (thread < 2u) {
    let end = min(group * ${THREADS}u + thread * ${THREADS - 1}u, max(${extentCount}, 1u) - 1u);
    ${ends}[thread] = ${queryOf}(end, 0u, ${queryCount});
  }
  workgroupBarrier();
  if (item >= ${extentCount}) { return; }
  let query = ${queryOf}(item, ${ends}[0], ${ends}[1] + 1u);
  let start = ${starts}[query];
  ${output}[item] = ${value};
  ${beside === 0 ? '' : wgsl`${keysOut}[item] = ${beside === 'numbers' ? 'query' : wgsl`${keys}[query]`};`}`,
    }),
  };
});

/** What `recordExpand` reads and writes. */
export interface ExpandCall {
  /** Queries, or other things that have values. */
  readonly items: Extent;
  /** Has how many values each of them has, and gets where these begin in `output`. */
  readonly offsets: BufferView;
  /** Where they begin in `values`; with `numbers`, 2³² − 1 for one whose only output is 2³² − 1. */
  readonly starts: BufferView;
  readonly values: BufferView;
  readonly type: ValueType;
  /** Gets all values in a row, as far as there is room. */
  readonly output: BufferView;
  /** Keys of so many words, one for each of the items: every value gets one of its own. */
  readonly keys?: { readonly from: BufferView; readonly words: number; readonly to: BufferView };
  /** Gets the number of the item that each output is of. */
  readonly numbers?: BufferView;
  readonly capacity: number;
  /** Gets the number of values, whether there was room for them or not; 2³² − 1 if there are as many or more. */
  readonly total: GpuCount;
  readonly workspace: Workspace;
}

/** What `recordRetrieve` reads and writes. */
export interface RetrieveCall extends Omit<ExpandCall, 'starts' | 'keys' | 'numbers'> {
  readonly queries: KeyBuffers;
  readonly bounds: BufferView;
}

/** Records the retrieval of all values of all queries. */
export function recordRetrieve(recorder: Recorder, table: Searchable, call: RetrieveCall): void {
  const starts = call.workspace.scratch(STARTS, call.items.max * WORD_BYTES);
  recordLocate(recorder, table, { ...call, counts: call.offsets, starts });
  recordExpand(recorder, { ...call, starts });
}

/** Records that values are written in a row. */
export function recordExpand(recorder: Recorder, call: ExpandCall): void {
  const { gpu } = recorder;
  const { workspace, capacity, items, keys, numbers } = call;
  const sumWords = workspace.scratch(SUMS, 8);
  recordFill(recorder, { output: sumWords, value: NONE, items: 2 });
  const input = call.offsets;
  recordExclusiveScan(recorder, { input, output: input, items, total: { buffer: sumWords }, workspace });
  const counted = [
    [queryCount, items.count],
    [offsets, call.offsets],
  ] as const;
  recorder.run(findWrap, [...counted, [sumsOut, sumWords]], items);
  recorder.runOnce(storeTotal, [
    [sums, sumWords],
    [total, call.total.buffer],
    [totalAt, gpu.constants(countedWord(call.total))],
  ]);
  if (capacity === 0 || items.max === 0) return;
  const gate = call.workspace.gate('expand', capacity);
  gate.open(recorder, call.total, capacity);
  const outputs = gate.extent(capacity);
  const expand = expandKernel(call.type, numbers ? 'numbers' : (keys?.words ?? 0));
  recorder.behind(gate).run(
    expand.kernel,
    [
      ...counted,
      [sums, sumWords],
      [starts, call.starts],
      [expand.source, call.values],
      [expand.output, call.output],
      ...(keys
        ? ([
            [expand.keys, keys.from],
            [expand.keysOut, keys.to],
          ] as const)
        : []),
      ...(numbers ? ([[expand.keysOut, numbers]] as const) : []),
      [extentCount, outputs.count],
    ],
    outputs,
  );
  gate.seal();
}
