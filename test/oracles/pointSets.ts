/** Sets of grid points, regular and random, in two and three dimensions. */
import { randomWords } from '../../src/hashing/index.ts';

/** Distinct points, one behind the other. */
export interface PointSet {
  readonly name: string;
  readonly dimensions: 2 | 3;
  readonly points: Int32Array<ArrayBuffer>;
}

const pointSet = (name: string, points: readonly (readonly number[])[]): PointSet => ({
  name: `${points.length} points: ${name}`,
  dimensions: (points[0] as readonly number[]).length as 2 | 3,
  points: Int32Array.from(points.flat()),
});

/** The points of a box, with so many along each axis, the first of them at `from`. */
const box = (sides: readonly number[], from: readonly number[], step = 1): number[][] =>
  sides.reduce<number[][]>(
    (points, side, axis) =>
      points.flatMap((point) => Array.from({ length: side }, (_, i) => [...point, (from[axis] as number) + i * step])),
    [[]],
  );

/** Distinct points with random coordinates from `-range / 2` on. */
export function randomPoints(count: number, dimensions: 2 | 3, range = 2 ** 32, seed = 2006): Int32Array<ArrayBuffer> {
  const random = randomWords(seed);
  const points = new Map<string, number[]>();
  while (points.size < count) {
    const point = Array.from({ length: dimensions }, () => (random() % range) - range / 2);
    points.set(point.join(), point);
  }
  return Int32Array.from([...points.values()].flat());
}

/** The points within half a unit of a sphere around the origin. */
const sphere = (radius: number): number[][] =>
  box([2 * radius + 1, 2 * radius + 1, 2 * radius + 1], [-radius, -radius, -radius]).filter(
    (point) => Math.abs(Math.hypot(...point) - radius) < 0.5,
  );

const LEAST = -(2 ** 31);
const GREATEST = 2 ** 31 - 1;

/** One of every kind that is hard in its own way. */
export const pointSets: readonly PointSet[] = [
  pointSet('a block that fills all slots', box([12, 12, 12], [-5, 3, 100])),
  pointSet('a block with gaps', box([10, 10, 10], [0, 0, 0], 8)),
  pointSet('a block of multiples of 2^20', box([9, 9, 9], [LEAST, LEAST, LEAST], 2 ** 20)),
  pointSet('a square that fills all slots', box([40, 40], [-20, -20])),
  pointSet('a plane in space', box([50, 50, 1], [-25, 0, 7])),
  pointSet('a line in space', box([1, 1500, 1], [3, -700, 3])),
  pointSet('a line in the plane', box([1, 1500], [-1, 0])),
  pointSet(
    'a diagonal',
    Array.from({ length: 1500 }, (_, i) => [i, i, -i]),
  ),
  pointSet('a sphere', sphere(18)),
  pointSet('all corners of space', box([2, 2, 2], [LEAST, LEAST, LEAST], GREATEST - LEAST)),
  pointSet('all corners of the plane', box([2, 2], [LEAST, LEAST], GREATEST - LEAST)),
  { name: 'random points of space', dimensions: 3, points: randomPoints(2000, 3) },
  { name: 'random points of a cube', dimensions: 3, points: randomPoints(2000, 3, 64) },
  { name: 'random points of the plane', dimensions: 2, points: randomPoints(2000, 2) },
  { name: 'random points of a square', dimensions: 2, points: randomPoints(2000, 2, 128) },
];
