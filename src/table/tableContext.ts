import { type Bound, type Gpu, InvalidInputError, type Recorder } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { recordCopy } from '../primitives/index.ts';
import type { TableBuffers } from '../schemes/contract/scheme.ts';
import { bindContext } from './context.ts';
import type { Context } from './source.ts';

/** The bytes that a table's own keys point into: a copy of its input's. For keys without a context, nothing. */
export class TableContext {
  #buffer: GPUBuffer | undefined;
  /** Takes the place of the buffer when a build is recorded; until then searches need the one that there is. */
  #larger: GPUBuffer | undefined;
  #isDestroyed = false;

  constructor(
    readonly gpu: Gpu,
    readonly key: KeyType,
  ) {}

  /** As one of the table's buffers. */
  get bound(): TableBuffers['context'] {
    const { context } = this.key.access('table');
    return context && this.#buffer && [context, this.#buffer];
  }

  /** What kernels of a build read keys from: the bytes of the input, and the table's own. */
  bind(input: Context | undefined): Bound {
    return [...bindContext(this.key, 'input', input?.buffer), ...bindContext(this.key, 'table', this.#buffer)];
  }

  /** Takes over a buffer, in place of the one before. */
  adopt(buffer: GPUBuffer): void {
    if (this.#isDestroyed) buffer.destroy();
    this.#buffer?.destroy();
    this.#buffer = buffer;
  }

  /** Makes room for the bytes of an input. */
  async reserve(input: Context): Promise<void> {
    await this.gpu.checked(() => input.buffer);
    const room = Math.max(this.#buffer?.size ?? 0, this.#larger?.size ?? 0);
    if (room >= input.bytes && (this.#buffer || this.#larger)) return;
    const [larger] = await this.gpu.allocate([{ label: 'context', bytes: input.bytes }]);
    this.#larger?.destroy();
    this.#larger = larger as GPUBuffer;
    if (this.#isDestroyed) this.#larger.destroy();
  }

  /** Records that the bytes of an input become the table's own, in the same submission as the build from it. */
  recordKeep(recorder: Recorder, input: Context | undefined): void {
    if (this.#larger) this.adopt(this.#larger);
    this.#larger = undefined;
    // A table may be built from its own bytes.
    if (!input || !this.#buffer || input.buffer === this.#buffer) return;
    recordCopy(recorder, { from: input.buffer, to: this.#buffer, items: input.bytes / 4 });
  }

  /** Throws if there is no room for the bytes of an input. */
  requireRoom(input: Context | undefined): void {
    if (input && this.#buffer && input.bytes > this.#buffer.size) {
      throw new InvalidInputError(
        `this table was made for keys of ${this.#buffer.size} bytes, not ${input.bytes}; build a new one, or use rebuild()`,
      );
    }
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#buffer?.destroy();
    this.#larger?.destroy();
  }
}
