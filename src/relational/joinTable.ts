import { MultiMap } from '../collections/index.ts';
import {
  type Abortable,
  type Extent,
  type Gpu,
  InvalidInputError,
  mostBytes,
  nameCalls,
  perform,
  type Readback,
  type Recorder,
  requireGpu,
  requireOptions,
  requireSignal,
  requireTarget,
  submit,
  type Target,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { recordCounted } from '../primitives/counted.ts';
import { sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { type BufferColumns, checkBufferColumns } from './bufferColumns.ts';
import { askingAheadOf, withMemory } from './callMemory.ts';
import {
  type Columns,
  checkColumns,
  type GpuColumn,
  type KeyColumn,
  loadColumns,
  requireSameTypes,
  rowsOf,
  typedLike,
} from './columns.ts';
import { type How, NO_ROW, recordJoin } from './join.wgsl.ts';
import { type CheckedJoin, checkJoin, isList, type JoinBuffers, type JoinedRows, requireHow } from './joinBuffers.ts';
import { type PrepareJoinOptions, prepareJoins } from './prepareJoins.ts';
import { encodeRowNumbers, layoutOf, RowKeys, type RowOptions, requireKeys, requireRowOptions } from './rowKeys.ts';
import { recordNulls } from './rows.wgsl.ts';

/**
 * The right side of joins: rows by their key, in one table that any number of left sides are joined with.
 * @example
 * const cities = await JoinTable.from(gpu, ['Oslo', 'Rome', 'Oslo']);
 * await cities.join(['Rome', 'Oslo', 'Bonn']); // left: [0, 1, 1], right: [1, 0, 2]
 */
export class JoinTable {
  static {
    nameCalls(this, 'JoinTable');
  }

  readonly gpu: Gpu;
  readonly #keys: RowKeys;
  /** Which columns have no value that tells their type. */
  #untyped: readonly (boolean | undefined)[] = [];
  /** Of recorded builds. Apart, because the size of a buffer tells how many rows there can be. */
  readonly #buildScratch: Workspace;
  /** Of recorded joins. */
  readonly #scratch: Workspace;
  #map: MultiMap<unknown> | undefined;
  #maxRows = 0;

  private constructor(gpu: Gpu, columns: readonly GpuColumn[], options: RowOptions) {
    this.gpu = gpu;
    this.#keys = new RowKeys(gpu, layoutOf(columns), options);
    this.#buildScratch = new Workspace(gpu);
    this.#scratch = new Workspace(gpu);
  }

  /** Builds the right side and waits until it is built. */
  static async from(gpu: Gpu, columns: Columns, options: RowOptions & Abortable = {}): Promise<JoinTable> {
    requireGpu(gpu);
    requireRowOptions(options, ['signal']);
    const { signal, ...rest } = options;
    requireSignal(signal);
    const checked = checkColumns(columns, 'columns');
    // What cannot be a key shows before anything is uploaded.
    requireKeys(checked, rest);
    return withMemory(
      gpu,
      (memory) => loadColumns(memory, checked),
      askingAheadOf(rowsOf(checked), async (loaded: readonly GpuColumn[], { workspace }) => {
        const table = await this.built(loaded, rowsOf(checked), rest, workspace);
        table.#untyped = checked.map(({ isUntyped }) => isUntyped);
        return table;
      }),
      signal,
      (table) => table.destroy(),
    );
  }

  /** Builds the right side from columns that are on the GPU already, with the workspace of a call. @internal */
  static async built(
    columns: readonly GpuColumn[],
    rows: number,
    options: RowOptions,
    workspace: Workspace,
    /** Of the map: what is known `withinCall`, if the table does not outlive one. */
    where: object = {},
  ): Promise<JoinTable> {
    const made = new JoinTable(workspace.gpu, columns, options);
    try {
      await made.#build(columns, rows, workspace, where);
      return made;
    } catch (error) {
      made.destroy();
      throw error;
    }
  }

  async #build(columns: readonly GpuColumn[], rows: number, workspace: Workspace, where: object): Promise<void> {
    const { gpu } = this;
    const input = await this.#keys.build(columns, rows, workspace);
    let values: GPUBuffer | undefined;
    await submit(gpu, (encoder) => {
      values = encodeRowNumbers(gpu, encoder, { rows, count: rows, workspace });
    });
    const { layout, options } = this.#keys;
    this.#map = await MultiMap.from<unknown, Uint32Array, KeyType>(
      gpu,
      { ...input, values: values as unknown as GPUBuffer, count: rows },
      { ...options, ...where, key: layout.key, keepItems: true },
    );
    this.#maxRows = rows;
  }

  /**
   * Compiles what a right side of so many rows, and joins with it, will need; see `HashMap.prepare`.
   * @example
   * await JoinTable.prepare(gpu, { key: utf8, items: 100_000, how: 'left' });
   */
  static async prepare(gpu: Gpu, options: PrepareJoinOptions): Promise<void> {
    await prepareJoins(gpu, this, options);
  }

  /** Allocates the right side and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild(gpu: Gpu, target: Target, input: BufferColumns, options: RowOptions = {}): JoinTable {
    requireGpu(gpu);
    requireTarget(target);
    requireRowOptions(options);
    const { columns } = checkBufferColumns(gpu, input);
    requireKeys(columns, options);
    const made = new JoinTable(gpu, columns, options);
    try {
      made.encodeRebuild(target, input);
      return made;
    } catch (error) {
      made.destroy();
      throw error;
    }
  }

  /** Records a rebuild into the same buffers, every frame if need be. The columns are of the same types as before. */
  encodeRebuild(target: Target, input: BufferColumns): void {
    this.#map?.table.assertAlive();
    requireTarget(target);
    const { columns, rows, count } = checkBufferColumns(this.gpu, input);
    const { layout, options } = this.#keys;
    requireSameTypes(columns, this.#types);
    if (!layout.hasNulls && columns.some(({ valid }) => valid)) {
      throw new InvalidInputError('this table was made for columns without `valid`; build a new one');
    }
    if (this.#map && rows > this.#maxRows) {
      throw new InvalidInputError(`this table was made for ${this.#maxRows} rows, not ${rows}; build a new one`);
    }
    const call = { rows, count, workspace: this.#buildScratch };
    const keys = this.#keys.encode(target, columns, call);
    const items = { ...keys, values: encodeRowNumbers(this.gpu, target, call), count };
    if (this.#map) this.#map.encodeRebuild(target, items);
    else
      this.#map = MultiMap.encodeBuild<unknown>(this.gpu, target, items, {
        ...options,
        key: layout.key,
        keepItems: true,
      });
    this.#maxRows = Math.max(this.#maxRows, rows);
    this.#untyped = [];
  }

  get #rows(): MultiMap<unknown> {
    if (!this.#map) throw new InvalidInputError('this table is not built');
    this.#map.table.assertAlive();
    return this.#map;
  }

  /** After an encoded build was submitted: waits for it, and throws if it failed. */
  async settle(): Promise<this> {
    await this.#keys.settle();
    await this.#rows.settle();
    return this;
  }

  /**
   * Joins a left side with this right side, many-to-many. A row without a value in one of its columns is equal to nothing, not even
   * to another such row, as in SQL.
   */
  async join(columns: Columns, options: { readonly how?: How } & Abortable = {}): Promise<JoinedRows> {
    requireOptions(options, ['how', 'signal']);
    const { how, signal } = options;
    requireSignal(signal);
    requireHow(how);
    const checked = typedLike(checkColumns(columns, 'columns'), this.#types);
    requireSameTypes(checked, this.#types);
    return withMemory(
      this.gpu,
      (memory) => loadColumns(memory, checked),
      (loaded, { workspace }) => this.joinColumns(loaded, rowsOf(checked), how, workspace),
      signal,
    );
  }

  get #types(): readonly KeyColumn[] {
    return this.#keys.layout.types.map((key, i) => ({ key, isUntyped: this.#untyped[i] }));
  }

  /** The same for columns that are on the GPU already. @internal */
  async joinColumns(
    columns: readonly GpuColumn[],
    rows: number,
    how: How = 'inner',
    workspace: Workspace,
  ): Promise<JoinedRows> {
    const { table } = this.#rows.index;
    try {
      return await this.#joinAll(columns, rows, how, workspace);
    } catch (error) {
      // What fails because somebody destroyed the table meanwhile is said as that.
      if (!table.isAlive) table.assertBuilt();
      throw error;
    }
  }

  async #joinAll(columns: readonly GpuColumn[], rows: number, how: How, workspace: Workspace): Promise<JoinedRows> {
    await this.settle();
    // As many as the larger side, where every row of it has one partner; if there are more, they are counted then.
    const guess = isList(how) ? rows : Math.max(rows, this.#maxRows) + (how === 'full' ? rows : 0);
    const most = Math.floor(mostBytes(this.gpu.limits) / WORD_BYTES);
    let capacity = Math.min(guess, most);
    for (let attempt = 0; attempt < 2; attempt++) {
      const found = await this.#joinOnce(columns, rows, how, capacity, workspace);
      if (typeof found !== 'number') return found;
      capacity = found;
    }
    throw new InvalidInputError('the columns changed while they were joined');
  }

  /** The rows, or how many there are if that is more than there is room for. */
  async #joinOnce(
    columns: readonly GpuColumn[],
    rows: number,
    how: How,
    capacity: number,
    workspace: Workspace,
  ): Promise<JoinedRows | number> {
    const { gpu } = this;
    const most = Math.floor(mostBytes(gpu.limits) / WORD_BYTES);
    if (capacity > most) {
      throw new TooLargeError(`${capacity} pairs do not fit a buffer of this device: join fewer rows at once`, most);
    }
    const bytesOf = (pairs: number) => [pairs * WORD_BYTES, isList(how) ? 0 : pairs * WORD_BYTES] as const;
    const outputs = () =>
      bytesOf(capacity).map((bytes, side) => workspace.scratch(`join/output${side}`, bytes)) as [GPUBuffer, GPUBuffer];
    // Filled while recording: buffers are made there, under its error scopes.
    const reads: Readback[] = [];
    const [bytes] = await perform(
      gpu,
      (encoder) => {
        const [leftRows, rightRows] = outputs();
        const total = { buffer: workspace.scratch('join/total', 4) };
        reads.push({ ...total, bytes: 4 });
        this.#encode(encoder, { columns, rows, count: rows, how, leftRows, rightRows, capacity, total }, workspace);
      },
      reads,
    );
    const [found = 0] = new Uint32Array(bytes as ArrayBuffer);
    if (found === NO_ROW) throw new TooLargeError('there are 2³² − 1 pairs or more: join fewer rows at once', 0);
    if (found > capacity) return found;
    const sizes = bytesOf(found);
    const wanted = outputs().map((buffer, side) => ({ buffer, bytes: sizes[side] as number }));
    const [left, right] = await perform(gpu, () => {}, wanted);
    return { left: new Uint32Array(left as ArrayBuffer), right: new Uint32Array(right as ArrayBuffer) };
  }

  /**
   * Records a join, also behind a build that was recorded before. Nothing is written past `capacity`; `total` always gets how many
   * pairs there are.
   */
  encodeJoin(target: Target, buffers: JoinBuffers): void {
    requireTarget(target);
    const call = checkJoin(this.gpu, buffers);
    requireSameTypes(call.columns, this.#types);
    this.#encode(target, call, this.#scratch);
  }

  #encode(target: Target, call: CheckedJoin, workspace: Workspace): void {
    const { gpu } = this;
    const { columns, rows, count, capacity } = call;
    const map = this.#rows;
    const { keys: queries, context } = this.#keys.encodeNeedles(target, columns, { rows, count, workspace });
    const ids = workspace.scratch('join/ids', rows * WORD_BYTES);
    map.index.encodeIds(target, { queries, ids, count, context });
    // Where there is room for nothing, something has to be bound.
    const output = (buffer: GPUBuffer, side: string) =>
      capacity === 0 ? workspace.scratch(`join/${side}`, 4) : sized(gpu, buffer, capacity * WORD_BYTES);
    const masks = columns.flatMap(({ valid }) => valid ?? []);
    const maxKeys = map.keyCapacity;
    const maxRows = this.#maxRows;
    const record = (recorder: Recorder, items: Extent) => {
      const nulls = masks.length > 0 ? workspace.scratch('join/nulls', rows * WORD_BYTES) : undefined;
      if (nulls) recordNulls(recorder, masks, nulls, items);
      recordJoin(recorder, {
        ...call,
        ids,
        nulls,
        items,
        right: {
          rows: map.retrieval.values,
          bounds: map.retrieval.bounds,
          ids: map.index.itemsOnGpu.ids,
          maxRows,
          maxKeys,
        },
        leftRows: output(call.leftRows, 'left'),
        rightRows: output(call.rightRows, 'right'),
        workspace,
      });
    };
    const label = `join/${call.how}/${masks.length > 0}/${maxRows}/${maxKeys}`;
    recordCounted(gpu, target, { label, count, max: rows, workspace }, record);
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.#keys.destroy();
    this.#map?.destroy();
    this.#buildScratch.destroy();
    this.#scratch.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
