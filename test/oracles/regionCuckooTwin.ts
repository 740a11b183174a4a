/** Where a key belongs in a table of regionCuckoo, and what has to be in its buckets, on the host: BigInt arithmetic. */
import { expect } from 'vitest';

/** The fields of its header. */
export interface Grid {
  readonly regions: number;
  readonly bucketBits: number;
  /** How many remainders there are. */
  readonly remainders: number;
}

const FORMATS: Readonly<Record<string, { slots: number; tagBits: number; metaWords: number; tagsPerWord: number }>> = {
  'regionCuckoo/1/6x9': { slots: 6, tagBits: 9, metaWords: 2, tagsPerWord: 3 },
  'regionCuckoo/1/5x14': { slots: 5, tagBits: 14, metaWords: 3, tagsPerWord: 2 },
  'regionCuckoo/1/4x27': { slots: 4, tagBits: 27, metaWords: 4, tagsPerWord: 1 },
  'regionCuckoo/1/8x27': { slots: 8, tagBits: 27, metaWords: 8, tagsPerWord: 1 },
};

/** The home of a hash in the whole table, and its remainder. */
export function placeTwin(hash: readonly [number, number], isExact: boolean, grid: Grid) {
  const product = BigInt(hash[0]) * BigInt(grid.regions * 2 ** grid.bucketBits);
  const rest = isExact ? product & 0xffff_ffffn : BigInt(hash[1]);
  return { home: Number(product >> 32n), remainder: Number((rest * BigInt(grid.remainders)) >> 32n) };
}

/** The first hash of a part, where hashes are shared out in order. */
export const firstHashTwin = (part: number, parts: number): number =>
  Number(((BigInt(part) << 32n) + BigInt(parts) - 1n) / BigInt(parts));

/** Expects that keys with these hashes are in the first `buckets` and no others, and that class bits are set where they have to be. */
export function expectSound(
  words: Uint32Array,
  format: string,
  grid: Grid,
  hashes: readonly (readonly [number, number])[],
  isExact: boolean,
  buckets = grid.regions * 2 ** grid.bucketBits,
): void {
  const layout = FORMATS[format];
  if (!layout) throw new Error(`no format ${format}`);
  const { slots, tagBits, metaWords, tagsPerWord } = layout;
  const classBits = 32 - tagBits * tagsPerWord;
  const classes = classBits * metaWords;
  const empty = 2 ** tagBits - 1;
  const mask = 2 ** grid.bucketBits - 1;
  const stored: string[] = [];
  let oddTags = 0;
  const [wanted, set] = [new Set<string>(), new Set<string>()];
  for (let bucket = 0; bucket < buckets; bucket++) {
    for (let w = 0; w < metaWords; w++) {
      const word = words[bucket * 8 + 8 - metaWords + w] as number;
      for (let t = 0; t < tagsPerWord; t++) {
        const tag = (word >>> (t * tagBits)) & empty;
        if (w * tagsPerWord + t >= slots) oddTags += Number(tag !== empty - 1);
        else if (tag !== empty) {
          const remainder = tag >>> 1;
          const kind = remainder % classes;
          const isAway = (tag & 1) === 1;
          const home = isAway ? bucket - (bucket & mask) + ((bucket - (2 * kind + 1) * 29) & mask) : bucket;
          if (isAway) wanted.add(`${home}/${kind}`);
          stored.push(`${home}/${remainder}`);
        }
      }
      const classWord = word >>> (32 - classBits);
      for (let c = 0; c < classBits; c++) if (((classWord >>> c) & 1) === 1) set.add(`${bucket}/${w * classBits + c}`);
    }
  }
  expect(oddTags).toBe(0);
  expect(set).toEqual(wanted);
  const expected = hashes.map((hash) => {
    const { home, remainder } = placeTwin(hash, isExact, grid);
    return `${home}/${remainder}`;
  });
  expect(stored.sort()).toEqual(expected.sort());
}
