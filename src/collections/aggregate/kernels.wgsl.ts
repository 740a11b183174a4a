/** Combining by atomics, and searching for results. */
import { type BufferView, type Extent, extentCount, type Recorder } from '../../gpu/index.ts';
import { wordsType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { bindTable } from '../../schemes/contract/scheme.ts';
import { perPlan } from '../../table/perPlan.ts';
import type { Table } from '../../table/table.ts';
import { type Binding, kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import type { Combiner } from './combiners.wgsl.ts';

const THREADS = 256;

/** What is combined by atomics. */
export interface AtomicCall {
  readonly keys: BufferView;
  readonly values: BufferView | undefined;
  readonly items: Extent;
  readonly maxKeys: number;
  readonly results: GPUBuffer;
}

const atomicsKernel = perPlan((table, { scalar, atomic = 'atomicAdd', counts }: Combiner) => {
  const { key } = table.plan;
  const input = key.access('input');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', `array<${scalar.name}>`);
  const results = storage('results', `array<atomic<${scalar.name}>>`, 'read_write');
  return {
    keys,
    values,
    results,
    kernel: kernel({
      label: 'aggregate/atomics',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${table.shader('input').find}(${input.of(wgsl`${keys}[item]`)});
  if (hit.found) { ${atomic}(&${results}[hit.value], ${counts ? '1u' : wgsl`${values}[item]`}); }`,
    }),
  };
});

/** Records that every item is added to the result of its key at once. No order of integers changes the outcome. */
export function recordAtomics(recorder: Recorder, table: Table, combiner: Combiner, call: AtomicCall): void {
  const { kernel: program, keys, values, results } = atomicsKernel(table, combiner);
  const bound: (readonly [Binding, BufferView])[] = [
    ...bindTable(table.shader('input'), table.buffers),
    [keys, call.keys],
    [results, call.results],
    [extentCount, call.items.count],
  ];
  if (call.values) bound.push([values, call.values]);
  recordFill(recorder, { output: call.results, value: combiner.identity[0] ?? 0, items: call.maxKeys });
  recorder.run(program, bound, call.items);
}

/** What a search for results reads and writes. */
export interface ResultsCall {
  readonly queries: BufferView;
  readonly results: BufferView;
  readonly values: BufferView;
  readonly found: BufferView | undefined;
  readonly items: number | Extent;
  /** As words. */
  readonly missing: readonly number[];
}

const resultsKernel = perPlan((table, variant: `${number}/${boolean}`) => {
  const [words, withFound] = variant.split('/');
  const { key } = table.plan;
  const type = wordsType(Number(words));
  const queries = storage('queries', wgsl`array<${wordsType(key.words)}>`);
  const results = storage('results', wgsl`array<${type}>`);
  const values = storage('values', wgsl`array<${type}>`, 'read_write');
  const found = storage('found', 'array<u32>', 'read_write');
  const missing = uniform('missing', type);
  return {
    queries,
    results,
    values,
    found,
    missing,
    kernel: kernel({
      label: 'aggregate/get',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${table.shader('needle').find}(${key.access('needle').of(wgsl`${queries}[item]`)});
  var value = ${missing};
  if (hit.found) { value = ${results}[hit.value]; }
  ${values}[item] = value;
  ${withFound === 'true' ? wgsl`${found}[item] = u32(hit.found);` : ''}`,
    }),
  };
});

/** Records a search: the result of every query, or `missing`. */
export function recordResults(recorder: Recorder, table: Table, words: number, call: ResultsCall): void {
  const { gpu } = recorder;
  const { kernel: program, ...made } = resultsKernel(table, `${words}/${call.found !== undefined}`);
  const bound: (readonly [Binding, BufferView])[] = [
    ...bindTable(table.shader('needle'), table.buffers),
    [made.queries, call.queries],
    [made.results, call.results],
    [made.values, call.values],
    [made.missing, gpu.constants(...call.missing)],
    [extentCount, typeof call.items === 'number' ? gpu.constants(call.items) : call.items.count],
  ];
  if (call.found) bound.push([made.found, call.found]);
  recorder.run(program, bound, call.items);
}
