import { randomWords } from '../../src/hashing/index.ts';

/** Random words, the same every time, each below the limit. */
export function wordsBelow(length: number, limit = 2 ** 32, seed = length + 1): Uint32Array {
  const next = randomWords(seed);
  return Uint32Array.from({ length }, () => next() % limit);
}

/** The numbers from 0 on. */
export const indices = (length: number): Uint32Array => Uint32Array.from({ length }, (_, i) => i);

/** Arrays that have been trouble for somebody, by name. */
export function awkwardWords(length: number): Readonly<Record<string, Uint32Array>> {
  const sorted = indices(length).map((i) => i * 977);
  return {
    random: wordsBelow(length),
    'few different': wordsBelow(length, 3),
    'all equal': new Uint32Array(length).fill(0x01020304),
    'all 0': new Uint32Array(length),
    'all 0xffffffff': new Uint32Array(length).fill(0xffffffff),
    'both ends': indices(length).map((i) => (i % 2 === 0 ? 0xffffffff : 0)),
    sorted,
    reversed: sorted.slice().reverse(),
  };
}

/** None, the fewest, and as many as fill a workgroup or a tile of one, give or take one. */
export const PRIMITIVE_SIZES = [0, 1, 2, 3, 127, 255, 256, 257, 1919, 1920, 1921, 3839, 3840, 3841, 7681];
