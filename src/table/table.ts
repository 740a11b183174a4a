import {
  type Bound,
  Gates,
  type Gpu,
  type HashnestError,
  InvalidInputError,
  Later,
  perform,
  type Recorder,
  record,
  type Target,
  type Workspace,
} from '../gpu/index.ts';
import { randomWords, secretWords } from '../hashing/index.ts';
import {
  type GpuBuild,
  HeaderLayout,
  type HeaderValues,
  type TableBuffers,
  type TablePlan,
} from '../schemes/contract/index.ts';
import { recordAttempt } from './attempt.wgsl.ts';
import { allocate, filled, keptUnless, PlannedBuffers } from './buffers.ts';
import { BuildScratch } from './buildScratch.ts';
import { type Attempted, drive, SEEDS_PER_SIZE } from './drive.ts';
import type { HostAttempt } from './hostBuilds.later.ts';
import { planTable } from './plan.ts';
import { Reading } from './reading.wgsl.ts';
import { failureOf } from './report.ts';
import type { Searchable } from './searchable.ts';
import { planItems, requireGpuBuild, type TableSettings } from './settings.ts';
import type { Source } from './source.ts';
import { type Built, TableState } from './state.ts';
import { TableContext } from './tableContext.ts';
import type { Turns } from './turns.ts';

const hostBuilds = new Later(() => import('./hostBuilds.later.ts'));

/** The engine under static collections: a table in GPU buffers that is built as a whole. */
export class Table implements Searchable {
  readonly #scratch: BuildScratch;
  readonly #context: TableContext;
  readonly #state: TableState;
  readonly #random: () => number;
  /** Grids of encoded builds. */
  readonly #gates: Gates;
  #plan: TablePlan;
  #buffers: PlannedBuffers;
  #reading: Reading<TablePlan>;
  #keepsFormat = false;
  /** Tells whether the buffers of an encoded build could be had. */
  #allocation: Promise<HashnestError | undefined> | undefined;

  private constructor(
    readonly gpu: Gpu,
    readonly settings: TableSettings,
    plan: TablePlan,
    buffers: PlannedBuffers,
  ) {
    this.#plan = plan;
    this.#buffers = buffers;
    this.#reading = Reading.of(plan);
    this.#context = new TableContext(gpu);
    this.#gates = new Gates(gpu);
    this.#scratch = new BuildScratch(gpu);
    this.#state = new TableState(gpu, settings.seed);
    this.#random = settings.seed === undefined ? secretWords() : randomWords(settings.seed);
  }

  /** Builds a table, trying new seeds and larger sizes as far as the scheme allows. */
  static async build(gpu: Gpu, settings: TableSettings, source: Source): Promise<Table> {
    const { table, failure } = Table.#allocated(gpu, settings, source);
    try {
      await table.#drive(source);
    } catch (error) {
      table.destroy();
      // Where there was no memory for the table, that is why its build failed.
      throw (await gpu.guard(failure)) ?? error;
    }
    return keptUnless(gpu.guard(failure), table);
  }

  /** Allocates a table and records its build; `settle` tells later how it went. */
  static encodeBuild(gpu: Gpu, settings: TableSettings, target: Target, source: Source): Table {
    const { table, failure } = Table.#allocated(gpu, settings, source, (plan) => requireGpuBuild(settings, plan));
    table.#allocation = failure;
    try {
      table.encodeRebuild(target, source);
      return table;
    } catch (error) {
      table.destroy();
      throw error;
    }
  }

  /** Plans a table, makes its buffers, and uploads its items: all before the first wait, so that arrays are read as they are. */
  static #allocated(gpu: Gpu, settings: TableSettings, source: Source, check?: (plan: TablePlan) => unknown) {
    const plan = planItems(gpu, settings, source.maxCount);
    check?.(plan);
    const { result: table, failure } = gpu.watched(() =>
      filled(new Table(gpu, settings, plan, new PlannedBuffers(gpu, settings.scheme, plan)), (made) => {
        if (source.contextBytes !== undefined) made.#context.adopt(gpu.createBuffer('context', source.contextBytes));
        source.load();
      }),
    );
    return { table, failure };
  }

  /** A table from buffers that are filled already. */
  static restore(
    gpu: Gpu,
    settings: TableSettings,
    plan: TablePlan,
    saved: {
      readonly buffers: PlannedBuffers;
      readonly context: GPUBuffer | undefined;
      readonly header: HeaderValues;
      /** What it was built with. Who wrote the bytes knows it, so nothing is drawn by it any more. */
      readonly seed: number | undefined;
    },
  ): Table {
    const table = new Table(gpu, settings, plan, saved.buffers);
    if (saved.context) table.#context.adopt(saved.context);
    table.#state.restore(saved.header, saved.seed);
    return table;
  }

  /** The plan for a rebuild from so many items: the one that there is, or a larger one. */
  planFor(items: number): TablePlan {
    const { gpu, settings, plan } = this;
    if (items <= plan.request.items) return plan;
    return planItems(gpu, settings, items, this.#keepsFormat ? plan.format : undefined);
  }

  /** From now on the table keeps its format, also where another would suit a larger one better. */
  keepFormat(): void {
    if (this.#keepsFormat) return;
    this.#keepsFormat = true;
    const { request, format } = this.#plan;
    this.#plan = planTable(this.settings.scheme, { ...request, format }, this.gpu.limits);
  }

  /** Builds anew from other items, in the same buffers if they are large enough. It takes no turn. */
  async rebuild(source: Source): Promise<void> {
    this.assertAlive();
    const plan = this.planFor(source.maxCount);
    if (plan !== this.plan) await this.#resize(plan);
    await this.#drive(source);
  }

  async #drive(source: Source): Promise<void> {
    const { gpu, settings } = this;
    const started = performance.now();
    this.#state.begin();
    try {
      await this.#context.reserve(source);
      this.assertAlive();
      const { plan } = this;
      const onHost = plan.build.on === 'host' && (await hostBuilds.use((part) => part.hostAttempts(gpu, plan, source)));
      const { header, growths } = await drive({
        ...settings,
        limits: gpu.limits,
        plan: () => this.plan,
        draw: (number) => this.plan.family.draw(this.#random, number),
        attempt: (attempt) => this.#attempt(source, attempt, onHost),
        resize: (plan) => this.#resize(plan),
      });
      this.#state.forgive();
      this.#state.accept(header, { growths, milliseconds: performance.now() - started });
      this.#scratch.release();
      source.proven?.();
    } catch (error) {
      this.#scratch.release(error);
      this.#state.fail(error);
      throw error;
    }
  }

  async #attempt(source: Source, attempt: Attempted, onHost: HostAttempt | false): Promise<HeaderValues> {
    const { number, isAgain } = attempt;
    if (onHost) await onHost(this.plan, this.buffers, this.#random, { attempts: number, build: this.#state.builds });
    const layout = HeaderLayout.of(this.plan.fields);
    const [bytes] = await perform(
      this.gpu,
      (encoder) =>
        record(this.gpu, encoder, 'build', (recorder) => {
          if (number === 1 && !isAgain) this.#context.recordKeep(recorder, source);
          if (!onHost) this.#record(recorder, source, attempt);
          source.finish?.(recorder, this);
        }),
      [{ buffer: this.#buffers.header, bytes: layout.bytes }],
    );
    this.assertAlive();
    return layout.read(bytes as ArrayBuffer);
  }

  /** Throws unless a rebuild from such items can be recorded, however many they are. */
  assertEncodable(source: Source): GpuBuild {
    this.assertAlive();
    this.#state.assertNotChanging();
    this.#context.requireRoom(source);
    return requireGpuBuild(this.settings, this.plan);
  }

  /** Says that the table is no good any more because of what went wrong outside it. */
  invalidate(error: unknown): void {
    this.#state.fail(error);
  }

  /** Records a build into the buffers that there are; nothing is submitted or read back. */
  encodeRebuild(target: Target, source: Source): void {
    const { encodedAttempts = SEEDS_PER_SIZE, goesByHeader = false } = this.assertEncodable(source);
    const { items } = this.plan.request;
    if (source.maxCount > items) {
      throw new InvalidInputError(
        `this table was planned for ${items} items, not ${source.maxCount}; build a new one, or use rebuild()`,
      );
    }
    this.#state.begin();
    this.#state.forgive();
    this.#scratch.keep();
    record(this.gpu, target, 'build', (recorder) => {
      this.#context.recordKeep(recorder, source);
      const gate = this.#gates.get(`${typeof source.count}/${source.maxCount}`);
      for (let number = 1; number <= encodedAttempts; number++) {
        // The first is made in any case, so it needs no gate but to find out how many items there are.
        const isSure = number === 1 && (goesByHeader || typeof source.count === 'number');
        const draw = () => this.plan.family.draw(this.#random, number);
        this.#record(isSure ? recorder : recorder.behind(gate), source, { number, draw, effort: 'both' });
      }
      gate.seal();
      source.finish?.(recorder, this);
    });
  }

  #record(recorder: Recorder, source: Source, { number, draw, effort }: Omit<Attempted, 'isAgain'>): void {
    const { gate } = recorder;
    const { plan, buffers, workspace } = this;
    const { count, maxCount } = source;
    const hash = draw();
    recordAttempt(recorder, plan, buffers.header, { hash, number, build: this.#state.builds, count, maxCount });
    // A known count keeps its known grid, also behind a gate.
    const items = gate && typeof count !== 'number' ? gate.extent(maxCount) : recorder.extent(maxCount);
    requireGpuBuild(this.settings, plan).record(recorder, buffers, {
      ...source.load(),
      items,
      workspace,
      attempt: number,
      effort,
    });
  }

  /** Waits for an encoded build that has been submitted, and throws if it failed. */
  async settle(): Promise<void> {
    this.assertAlive();
    if (this.#state.isBuilt) return;
    const allocation = await this.#allocation;
    if (allocation) throw this.#state.fail(allocation);
    const layout = HeaderLayout.of(this.plan.fields);
    const [bytes] = await perform(this.gpu, () => {}, [{ buffer: this.#buffers.header, bytes: layout.bytes }]);
    const header = layout.read(bytes as ArrayBuffer);
    this.assertAlive();
    if (header.build !== this.#state.builds)
      throw new InvalidInputError('the encoded build has not been submitted yet');
    if (header.status !== 0) throw this.#state.fail(failureOf(this.settings.scheme, this.plan, header));
    this.#state.accept(header, { growths: 0, milliseconds: 0 });
  }

  async #resize(plan: TablePlan): Promise<void> {
    const buffers = await allocate(this.gpu, this.settings.scheme, plan);
    if (this.#state.isDestroyed) buffers.destroy();
    this.assertAlive();
    this.#buffers.destroy();
    this.#buffers = buffers;
    if (plan.format !== this.#plan.format) this.#reading = Reading.of(plan);
    this.#plan = plan;
    // Grids have numbers of the plan in them.
    this.#gates.clear();
  }

  get plan(): TablePlan {
    return this.#plan;
  }

  get buffers(): TableBuffers {
    const { header } = this.#buffers;
    return { header, context: this.#context.buffer, get: (name) => this.#buffers.get(name) };
  }

  /** The table as kernels read it: the same object as long as its format stays. */
  get reading(): Reading<TablePlan> {
    return this.#reading;
  }

  /** What is to be bound for kernels that read it. */
  get bound(): Bound {
    return this.#reading.view.bind(this.buffers);
  }

  /** Scratch memory of the builds. */
  get workspace(): Workspace {
    return this.#scratch.workspace;
  }

  /** What is known of the finished table. */
  get state(): Built {
    return this.#state.built;
  }

  /** Distinct keys. */
  get size(): number {
    return this.state.header.size;
  }

  get isAlive(): boolean {
    return !this.#state.isDestroyed;
  }

  /** Throws if the table cannot be used any more. */
  assertAlive(): void {
    this.#state.assertAlive();
  }

  /** Throws if there is nothing to search. */
  assertBuilt(): void {
    this.#state.assertBuilt();
  }

  /** Calls that read the table, and those that change it. */
  get turns(): Turns {
    return this.#state.turns;
  }

  /** Whether the last build is known to have succeeded. */
  get isBuilt(): boolean {
    return this.#state.isBuilt;
  }

  /** Throws once the table has been rebuilt since: for calls that read it in several submissions. */
  unchanged(): () => void {
    return this.#state.unchanged();
  }

  destroy(): void {
    this.#state.destroy();
    this.#buffers.destroy();
    this.#context.destroy();
    this.#scratch.destroy();
  }
}
