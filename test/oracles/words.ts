/** Words to build tables from. */

/** 0, 1, 2, …: as values, they tell which item a key leads to. */
export const numbered = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count }, (_, i) => i);

/** So many random words, none of them twice. */
export function distinctWords(random: () => number, count: number): Uint32Array<ArrayBuffer> {
  const words = new Set<number>();
  while (words.size < count) words.add(random());
  return Uint32Array.from(words);
}
