/** Pictures for tests, and what is expected of them. */
import { randomWords } from '../../src/hashing/index.ts';

/** Words of which about that share is not background. */
export function sparseWords(cells: number, share: number, background: number, seed = 1): Uint32Array<ArrayBuffer> {
  const random = randomWords(seed);
  return Uint32Array.from({ length: cells }, () => (random() / 2 ** 32 < share ? random() : background));
}

export const bytesOf = (words: Uint32Array): Uint8ClampedArray =>
  new Uint8ClampedArray(words.buffer, words.byteOffset, words.byteLength);

export const wordsOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

/** How many are something else than background. */
export const notBackground = (words: Uint32Array, background: number): number =>
  words.filter((word) => word !== background).length;

export const WHITE = 0xffffffff;
export const WHITE_BYTES = [255, 255, 255, 255] as const;
