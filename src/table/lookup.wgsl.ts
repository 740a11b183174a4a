/** Searching a table for many keys at once: the one kernel behind `get`, `has` and their encoder forms. */
import {
  type Bound,
  type BufferView,
  type Extent,
  extentCount,
  Gates,
  type Gpu,
  type GpuCount,
  type Recorder,
  record,
  type Target,
} from '../gpu/index.ts';
import { fromWords, keysView, wordsArray, wordsOf } from '../keys/index.ts';
import { requireApart, requireStorage } from '../primitives/checks.ts';
import {
  type Kernel,
  kept,
  kernel,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../wgsl/index.ts';
import { requireContext } from './context.ts';
import type { Reading } from './reading.wgsl.ts';
import type { Searchable } from './searchable.ts';
import { checkCount, roomFor, sized } from './source.ts';

/** Buffers of an encoded search. */
export interface LookupBuffers {
  /** The keys to look for, in the table's key type. */
  readonly queries: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
  /** Gets the value of every query, or `missing`. */
  readonly values?: GPUBuffer;
  /** Gets 1 or 0 for every query, a word each. */
  readonly found?: GPUBuffer;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

/** The searches of one table. */
export class Lookup {
  readonly #gates: Gates;

  constructor(readonly table: Searchable) {
    this.#gates = new Gates(table.gpu);
  }

  /** Checks the buffers, then records the search. `missing` are the words that stand for "not found". */
  encode(target: Target, buffers: LookupBuffers, missing: readonly number[]): void {
    const { gpu } = this.table;
    this.table.assertBuilt();
    const maxCount = this.#check(buffers);
    record(gpu, target, 'lookup', (recorder) => {
      if (typeof buffers.count === 'number') {
        this.record(recorder, buffers, missing, recorder.extent(buffers.count));
      } else {
        const gate = this.#gates.get(String(maxCount));
        gate.open(recorder, buffers.count, maxCount);
        this.record(recorder.behind(gate), buffers, missing, gate.extent(maxCount));
        gate.seal();
      }
    });
  }

  #check({ queries, values, found, count, context }: LookupBuffers): number {
    const { key, valueWords } = this.table.settings;
    requireStorage(queries, 'queries');
    requireContext(key, context);
    const sizes = [
      ['queries', queries, key.words],
      ['values', values, valueWords],
      ['found', found, 1],
    ] as const;
    let room = Number.POSITIVE_INFINITY;
    for (const [name, buffer, words] of sizes) {
      if (buffer === undefined) continue;
      requireStorage(buffer, name);
      room = Math.min(room, roomFor(buffer, words * WORD_BYTES));
    }
    requireApart({ queries, values, found });
    requireApart({ context, values, found });
    return checkCount(count, room);
  }

  /** Records the search, whose buffers have been checked, for a number of items that is settled. */
  record(recorder: Recorder, buffers: Omit<LookupBuffers, 'count'>, missing: readonly number[], extent: Extent): void {
    const { table } = this;
    const { key, valueWords } = table.settings;
    const { queries, values, found, context } = buffers;
    const answers = answersOf(values !== undefined, found !== undefined);
    const { program, needles, ...io } = lookupKernel(table.reading, answers);
    const part = (buffer: GPUBuffer, words: number) => sized(recorder.gpu, buffer, extent.max * words * WORD_BYTES);
    const bound: Bound = [
      ...table.bound,
      [extentCount, extent.count],
      ...needles.bind({ keys: part(queries, key.words), context }),
      ...(values ? io.values.bind(recorder.gpu, part(values, valueWords), missing) : []),
      ...(found ? ([[io.found, part(found, 1)]] as const) : []),
    ];
    recorder.run(program, bound, extent);
  }
}

/** What a search writes. */
type Answers = 'nothing' | 'values' | 'found' | 'values and found';

const answersOf = (withValues: boolean, withFound: boolean): Answers => {
  if (withValues) return withFound ? 'values and found' : 'values';
  return withFound ? 'found' : 'nothing';
};

const THREADS = 256;

const lookupKernel = kept((reading: Reading, answers: Answers) => {
  const needles = keysView(reading.request.key, 'needle', 'queries');
  const values = valueAnswer(reading);
  const found = storage('found', 'array<u32>', 'read_write');
  const program: Kernel = kernel({
    label: 'lookup',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(needles.access)}(${needles.at('item')});
  ${answers.includes('values') ? values.store('item') : ''}
  ${answers.includes('found') ? wgsl`${found}[item] = u32(hit.found);` : ''}`,
  });
  return { program, needles, values, found };
});

/** The values of a search, as kernels write them. */
export interface ValueAnswer {
  /** Statements on `hit`, the answer to a query. */
  store(query: WgslPart): Wgsl;
  /** What is to be bound: where they go, and the words that stand for "not found". */
  bind(gpu: Gpu, values: BufferView, missing: readonly number[]): Bound;
}

export function valueAnswer({ request: { valueWords } }: Reading): ValueAnswer {
  const values = wordsArray('values', valueWords, 'read_write');
  const none = uniform('missing', 'vec4u');
  return {
    store: (query) => wgsl`
  if (hit.found) { ${values}[${query}] = hit.value; } else {
    ${values}[${query}] = ${fromWords(wordsOf(4, none).slice(0, valueWords || 1))};
  }`,
    bind: (gpu, view, missing) => [
      [values, view],
      [none, gpu.constants(...missing)],
    ],
  };
}
