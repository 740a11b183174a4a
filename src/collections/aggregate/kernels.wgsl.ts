/** Combining by atomics, finishing, and searching for results. */
import { type Bound, type BufferView, type Extent, extentCount, type Recorder } from '../../gpu/index.ts';
import { type KeyBuffers, keysView, wordsArray, wordsType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { type ValueType, valueTypes } from '../../table/values.ts';
import { type Binding, kept, kernel, storage, uniform, unrolled, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { AtomicWay, Combiner } from './combiners.wgsl.ts';

const THREADS = 256;

type AtomicCombiner = Combiner & { readonly way: AtomicWay };

/** What is combined by atomics. */
export interface AtomicCall {
  readonly combiner: AtomicCombiner;
  readonly value: ValueType | undefined;
  readonly values: BufferView | undefined;
  readonly items: Extent;
  readonly maxKeys: number;
  readonly accumulators: GPUBuffer;
}

/** WGSL: `(id: u32, sum)`, adds what values were combined to, to an accumulator; and the value of an item, as it is combined. */
function addItem({ way, words }: AtomicCombiner, { shaderType }: ValueType) {
  const values = storage('values', `array<${shaderType}>`);
  const accumulators = storage('accumulators', `array<atomic<${way.cell}>>`, 'read_write');
  const cell = (i: number): WgslPart => wgsl`${accumulators}[${words}u * id + ${i}u]`;
  const add = wgsl`
fn addTo(id: u32, sum: ${way.sum}) {
  ${way.add(cell, 'sum')}
}`;
  return { values, accumulators, add, valueAt: (item: WgslPart) => way.lift(wgsl`${values}[${item}]`) };
}

const byKeyKernel = kept((reading: Reading, combiner: AtomicCombiner, value: ValueType) => {
  const keys = keysView(reading.request.key, 'input');
  const { add, valueAt, ...io } = addItem(combiner, value);
  const program = kernel({
    label: 'aggregate/atomics',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(keys.access)}(${keys.at('item')});
  if (!hit.found) { return; }
  ${add}(hit.value, ${valueAt('item')});`,
  });
  return { program, keys, ...io };
});

const ids = storage('ids', 'array<u32>');

const byIdKernel = kept((combiner: AtomicCombiner, value: ValueType) => {
  const { add, valueAt, ...io } = addItem(combiner, value);
  const program = kernel({
    label: 'aggregate/atomicsById',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let id = ${ids}[item];
  if (id == 0xffffffffu) { return; }
  ${add}(id, ${valueAt('item')});`,
  });
  return { program, ...io };
});

/** Items of a thread where those of a key lie together. */
const RUN = 8;
/** The most ids that there is room for. */
const room = uniform('room', 'u32');

const byRunKernel = kept((combiner: AtomicCombiner, value: ValueType) => {
  const { add, valueAt, ...io } = addItem(combiner, value);
  const { combine } = combiner.way;
  const next = (k: number) => wgsl`
  if (first + ${k}u <= last) {
    if (id${k} == id) { sum = ${combine}(sum, value${k}); }
    else {
      if (id < ${room}) { ${add}(id, sum); }
      id = id${k};
      sum = value${k};
    }
  }`;
  const program = kernel({
    label: 'aggregate/atomicsByRun',
    threads: THREADS,
    itemsPerGroup: THREADS * RUN,
    body: wgsl`
  let first = item * ${RUN}u;
  if (first >= ${extentCount}) { return; }
  let last = ${extentCount} - 1u;
  ${unrolled(
    RUN,
    (k) => wgsl`
  let at${k} = min(first + ${k}u, last);
  let id${k} = ${ids}[at${k}];
  let value${k} = ${valueAt(`at${k}`)};`,
  )}
  var id = id0;
  var sum = value0;
  ${unrolled(RUN - 1, (k) => next(k + 1))}
  if (id < ${room}) { ${add}(id, sum); }`,
  });
  return { program, ...io };
});

/** How the accumulators of items are found: in the table, or by the ids that they have, which may be in order. */
export type AtomicsBy =
  | { readonly table: Searchable; readonly input: KeyBuffers }
  | { readonly ids: BufferView; readonly inOrder: boolean };

/** Records that every item is added to the accumulator of its key at once. */
export function recordAtomics(recorder: Recorder, by: AtomicsBy, call: AtomicCall): void {
  const { combiner, value = valueTypes.u32, items } = call;
  const boundTo = (values: Binding, accumulators: Binding): Bound => [
    [accumulators, call.accumulators],
    [extentCount, items.count],
    ...(call.values ? ([[values, call.values]] as const) : []),
  ];
  // All words of an identity are the same where there are several.
  const { identity, words } = combiner;
  recordFill(recorder, { output: call.accumulators, value: identity[0] ?? 0, items: call.maxKeys * words });
  if ('ids' in by) {
    const { program, values, accumulators } = by.inOrder ? byRunKernel(combiner, value) : byIdKernel(combiner, value);
    const most = [room, recorder.gpu.constants(call.maxKeys)] as const;
    recorder.run(program, [[ids, by.ids], most, ...boundTo(values, accumulators)], items);
  } else {
    const { program, keys, values, accumulators } = byKeyKernel(by.table.reading, combiner, value);
    recorder.run(program, [...by.table.bound, ...keys.bind(by.input), ...boundTo(values, accumulators)], items);
  }
}

const finishKernel = kept(({ finish, words, result }: Combiner) => {
  const accumulators = wordsArray('accumulators', words);
  const results = wordsArray('results', result.words, 'read_write');
  const program = kernel({
    label: 'aggregate/finish',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${results}[item] = bitcast<${wordsType(result.words)}>(${finish ?? ''}(${accumulators}[item]));`,
  });
  return { program, accumulators, results };
});

/** Records that accumulators become results. */
export function recordFinish(
  recorder: Recorder,
  combiner: Combiner,
  call: { readonly accumulators: GPUBuffer; readonly results: GPUBuffer; readonly keys: Extent },
): void {
  const { program, accumulators, results } = finishKernel(combiner);
  const bound: Bound = [
    [accumulators, call.accumulators],
    [results, call.results],
    [extentCount, call.keys.count],
  ];
  recorder.run(program, bound, call.keys);
}

/** What a search for results reads and writes. */
export interface ResultsCall {
  readonly queries: KeyBuffers;
  readonly results: BufferView;
  readonly values: BufferView;
  readonly found: BufferView | undefined;
  readonly items: Extent;
  /** As words. */
  readonly missing: readonly number[];
}

const resultsKernel = kept((reading: Reading, words: number, withFound: boolean) => {
  const needles = keysView(reading.request.key, 'needle', 'queries');
  const results = wordsArray('results', words);
  const values = wordsArray('values', words, 'read_write');
  const found = storage('found', 'array<u32>', 'read_write');
  const missing = uniform('missing', wordsType(words));
  return {
    needles,
    results,
    values,
    found,
    missing,
    program: kernel({
      label: 'aggregate/get',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(needles.access)}(${needles.at('item')});
  var value = ${missing};
  if (hit.found) { value = ${results}[hit.value]; }
  ${values}[item] = value;
  ${withFound ? wgsl`${found}[item] = u32(hit.found);` : ''}`,
    }),
  };
});

/** Records a search: the result of every query, or `missing`. */
export function recordResults(recorder: Recorder, table: Searchable, words: number, call: ResultsCall): void {
  const { program, needles, ...io } = resultsKernel(table.reading, words, call.found !== undefined);
  const bound: Bound = [
    ...table.bound,
    ...needles.bind(call.queries),
    [io.results, call.results],
    [io.values, call.values],
    [io.missing, recorder.gpu.constants(...call.missing)],
    [extentCount, call.items.count],
    ...(call.found ? ([[io.found, call.found]] as const) : []),
  ];
  recorder.run(program, bound, call.items);
}
