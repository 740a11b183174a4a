/** What the collections that keep arrays by id have in common. */
import {
  type Abortable,
  type BufferView,
  type Extent,
  type Gpu,
  mostBytes,
  type Recorder,
  record,
  submit,
  type Target,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import { recordCounted } from '../primitives/counted.ts';
import { BuildScratch } from '../table/buildScratch.ts';
import type { KeyListBuffers } from '../table/entryBuffers.ts';
import type { Fresh, Source } from '../table/source.ts';
import { valueTypes } from '../table/values.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { Collection } from './collection.ts';
import type { Along } from './keyIndex/build.ts';
import type { KeyIndex } from './keyIndex/keyIndex.ts';

/** What a collection has beside its index: arrays by id, and the scratch to fill them. */
export class ArraysById {
  /** A workspace, because arrays that are outgrown may still be used by commands that are not submitted yet. */
  readonly arrays: Workspace;
  readonly scratch: BuildScratch;

  /** Whether they live no longer than a call, and have room for no more keys than there are. */
  readonly isOfCall: boolean;

  constructor(gpu: Gpu, ofCall?: Workspace) {
    this.isOfCall = ofCall !== undefined;
    this.arrays = ofCall ?? new Workspace(gpu);
    this.scratch = new BuildScratch(gpu);
  }

  /** Where the values of every key begin, while they are grouped. */
  starts(items: number): GPUBuffer {
    return this.scratch.workspace.scratch('groups/starts', items * WORD_BYTES);
  }

  /** The values of items, for a sort that takes them along with their keys; `grouped` gets them. */
  along(source: Source, words: number, grouped: (own: ArraysById, bytes: number) => GPUBuffer): Along {
    const { maxCount } = source;
    return () => ({
      values: {
        from: source.load().values as BufferView,
        words,
        grouped: grouped(this, maxCount * words * WORD_BYTES),
      },
      starts: this.starts(maxCount),
    });
  }

  /** Makes the collection that these arrays are for; if that fails, they are freed. */
  keptBy<T>(make: () => T): T {
    try {
      return make();
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /** The same for one that takes several submissions. */
  async keptFor<T>(build: () => Promise<T>): Promise<T> {
    try {
      return await build();
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /** After a build on the host that failed: the arrays are no good any more. */
  forget(error: unknown): void {
    this.scratch.release(error);
    this.arrays.release();
  }

  destroy(): void {
    this.arrays.destroy();
    this.scratch.destroy();
  }
}

/** A key index and arrays by id. */
export abstract class OnIndex<K> extends Collection<K> {
  /** The keys and their ids. It belongs to this collection, and is destroyed with it. */
  readonly index: KeyIndex<K>;
  /** @internal */
  protected readonly own: ArraysById;

  /** @internal */
  protected constructor(index: KeyIndex<K>, own: ArraysById) {
    super(index.table);
    this.index = index;
    this.own = own;
  }

  /** Records what fills the arrays, once the index is there. @internal */
  protected abstract recordArrays(recorder: Recorder, source: Source, items: Extent, maxKeys: number): void;

  /** Fills the arrays: whoever reads them comes later. @internal */
  protected async fillArrays(source: Source): Promise<this> {
    const { gpu } = this;
    await submit(gpu, (encoder) =>
      record(gpu, encoder, 'arrays', (recorder) =>
        this.recordArrays(recorder, source, recorder.extent(source.maxCount), this.size),
      ),
    );
    this.own.scratch.release();
    this.own.arrays.trim();
    return this;
  }

  /** The same for a collection that nobody has yet. @internal */
  protected async firstFilled(source: Source): Promise<this> {
    try {
      return await this.fillArrays(source);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /** Rebuilds the index, then the arrays. @internal */
  protected rebuildAll(source: Source, along: Along | undefined, options: Abortable): Promise<this> {
    return this.change(
      source,
      options,
      () => this.index.requireIndexable(source),
      async () => {
        try {
          await this.index.rebuildFrom(source, along);
          await this.fillArrays(source);
        } catch (error) {
          // Only one of ids and arrays may be new: whatever they answered together would be wrong.
          this.table.invalidate(error);
          this.own.forget(error);
          throw error;
        }
      },
    );
  }

  /** Records that the arrays are filled; how many keys there are is known only on the GPU. @internal */
  protected encodeArrays(target: Target, source: Source): this {
    const { gpu, own, keyCapacity } = this;
    const { count, maxCount: max } = source;
    own.scratch.keep();
    const call = { label: `arrays/${keyCapacity}`, count, max, workspace: own.scratch.workspace };
    this.index.watch(() =>
      recordCounted(gpu, target, call, (recorder, items) => this.recordArrays(recorder, source, items, keyCapacity)),
    );
    return this;
  }

  /** The same for a collection that nobody has yet. @internal */
  protected firstEncoded(target: Target, source: Source): this {
    try {
      return this.encodeArrays(target, source);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /** @internal */
  protected override settled(): Promise<void> {
    return this.index.settled();
  }

  /** All keys, in the order of their ids. */
  override keys(options: Abortable = {}): Promise<Fresh<K>> {
    return this.index.keys(options);
  }

  /** Records that all keys are written into a buffer, in the order of their ids; see `keyCapacity`. */
  override encodeKeys(target: Target, buffers: KeyListBuffers): void {
    this.index.encodeKeys(target, buffers);
  }

  override get tableBytes(): number {
    return this.index.tableBytes + this.own.arrays.bytes;
  }

  /** @internal */
  protected readonly shaderValue = valueTypes.u32;

  override destroy(): void {
    this.index.destroy();
    this.own.destroy();
  }
}

/** Throws if an array of so many words an item would not fit the device. */
export function requireArrays({ limits }: Gpu, items: number, wordsPerItem: number): void {
  const most = mostBytes(limits);
  const largest = Math.floor(most / (WORD_BYTES * wordsPerItem));
  if (items > largest) {
    throw new TooLargeError(`arrays for ${items} items do not fit: this device holds at most ${largest}`, largest);
  }
}
