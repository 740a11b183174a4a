import type { Gpu } from '../gpu/index.ts';
import type { EncodedKeys, KeyType } from '../keys/index.ts';
import { contextBytes, requireContextFits, uploadContext } from './context.ts';
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
  constructor(
    readonly key: KeyType,
    readonly encoded: EncodedKeys,
    readonly context: GPUBuffer | undefined,
  ) {}

  get count(): number {
    return this.encoded.count;
  }

  slice(first: number, end: number): NeedlePart {
    const { words } = this.key;
    const part = this.encoded.words.subarray(first * words, end * words);
    return { first, count: end - first, words: part, context: this.context };
  }

  /** All of them, at most so many at once. */
  *parts(atOnce: number): Generator<NeedlePart> {
    for (let first = 0; first < this.count; first += atOnce) {
      yield this.slice(first, Math.min(this.count, first + atOnce));
    }
  }
}

/** Searches for keys; their context is uploaded once, and freed when the search has ended. */
export async function withNeedles<T>(
  gpu: Gpu,
  key: KeyType,
  keys: unknown,
  search: (needles: Needles) => Promise<T>,
): Promise<T> {
  const encoded = encodeKeys(key, keys);
  const { context: pieces } = encoded;
  if (pieces) requireContextFits(gpu, contextBytes(pieces));
  const context = pieces && (await gpu.checked(() => uploadContext(gpu, 'search/context', pieces)));
  try {
    return await search(new Needles(key, encoded, context));
  } finally {
    context?.destroy();
  }
}
