/** What readers and writers of PNG have in common: the file is a signature and chunks, the pixels are filtered rows. */

export const SIGNATURE: readonly number[] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** 16,384²: a gigabyte of pixels. */
export const MOST_PIXELS = 2 ** 28;

/** Why a file cannot be read. */
export class PngError extends Error {}

/** How the bytes of a row were made from the bytes around them. */
export const FILTERS = ['none', 'sub', 'up', 'average', 'paeth'] as const;
export type Filter = (typeof FILTERS)[number];

/** What a filter takes from a byte: something made of the bytes to the left, above, and above to the left of it. */
export const PREDICTIONS: Readonly<Record<Filter, (left: number, above: number, corner: number) => number>> = {
  none: () => 0,
  sub: (left) => left,
  up: (_, above) => above,
  average: (left, above) => (left + above) >> 1,
  paeth: (left, above, corner) => {
    const guess = left + above - corner;
    const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
    if (toLeft <= toAbove && toLeft <= toCorner) return left;
    return toAbove <= toCorner ? above : corner;
  },
};
