import { requireFaceOptions, type ShaderFaceOptions } from '../collections/face.wgsl.ts';
import type { Retrieved } from '../collections/index.ts';
import {
  type Abortable,
  abortable,
  DestroyedError,
  type Gpu,
  type GpuCount,
  type HashnestError,
  InvalidInputError,
  nameCalls,
  perform,
  type Recorder,
  record,
  requireOptions,
  requireSignal,
  requireTarget,
  type Signal,
  type Target,
  Workspace,
} from '../gpu/index.ts';
import { mix, secretWords } from '../hashing/index.ts';
import { Turns } from '../table/turns.ts';
import { type GridKind, shapeWords } from './cells.wgsl.ts';
import { type PointsCall, recordGrid } from './gridBuild.wgsl.ts';
import { type GridFace, gridFace } from './gridFace.ts';
import {
  type GridBuffers,
  type GridInput,
  type PointSource,
  pointSource,
  pointsIn,
  requireGridBuffers,
  requireGroups,
  requireHostCount,
} from './gridInput.ts';
import { allocated, boundOf, buffersOf, type GridMemory, requireRoom } from './gridMemory.ts';
import { type GridOptions, planned } from './gridOptions.ts';
import { pairsOf, queryLists, type ReadGrid } from './lists.wgsl.ts';
import { type GridSearch, searchOf } from './neighbours.wgsl.ts';
import { type PrepareGridOptions, prepareGrid } from './prepareGrid.ts';

/**
 * Points in a plane or in space, to find those within a radius. It is meant to be built anew whenever the points have moved.
 * @example
 * const grid = await SpatialGrid.from(gpu, { points }, { radius: 0.1 });
 * const pairs = await grid.pairs(); // Uint32Array [i, j, …]: all that are at most 0.1 apart
 */
export class SpatialGrid {
  static {
    nameCalls(this, 'SpatialGrid');
  }

  readonly gpu: Gpu;
  readonly radius: number;
  readonly #search: GridSearch;
  readonly #turns = new Turns();
  readonly #workspace: Workspace;
  readonly #hash = mix.draw(secretWords());
  #memory: GridMemory;
  /** The number of the last build that was recorded; `state` has that of the last that has run. */
  #builds = 0;
  #size: number | undefined;
  #isDestroyed = false;
  #allocation: Promise<HashnestError | undefined> | undefined;
  /** Of the last build, on the host face. */
  #failure: unknown;

  private constructor(gpu: Gpu, radius: number, kind: GridKind, capacity: number) {
    this.gpu = gpu;
    this.radius = radius;
    this.#search = searchOf(kind);
    this.#workspace = new Workspace(gpu);
    this.#memory = this.#allocated(capacity);
  }

  /** Builds a grid and waits until it is built. */
  static async from(gpu: Gpu, input: GridInput, options: GridOptions & Abortable): Promise<SpatialGrid> {
    requireHostCount(input);
    const { kind, source } = planned(gpu, input, options, ['signal']);
    const { signal, radius, capacity = 0 } = options;
    requireSignal(signal);
    const room = Math.max(1, capacity, source.most);
    requireRoom(gpu, room);
    const { result: grid, failure } = gpu.watched(() => new SpatialGrid(gpu, radius, kind, room));
    try {
      const built = grid.#build(source);
      built.catch(() => {});
      const error = await abortable(signal, gpu.guard(failure));
      if (error) throw error;
      await abortable(signal, built);
      return grid;
    } catch (error) {
      grid.destroy();
      throw error;
    }
  }

  /**
   * Compiles what a grid of so many points will need, recorded builds too: side by side, and without blocking; see `HashMap.prepare`.
   * @example
   * await SpatialGrid.prepare(gpu, { radius: 0.1, items: 100_000 });
   */
  static async prepare(gpu: Gpu, options: PrepareGridOptions): Promise<void> {
    await prepareGrid(gpu, this, options);
  }

  /** Allocates a grid and records its build, without submitting it. */
  static encodeBuild(gpu: Gpu, target: Target, input: GridBuffers, options: GridOptions): SpatialGrid {
    requireGridBuffers(input);
    const { kind, source } = planned(gpu, input, options);
    requireTarget(target);
    const { radius, capacity = source.most } = options;
    const { result: grid, failure } = gpu.watched(() => new SpatialGrid(gpu, radius, kind, Math.max(1, capacity)));
    grid.#allocation = failure;
    try {
      grid.#encode(target, source);
      return grid;
    } catch (error) {
      grid.destroy();
      throw error;
    }
  }

  get dimensions(): 2 | 3 {
    return this.#search.kind.dimensions;
  }

  /** Whether points are in worlds, of which each has a number. */
  get hasGroups(): boolean {
    return this.#search.kind.hasGroups;
  }

  /** How many points there is room for. */
  get capacity(): number {
    return this.#memory.capacity;
  }

  /** How many points there are, those among them that are in no cell. After an encoded build `settle` makes it known. */
  get size(): number {
    this.#assertAlive();
    if (this.#size !== undefined) return this.#size;
    throw new InvalidInputError('the size is known once the build is settled: await grid.settle()');
  }

  /** Bytes of GPU memory that it takes, what a build needs included. */
  get gridBytes(): number {
    return buffersOf(this.#memory).reduce((sum, { size }) => sum + size, this.#workspace.bytes);
  }

  /** Builds anew from other points, in the same memory where that is large enough. */
  async rebuild(input: GridInput, options: Abortable = {}): Promise<this> {
    this.#assertAlive();
    requireOptions(options, ['signal']);
    requireSignal(options.signal);
    requireHostCount(input);
    const source = pointSource(this.gpu, this.#search.kind, input);
    requireRoom(this.gpu, source.most);
    await abortable(options.signal, this.#build(source, options.signal));
    return this;
  }

  /** Records a rebuild in the same memory, every frame if need be. */
  encodeRebuild(target: Target, input: GridBuffers): void {
    this.#assertAlive();
    requireGridBuffers(input);
    const source = pointSource(this.gpu, this.#search.kind, input);
    requireTarget(target);
    this.#encode(target, source);
  }

  /** Where the GPU finds how many points the last build was given; more than `capacity` if they did not fit. */
  get given(): GpuCount {
    this.#assertAlive();
    return { buffer: this.#memory.state };
  }

  /** After an encoded build was submitted: waits for it, throws if there were too many points, and makes `size` known. */
  async settle(): Promise<this> {
    return this.#inTurn(async () => {
      const count = await this.#counted();
      if (count > this.capacity) {
        throw new InvalidInputError(`the count on the GPU was ${count}, but the grid holds ${this.capacity} points`);
      }
      this.#size = count;
      return this;
    });
  }

  /**
   * The numbers of all points within the radius of others: those of query `i` are `values` from `offsets[i]` to
   * `offsets[i + 1]`, in order. A point that is in the grid finds itself too.
   */
  async neighbours(
    points: Float32Array,
    options: { readonly groups?: Uint32Array } & Abortable = {},
  ): Promise<Retrieved<Uint32Array<ArrayBuffer>>> {
    requireOptions(options, ['groups', 'signal']);
    requireSignal(options.signal);
    const count = pointsIn(points, this.dimensions, 'points');
    const { groups } = options;
    if (this.hasGroups) requireGroups(groups, count, 'groups');
    else if (groups !== undefined) throw new InvalidInputError('this grid has no groups');
    const copies = { points: points.slice(), groups: groups?.slice(), count };
    const listed = this.#read((grid) => queryLists(grid, copies));
    return abortable(options.signal, listed);
  }

  /** All pairs of points that are at most the radius apart: two numbers a pair, the lower one first, in order. */
  async pairs(options: Abortable = {}): Promise<Uint32Array<ArrayBuffer>> {
    requireOptions(options, ['signal']);
    requireSignal(options.signal);
    const listed = this.#read((grid) => pairsOf(grid, this.capacity));
    return abortable(options.signal, listed);
  }

  /**
   * The grid as WGSL functions and a bind group, for your own shader, and loops over neighbours to put into it.
   * @example
   * const near = grid.wgsl({ name: 'near', group: 1 });
   * const code = `${near.code} … ${near.each({ at: 'position', body: 'force += push(n.offset, n.squaredDistance);' })} …`;
   */
  wgsl(options: ShaderFaceOptions): GridFace {
    this.#assertAlive();
    requireFaceOptions(this.gpu, options);
    return gridFace(this.gpu, this.#search, options, {
      bound: () => boundOf(this.#memory),
      isAlive: () => !this.#isDestroyed,
    });
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const buffer of buffersOf(this.#memory)) buffer.destroy();
    this.#workspace.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /** Reads the grid when it is this call's turn. */
  #read<T>(work: (grid: ReadGrid) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (this.#size === undefined) await this.#counted();
      return work({ gpu: this.gpu, search: this.#search, bound: boundOf(this.#memory) });
    });
  }

  /** Works when it is this call's turn. What fails because the grid was destroyed meanwhile is said as that. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.read(async () => {
      try {
        this.#assertAlive();
        return await work();
      } catch (error) {
        this.#assertAlive();
        throw error;
      }
    });
  }

  /** How many points the last build was given; throws unless what was recorded has run. */
  async #counted(): Promise<number> {
    const failure = (await this.#allocation) ?? this.#failure;
    if (failure) throw failure;
    const [bytes] = await perform(this.gpu, () => {}, [{ buffer: this.#memory.state, bytes: 8 }]);
    this.#assertAlive();
    const [count = 0, builds] = new Uint32Array(bytes as ArrayBuffer);
    if (builds !== this.#builds) throw new InvalidInputError('the encoded build has not been submitted yet');
    return count;
  }

  #assertAlive(): void {
    if (this.#isDestroyed) throw new DestroyedError('this grid was destroyed');
    this.gpu.assertAlive();
  }

  #encode(target: Target, source: PointSource): void {
    if (this.#turns.isWriting) throw new InvalidInputError('the grid is being rebuilt: await that first');
    if (typeof source.count === 'number' && source.most > this.capacity) {
      const advice = 'name a greater capacity, or use rebuild()';
      throw new InvalidInputError(`this grid has room for ${this.capacity} points, not ${source.most}; ${advice}`);
    }
    record(this.gpu, target, 'spatialGrid', (recorder) => this.#record(recorder, source.load()));
  }

  #record(recorder: Recorder, input: PointsCall): void {
    this.#size = this.#failure = undefined;
    this.#builds = (this.#builds + 1) >>> 0;
    const most = Math.min(input.most, this.capacity);
    recordGrid(recorder, this.#search, this.#memory, { ...input, most, build: this.#builds }, this.#workspace);
  }

  /** Builds when it is this call's turn. The points are uploaded before this returns. */
  async #build(source: PointSource, signal?: Signal): Promise<void> {
    const { gpu } = this;
    const uploads: GPUBuffer[] = [];
    const loading = gpu.made((keep) =>
      source.load((name, data) => {
        uploads.push(keep(gpu.upload(`spatialGrid/${name}`, data)));
        return uploads.at(-1) as GPUBuffer;
      }),
    );
    loading.catch(() => {});
    try {
      await this.#turns.write(async () => {
        const input = await loading;
        this.#assertAlive();
        signal?.throwIfAborted();
        if (source.most > this.capacity) await this.#grow(source.most);
        await perform(gpu, (encoder) =>
          record(gpu, encoder, 'spatialGrid', (recorder) => this.#record(recorder, input)),
        ).catch((error: unknown) => {
          this.#failure = error;
          throw error;
        });
        this.#assertAlive();
        this.#size = source.most;
      });
    } catch (error) {
      this.#assertAlive();
      throw error;
    } finally {
      for (const buffer of uploads) buffer.destroy();
    }
  }

  /** Takes larger memory, or leaves all as it is. */
  async #grow(capacity: number): Promise<void> {
    const { gpu } = this;
    const { result: larger, failure } = gpu.watched(() => this.#allocated(capacity));
    const error = await gpu.guard(failure);
    const old = error || this.#isDestroyed ? larger : this.#memory;
    for (const buffer of buffersOf(old)) buffer.destroy();
    if (error) throw error;
    this.#assertAlive();
    this.#memory = larger;
  }

  #allocated(capacity: number): GridMemory {
    return allocated(this.gpu, this.#search.kind, capacity, (blocks) => shapeWords(this.radius, blocks, this.#hash));
  }
}
