import {
  type BufferView,
  type Extent,
  type Gpu,
  InvalidInputError,
  nameCalls,
  type Recorder,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { requireApart, requireStorage } from '../../primitives/checks.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { hostCall } from '../../primitives/hostCall.ts';
import { contextReadback } from '../../table/contents.wgsl.ts';
import { requireContext } from '../../table/context.ts';
import type { EntryBuffers } from '../../table/entryBuffers.ts';
import { putAnswers } from '../../table/hostLookup.wgsl.ts';
import type { NeedlePart } from '../../table/needles.ts';
import {
  bufferSourceOf,
  checkCount,
  decodeKeys,
  type Fresh,
  type Keys,
  requireInput,
  roomFor,
  type Source,
  sized,
  sourceOf,
  type Told,
} from '../../table/source.ts';
import { decodeValues, requireValueType, type ValueArray, type ValueType, wordsOfValue } from '../../table/values.ts';
import type { FaceFunctions, FaceSearch } from '../face.wgsl.ts';
import { recordGroups } from '../groups/groups.wgsl.ts';
import { recordBounds } from '../groups/sortedGroups.wgsl.ts';
import { recordGroupsOf } from '../groups/wideGroups.wgsl.ts';
import { intoArrays, wordsIn } from '../into.ts';
import type { Along, Construction } from '../keyIndex/build.ts';
import { KeyIndex } from '../keyIndex/keyIndex.ts';
import { indexSettings } from '../keyIndex/settings.ts';
import { ArraysById, OnIndex, requireArrays } from '../onIndex.ts';
import { type PrepareOptions, prepareCalls } from '../prepare.ts';
import { requireBuild } from '../settings.ts';
import type { AccumulatorArray, AccumulatorType, Combiner, CombinerName, CustomCombiner } from './combiners.wgsl.ts';
import { resultFunctions } from './functions.wgsl.ts';
import { recordAtomics, recordResults } from './kernels.wgsl.ts';
import {
  type AggregateBuffers,
  type AggregateInput,
  type AggregateOptions,
  prepared,
  type ResultBuffers,
  type ResultOptions,
  withoutUnused,
} from './options.ts';
import { type Folds, foldsOf, recordReduce } from './reduceGroups.wgsl.ts';

/** Queries of one submission on the host face. */
const QUERIES_AT_ONCE = 1 << 22;

const OPTIONS = ['key', 'scheme', 'seed', 'construction', 'value', 'combine'];
const SEARCH = ['queries', 'count', 'values', 'found', 'missing', 'context'];

/** `Aggregate` without a default scheme. */
export class Aggregate<K, R extends ValueArray = Uint32Array> extends OnIndex<K> {
  static {
    nameCalls(this, 'Aggregate');
  }

  readonly #combiner: Combiner;
  readonly #input: ValueType;
  readonly #folds: Folds;

  /** @internal */
  protected constructor(index: KeyIndex<K>, own: ArraysById, combiner: Combiner, input: ValueType) {
    super(index, own);
    this.#combiner = combiner;
    this.#input = input;
    this.#folds = foldsOf(combiner, input);
  }

  /** Builds an aggregate and waits until it is built. */
  static from<K extends Told<Named>, Named = never>(
    gpu: Gpu,
    input: AggregateInput<K, ValueArray, Named>,
    options: AggregateOptions<K, ValueArray, 'count', Named>,
  ): Promise<Aggregate<K, Uint32Array>>;
  static from<K extends Told<Named>, T extends AccumulatorType, Named = never>(
    gpu: Gpu,
    input: AggregateInput<K, ValueArray, Named>,
    options: AggregateOptions<K, ValueArray, CustomCombiner<T>, Named>,
  ): Promise<Aggregate<K, AccumulatorArray<T>>>;
  static from<K extends Told<Named>, V extends ValueArray = Uint32Array, Named = never>(
    gpu: Gpu,
    input: AggregateInput<K, V, Named>,
    options: AggregateOptions<K, V, Exclude<CombinerName, 'count'>, Named>,
  ): Promise<Aggregate<K, V>>;
  static async from<K>(
    gpu: Gpu,
    input: AggregateInput<K, ValueArray>,
    options: AggregateOptions<K, ValueArray>,
  ): Promise<Aggregate<K, ValueArray>> {
    requireBuild(gpu, input, options, OPTIONS);
    const { settings, combiner, value } = prepared(input, options, this.defaultScheme);
    const source = sourceOf(gpu, settings.key, withoutUnused(input, combiner), value.words);
    requireArrays(gpu, source.maxCount, Math.max(2, combiner.words, value.words));
    const own = new ArraysById(gpu);
    try {
      const index = await KeyIndex.build(gpu, settings, source, alongOf(settings, own, source, combiner, value));
      return await new this<K, ValueArray>(index, own, combiner, value).firstFilled(source);
    } catch (error) {
      own.destroy();
      throw error;
    } finally {
      source.release();
    }
  }

  /** Compiles what `from` with so many items, and `get`, will need; see `HashMap.prepare`. */
  static async prepare<K = Uint32Array>(
    gpu: Gpu,
    options: AggregateOptions<K, ValueArray> & PrepareOptions,
  ): Promise<void> {
    await prepareCalls(gpu, options, {
      names: OPTIONS,
      settings: (rest) => indexSettings<K>(undefined as never, rest, this.defaultScheme),
      build: (idle, input, rest) => this.from(idle, input, rest) as Promise<Aggregate<never, ValueArray>>,
      search: (results, keys) => results.get(keys),
    });
  }

  /** Allocates an aggregate and records its build, without submitting it; see `HashMap.encodeBuild`. */
  static encodeBuild<K, R extends ValueArray = Uint32Array>(
    gpu: Gpu,
    target: Target,
    input: AggregateBuffers,
    options: AggregateOptions<K, ValueArray> & { readonly key: KeyType<K> },
  ): Aggregate<K, R> {
    requireBuild(gpu, input, options, OPTIONS);
    requireTarget(target);
    const { settings, combiner, value } = prepared<K>(input, options, this.defaultScheme);
    const source = bufferSourceOf(gpu, settings.key, withoutUnused(input, combiner), value.words);
    requireArrays(gpu, source.maxCount, Math.max(2, combiner.words, value.words));
    const own = new ArraysById(gpu);
    try {
      const index = KeyIndex.encode(gpu, settings, target, source, alongOf(settings, own, source, combiner, value));
      return new this<K, R>(index, own, combiner, value).firstEncoded(target, source);
    } catch (error) {
      own.destroy();
      throw error;
    }
  }

  /** Builds anew from other items, reusing the buffers where they are large enough. */
  async rebuild(input: AggregateInput<Keys<K>, ValueArray>): Promise<this> {
    const source = this.#source(input, sourceOf);
    return this.rebuildAll(source, this.#along(source));
  }

  /** Records a rebuild into the same buffers, every frame if need be. */
  encodeRebuild(target: Target, input: AggregateBuffers): void {
    requireTarget(target);
    const source = this.#source(input, bufferSourceOf);
    this.index.encodeRebuildFrom(target, source, this.#along(source));
    this.encodeArrays(target, source);
  }

  #source(input: AggregateBuffers | AggregateInput<Keys<K>, ValueArray>, checked: typeof sourceOf) {
    this.table.assertAlive();
    requireInput(input);
    const used = withoutUnused(input, this.#combiner);
    if (!this.#combiner.counts && used.values === undefined)
      throw new InvalidInputError('there are no values to combine');
    if (used.values !== undefined) requireValueType(used.values, this.#input);
    const source = checked(this.gpu, this.key, used, this.#input.words);
    requireArrays(this.gpu, source.maxCount, Math.max(2, this.#combiner.words, this.#input.words));
    return source;
  }

  #along(source: Source): Along | undefined {
    return alongOf(this.index, this.own, source, this.#combiner, this.#input);
  }

  /** @internal */
  protected recordArrays(recorder: Recorder, source: Source, items: Extent, maxKeys: number): void {
    const { table } = this;
    const combiner = this.#combiner;
    const results = this.#results(this.keyCapacity);
    const buffers = source.load();
    if (combiner.atomic) {
      recordAtomics(recorder, table, combiner, { ...buffers, items, maxKeys, results });
      return;
    }
    const { workspace } = this.own.scratch;
    const { words } = this.#input;
    const grouped = groupedIn(this.own, items.max * words * 4);
    const bounds = workspace.scratch('aggregate/bounds', maxKeys * 8);
    if (this.index.construction === 'sort') {
      const starts = this.own.starts(source.maxCount);
      recordBounds(recorder, { starts, bounds, size: this.index.sizeOnGpu.buffer, maxKeys, items });
    } else {
      const call = { ...buffers, values: buffers.values as BufferView, items, maxKeys, grouped, bounds, workspace };
      recordGroupsOf(words, recordGroups, recorder, table, call);
    }
    // How many keys there are is known only on the GPU where the build was recorded just before.
    const gate = workspace.gate('aggregate', maxKeys, items.max);
    gate.open(recorder, this.index.sizeOnGpu, maxKeys);
    recordReduce(recorder.behind(gate), {
      folds: this.#folds,
      combiner,
      values: grouped,
      bounds,
      results,
      keys: gate.extent(maxKeys),
      maxItems: items.max,
      workspace,
    });
    gate.seal();
  }

  #results(keys = 0): GPUBuffer {
    return this.own.arrays.scratch('aggregate/results', keys * this.#combiner.words * 4);
  }

  /** The result of every key, or `missing`, and whether the key was found. Wide results have several numbers a key. */
  async get(
    keys: Keys<K>,
    options: ResultOptions<R> = {},
  ): Promise<{ values: Fresh<R>; found: Uint8Array<ArrayBuffer> }> {
    requireOptions(options, ['missing', 'into']);
    const { missing = 0, into } = options;
    const { words, scalar } = this.#combiner;
    wordsOfValue(missing, scalar);
    const given = this.needlesOf(keys);
    const { values, found } = intoArrays(into, scalar as ValueType<R>, given.count * words, given.count);
    const valuesAsWords = wordsIn(values);
    await this.searchFor(given, QUERIES_AT_ONCE, async (needles) => {
      for (const part of needles.parts(QUERIES_AT_ONCE, this.table)) {
        const answers = await this.#getPart(part, missing);
        putAnswers(valuesAsWords, answers.values, part.first * words);
        putAnswers(found, new Uint8Array(answers.found), part.first);
      }
    });
    return { values, found };
  }

  #getPart({ words: queries, count, context }: NeedlePart, missing: number) {
    return hostCall(this.gpu, {
      label: 'aggregate/get',
      buffers: { queries, values: count * this.#combiner.words, found: count },
      record: (encoder, io) => this.encodeGet(encoder, { ...io, count, missing, context }),
      read: ['values', 'found'],
    });
  }

  /** Records a search: `values` gets the result of every query or `missing`, `found` (optional) gets 1 or 0. */
  encodeGet(target: Target, buffers: ResultBuffers): void {
    this.table.assertBuilt();
    requireMembers(buffers, 'buffers', SEARCH);
    const { queries, values, found, count, missing = 0, context } = buffers;
    requireContext(this.key, context);
    const { gpu, key, table } = this;
    const { words, scalar } = this.#combiner;
    for (const [name, buffer] of Object.entries({ queries, values })) requireStorage(buffer, name);
    if (found !== undefined) requireStorage(found, 'found');
    requireApart({ queries, values, found });
    const rooms = [roomFor(queries, key.words * 4), roomFor(values, words * 4), found ? roomFor(found, 4) : Infinity];
    const max = checkCount(count, Math.min(...rooms));
    const [word = 0] = wordsOfValue(missing, scalar);
    const look = (recorder: Recorder, items: Extent) =>
      recordResults(recorder, table, words, {
        queries: { keys: sized(gpu, queries, max * key.words * 4), context },
        values: sized(gpu, values, max * words * 4),
        found: found && sized(gpu, found, max * 4),
        results: this.#results(),
        items,
        missing: Array(words).fill(word),
      });
    recordCounted(gpu, target, 'aggregate/get', count, max, look, this.own.scratch.workspace);
  }

  /** All keys with their results, in no particular order. */
  async entries(): Promise<{ keys: Fresh<K>; values: Fresh<R> }> {
    return this.read(async () => {
      const { keysById } = this.index.savedParts().buffers;
      const results = { buffer: this.#results(), bytes: this.size * this.#combiner.words * 4 };
      // All in one submission, so that all is of one build.
      const [words, keyBytes, context] = await this.gpu.perform(() => {}, [
        results,
        keysById,
        ...contextReadback(this.table),
      ]);
      const keys = decodeKeys(this.key, new Uint32Array(keyBytes as ArrayBuffer), context && new Uint8Array(context));
      return { keys, values: this.#decode(new Uint32Array(words as ArrayBuffer)) };
    });
  }

  /**
   * Records that all keys and results are written into buffers, and how many there are: after a build that was recorded
   * before, too. The buffers need room for `keyCapacity` entries.
   */
  encodeEntries(target: Target, buffers: EntryBuffers): void {
    this.table.assertBuilt();
    requireMembers(buffers, 'buffers', ['keys', 'values', 'count']);
    const { words } = this.#combiner;
    const beside = { name: 'values', output: buffers.values, words, rows: this.#results() };
    this.index.encodeById(target, buffers, beside);
  }

  #decode(words: Uint32Array<ArrayBuffer>): Fresh<R> {
    return decodeValues(this.#combiner.scalar as ValueType<R>, words);
  }

  /** @internal */
  protected override faceFunctions({ find, needle }: FaceSearch): FaceFunctions {
    const { functions, results } = resultFunctions(find, this.key, needle, this.#combiner);
    return { functions, bound: () => [[results, this.#results()]] };
  }
}

/** The values of every key together, until they are combined. */
const groupedIn = ({ scratch }: ArraysById, bytes: number): GPUBuffer =>
  scratch.workspace.scratch('aggregate/grouped', bytes);

/** The values, where they are combined in order and the index is constructed by a sort that takes them along. */
const alongOf = (
  { construction }: { readonly construction: Construction },
  own: ArraysById,
  source: Source,
  { atomic }: Combiner,
  { words }: ValueType,
): Along | undefined => (construction === 'sort' && !atomic ? own.along(source, words, groupedIn) : undefined);
