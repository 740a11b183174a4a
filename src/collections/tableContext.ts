import { type Bound, type Gpu, InvalidInputError, type Recorder, record } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { recordCopy } from '../primitives/index.ts';
import type { TableBuffers } from '../schemes/scheme.ts';
import { bindContext } from './context.ts';
import type { Context } from './input.ts';

/** The bytes that a table's own keys point into; for keys without a context, nothing. */
export class TableContext {
  #buffer: GPUBuffer | undefined;

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
    if (this.#buffer !== buffer) this.#buffer?.destroy();
    this.#buffer = buffer;
  }

  /** Makes the bytes of an input the table's own: what was uploaded is taken over, a caller's buffer is copied. */
  async keep(input: Context): Promise<void> {
    const from = await this.gpu.checked(() => input.buffer);
    const taken = input.take();
    if (taken) return this.adopt(taken);
    if (!this.#buffer || this.#buffer.size < input.bytes) {
      const [larger] = await this.gpu.allocate([{ label: 'context', bytes: input.bytes }]);
      this.adopt(larger as GPUBuffer);
    }
    // A table may be built from its own bytes.
    if (this.#buffer === from) return;
    await this.gpu.run((encoder) =>
      record(this.gpu, encoder, 'context', (recorder) => this.recordKeep(recorder, input)),
    );
  }

  /** Records that the bytes of an input are copied into the buffer that there is. */
  recordKeep(recorder: Recorder, input: Context | undefined): void {
    if (!input || !this.#buffer) return;
    recordCopy(recorder, { from: input.buffer, to: this.#buffer, items: Math.floor(input.bytes / 4) });
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
    this.#buffer?.destroy();
  }
}
