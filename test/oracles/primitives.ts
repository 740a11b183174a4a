/** What the primitives must return, in plain TypeScript. */

/** The sums, modulo 2³², of all words before each word, and of all words. */
export function exclusiveScanOracle(input: Uint32Array): { output: Uint32Array; total: number } {
  const output = new Uint32Array(input.length);
  let total = 0;
  for (const [i, word] of input.entries()) {
    output[i] = total;
    total = (total + word) >>> 0;
  }
  return { output, total };
}

/** The order in which a stable sort by those bits leaves the keys. */
export function sortedOrder(keys: Uint32Array, firstBit = 0, bits = 32 - firstBit): Uint32Array {
  const digits = Array.from(keys, (key) => Math.floor(key / 2 ** firstBit) % 2 ** bits);
  const order = Uint32Array.from(keys.keys());
  return order.sort((a, b) => (digits[a] as number) - (digits[b] as number) || a - b);
}

/** The words at those places. */
export const pick = (words: Uint32Array, places: Uint32Array): Uint32Array =>
  places.map((place) => words[place] as number);

/** The values whose flag is not zero. */
export const compactOracle = (values: Uint32Array, flags: Uint32Array): Uint32Array =>
  values.filter((_, i) => flags[i] !== 0);

/** How often each value below `bins` occurs. */
export function histogramOracle(values: Uint32Array, bins: number): Uint32Array {
  const counts = new Uint32Array(bins);
  for (const value of values) if (value < bins) counts[value] = (counts[value] as number) + 1;
  return counts;
}

/** Rows by number, and zeros for those that there are none of. */
export const gatherRowsOracle = (rows: Uint32Array, rowWords: number, indices: ArrayLike<number>): Uint32Array =>
  Uint32Array.from({ length: indices.length * rowWords }, (_, i) => {
    const row = indices[Math.floor(i / rowWords)] as number;
    return rows[row * rowWords + (i % rowWords)] ?? 0;
  });
