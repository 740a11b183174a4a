/** The two grids of a perfect spatial hash table: slots, and the offsets that lead to them. */

/** Coordinates of a key. */
export type Dimensions = 2 | 3;

/** A table's grids; both are squares or cubes. */
export interface Geometry {
  readonly dimensions: Dimensions;
  /** Slots along a side of the hash table: m in the paper. */
  readonly slotSide: number;
  /** Entries along a side of the offset table: r in the paper. */
  readonly offsetSide: number;
}

/** How the components of an offset, or the coordinates of a slot, lie in one word: the first in the lowest bits. */
export interface Packing {
  readonly bits: number;
  readonly mask: number;
  /** Of the third component; 0 where there is none. */
  readonly maskZ: number;
}

const PACKINGS: Readonly<Record<Dimensions, Packing>> = {
  2: { bits: 16, mask: 0xffff, maskZ: 0 },
  3: { bits: 10, mask: 0x3ff, maskZ: 0x3ff },
};

export const packing = (dimensions: Dimensions): Packing => PACKINGS[dimensions];

/** The longest side whose coordinates can be packed. */
export const longestSide = (dimensions: Dimensions): number => packing(dimensions).mask;

/** Cells of a grid of that side. */
export const cells = (side: number, dimensions: Dimensions): number => side ** dimensions;

/** The shortest side of a grid with at least so many cells. */
export function sideFor(count: number, dimensions: Dimensions): number {
  let side = Math.max(1, Math.floor(count ** (1 / dimensions)));
  while (cells(side, dimensions) < count) side++;
  return side;
}

/** Below this the second rule leaves too few sides to choose from, and tables are too small for it to matter. */
const LEAST_RULED_SIDE = 16;

/**
 * Whether an offset table of that side goes with a hash table of this one. Without a common divisor, the two
 * remainders tell apart coordinates over slotSide × offsetSide. And points that share a slot by the offset 0 should not lie
 * in neighbouring cells of the offset table, which like to have the same offset.
 */
export function isLegalOffsetSide(offsetSide: number, slotSide: number): boolean {
  if (greatestCommonDivisor(slotSide, offsetSide) !== 1) return false;
  const shift = slotSide % offsetSide;
  return offsetSide < LEAST_RULED_SIDE || (shift !== 1 && shift !== offsetSide - 1);
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
