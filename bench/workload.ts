/**
 * The workload of benchmarks and of the large self-tests: made and checked on the GPU, so that 10⁸ items need no transfer.
 * Keys follow from their index, absent keys from the indices past the last item, values from the index too, and queries
 * come in another order than the items.
 */

import { type Gpu, InvalidInputError, record, TooLargeError, Workspace } from '../src/gpu/index.ts';
import { type KeyType, u32, wordsType } from '../src/keys/index.ts';
import { recordFill, recordSort } from '../src/primitives/index.ts';
import { type ValueType, valueTypes } from '../src/table/values.ts';
import { kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { type Answers, checkKernel } from './checker.ts';
import {
  ABSENT,
  indexAt,
  type Listed,
  once,
  PRESENT,
  parameters,
  parameterWords,
  type Queries,
  valueAt,
  type WorkloadSeeds,
  workloadSeeds,
} from './generators.ts';
import { type KeyMaker, makerOf } from './keyMaker.ts';
import { tally, type Verdict } from './tally.ts';

/** What answers hold before they are written, wrong for every query of a kind. */
const POISON = 0xa5a5a5a5;

const THREADS = 256;

/** What a workload consists of. */
export interface WorkloadOptions {
  readonly items: number;
  readonly key: KeyType;
  /** Default `u32`. */
  readonly value?: ValueType | undefined;
  /** Everything random follows from it. Default 1. */
  readonly seed?: number;
  /** How often every key occurs, about. Default 1. */
  readonly copies?: number;
  /** Shares of absent keys that there may be queries with, beside none and all: strings need room for their bytes. */
  readonly absent?: readonly number[];
}

/** What a workload is, before there are any buffers. */
interface Description {
  readonly maker: KeyMaker;
  readonly value: ValueType;
  readonly items: number;
  /** Different keys among the items. */
  readonly distinct: number;
  readonly seeds: WorkloadSeeds;
}

interface Buffers {
  /** The items. */
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  /** The bytes that the items' keys point into, for keys that have a context. */
  readonly context: GPUBuffer | undefined;
  /** Filled by `ask`. */
  readonly queries: GPUBuffer;
  readonly queryContext: GPUBuffer | undefined;
  /** Where the searches under test write. */
  readonly answers: { readonly values: GPUBuffer; readonly found: GPUBuffer };
}

/** Items, queries, room for the answers, and the judgement on them, all on the GPU. */
export class Workload implements Description, Buffers {
  readonly maker: KeyMaker;
  readonly value: ValueType;
  readonly items: number;
  readonly distinct: number;
  readonly seeds: WorkloadSeeds;
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly context: GPUBuffer | undefined;
  readonly queries: GPUBuffer;
  readonly queryContext: GPUBuffer | undefined;
  readonly answers: Buffers['answers'];

  private constructor(
    readonly gpu: Gpu,
    description: Description,
    buffers: Buffers,
    readonly workspace: Workspace,
  ) {
    this.maker = description.maker;
    this.value = description.value;
    this.items = description.items;
    this.distinct = description.distinct;
    this.seeds = description.seeds;
    this.keys = buffers.keys;
    this.values = buffers.values;
    this.context = buffers.context;
    this.queries = buffers.queries;
    this.queryContext = buffers.queryContext;
    this.answers = buffers.answers;
  }

  /** Allocates a workload and makes its items. Too large for the device is a `TooLargeError`. */
  static async create(gpu: Gpu, options: WorkloadOptions): Promise<Workload> {
    const { items, key, value = valueTypes.u32, seed = 1, copies = 1, absent = [] } = options;
    const distinct = Math.ceil(items / copies);
    const description = { maker: makerOf(key), value, items, distinct, seeds: workloadSeeds(seed) };
    assertFits(gpu, description);
    const workspace = new Workspace(gpu);
    try {
      const asked = [PRESENT, ABSENT, ...absent.map((share) => ({ absent: share }))];
      const workload = new Workload(gpu, description, await allocate(gpu, description, asked, workspace), workspace);
      await workload.#makeItems();
      return workload;
    } catch (error) {
      workspace.destroy();
      throw error;
    }
  }

  #makeItems(): Promise<unknown> {
    const { kernel: program, values } = valuesKernel(this.value.words);
    const { keys, context, items, workspace } = this;
    return this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'workload/items', (recorder) => {
        const list = { parameters: this.parameters('items'), items, workspace };
        this.maker.record(recorder, list, { keys, context });
        recorder.run(
          program,
          [
            [parameters, list.parameters],
            [values, this.values],
          ],
          items,
        );
      }),
    );
  }

  /** The items, as collections take them. */
  get input() {
    const { keys, values, items: count, context } = this;
    return { keys, values, count, ...(context && { context }) };
  }

  /** The queries, as searches take them. */
  get needles() {
    const { queries, items: count, queryContext: context } = this;
    return { queries, count, ...(context && { context }) };
  }

  /** Fills the queries, and spoils the answers: old ones must not pass for new ones. */
  async ask(queries: Queries): Promise<void> {
    const { queries: keys, queryContext: context, items, workspace, answers } = this;
    if (queries.order === 'sorted') requireSortable(this.maker.type);
    await this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'workload/queries', (recorder) => {
        const list = { parameters: this.parameters(queries), items, workspace };
        this.maker.record(recorder, list, { keys, context });
        if (queries.order === 'sorted') {
          recorder.run(
            listIndices,
            [
              [parameters, list.parameters],
              [indices, this.#indices],
            ],
            items,
          );
          recordSort(recorder, { keys: { buffer: keys }, values: { buffer: this.#indices }, items, workspace });
        }
        recordFill(recorder, { output: answers.values, value: POISON, items: items * this.value.words });
        recordFill(recorder, { output: answers.found, value: POISON, items });
      }),
    );
  }

  /**
   * Counts the wrong answers among those that are given. The queries are judged too: they point into `queryContext`,
   * unless a table has replaced them by keys that point into a copy of `context`.
   */
  judge(queries: Queries, given: Answers, queryContext = this.queryContext): Promise<Verdict> {
    const { gpu, maker } = this;
    const checker = checkKernel(maker, this.value.words, given, queries.order);
    return tally(
      gpu,
      checker.kernel,
      [
        [parameters, this.parameters(queries)],
        ...(queries.order === 'sorted' ? ([[checker.indices, this.#indices]] as const) : []),
        ...checker.queries.bind({ keys: this.queries, context: queryContext }),
        ...(given.values ? ([[checker.values, given.values]] as const) : []),
        ...(given.found ? ([[checker.found, given.found]] as const) : []),
      ],
      this.items,
    );
  }

  /** Which index stands where among sorted queries. */
  get #indices(): GPUBuffer {
    return this.workspace.scratch('workload/indices', this.items * 4);
  }

  /** What the generators' functions need, as a uniform. */
  parameters(listed: Listed): GPUBuffer {
    return parametersOf(this.gpu, this, listed);
  }

  destroy(): void {
    const { keys, values, context, queries, queryContext, answers } = this;
    for (const buffer of [keys, values, context, queries, queryContext, ...Object.values(answers)]) buffer?.destroy();
    this.workspace.destroy();
  }
}

const parametersOf = (gpu: Gpu, { seeds, items, distinct }: Description, listed: Listed): GPUBuffer =>
  gpu.constants(...parameterWords(seeds, items, listed, distinct));

const mostBytes = ({ limits }: Gpu): number => Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);

function assertFits(gpu: Gpu, { maker, value, items }: Description): void {
  const { name, words } = maker.type;
  const largest = Math.min(maker.mostItems, Math.floor(mostBytes(gpu) / (Math.max(words, value.words) * 4)));
  if (items > largest) throw tooLarge(items, name, largest);
}

const tooLarge = (items: number, name: string, largest: number): TooLargeError =>
  new TooLargeError(
    `the workload: ${items} ${name} keys are more than a binding of this device holds, ${largest}`,
    largest,
  );

/** Sorted queries are those of the dissertation, whose keys are words. */
export function requireSortable(key: KeyType): void {
  if (key !== u32) throw new InvalidInputError(`sorted queries are for u32 keys, not for ${key.name} keys`);
}

async function allocate(
  gpu: Gpu,
  description: Description,
  asked: readonly Listed[],
  workspace: Workspace,
): Promise<Buffers> {
  const { maker, value, items } = description;
  const keyBytes = items * maker.type.words * 4;
  const valueBytes = items * value.words * 4;
  const bytesOf = (listed: Listed) =>
    maker.contextBytes(gpu, { parameters: parametersOf(gpu, description, listed), items, workspace });
  const contextBytes = await bytesOf('items');
  let queryBytes = 0;
  for (const listed of asked) queryBytes = Math.max(queryBytes, await bytesOf(listed));
  const longest = Math.max(contextBytes, queryBytes);
  if (longest > mostBytes(gpu)) {
    throw tooLarge(items, maker.type.name, Math.floor((items * mostBytes(gpu)) / longest));
  }
  const [keys, values, queries, answerValues, found, context, queryContext] = (await gpu.allocate([
    { label: 'workload/keys', bytes: keyBytes },
    { label: 'workload/values', bytes: valueBytes },
    { label: 'workload/queries', bytes: keyBytes },
    { label: 'workload/answers/values', bytes: valueBytes },
    { label: 'workload/answers/found', bytes: items * 4 },
    ...(longest === 0
      ? []
      : [
          { label: 'workload/context', bytes: contextBytes },
          { label: 'workload/queries/context', bytes: queryBytes },
        ]),
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer?, GPUBuffer?];
  return { keys, values, context, queries, queryContext, answers: { values: answerValues, found } };
}

const indices = storage('indices', 'array<u32>', 'read_write');
const listIndices = kernel({
  label: 'workload/indices',
  threads: THREADS,
  body: wgsl`
  if (item < ${parameters}.items) { ${indices}[item] = ${indexAt}(item); }`,
});

const valuesKernel = once((words: number) => {
  const values = storage('values', wgsl`array<${wordsType(words)}>`, 'read_write');
  return {
    values,
    kernel: kernel({
      label: 'workload/values',
      threads: THREADS,
      body: wgsl`
  if (item < ${parameters}.items) { ${values}[item] = ${valueAt(words)}(${indexAt}(item)); }`,
    }),
  };
});
