import { type Gpu, InvalidInputError, type Recorder } from '../gpu/index.ts';
import { recordCopy } from '../primitives/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Source } from './source.ts';

/** The bytes that a table's own keys point into: a copy of its input's. For keys without a context, nothing. */
export class TableContext {
  #buffer: GPUBuffer | undefined;
  /** Takes the place of the buffer when a build is recorded; until then searches need the one that there is. */
  #larger: GPUBuffer | undefined;
  #isDestroyed = false;

  constructor(readonly gpu: Gpu) {}

  get buffer(): GPUBuffer | undefined {
    return this.#buffer;
  }

  /** Takes over a buffer, in place of the one before. */
  adopt(buffer: GPUBuffer): void {
    if (this.#isDestroyed) buffer.destroy();
    this.#buffer?.destroy();
    this.#buffer = buffer;
  }

  /** Makes room for the bytes of an input. */
  async reserve({ contextBytes }: Source): Promise<void> {
    if (contextBytes === undefined) return;
    const room = Math.max(this.#buffer?.size ?? 0, this.#larger?.size ?? 0);
    if (room >= contextBytes && (this.#buffer || this.#larger)) return;
    const [larger] = await this.gpu.allocate([{ label: 'context', bytes: contextBytes }]);
    this.#larger?.destroy();
    this.#larger = larger as GPUBuffer;
    if (this.#isDestroyed) this.#larger.destroy();
  }

  /** Records that the bytes of an input become the table's own, in the same submission as the build from it. */
  recordKeep(recorder: Recorder, { contextBytes, load }: Source): void {
    if (this.#larger) this.adopt(this.#larger);
    this.#larger = undefined;
    const { context } = load();
    // A table may be built from its own bytes.
    if (contextBytes === undefined || !context || !this.#buffer || context === this.#buffer) return;
    recordCopy(recorder, { from: context, to: this.#buffer, items: contextBytes / WORD_BYTES });
  }

  /** Throws if there is no room for the bytes of an input. */
  requireRoom({ contextBytes }: Source): void {
    if (contextBytes !== undefined && this.#buffer && contextBytes > this.#buffer.size) {
      throw new InvalidInputError(
        `this table was made for keys of ${this.#buffer.size} bytes, not ${contextBytes}; build a new one, or use rebuild()`,
      );
    }
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#buffer?.destroy();
    this.#larger?.destroy();
  }
}
