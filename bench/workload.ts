/**
 * The workload of benchmarks and of the large self-tests: made and checked on the GPU, so that 10⁸ items need no transfer.
 * Keys follow from their index, absent keys from the indices past the last item, values from the index too, and queries
 * come in another order than the items.
 */

import { type Gpu, record, TooLargeError, Workspace } from '../src/gpu/index.ts';
import { type KeyType, wordsType } from '../src/keys/index.ts';
import { recordFill } from '../src/primitives/index.ts';
import { type ValueType, valueTypes } from '../src/table/values.ts';
import { kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { type Answers, checkKernel } from './checker.ts';
import {
  indexAt,
  type Listed,
  once,
  parameters,
  parameterWords,
  type QueryKind,
  valueAt,
  type WorkloadSeeds,
  workloadSeeds,
} from './generators.ts';
import { type KeyMaker, makerOf } from './keyMaker.ts';
import { tally, type Verdict } from './tally.ts';

/** What every word of an answer about an absent key is to be: no zero, which a buffer may hold by accident. */
export const MISSING = 0xdeadbeef;
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
    const { items, key, value = valueTypes.u32, seed = 1, copies = 1 } = options;
    const distinct = Math.ceil(items / copies);
    const description = { maker: makerOf(key), value, items, distinct, seeds: workloadSeeds(seed) };
    assertFits(gpu, description);
    const workspace = new Workspace(gpu);
    try {
      const workload = new Workload(gpu, description, await allocate(gpu, description, workspace), workspace);
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
  async ask(kind: QueryKind): Promise<void> {
    const { queries: keys, queryContext: context, items, workspace, answers } = this;
    await this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'workload/queries', (recorder) => {
        this.maker.record(recorder, { parameters: this.parameters(kind), items, workspace }, { keys, context });
        recordFill(recorder, { output: answers.values, value: POISON, items: items * this.value.words });
        recordFill(recorder, { output: answers.found, value: POISON, items });
      }),
    );
  }

  /**
   * Counts the wrong answers among those that are given. The queries are judged too: they point into `queryContext`,
   * unless a table has replaced them by keys that point into a copy of `context`.
   */
  judge(kind: QueryKind, given: Answers, queryContext = this.queryContext): Promise<Verdict> {
    const { gpu, maker } = this;
    const checker = checkKernel(maker, this.value.words, given);
    return tally(
      gpu,
      checker.kernel,
      [
        [parameters, this.parameters(kind)],
        [checker.expectation, gpu.constants(kind === 'present' ? 1 : 0, MISSING)],
        ...checker.queries.bind({ keys: this.queries, context: queryContext }),
        ...(given.values ? ([[checker.values, given.values]] as const) : []),
        ...(given.found ? ([[checker.found, given.found]] as const) : []),
      ],
      this.items,
    );
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

async function allocate(gpu: Gpu, description: Description, workspace: Workspace): Promise<Buffers> {
  const { maker, value, items } = description;
  const keyBytes = items * maker.type.words * 4;
  const valueBytes = items * value.words * 4;
  const bytesOf = (listed: Listed) =>
    maker.contextBytes(gpu, { parameters: parametersOf(gpu, description, listed), items, workspace });
  const contextBytes = await bytesOf('items');
  const queryBytes = Math.max(await bytesOf('present'), await bytesOf('absent'));
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
