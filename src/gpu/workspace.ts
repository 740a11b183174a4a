import { requireGpu } from './arguments.ts';
import { ELEMENT_BYTES } from './bindingBytes.ts';
import { DestroyedError } from './errors.ts';
import type { Gate } from './gate.wgsl.ts';
import { Gates } from './gates.ts';
import type { Gpu } from './gpu.ts';

/**
 * Scratch memory that is kept from one call to the next. Calls that share a workspace may be encoded together: they run
 * one after the other.
 * @example
 * const workspace = new Workspace(gpu);
 * encodeExclusiveScan(gpu, encoder, { input, output, count, workspace });
 */
export class Workspace {
  readonly #buffers = new Map<string, GPUBuffer>();
  // Outgrown buffers may still be used by commands that are encoded but not submitted.
  readonly #outgrown: GPUBuffer[] = [];
  readonly #gates: Gates;
  #destroyed = false;

  constructor(readonly gpu: Gpu) {
    requireGpu(gpu);
    this.#gates = new Gates(gpu);
  }

  /** A scratch buffer of at least that many bytes; what it holds is not defined. */
  scratch(name: string, bytes: number): GPUBuffer {
    if (this.#destroyed) throw new DestroyedError('this workspace was destroyed');
    const known = this.#buffers.get(name);
    if (known && known.size >= bytes) return known;
    if (known) this.#outgrown.push(known);
    const buffer = this.make(name, Math.max(ELEMENT_BYTES, bytes));
    this.#buffers.set(name, buffer);
    return buffer;
  }

  /** A gate that is kept; all numbers that its grids depend on are part of its name. @internal */
  gate(...name: readonly (string | number)[]): Gate {
    if (this.#destroyed) throw new DestroyedError('this workspace was destroyed');
    return this.#gates.get(name.join('/'));
  }

  /** @internal */
  protected make(name: string, bytes: number): GPUBuffer {
    return this.gpu.createBuffer(`scratch/${name}`, bytes);
  }

  /** @internal */
  protected free(buffer: GPUBuffer): void {
    buffer.destroy();
  }

  /** Bytes held, outgrown buffers included. */
  get bytes(): number {
    return [...this.#buffers.values(), ...this.#outgrown].reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** Frees outgrown buffers. Commands that use them must have been submitted. */
  trim(): void {
    for (const buffer of this.#outgrown) this.free(buffer);
    this.#outgrown.length = 0;
  }

  /** Frees the memory now; the next call takes new. Commands that use it must have been submitted. */
  release(): void {
    for (const buffer of [...this.#buffers.values()].reverse()) this.free(buffer);
    this.#buffers.clear();
    this.#gates.destroy();
    this.trim();
  }

  destroy(): void {
    this.#destroyed = true;
    this.release();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
