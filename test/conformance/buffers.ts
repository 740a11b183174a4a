/** Buffers of a test's own, as a caller of the encoder face would have them. */
import type { Gpu } from '../../src/gpu/index.ts';
import type { Keys } from './keySets.ts';
import type { Items } from './tables.ts';

/** Buffers that live as long as one test. */
export class TestBuffers {
  readonly #made: GPUBuffer[] = [];

  constructor(readonly gpu: Gpu) {}

  upload(data: Keys | Float32Array | Int32Array): GPUBuffer {
    return this.#keep(this.gpu.upload('test', data));
  }

  /** A buffer of that many words. */
  words(count: number): GPUBuffer {
    return this.#keep(this.gpu.createBuffer('test', 4 * count));
  }

  items({ keys, values }: Items): { readonly keys: GPUBuffer; readonly values: GPUBuffer } {
    return { keys: this.upload(keys), values: this.upload(values) };
  }

  async read(buffer: GPUBuffer, words: number): Promise<Uint32Array> {
    const [bytes] = await this.gpu.run(() => {}, [{ buffer, bytes: 4 * words }]);
    return new Uint32Array(bytes as ArrayBuffer);
  }

  #keep(buffer: GPUBuffer): GPUBuffer {
    this.#made.push(buffer);
    return buffer;
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#made) buffer.destroy();
  }
}
