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
  /** Room that is kept, whether anything takes it or not. */
  #reserved = 0;
  /** What a batch began with and may have to come back to. */
  #held: { readonly buffer: GPUBuffer | undefined; readonly used: number } | undefined;
  #isDestroyed = false;

  constructor(readonly gpu: Gpu) {}

  get buffer(): GPUBuffer | undefined {
    return this.#buffer;
  }

  /** Bytes that are taken, those of deleted keys included. */
  get used(): number {
    return this.#used;
  }

  /** Bytes that it does not get smaller than. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Makes room for so many bytes more; nothing that is there changes. */
  async reserve(bytes: number | undefined): Promise<void> {
    if (bytes === undefined) return;
    const needed = aligned(this.#used) + bytes;
    if (this.#buffer && needed <= this.#buffer.size) return;
    requireContextFits(this.gpu, needed);
    await this.#moveTo(this.#roomFor(needed));
  }

  /** Keeps room for so many bytes more than there are now. */
  keepRoom(bytes = 0): void {
    if (bytes > 0) this.#reserved = Math.max(this.#reserved, aligned(this.#used) + bytes);
  }

  /** Keeps no room any more for bytes that are not there. */
  keepNoRoom(): void {
    this.#reserved = 0;
  }

  /** Gives up room that is neither taken nor reserved. */
  async fit(): Promise<void> {
    const needed = aligned(Math.max(this.#used, this.#reserved));
    if (this.#buffer && needed < this.#buffer.size) await this.#moveTo(needed);
  }

  /** Takes another buffer, with all bytes that are taken. */
  async #moveTo(bytes: number): Promise<void> {
    const [other] = (await this.gpu.allocate([{ label: 'context', bytes }])) as [GPUBuffer];
    const old = this.#buffer;
    try {
      if (!this.#isDestroyed) this.#copyTo(other);
    } catch (error) {
      other.destroy();
      throw error;
    }
    if (this.#isDestroyed) other.destroy();
    if (old !== this.#held?.buffer) old?.destroy();
    this.#buffer = other;
  }

  #copyTo(other: GPUBuffer): void {
    if (!this.#buffer || this.#used === 0) return;
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'hashnest/context' });
    encoder.copyBufferToBuffer(this.#buffer, 0, other, 0, this.#used);
    device.queue.submit([encoder.finish()]);
  }

  /** Keeps the buffer that there is, to come back to it, until it is let go. */
  hold(): void {
    this.#held = { buffer: this.#buffer, used: this.#used };
  }

  /** Takes the buffer that is held. No key points into what was appended since. */
  comeBack(): void {
    const held = this.#held;
    if (!held) return;
    if (held.buffer !== this.#buffer) this.#buffer?.destroy();
    this.#buffer = held.buffer;
    this.#used = held.used;
    if (this.#isDestroyed) this.#buffer?.destroy();
  }

  letGo(): void {
    if (this.#held?.buffer !== this.#buffer) this.#held?.buffer?.destroy();
    this.#held = undefined;
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
