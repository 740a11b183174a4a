/** The list of free slots that `perfectSpatial` is built by, one group of points after the other. */
import { describe, expect, it } from 'vitest';
import { FreeSlots, NO_OFFSET } from '../../src/schemes/perfectSpatial/freeSlots.ts';
import type { Dimensions } from '../../src/schemes/perfectSpatial/geometry.ts';
import type { PointGroups } from '../../src/schemes/perfectSpatial/offsetCells.ts';

type Point = readonly [x: number, y: number, z: number];

function freeSlots(dimensions: Dimensions, slotSide: number, points: readonly Point[]): FreeSlots {
  const axis = (k: 0 | 1 | 2) => Uint16Array.from(points, (point) => point[k]);
  const groups = { x: axis(0), y: axis(1), z: axis(2) } as PointGroups;
  return new FreeSlots({ dimensions, slotSide, offsetSide: 1 }, groups);
}

describe.each([
  [2, 1],
  [2, 3],
  [2, 8],
  [3, 2],
  [3, 4],
] as const)('free slots in %i dimensions, %i a side', (dimensions, side) => {
  const slots = side ** dimensions;

  it('are found one after the other until none is left, wherever the search begins', () => {
    for (const random of [0, 1, slots - 1, 12_345]) {
      const free = freeSlots(dimensions, side, [[side - 1, 0, 0]]);
      const taken = new Set<number>();
      for (let left = slots; left > 0; left--) {
        const { offset, tries } = free.search(0, 1, random, slots);
        expect(tries).toBe(1);
        expect(free.fits(0, 1, offset)).toBe(true);
        free.take(0, 1, offset, (_, slot) => taken.add(slot));
        expect(free.fits(0, 1, offset)).toBe(false);
      }
      expect([...taken].sort((a, b) => a - b)).toEqual(Array.from({ length: slots }, (_, i) => i));
      expect(free.search(0, 1, random, slots)).toEqual({ offset: NO_OFFSET, tries: 0 });
    }
  });
});

it('are all tried for a group, round and round, and not more often than is allowed', () => {
  const side = 4;
  const free = freeSlots(2, side, [
    [0, 0, 0],
    [1, 0, 0],
  ]);
  const offsetTo = (x: number, y: number): number => x | (y << 16);
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++) {
      if (y !== 2 || (x !== 1 && x !== 2)) free.take(0, 1, offsetTo(x, y), () => {});
    }
  }
  // Two slots are left, side by side: the pair fits if the first point goes to the first of them.
  const found = [0, 1, 2, 3].map((random) => free.search(0, 2, random, 16));
  expect(found.map(({ offset }) => offset)).toEqual(Array(4).fill(offsetTo(1, 2)));
  expect(found.map(({ tries }) => tries).sort()).toEqual([1, 1, 2, 2]);
  const once = [0, 1].map((random) => free.search(0, 2, random, 1));
  expect(once.filter(({ offset }) => offset === NO_OFFSET)).toEqual([{ offset: NO_OFFSET, tries: 1 }]);
  free.take(0, 2, offsetTo(1, 2), () => {});
  expect(free.search(0, 1, 0, 16)).toEqual({ offset: NO_OFFSET, tries: 0 });
});
