import {
  DestroyedError,
  Gate,
  type Gpu,
  HashnestError,
  InvalidInputError,
  knownExtent,
  type Recorder,
  record,
  type Target,
  type Workspace,
} from '../gpu/index.ts';
import { drawSeed, randomWords } from '../hashing/index.ts';
import type { KeySide, KeyType } from '../keys/index.ts';
import { HEADER_BYTES, type HeaderRecord, readHeader, STATUS } from '../schemes/contract/header.wgsl.ts';
import {
  builtOnHost,
  type Duplicates,
  type HostItems,
  type Scheme,
  type TableBuffers,
  type TablePlan,
  type TableShader,
  type ValueWords,
} from '../schemes/contract/scheme.ts';
import { recordAttempt } from './attempt.wgsl.ts';
import { allocate, createBuffers, destroyBuffers } from './buffers.ts';
import { BuildScratch } from './buildScratch.ts';
import { readItems, writeTable } from './hostAttempt.ts';
import { planTable } from './plan.ts';
import { type BuildReport, failureOf } from './report.ts';
import type { Source } from './source.ts';
import { TableContext } from './tableContext.ts';

/** What a table is and stays, however often it is rebuilt. */
export interface TableSettings {
  readonly scheme: Scheme;
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  readonly duplicates: Duplicates;
  readonly seed?: number | undefined;
}

/** Seeds tried before the table grows, and how many are encoded where nobody can look at the result in between. */
const SEEDS_PER_SIZE = 3;
/** Seeds tried for a table that cannot grow. */
const SEEDS_AT_FIXED_SIZE = 8;

/** Encoded builds with more different counts than this are rare; older gates are left to the garbage collector. */
const GATES_KEPT = 8;

/** The engine under every collection: a table in GPU buffers, and the driver that builds it. */
export class Table {
  readonly #scratch: BuildScratch;
  plan: TablePlan;
  #buffers: TableBuffers;
  readonly #context: TableContext;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #shaders = new Map<KeySide, TableShader>();
  #state: { header: HeaderRecord; report: BuildReport } | undefined;
  #problem: HashnestError | undefined;
  /** Grids of encoded builds, by what the count is and how large it may be. */
  readonly #gates = new Map<string, Gate>();
  /** Builds recorded so far; the header on the GPU tells which of them it belongs to. */
  #builds = 0;
  /** Tells whether the buffers of an encoded build could be had. */
  #allocation: Promise<HashnestError | undefined> | undefined;

  private constructor(
    readonly gpu: Gpu,
    readonly settings: TableSettings,
    plan: TablePlan,
    buffers: TableBuffers,
  ) {
    this.plan = plan;
    this.#buffers = buffers;
    this.#context = new TableContext(gpu, settings.key);
    this.#scratch = new BuildScratch(gpu);
    this.#seed = settings.seed ?? drawSeed();
    this.#random = randomWords(this.#seed);
  }

  /** Builds a table, trying new seeds and larger sizes as far as the scheme allows. */
  static async build(gpu: Gpu, settings: TableSettings, source: Source): Promise<Table> {
    const plan = Table.plan(gpu, settings, source.maxCount, 0);
    const table = new Table(gpu, settings, plan, await allocate(gpu, settings.scheme, plan));
    try {
      await table.#drive(source);
      return table;
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** Allocates a table and records its build; `settle` tells later how it went. */
  static encodeBuild(gpu: Gpu, settings: TableSettings, target: Target, source: Source): Table {
    if (settings.scheme.hostBuild) throw builtOnHost(settings.scheme.name);
    const plan = Table.plan(gpu, settings, source.maxCount, 0);
    const { context } = source;
    const { result, failure } = gpu.watched(() => ({
      buffers: createBuffers(gpu, settings.scheme, plan),
      context: context && gpu.createBuffer('context', context.bytes),
    }));
    const table = new Table(gpu, settings, plan, result.buffers);
    if (result.context) table.#context.adopt(result.context);
    table.#allocation = failure;
    try {
      table.encodeRebuild(target, source);
      return table;
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** A table from buffers that are filled already. */
  static restore(
    gpu: Gpu,
    settings: TableSettings,
    plan: TablePlan,
    buffers: TableBuffers,
    header: ArrayBuffer,
    context: GPUBuffer | undefined,
  ): Table {
    const table = new Table(gpu, settings, plan, buffers);
    if (context) table.#context.adopt(context);
    const record = readHeader(header);
    table.#builds = record.build;
    table.#accept(record, { growths: 0, milliseconds: 0 });
    return table;
  }

  /** The plan for so many items, or the typed error that says why there is none. */
  static plan(gpu: Gpu, settings: TableSettings, items: number, growth: number): TablePlan {
    const { scheme, key, valueWords, duplicates, seed } = settings;
    if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) {
      throw new InvalidInputError(`seed must be a 32-bit unsigned integer, not ${seed}`);
    }
    return planTable(scheme, { items, key, valueWords, duplicates, growth }, gpu.limits);
  }

  /** Builds anew from other items, in the same buffers if they are large enough. */
  async rebuild(source: Source): Promise<void> {
    this.assertAlive();
    if (source.maxCount > this.plan.items) await this.#resize(Table.plan(this.gpu, this.settings, source.maxCount, 0));
    await this.#drive(source);
  }

  async #drive(source: Source): Promise<void> {
    const started = performance.now();
    this.#state = undefined;
    this.#builds++;
    try {
      if (source.context) await this.#context.reserve(source.context);
      this.assertAlive();
      const { hostBuild } = this.settings.scheme;
      const onHost = hostBuild && (await readItems(this.gpu, this.plan, source));
      for (let attempts = 1, growths = 0; ; attempts++) {
        const header = await this.#attempt(source, attempts, onHost);
        this.assertAlive();
        if (header.status === 0) {
          this.#problem = undefined;
          this.#accept({ ...header, attempts }, { growths, milliseconds: performance.now() - started });
          this.#scratch.release();
          return;
        }
        const { canGrow } = this.plan;
        const seedsLeft = attempts < SEEDS_AT_FIXED_SIZE;
        if (header.status !== STATUS.retry || (!canGrow && !seedsLeft)) {
          throw failureOf(this.settings.scheme, this.plan, { ...header, attempts });
        }
        if (canGrow && (onHost || attempts % SEEDS_PER_SIZE === 0)) {
          growths++;
          await this.#resize(Table.plan(this.gpu, this.settings, this.plan.items, this.plan.growth + 1));
        }
      }
    } catch (error) {
      if (error instanceof HashnestError) this.#fail(error);
      throw error;
    }
  }

  async #attempt(source: Source, attempt: number, onHost: HostItems | undefined): Promise<HeaderRecord> {
    const built = onHost && this.settings.scheme.hostBuild?.(this.plan, onHost, this.#random);
    if (built) {
      const options = { count: source.maxCount, attempts: attempt, build: this.#builds };
      await writeTable(this.gpu, this.plan, this.buffers, built, options);
    }
    const [bytes] = await this.gpu.run(
      (encoder) =>
        record(this.gpu, encoder, 'build', (recorder) => {
          if (attempt === 1) this.#context.recordKeep(recorder, source.context);
          const bound = recorder.binding(this.#context.bind(source.context));
          if (!built) this.#record(bound, source, attempt - 1);
          source.finish?.(bound, this);
        }),
      [{ buffer: this.buffers.header, bytes: HEADER_BYTES }],
    );
    return readHeader(bytes as ArrayBuffer);
  }

  /** Throws unless a rebuild from such items can be recorded, however many they are. */
  assertEncodable(source: Source): void {
    this.assertAlive();
    if (this.settings.scheme.hostBuild) throw builtOnHost(this.settings.scheme.name);
    this.#context.requireRoom(source.context);
  }

  /** Says that the table is no good any more because of what went wrong outside it. */
  invalidate(error: unknown): void {
    this.#state = undefined;
    if (error instanceof HashnestError) this.#fail(error);
  }

  /** Records a build into the buffers that there are; nothing is submitted or read back. */
  encodeRebuild(target: Target, source: Source): void {
    this.assertEncodable(source);
    if (source.maxCount > this.plan.items) {
      throw new InvalidInputError(
        `this table was planned for ${this.plan.items} items, not ${source.maxCount}; build a new one, or use rebuild()`,
      );
    }
    this.#state = undefined;
    this.#problem = undefined;
    this.#builds++;
    record(this.gpu, target, 'build', (pass) => {
      this.#context.recordKeep(pass, source.context);
      const recorder = pass.binding(this.#context.bind(source.context));
      this.#scratch.keep();
      const gate = this.#gate(source);
      for (let attempt = 0; attempt < SEEDS_PER_SIZE; attempt++) {
        this.#record(recorder.behind(gate), source, attempt);
      }
      gate.seal();
      source.finish?.(recorder, this);
    });
  }

  /** The gate of an encoded build. It is kept: who rebuilds every frame asks for the same one every frame. */
  #gate({ count, maxCount }: Source): Gate {
    const kind = `${typeof count}/${maxCount}`;
    const gate = this.#gates.get(kind) ?? new Gate(this.gpu);
    if (this.#gates.size >= GATES_KEPT) this.#gates.clear();
    this.#gates.set(kind, gate);
    return gate;
  }

  #record(recorder: Recorder, source: Source, index: number): void {
    const { gate, gpu } = recorder;
    const { scheme } = this.settings;
    const { keys, values, count, maxCount } = source;
    const hash = scheme.family.draw(this.#random);
    recordAttempt(recorder, this.plan, this.buffers, { hash, index, build: this.#builds, count, maxCount });
    // A known count keeps its known grid, also behind a gate.
    const items = gate && typeof count !== 'number' ? gate.extent(maxCount) : knownExtent(gpu, maxCount);
    scheme.encodeBuild(recorder, this.plan, this.buffers, { keys, values, items, workspace: this.workspace });
  }

  /** Waits for an encoded build that has been submitted, and throws if it failed. */
  async settle(): Promise<void> {
    this.assertAlive();
    if (this.#state) return;
    const allocation = await this.#allocation;
    if (allocation) throw this.#fail(allocation);
    const [bytes] = await this.gpu.run(() => {}, [{ buffer: this.buffers.header, bytes: HEADER_BYTES }]);
    const header = readHeader(bytes as ArrayBuffer);
    this.assertAlive();
    if (header.build !== this.#builds) throw new InvalidInputError('the encoded build has not been submitted yet');
    if (header.status !== 0) throw this.#fail(failureOf(this.settings.scheme, this.plan, header));
    this.#accept(header, { growths: 0, milliseconds: 0 });
  }

  #accept(header: HeaderRecord, { growths, milliseconds }: { growths: number; milliseconds: number }): void {
    const { attempts, copies, longest: longestProbe, stashed, restarts, rounds } = header;
    this.#state = {
      header,
      report: { attempts, growths, seed: this.#seed, milliseconds, copies, longestProbe, stashed, restarts, rounds },
    };
  }

  /** Remembers why there is nothing to search; that the table was destroyed is not forgotten for it. */
  #fail(error: HashnestError): HashnestError {
    if (!(this.#problem instanceof DestroyedError)) this.#problem = error;
    return this.#problem;
  }

  async #resize(plan: TablePlan): Promise<void> {
    const buffers = await allocate(this.gpu, this.settings.scheme, plan);
    if (this.#problem instanceof DestroyedError) destroyBuffers(buffers);
    this.assertAlive();
    destroyBuffers(this.#buffers);
    this.plan = plan;
    this.#buffers = buffers;
    // Shaders and grids may have numbers of the plan in them.
    this.#shaders.clear();
    this.#gates.clear();
  }

  get buffers(): TableBuffers {
    return { ...this.#buffers, context: this.#context.bound };
  }

  /** Scratch memory of the builds. */
  get workspace(): Workspace {
    return this.#scratch.workspace;
  }

  /** What is known of the finished table. */
  get state(): { readonly header: HeaderRecord; readonly report: BuildReport } {
    this.assertAlive();
    if (!this.#state) {
      throw new InvalidInputError(
        'the table is not finished: wait for rebuild(), or submit an encoded build and settle()',
      );
    }
    return this.#state;
  }

  /** Distinct keys. */
  get size(): number {
    const { count, copies } = this.state.header;
    return count - copies;
  }

  /** The WGSL that searches this table by keys of the given side. */
  shader(side: KeySide): TableShader {
    let shader = this.#shaders.get(side);
    if (!shader) {
      shader = this.settings.scheme.shader(this.plan, side);
      this.#shaders.set(side, shader);
    }
    return shader;
  }

  /** Throws if the table cannot be used: destroyed, or its last build failed. */
  assertAlive(): void {
    this.gpu.assertAlive();
    if (this.#problem instanceof DestroyedError) throw this.#problem;
  }

  /** Throws if there is nothing to search. */
  assertBuilt(): void {
    this.assertAlive();
    if (this.#problem) throw this.#problem;
  }

  destroy(): void {
    this.#problem = new DestroyedError('this table was destroyed');
    destroyBuffers(this.#buffers);
    this.#context.destroy();
    this.#scratch.destroy();
  }
}
