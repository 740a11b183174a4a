import type { Followed, Gpu } from '../gpu/index.ts';
import type { EncodedKeys, KeyType } from '../keys/index.ts';
import { contextBytes, requireContextFits, uploadPieces } from './context.ts';
import type { Searchable } from './searchable.ts';
import { encodeKeys } from './source.ts';

/** Some of the keys of a search. */
export interface NeedlePart {
  /** The number of the first. */
  readonly first: number;
  readonly count: number;
  readonly words: Uint32Array;
  /** The bytes that the words point into, for keys that have a context. */
  readonly context: GPUBuffer | undefined;
}

/** The keys of a search on the host face. They are sent in parts, so that a batch may exceed a binding. */
export class Needles {
  #context: GPUBuffer | undefined;

  private constructor(
    readonly gpu: Gpu,
    readonly key: KeyType,
    readonly encoded: EncodedKeys,
    readonly followed: Followed,
  ) {}

  /** The caller's keys, after they have been checked. */
  static of(gpu: Gpu, key: KeyType, keys: unknown, name = 'keys', followed: Followed = {}): Needles {
    const encoded = encodeKeys(key, keys, name);
    if (encoded.context) requireContextFits(gpu, contextBytes(encoded.context));
    return new Needles(gpu, key, encoded, followed);
  }

  /** The same keys in arrays that nobody else has: a caller may change the ones that were given once the call returns. */
  copied(): Needles {
    const { count, words, context } = this.encoded;
    const own = { count, words: words.slice(), ...(context && { context: context.map((piece) => piece.slice()) }) };
    return new Needles(this.gpu, this.key, own, this.followed);
  }

  get count(): number {
    return this.encoded.count;
  }

  slice(first: number, end: number): NeedlePart {
    const { words } = this.key;
    const part = this.encoded.words.subarray(first * words, end * words);
    return { first, count: end - first, words: part, context: this.#context };
  }

  /**
   * All of them, at most so many at once; whoever asks for the next part has the answers of the one before. Throws if the table is
   * rebuilt before the last of them is sent.
   * @param goesOn told when so many are answered, says whether anybody wants the rest
   */
  *parts(atOnce: number, table: Searchable, goesOn = (end: number) => this.answered(end)): Generator<NeedlePart> {
    const assertUnchanged = table.unchanged();
    for (let first = 0; first < this.count; first += atOnce) {
      if (first > 0) assertUnchanged();
      const end = Math.min(this.count, first + atOnce);
      yield this.slice(first, end);
      if (!goesOn(end)) return;
    }
  }

  /** Whether anybody wants to have answers still. */
  get isWanted(): boolean {
    return !this.followed.signal?.aborted;
  }

  /** Tells the caller that the first so many have answers, and whether anybody wants the rest. */
  answered(end: number): boolean {
    if (this.isWanted) this.followed.onProgress?.(end, this.count);
    return this.isWanted;
  }

  /** Searches for them. Their context is uploaded before this returns, and freed when the search has ended. */
  async search<T>(search: (needles: this) => Promise<T>): Promise<T> {
    const { gpu } = this;
    const { context: pieces } = this.encoded;
    if (!pieces) return search(this);
    const keep = (buffer: GPUBuffer): GPUBuffer => {
      this.#context = buffer;
      return buffer;
    };
    try {
      const { failure } = gpu.watched(() => uploadPieces(gpu, 'search/context', pieces, keep));
      const answers = search(this);
      // If there was no memory for the context, that is what went wrong; but the search has to end first, and free what it has.
      await answers.catch(() => {});
      const error = await gpu.guard(failure);
      if (error) throw error;
      return await answers;
    } finally {
      this.#context?.destroy();
    }
  }
}
