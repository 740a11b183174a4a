import { WORD_BYTES } from '../wgsl/index.ts';
import type { BufferView } from './bound.ts';
import type { Gpu } from './gpu.ts';
import { USAGE } from './usage.ts';

/** Where a uniform may begin, on every device. */
const ROW_BYTES = 256;
const ROWS = 1024;

/**
 * Words that are other ones in every call, such as those of a hash function. Each call gets a row that no other has had, so
 * that a write cannot overtake commands that are not submitted yet; only after many calls there is another buffer.
 */
export class ParameterRows {
  #buffer: GPUBuffer | undefined;
  #used = 0;

  constructor(readonly gpu: Gpu) {}

  next(words: Uint32Array): BufferView {
    const { gpu } = this;
    if (!this.#buffer || this.#used === ROWS) {
      // Commands that use the last one keep it.
      this.#buffer = gpu.createBuffer('constants/rows', ROWS * ROW_BYTES, USAGE.UNIFORM | USAGE.COPY_DST);
      this.#used = 0;
    }
    const offset = this.#used++ * ROW_BYTES;
    gpu.write(this.#buffer, words, offset);
    // Uniforms are padded to 16 bytes.
    return { buffer: this.#buffer, offset, size: Math.ceil((words.length * WORD_BYTES) / 16) * 16 };
  }

  destroy(): void {
    this.#buffer?.destroy();
  }
}
