/** How rows of one or several columns become keys: by their words where these have a fixed size, else by ids. */

import { recordNumbers } from '../collections/groups/wideGroups.wgsl.ts';
import { HashMap, KeyIndex } from '../collections/index.ts';
import { requireArrays } from '../collections/onIndex.ts';
import { requireScheme } from '../collections/settings.ts';
import {
  type BufferView,
  type Extent,
  type Gpu,
  type Recorder,
  requireOptions,
  requireSeed,
  submit,
  type Target,
  UnsupportedError,
  type Workspace,
} from '../gpu/index.ts';
import { isFixed, type KeyType, tuple, u32 } from '../keys/index.ts';
import { recordCounted } from '../primitives/counted.ts';
import type { Scheme } from '../schemes/contract/index.ts';
import { type Count, sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { GpuColumn } from './columns.ts';
import { recordPack } from './rows.wgsl.ts';

/** Words of the widest key. */
const MOST_WORDS = 16;

/** How the table under a join or a grouping is made. */
export interface RowOptions {
  /** How the table is built and searched. Default `bucketCuckoo()`. */
  readonly scheme?: Scheme;
  /** Makes every random choice repeatable: a 32-bit unsigned integer. The answers do not depend on it. */
  readonly seed?: number;
}

const OPTIONS = ['scheme', 'seed'];

/** Throws unless those are options of such a table, and others by these names. */
export function requireRowOptions(options: RowOptions, others: readonly string[] = []): void {
  requireOptions(options, [...OPTIONS, ...others]);
  requireScheme(options.scheme, HashMap.defaultScheme);
  requireSeed(options.seed);
}

/** Keys in buffers. */
export interface RowBuffers {
  readonly keys: GPUBuffer;
  readonly context?: GPUBuffer;
}

/** Where the columns go in the key of a row. */
export class RowLayout {
  /** The type of the key. */
  readonly key: KeyType;
  /** Whether the only column is the key as it is. */
  readonly isDirect: boolean;
  readonly width: number;
  readonly #starts: readonly number[];
  /** The word that marks missing values. Keys with different marks are different keys. */
  readonly #marksAt: number | undefined;

  constructor(
    readonly types: readonly KeyType[],
    /** Whether rows that have no value in a column are marked. */
    readonly hasNulls: boolean,
  ) {
    const [first] = types;
    this.isDirect = types.length === 1 && !hasNulls;
    const widths = types.map((type) => (isFixed(type) ? type.words : 1));
    this.#starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, words) => sum + words, 0));
    const words = widths.reduce((sum, own) => sum + own, 0);
    this.#marksAt = hasNulls ? words : undefined;
    this.width = words + Number(hasNulls);
    if (this.width > MOST_WORDS) {
      throw new UnsupportedError(
        `these columns make keys of ${this.width} words, more than the ${MOST_WORDS} of a key`,
      );
    }
    this.key = this.isDirect ? (first as KeyType) : rowKey(this.width);
  }

  /** Columns whose values are replaced by ids. */
  get indexed(): readonly number[] {
    return this.isDirect ? [] : this.types.flatMap((type, i) => (isFixed(type) ? [] : [i]));
  }

  /** The keys of rows. `ids` has the ids of columns that have no fixed size. */
  recordKeys(
    recorder: Recorder,
    columns: readonly GpuColumn[],
    ids: (column: number) => BufferView,
    items: Extent,
    output: GPUBuffer,
  ): void {
    const parts = columns.map(({ key, words, valid }, i) => ({
      source: isFixed(key) ? sized(recorder.gpu, words, items.max * key.words * WORD_BYTES) : ids(i),
      words: isFixed(key) ? key.words : 1,
      at: this.#starts[i] as number,
      valid,
    }));
    recordPack(recorder, { parts, width: this.width, marksAt: this.#marksAt, output, items });
  }
}

/** Keys of so many words. */
const rowKey = (words: number) => (words === 1 ? u32 : tuple(...Array<typeof u32>(words).fill(u32))) as KeyType;

/** Rows that commands are recorded for: how many they can be, how many they are, and the scratch. */
export interface EncodedRows {
  readonly rows: number;
  readonly count: Count;
  readonly workspace: Workspace;
}

/** What a key of rows has to know of a column. */
type KeyPart = Pick<GpuColumn, 'key'> & { readonly valid: unknown };

/** Where columns go in the key of a row. */
export const layoutOf = (columns: readonly KeyPart[]): RowLayout =>
  new RowLayout(
    columns.map(({ key }) => key),
    columns.some(({ valid }) => valid !== undefined),
  );

/** Throws unless tables of the scheme hold such keys: those of rows, and those of columns whose values are replaced by ids. */
export function requireKeys(columns: readonly KeyPart[], options: RowOptions): void {
  const { key, types, indexed } = layoutOf(columns);
  const scheme = requireScheme(options.scheme, HashMap.defaultScheme);
  for (const one of [key, ...indexed.map((i) => types[i] as KeyType)]) {
    scheme.plan({ items: 0, key: one, valueWords: 1, duplicates: 'any', growth: 0 });
  }
}

/** The keys of the rows that a table is built from, and the ids in them. */
export class RowKeys {
  readonly #indexes = new Map<number, KeyIndex<unknown>>();

  constructor(
    readonly gpu: Gpu,
    readonly layout: RowLayout,
    readonly options: RowOptions,
  ) {}

  /** The keys of rows on the host face. They lie in the workspace, unless they are the only column. */
  async build(columns: readonly GpuColumn[], rows: number, workspace: Workspace): Promise<RowBuffers> {
    for (const i of this.layout.indexed) {
      const { key, words: keys, context } = columns[i] as GpuColumn;
      const input = { keys, count: rows, ...(context && { context }) };
      this.#indexes.set(
        i,
        await KeyIndex.from<unknown, KeyType>(this.gpu, input, { ...this.options, key, keepItems: true }),
      );
    }
    if (this.layout.isDirect) return direct(columns);
    let keys: GPUBuffer | undefined;
    await submit(this.gpu, (encoder) => {
      keys = this.#encodeOwn(encoder, columns, { rows, count: rows, workspace });
    });
    return { keys: keys as unknown as GPUBuffer };
  }

  /** The same, recorded: for the first time, or anew. */
  encode(target: Target, columns: readonly GpuColumn[], call: EncodedRows): RowBuffers {
    const { count } = call;
    for (const i of this.layout.indexed) {
      const { key, words: keys, context } = columns[i] as GpuColumn;
      const input = { keys, count, ...(context && { context }) };
      const known = this.#indexes.get(i);
      if (known) known.encodeRebuild(target, input);
      else
        this.#indexes.set(
          i,
          KeyIndex.encodeBuild<unknown>(this.gpu, target, input, { ...this.options, key, keepItems: true }),
        );
    }
    if (this.layout.isDirect) return direct(columns);
    return { keys: this.#encodeOwn(target, columns, call) };
  }

  #encodeOwn(target: Target, columns: readonly GpuColumn[], call: EncodedRows): GPUBuffer {
    const ids = (i: number) => (this.#indexes.get(i) as KeyIndex<unknown>).itemsOnGpu.ids;
    return this.#recordKeys(target, 'relational/rows', columns, ids, call);
  }

  /** Records the keys of other rows, for a search: values that the table does not have get an id that nothing has. */
  encodeNeedles(target: Target, columns: readonly GpuColumn[], call: EncodedRows): RowBuffers {
    if (this.layout.isDirect) return direct(columns);
    const { rows, count, workspace } = call;
    const idsOf = (i: number) => workspace.scratch(`relational/ids${i}`, rows * WORD_BYTES);
    for (const [i, index] of this.#indexes) {
      const { words: queries, context } = columns[i] as GpuColumn;
      index.encodeIds(target, { queries, ids: idsOf(i), count, context });
    }
    // Marks are for rows of the table alone: a row without a value is not searched for.
    const unmarked = columns.map((column) => ({ ...column, valid: undefined }));
    return { keys: this.#recordKeys(target, 'relational/needles', unmarked, idsOf, call) };
  }

  #recordKeys(
    target: Target,
    name: string,
    columns: readonly GpuColumn[],
    ids: (column: number) => BufferView,
    { rows, count, workspace }: EncodedRows,
  ): GPUBuffer {
    requireArrays(this.gpu, rows, this.layout.width);
    const output = workspace.scratch(name, rows * this.layout.width * WORD_BYTES);
    const record = (recorder: Recorder, items: Extent) => this.layout.recordKeys(recorder, columns, ids, items, output);
    recordCounted(this.gpu, target, { label: name, count, max: rows, workspace }, record);
    return output;
  }

  async settle(): Promise<void> {
    for (const index of this.#indexes.values()) await index.settle();
  }

  destroy(): void {
    for (const index of this.#indexes.values()) index.destroy();
  }
}

/** Records the numbers of rows, for tables whose values they are. */
export function encodeRowNumbers(gpu: Gpu, target: Target, { rows, count, workspace }: EncodedRows): GPUBuffer {
  let numbers: GPUBuffer | undefined;
  const record = (recorder: Recorder, items: Extent) => {
    numbers = recordNumbers(recorder, items, workspace);
  };
  recordCounted(gpu, target, { label: 'relational/numbers', count, max: rows, workspace }, record);
  return numbers as unknown as GPUBuffer;
}

function direct([column]: readonly GpuColumn[]): RowBuffers {
  const { words: keys, context } = column as GpuColumn;
  return { keys, ...(context && { context }) };
}
