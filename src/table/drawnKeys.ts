import { drawSeed, randomWords } from '../hashing/index.ts';
import type { EncodedKeys, KeyType } from '../keys/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** Bytes of a drawn string. */
const DRAWN_BYTES = 16;

/** Random keys. */
export function drawKeys(key: KeyType, count: number, seed = drawSeed()): EncodedKeys {
  const random = randomWords(seed);
  if (!key.hasContext) return { count, words: Uint32Array.from({ length: count * key.words }, random) };
  const context = Uint32Array.from({ length: (count * DRAWN_BYTES) / WORD_BYTES }, random);
  const words = Uint32Array.from({ length: 2 * count }, (_, i) => (i % 2 === 0 ? (i / 2) * DRAWN_BYTES : DRAWN_BYTES));
  return { count, words, context: [new Uint8Array(context.buffer)] };
}
