import { type Gpu, InvalidInputError, type Recorder, TooLargeError } from '../gpu/index.ts';
import { recordCopy } from '../primitives/index.ts';
import { requireContextFits } from '../table/context.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** What the bytes of every batch begin at a multiple of, because bindings have to. */
const ALIGNMENT = 256;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** By how much more room is made than is needed at once. */
const HEADROOM = 1.5;

/** The bytes that the keys of a table point into. They are only appended to; for keys without a context, there are none. */
export class GrowingContext {
  #buffer: GPUBuffer | undefined;
  #used = 0;
  #isDestroyed = false;

  constructor(readonly gpu: Gpu) {}

  get buffer(): GPUBuffer | undefined {
    return this.#buffer;
  }

  /** Bytes that are taken, those of deleted keys included. */
  get used(): number {
    return this.#used;
  }

  /** Makes room for so many bytes more; nothing that is there changes. */
  async reserve(bytes: number | undefined): Promise<void> {
    if (bytes === undefined) return;
    const { gpu } = this;
    const needed = aligned(this.#used) + bytes;
    if (this.#buffer && needed <= this.#buffer.size) return;
    requireContextFits(gpu, needed);
    const [larger] = await gpu.allocate([{ label: 'context', bytes: this.#roomFor(needed) }]);
    const old = this.#buffer;
    if (this.#isDestroyed) larger?.destroy();
    else if (old && this.#used > 0) {
      const encoder = gpu.device.createCommandEncoder({ label: 'hashnest/context' });
      encoder.copyBufferToBuffer(old, 0, larger as GPUBuffer, 0, this.#used);
      gpu.device.queue.submit([encoder.finish()]);
    }
    old?.destroy();
    this.#buffer = larger;
  }

  #roomFor(needed: number): number {
    const wanted = aligned(needed * HEADROOM);
    try {
      requireContextFits(this.gpu, wanted);
      return wanted;
    } catch (error) {
      if (error instanceof TooLargeError) return needed;
      throw error;
    }
  }

  /** Encodes that the bytes of a batch become the table's, and returns where they begin. There is room for them. */
  append(encoder: GPUCommandEncoder, context: GPUBuffer, bytes: number): number {
    const start = aligned(this.#used);
    if (bytes > 0) encoder.copyBufferToBuffer(context, 0, this.#buffer as GPUBuffer, start, bytes);
    this.#used = start + bytes;
    return start;
  }

  /** The same in a pass. */
  recordAppend(recorder: Recorder, context: GPUBuffer, bytes: number): number {
    const start = aligned(this.#used);
    if (bytes > 0) {
      const to = { buffer: this.#buffer as GPUBuffer, offset: start, size: bytes };
      recordCopy(recorder, { from: { buffer: context, size: bytes }, to, items: bytes / WORD_BYTES });
    }
    this.#used = start + bytes;
    return start;
  }

  /** Throws if there is no room for so many bytes more. */
  requireRoom(bytes: number | undefined): void {
    if (bytes === undefined || aligned(this.#used) + bytes <= (this.#buffer?.size ?? 0)) return;
    throw new InvalidInputError(
      `the table has no room for ${bytes} more bytes of keys: reserve(keys, bytes) before batches are encoded`,
    );
  }

  /** No key points any more into what was appended since so many bytes were taken. */
  backTo(used: number): void {
    this.#used = used;
  }

  /** Takes other bytes in place of those that there are. */
  replace(buffer: GPUBuffer, used: number): void {
    this.#buffer?.destroy();
    if (this.#isDestroyed) buffer.destroy();
    this.#buffer = buffer;
    this.#used = used;
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#buffer?.destroy();
  }
}
