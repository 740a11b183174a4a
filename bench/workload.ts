/**
 * The workload of benchmarks and of the large self-tests: made and checked on the GPU, so that 10⁸ items need no transfer.
 * Keys are a seeded permutation of their index, absent keys are the images of indices past the last item, values follow
 * from the key, and queries come in another order than the items.
 */
import { type Gpu, InvalidInputError, record, TooLargeError } from '../src/gpu/index.ts';
import { type KeyType, wordsType } from '../src/keys/index.ts';
import { recordFill } from '../src/primitives/index.ts';
import { kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { type Answers, checkKernel } from './checker.ts';
import {
  keyOf,
  parameters,
  parameterWords,
  type QueryKind,
  queryOf,
  valueFor,
  type WorkloadSeeds,
  workloadSeeds,
} from './generators.ts';
import { tally, type Verdict } from './tally.ts';

/** What searches are asked to write for absent keys: no zero, which a buffer may hold by accident. */
export const MISSING = 0xdeadbeef;
/** What answers hold before they are written, wrong for every query of a kind. */
const POISON = 0xa5a5a5a5;

const THREADS = 256;

/** What a workload consists of. */
export interface WorkloadOptions {
  readonly items: number;
  readonly key: KeyType;
  /** Everything random follows from it. Default 1. */
  readonly seed?: number;
  /** How often every key occurs, about. Default 1. */
  readonly copies?: number;
}

/** Items, queries, room for the answers, and the judgement on them, all on the GPU. */
export class Workload {
  private constructor(
    readonly gpu: Gpu,
    readonly items: number,
    /** Different keys among the items. */
    readonly distinct: number,
    readonly words: number,
    readonly seeds: WorkloadSeeds,
    /** The items. */
    readonly keys: GPUBuffer,
    readonly values: GPUBuffer,
    /** Filled by `ask`. */
    readonly queries: GPUBuffer,
    /** Where the searches under test write. */
    readonly answers: { readonly values: GPUBuffer; readonly found: GPUBuffer },
  ) {}

  /** Allocates a workload and makes its items. Too large for the device is a `TooLargeError`. */
  static async create(gpu: Gpu, { items, key, seed = 1, copies = 1 }: WorkloadOptions): Promise<Workload> {
    assertFits(gpu, items, key);
    const keyBytes = items * key.words * 4;
    const [keys, values, queries, answerValues, answerFound] = (await gpu.allocate([
      { label: 'workload/keys', bytes: keyBytes },
      { label: 'workload/values', bytes: items * 4 },
      { label: 'workload/queries', bytes: keyBytes },
      { label: 'workload/answers/values', bytes: items * 4 },
      { label: 'workload/answers/found', bytes: items * 4 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const answers = { values: answerValues, found: answerFound };
    const seeds = workloadSeeds(seed);
    const workload = new Workload(
      gpu,
      items,
      Math.ceil(items / copies),
      key.words,
      seeds,
      keys,
      values,
      queries,
      answers,
    );
    await workload.#makeItems();
    return workload;
  }

  #makeItems(): Promise<unknown> {
    const { kernel: program, keys, values } = itemsKernel(this.words);
    return this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'workload/items', (recorder) =>
        recorder.run(
          program,
          [
            [parameters, this.parameters('present')],
            [keys, this.keys],
            [values, this.values],
          ],
          this.items,
        ),
      ),
    );
  }

  /** Fills the queries, and spoils the answers: old ones must not pass for new ones. */
  async ask(kind: QueryKind): Promise<void> {
    const { kernel: program, queries } = queriesKernel(this.words);
    await this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'workload/queries', (recorder) => {
        recorder.run(
          program,
          [
            [parameters, this.parameters(kind)],
            [queries, this.queries],
          ],
          this.items,
        );
        for (const output of Object.values(this.answers)) {
          recordFill(recorder, { output, value: POISON, items: this.items });
        }
      }),
    );
  }

  /** Counts the wrong answers among those that are given. */
  judge(kind: QueryKind, given: Answers): Promise<Verdict> {
    const { gpu } = this;
    const checker = checkKernel(this.words, given);
    return tally(
      gpu,
      checker.kernel,
      [
        [parameters, this.parameters(kind)],
        [checker.expectation, gpu.constants(kind === 'present' ? 1 : 0, MISSING)],
        [checker.queries, this.queries],
        ...(given.values ? ([[checker.values, given.values]] as const) : []),
        ...(given.found ? ([[checker.found, given.found]] as const) : []),
      ],
      this.items,
    );
  }

  /** What the generators' functions need, as a uniform. */
  parameters(kind: QueryKind): GPUBuffer {
    return this.gpu.constants(...parameterWords(this.seeds, this.items, kind, this.distinct));
  }

  destroy(): void {
    for (const buffer of [this.keys, this.values, this.queries, ...Object.values(this.answers)]) {
      buffer.destroy();
    }
  }
}

/** Indices of absent keys reach twice the number of items, and have to be 32-bit words. */
const MOST_ITEMS = 2 ** 31;

function assertFits({ limits }: Gpu, items: number, key: KeyType): void {
  if (key.words > 2) throw new InvalidInputError(`the workload has no ${key.name} keys`);
  const most = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  const largest = Math.min(MOST_ITEMS, Math.floor(most / (key.words * 4)));
  if (items > largest) {
    throw new TooLargeError(
      `the workload: ${items} ${key.name} keys are more than a binding of this device holds, ${largest}`,
      largest,
    );
  }
}

const itemsKernel = (words: number) => {
  const keys = storage('keys', wgsl`array<${wordsType(words)}>`, 'read_write');
  const values = storage('values', 'array<u32>', 'read_write');
  return {
    keys,
    values,
    kernel: kernel({
      label: 'workload/items',
      threads: THREADS,
      body: wgsl`
  if (item >= ${parameters}.items) { return; }
  let key = ${keyOf(words)}(item % ${parameters}.distinct);
  ${keys}[item] = key;
  ${values}[item] = ${valueFor(words)}(key);`,
    }),
  };
};

const queriesKernel = (words: number) => {
  const queries = storage('queries', wgsl`array<${wordsType(words)}>`, 'read_write');
  return {
    queries,
    kernel: kernel({
      label: 'workload/queries',
      threads: THREADS,
      body: wgsl`
  if (item >= ${parameters}.items) { return; }
  ${queries}[item] = ${queryOf(words)}(item);`,
    }),
  };
};
