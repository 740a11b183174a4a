import {
  type Abortable,
  type Extent,
  type Followed,
  type Gpu,
  nameCalls,
  perform,
  type Readback,
  type Recorder,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { requireApart } from '../../primitives/checks.ts';
import { contextReadback } from '../../table/contents.wgsl.ts';
import {
  bufferSourceOf,
  decodeKeys,
  type Fresh,
  type Keys,
  requireInput,
  type Source,
  sourceOf,
  type Told,
} from '../../table/source.ts';
import type { ValueArray } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { builtOnIndex } from '../ahead.ts';
import type { FaceFunctions, FaceSearch } from '../face.wgsl.ts';
import { KeyIndex } from '../keyIndex/keyIndex.ts';
import { indexSettings } from '../keyIndex/settings.ts';
import { ArraysById, OnIndex } from '../onIndex.ts';
import {
  arrayOfOne,
  type EntryList,
  type KeyList,
  type OneKey,
  type OneOf,
  oneByOne,
  type PlainKey,
  type PlainKeys,
  type PlainValue,
  type PlainValues,
} from '../plain.ts';
import { type PrepareOptions, prepareCalls } from '../prepare.ts';
import { FOLLOWED } from '../searched.ts';
import { requireBuild } from '../settings.ts';
import { missingWords, type ResultColumn, type ResultColumns, valueNames } from './columns.ts';
import type { CombinerName, CustomCombiner } from './combiners.wgsl.ts';
import { encodeResults } from './encode.ts';
import { resultFunctions } from './functions.wgsl.ts';
import { getResults, intoResults } from './hostResults.ts';
import {
  type AggregateBufferOptions,
  type AggregateBuffers,
  type AggregateColumnOptions,
  type AggregateInput,
  type AggregateOptions,
  type Combiners,
  columnSource,
  type FreshResults,
  givenItems,
  type OneResult,
  prepared,
  type ResultArray,
  type ResultArrays,
  type ResultBuffers,
  type ResultEntryBuffers,
  type ResultOptions,
  type Results,
  type ValueColumns,
} from './options.ts';
import { alongOf, recordColumns } from './record.ts';

/** Queries of one submission on the host face. */
const QUERIES_AT_ONCE = 1 << 22;

const OPTIONS = ['key', 'scheme', 'seed', 'construction', 'keepItems', 'value', 'combine'];
const FROM = [...OPTIONS, 'signal'];

/** `Aggregate` without a default scheme. */
export class Aggregate<K, R extends Results = Uint32Array> extends OnIndex<K> {
  static {
    nameCalls(this, 'Aggregate');
  }

  readonly #columns: ResultColumns;

  /** @internal */
  protected constructor(index: KeyIndex<K>, own: ArraysById, columns: ResultColumns) {
    super(index, own);
    this.#columns = columns;
  }

  /**
   * Builds an aggregate and waits until it is built: from arrays, from buffers, from whatever else gives pairs, or, to be counted, keys.
   * @example
   * const counts = await Aggregate.from(gpu, ['ada', 'bob', 'ada'], { combine: 'count' });
   */
  static from<Key extends PlainKey, K = PlainKeys<Key>>(
    gpu: Gpu,
    keys: KeyList<Key>,
    options: AggregateOptions<K, never, 'count'> & Abortable,
  ): Promise<Aggregate<K, Uint32Array>>;
  static from<
    Key extends PlainKey,
    Value extends PlainValue,
    const C extends CombinerName | CustomCombiner,
    K = PlainKeys<Key>,
    V extends ValueArray = PlainValues<Value>,
  >(
    gpu: Gpu,
    entries: EntryList<Key, Value>,
    options: AggregateOptions<K, V, C> & Abortable,
  ): Promise<Aggregate<K, ResultArray<C, V>>>;
  static from<
    Key extends PlainKey,
    Value extends PlainValue,
    const C extends Combiners<V>,
    K = PlainKeys<Key>,
    V extends ValueArray = PlainValues<Value>,
  >(
    gpu: Gpu,
    entries: EntryList<Key, Value>,
    options: AggregateColumnOptions<K, V, C> & Abortable,
  ): Promise<Aggregate<K, ResultArrays<C, V>>>;
  static from<
    K extends Told<Named>,
    const C extends CombinerName | CustomCombiner,
    V extends ValueArray = Uint32Array,
    Named = never,
  >(
    gpu: Gpu,
    input: AggregateInput<K, V, Named>,
    options: AggregateOptions<K, V, C, Named> & Abortable,
  ): Promise<Aggregate<K, ResultArray<C, V>>>;
  /**
   * Builds an aggregate with several results a key, each by a name.
   * @example
   * const sales = await Aggregate.from(gpu, { keys: shops, values: { price, weight } },
   *   { combine: { n: 'count', total: { of: 'price', combine: 'sum64' }, heaviest: { of: 'weight', combine: 'max' } } });
   * const { values } = await sales.get(queries); // values.n, values.total, values.heaviest
   */
  static from<
    K extends Told<Named>,
    const C extends Combiners<V>,
    V extends ValueArray | ValueColumns = Uint32Array,
    Named = never,
  >(
    gpu: Gpu,
    input: AggregateInput<K, V, Named>,
    options: AggregateColumnOptions<K, V, C, Named> & Abortable,
  ): Promise<Aggregate<K, ResultArrays<C, V>>>;
  static async from<K>(
    gpu: Gpu,
    given: AggregateInput<K, ValueArray | ValueColumns> | KeyList<unknown>,
    named: AggregateColumnOptions<K, never, unknown> & Abortable,
  ): Promise<Aggregate<K, Results>> {
    const { input, options } = givenItems<K>(given as AggregateInput<K, ValueArray>, named, FROM);
    requireBuild(gpu, input, options, FROM);
    const { settings, columns } = prepared(input, options, this.defaultScheme);
    const source = columnSource(gpu, settings.key, input, columns, sourceOf);
    return builtOnIndex(gpu, settings, source, named.signal, (on, items) => {
      const own = new ArraysById(on, settings.arrays);
      return own.keptFor(async () => {
        const index = await KeyIndex.build(on, settings, items, alongOf(settings, own, items, columns));
        return new this<K, Results>(index, own, columns).firstFilled(items);
      });
    });
  }

  /** Compiles what `from` with so many items, and `get`, will need; see `HashMap.prepare`. */
  static async prepare<K = Uint32Array>(gpu: Gpu, options: AggregateBufferOptions<K> & PrepareOptions): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) => indexSettings<K>(undefined as never, rest, this.defaultScheme),
      columns: ({ combine, value }) => valueNames(combine, value),
      build: (idle, input, rest) => this.from(idle, input, rest) as Promise<Aggregate<never, Results>>,
      search: (results, keys) => results.get(keys),
      record: (results, encoder, queries) => {
        const { all, areNamed } = results.#columns;
        const room = () => results.gpu.createBuffer('prepare', 64);
        const values = areNamed ? Object.fromEntries(all.map(({ name }) => [name, room()])) : room();
        results.encodeGet(encoder, { ...queries, values: values as GPUBuffer });
      },
    });
  }

  /** Allocates an aggregate and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K, R extends Results = Uint32Array>(
    gpu: Gpu,
    target: Target,
    input: AggregateBuffers,
    options: AggregateBufferOptions<K> & { readonly key: KeyType<K> },
  ): Aggregate<K, R> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const { settings, columns } = prepared<K>(
      input,
      options as AggregateColumnOptions<K, never, unknown>,
      this.defaultScheme,
    );
    const source = columnSource(gpu, settings.key, input, columns, bufferSourceOf);
    const own = new ArraysById(gpu, settings.arrays);
    return own.keptBy(() => {
      const index = KeyIndex.encode(gpu, settings, target, source, alongOf(settings, own, source, columns));
      return new this<K, R>(index, own, columns).firstEncoded(target, source);
    });
  }

  /** Builds anew from other items, reusing the buffers where they are large enough. */
  async rebuild(input: AggregateInput<Keys<K>, ValueArray | ValueColumns>, options: Abortable = {}): Promise<this> {
    const source = this.#source(input, sourceOf);
    return this.rebuildAll(source, alongOf(this.index, this.own, source, this.#columns), options);
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: AggregateBuffers): void {
    requireTarget(target);
    const source = this.#source(input, bufferSourceOf);
    this.index.encodeRebuildFrom(target, source, alongOf(this.index, this.own, source, this.#columns));
    this.encodeArrays(target, source);
  }

  #source(input: AggregateBuffers | AggregateInput<Keys<K>, ValueArray | ValueColumns>, checked: typeof sourceOf) {
    this.table.assertAlive();
    requireInput(input);
    return columnSource(this.gpu, this.key, input, this.#columns, checked);
  }

  /** @internal */
  protected recordArrays(recorder: Recorder, source: Source, items: Extent, maxKeys: number): void {
    const { index, own } = this;
    const room = own.isOfCall ? maxKeys : this.keyCapacity;
    const results = (column: ResultColumn) => this.#results(column, room);
    recordColumns(recorder, { index: index as never, own, source, columns: this.#columns, items, maxKeys, results });
  }

  #results({ name, combiner }: ResultColumn, keys = 0): GPUBuffer {
    return this.own.arrays.scratch(`aggregate/results/${name}`, keys * combiner.result.words * WORD_BYTES);
  }

  /** The result of every key, or `missing`, and whether the key was found. Wide results have several numbers a key. */
  async get(
    keys: Keys<K>,
    options: ResultOptions<R> & Followed = {},
  ): Promise<{ values: FreshResults<R>; found: Uint8Array<ArrayBuffer> }> {
    requireOptions(options, ['missing', 'into', ...FOLLOWED]);
    const { missing = 0, into } = options;
    const columns = this.#columns;
    for (const column of columns.all) missingWords(column, missing);
    const given = this.needlesOf(keys, options);
    const answers = intoResults(columns, into, given.count);
    await this.searchFor(given, QUERIES_AT_ONCE, async (needles) => {
      for (const part of needles.parts(QUERIES_AT_ONCE, this.table)) {
        await getResults(this, columns, part, missing, { ...answers, signal: options.signal });
      }
    });
    return { values: columns.joined(answers.values) as FreshResults<R>, found: answers.found };
  }

  /**
   * The result of one key, or of several an object of them; `undefined` if it is not there. For results of one number. Many keys are
   * looked up faster by one `get` than by many of these.
   */
  async getOne(key: OneKey<K>): Promise<OneResult<R> | undefined> {
    const one = this.#columns.oneOf<R>();
    const { values, found } = await this.get(arrayOfOne(this.key, key) as Keys<K>);
    return found[0] === 1 ? one(values)(0) : undefined;
  }

  /** All keys with their results as `getOne` has them, read at once and given out one by one, for keys that are a number or a string each. */
  [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneResult<R>], void, undefined> {
    return oneByOne(this.key, async () => {
      const one = this.#columns.oneOf<R>();
      const { keys, values } = await this.entries();
      const result = one(values);
      return { keys, item: (key, i) => [key, result(i)] };
    });
  }

  /** Records a search: `values` gets the result of every query or `missing`, `found` (optional) gets 1 or 0. */
  encodeGet(target: Target, buffers: ResultBuffers<R>): void {
    this.table.assertBuilt();
    const { table, own } = this;
    const results = (column: ResultColumn) => this.#results(column);
    encodeResults(target, table, { columns: this.#columns, results, workspace: own.scratch.workspace }, buffers);
  }

  /** All keys with their results, in the order of the ids. */
  async entries(options: Abortable = {}): Promise<{ keys: Fresh<K>; values: FreshResults<R> }> {
    return this.readFor(options, async () => {
      const { keysById } = this.index.savedParts().buffers;
      // All in one submission, so that all is of one build.
      const [keyBytes, ...rest] = await perform(this.gpu, () => {}, [
        keysById,
        ...this.resultReads,
        ...contextReadback(this.table),
      ]);
      const context = this.key.hasContext ? new Uint8Array(rest.at(-1) as ArrayBuffer) : undefined;
      const keys = decodeKeys(this.key, new Uint32Array(keyBytes as ArrayBuffer), context);
      return { keys, values: this.resultsOf(rest) };
    });
  }

  /** What reads all results, in the order of the ids. @internal */
  get resultReads(): readonly Readback[] {
    return this.#columns.all.map((column) => ({
      buffer: this.#results(column),
      bytes: this.size * column.combiner.result.words * WORD_BYTES,
    }));
  }

  /** The results that were read; what else was read may follow them. @internal */
  resultsOf(read: readonly ArrayBuffer[]): FreshResults<R> {
    return this.#columns.decoded(read) as FreshResults<R>;
  }

  /**
   * Records that all keys and results are written into buffers, and how many there are: after a build that was recorded
   * before, too. The buffers need room for `keyCapacity` entries.
   */
  encodeEntries(target: Target, buffers: ResultEntryBuffers<R>): void {
    this.table.assertBuilt();
    requireMembers(buffers, 'buffers', ['keys', 'values', 'count']);
    const outputs = this.#columns.split<GPUBuffer>(buffers.values as GPUBuffer, 'values');
    if (this.#columns.areNamed) requireApart(this.#columns.joined(outputs) as Record<string, GPUBuffer>);
    for (const [i, column] of this.#columns.all.entries()) {
      const { words } = column.combiner.result;
      const beside = { name: 'values', output: outputs[i] as GPUBuffer, words, rows: this.#results(column) };
      this.index.encodeById(target, buffers, beside);
    }
  }

  /** @internal */
  protected override faceFunctions({ find, needle }: FaceSearch): FaceFunctions {
    const { all } = this.#columns;
    const { functions, results } = resultFunctions(find, this.key, needle, all);
    return {
      functions,
      bound: () => results.map((array, i) => [array, this.#results(all[i] as ResultColumn)] as const),
    };
  }
}
