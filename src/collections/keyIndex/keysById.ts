import { type BufferView, type Gpu, Workspace } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { BuildScratch } from '../../table/buildScratch.ts';
import { sized } from '../../table/source.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';

/** The way back of a key index: the key of every id, how many ids there are, and the scratch to find them. */
export class KeysById {
  readonly scratch: BuildScratch;
  /** A workspace, because buffers that are outgrown may still be used by commands that are not submitted yet. */
  readonly #arrays: Workspace;
  #keys: GPUBuffer | undefined;
  #items = 0;

  constructor(
    readonly gpu: Gpu,
    readonly key: KeyType,
    /** Whether the ids of items and the first item of every key stay after a build. */
    readonly keepsItems = false,
    arrays = new Workspace(gpu),
  ) {
    this.scratch = new BuildScratch(gpu);
    this.#arrays = arrays;
  }

  /**
   * A list that was saved.
   * @param room how many keys there is room for from the beginning
   * @param items how many keys may be listed later
   */
  static restore(gpu: Gpu, key: KeyType, words: Uint8Array, room: number, items: number): KeysById {
    const byId = new KeysById(gpu, key);
    try {
      const size = words.length / (key.words * WORD_BYTES);
      gpu.write(byId.reserve(Math.max(size, room)), words);
      gpu.write(byId.size, new Uint32Array([size]));
      byId.#items = Math.max(room, items);
      return byId;
    } catch (error) {
      byId.destroy();
      throw error;
    }
  }

  /** Makes room for that many keys; what the buffer held is lost if it has to grow. */
  reserve(items: number): GPUBuffer {
    this.#items = Math.max(this.#items, items);
    this.#keys = this.#arrays.scratch('keyIndex/keys', items * this.key.words * WORD_BYTES);
    return this.#keys;
  }

  /** One word: how many keys there are. It is made by the first build, like the other arrays. */
  get size(): GPUBuffer {
    return this.#arrays.scratch('keyIndex/size', WORD_BYTES);
  }

  /** How many keys may be listed. */
  get items(): number {
    return this.#items;
  }

  get keys(): GPUBuffer {
    return this.#keys ?? this.reserve(0);
  }

  /** The id of every item, with room for at least so many; only where these are kept. */
  itemIds(items = 0): GPUBuffer {
    return this.#arrays.scratch('keyIndex/itemIds', items * WORD_BYTES);
  }

  /** The id of every item, if these are kept. */
  get knownIds(): GPUBuffer | undefined {
    return this.keepsItems ? this.itemIds() : undefined;
  }

  /** The first item of every key, with room for at least so many keys. */
  firstItems(keys = 0): GPUBuffer {
    const workspace = this.keepsItems ? this.#arrays : this.scratch.workspace;
    return workspace.scratch('keyIndex/firstItems', keys * WORD_BYTES);
  }

  /** The part of the buffer that so many keys take. */
  view(items: number): BufferView {
    return sized(this.gpu, this.keys, items * this.key.words * WORD_BYTES);
  }

  /** After a build on the host. */
  releaseScratch(): void {
    this.scratch.release();
    this.#arrays.trim();
  }

  /** After a build on the host that failed: the keys are no good any more. */
  forget(error: unknown): void {
    this.scratch.release(error);
    this.#arrays.release();
    this.#keys = undefined;
  }

  get bytes(): number {
    const items = this.keepsItems ? this.itemIds().size + this.firstItems().size : 0;
    return this.keys.size + this.size.size + items;
  }

  destroy(): void {
    this.scratch.destroy();
    this.#arrays.destroy();
  }
}
