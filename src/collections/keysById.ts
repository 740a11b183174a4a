import { type BufferView, type Gpu, Workspace } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { sized } from './input.ts';

/** The way back of a key index: the key of every id, how many ids there are, and the scratch to find them. */
export class KeysById {
  /** A workspace, because buffers that are outgrown may still be used by commands that are not submitted yet. */
  readonly workspace: Workspace;
  /** One word: how many keys there are. */
  readonly size: GPUBuffer;
  #keys: GPUBuffer | undefined;

  constructor(
    readonly gpu: Gpu,
    readonly key: KeyType,
  ) {
    this.workspace = new Workspace(gpu);
    this.size = gpu.createBuffer('keyIndex/size', 4);
  }

  /** Makes room for that many keys; what the buffer held is lost if it has to grow. */
  reserve(items: number): GPUBuffer {
    this.#keys = this.workspace.scratch('keyIndex/keys', items * this.key.words * 4);
    return this.#keys;
  }

  get keys(): GPUBuffer {
    return this.#keys ?? this.reserve(0);
  }

  /** The part of the buffer that so many keys take. */
  view(items: number): BufferView {
    return sized(this.gpu, this.keys, items * this.key.words * 4);
  }

  get bytes(): number {
    return this.keys.size + this.size.size;
  }

  destroy(): void {
    this.workspace.destroy();
    this.size.destroy();
  }
}
