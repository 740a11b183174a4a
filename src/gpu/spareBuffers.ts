import type { Gpu } from './gpu.ts';
import { USAGE } from './usage.ts';

/** What a spare buffer is for: kernels, or the way back to the host. */
export type SpareKind = 'kernel' | 'readback';

const USAGES: Readonly<Record<SpareKind, GPUBufferUsageFlags>> = {
  kernel: USAGE.STORAGE | USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST,
  readback: USAGE.MAP_READ | USAGE.COPY_DST,
};

/** Bytes of all buffers that wait for their next use. */
const MOST_KEPT = 512 * 2 ** 20;
const LEAST_BYTES = 4096;
const STEP_BYTES = 2 ** 16;

/**
 * Buffers of calls on the host face, kept from one call to the next: making them takes longer than a search for a thousand
 * keys. All calls submit to one queue, so a buffer may be given back as soon as the commands that use it are submitted.
 */
export class SpareBuffers {
  readonly #free: { readonly kind: SpareKind; readonly buffer: GPUBuffer }[] = [];
  /** Those that were used without anything going wrong: there is memory behind them. */
  readonly #proven = new WeakSet<GPUBuffer>();
  #freeBytes = 0;

  constructor(readonly gpu: Gpu) {}

  /** A buffer of at least that many bytes, and at most twice as many; what it holds is not defined. */
  take(kind: SpareKind, bytes: number): GPUBuffer {
    const wanted = roundedUp(bytes, this.gpu.limits.maxBufferSize);
    let best = -1;
    for (const [i, { kind: of, buffer }] of this.#free.entries()) {
      // Among equal ones the last that was given back: a call that is repeated gets the same for the same purpose.
      const isBetter = best < 0 || buffer.size <= (this.#free[best]?.buffer.size ?? 0);
      if (of === kind && buffer.size >= bytes && buffer.size <= 2 * wanted && isBetter) best = i;
    }
    const [known] = best < 0 ? [] : this.#free.splice(best, 1);
    if (!known) return this.gpu.createBuffer(`spare/${kind}`, wanted, USAGES[kind]);
    this.#freeBytes -= known.buffer.size;
    return known.buffer;
  }

  /** Takes a buffer back. One that was never used successfully may have no memory behind it. */
  giveBack(kind: SpareKind, buffer: GPUBuffer, isGood: boolean): void {
    if (isGood) this.#proven.add(buffer);
    const isUsable = this.#proven.has(buffer) && buffer.mapState === 'unmapped' && this.gpu.isAlive;
    if (!isUsable || buffer.size > MOST_KEPT) {
      buffer.destroy();
      return;
    }
    this.#free.push({ kind, buffer });
    this.#freeBytes += buffer.size;
    this.#shrink(MOST_KEPT);
  }

  /** Frees those that wait for their next use. */
  release(): void {
    this.#shrink(0);
  }

  /** Frees the ones that have waited longest. */
  #shrink(most: number): void {
    while (this.#freeBytes > most) {
      const { buffer } = this.#free.shift() as { readonly buffer: GPUBuffer };
      this.#freeBytes -= buffer.size;
      buffer.destroy();
    }
  }
}

/** Few different sizes, so that a buffer suits the next call too. */
function roundedUp(bytes: number, most: number): number {
  const wanted =
    bytes <= STEP_BYTES
      ? Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(Math.max(1, bytes))))
      : Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
  return Math.max(bytes, Math.min(wanted, most));
}
