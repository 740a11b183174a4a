/** Buffers of a test's own, as a caller of the encoder face would have them. */
import type { Gpu } from '../../src/gpu/index.ts';
import type { KeyKind, Keys } from './keyKinds.ts';
import type { Items } from './tables.ts';

/** Keys in buffers: their words, and the bytes that they point into where they do. */
export interface KeyBuffers {
  readonly keys: GPUBuffer;
  readonly context?: GPUBuffer;
}

/** Contexts are multiples of this, because a rebuild on the encoder face needs no more bytes than the build had. */
const CONTEXT_BYTES = 1 << 17;

/** Buffers that live as long as one test. */
export class TestBuffers {
  readonly #made: GPUBuffer[] = [];

  constructor(readonly gpu: Gpu) {}

  upload(data: Uint32Array | Float32Array | Int32Array): GPUBuffer {
    return this.#keep(this.gpu.upload('test', data));
  }

  /** A buffer of that many words. */
  words(count: number): GPUBuffer {
    return this.#keep(this.gpu.createBuffer('test', 4 * count));
  }

  keys({ type, host }: KeyKind, keys: Keys): KeyBuffers {
    const { words, context } = type.encode(host(keys));
    if (!context) return { keys: this.upload(words) };
    const [bytes = new Uint8Array()] = context;
    const buffer = this.words((CONTEXT_BYTES / 4) * Math.ceil((bytes.length + 1) / CONTEXT_BYTES));
    this.gpu.write(buffer, bytes);
    return { keys: this.upload(words), context: buffer };
  }

  items(kind: KeyKind, { keys, values }: Items): KeyBuffers & { readonly values: GPUBuffer } {
    return { ...this.keys(kind, keys), values: this.upload(values) };
  }

  /** What to search for. */
  queries(kind: KeyKind, keys: Keys): { readonly queries: GPUBuffer; readonly context?: GPUBuffer } {
    const { keys: queries, ...context } = this.keys(kind, keys);
    return { queries, ...context };
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
