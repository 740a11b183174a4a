/** Combining by atomics, and searching for results. */
import { type Bound, type BufferView, type Extent, extentCount, type Recorder } from '../../gpu/index.ts';
import { type KeyBuffers, keysView, wordsArray, wordsType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kept, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { Combiner } from './combiners.wgsl.ts';

const THREADS = 256;

/** What is combined by atomics. */
export interface AtomicCall extends KeyBuffers {
  readonly values: BufferView | undefined;
  readonly items: Extent;
  readonly maxKeys: number;
  readonly results: GPUBuffer;
}

const atomicsKernel = kept((reading: Reading, { scalar, atomic = 'atomicAdd', counts }: Combiner) => {
  const keys = keysView(reading.request.key, 'input');
  const values = storage('values', `array<${scalar.name}>`);
  const results = storage('results', `array<atomic<${scalar.name}>>`, 'read_write');
  return {
    keys,
    values,
    results,
    program: kernel({
      label: 'aggregate/atomics',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(keys.access)}(${keys.at('item')});
  if (hit.found) { ${atomic}(&${results}[hit.value], ${counts ? '1u' : wgsl`${values}[item]`}); }`,
    }),
  };
});

/** Records that every item is added to the result of its key at once. No order of integers changes the outcome. */
export function recordAtomics(recorder: Recorder, table: Searchable, combiner: Combiner, call: AtomicCall): void {
  const { program, keys, values, results } = atomicsKernel(table.reading, combiner);
  const bound: Bound = [
    ...table.bound,
    ...keys.bind(call),
    [results, call.results],
    [extentCount, call.items.count],
    ...(call.values ? ([[values, call.values]] as const) : []),
  ];
  recordFill(recorder, { output: call.results, value: combiner.identity[0] ?? 0, items: call.maxKeys });
  recorder.run(program, bound, call.items);
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

const resultsKernel = kept((reading: Reading, variant: `${number}/${boolean}`) => {
  const [words, withFound] = variant.split('/');
  const needles = keysView(reading.request.key, 'needle', 'queries');
  const results = wordsArray('results', Number(words));
  const values = wordsArray('values', Number(words), 'read_write');
  const found = storage('found', 'array<u32>', 'read_write');
  const missing = uniform('missing', wordsType(Number(words)));
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
  ${withFound === 'true' ? wgsl`${found}[item] = u32(hit.found);` : ''}`,
    }),
  };
});

/** Records a search: the result of every query, or `missing`. */
export function recordResults(recorder: Recorder, table: Searchable, words: number, call: ResultsCall): void {
  const { program, needles, ...io } = resultsKernel(table.reading, `${words}/${call.found !== undefined}`);
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
