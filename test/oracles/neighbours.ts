/** Points to find neighbours among, and a plain loop that finds them. */
import { randomWords } from '../../src/hashing/index.ts';

/** Points of so many coordinates each, and their groups. */
export interface PointSet {
  readonly name: string;
  readonly dimensions: 2 | 3;
  readonly points: Float32Array<ArrayBuffer>;
  readonly radius: number;
  readonly groups?: Uint32Array<ArrayBuffer>;
}

const { fround } = Math;

/**
 * Whether two points are neighbours: differences, squares and sums in 32 bits, compared with the square of the radius. A GPU may
 * round the sum otherwise, so that points whose distance is within rounding of the radius are 'either'.
 */
export function isNear(a: ArrayLike<number>, b: ArrayLike<number>, radius: number): boolean | 'either' {
  const squares = Array.from(a, (x, i) => fround(x - (b[i] as number)) ** 2);
  if (!Array.from(a).concat(Array.from(b)).every(Number.isFinite)) return false;
  const sum = squares.reduce((all, one) => all + one, 0);
  const limit = fround(fround(radius) ** 2);
  const doubt = 2 ** -21 * limit;
  // What is exact in 32 bits is not in doubt.
  const isExact = squares.every((square) => fround(square) === square) && fround(sum) === sum;
  return !isExact && Math.abs(sum - limit) <= doubt ? 'either' : sum <= limit;
}

/** The pairs that there must be, and those that there may be. */
export function pairsOf({ dimensions, points, radius, groups }: PointSet) {
  const count = points.length / dimensions;
  const at = (i: number) => points.subarray(i * dimensions, (i + 1) * dimensions);
  const [must, may] = [new Set<string>(), new Set<string>()];
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      if (groups && groups[i] !== groups[j]) continue;
      const near = isNear(at(i), at(j), radius);
      if (near === true) must.add(`${i},${j}`);
      if (near === 'either') may.add(`${i},${j}`);
    }
  }
  return { must, may };
}

const random = randomWords(5);
const unit = () => random() / 2 ** 32;
const numbers = (count: number, make: (i: number) => number) => Float32Array.from({ length: count }, (_, i) => make(i));
const spread = (count: number, dimensions: 2 | 3, side: number, middle = 0) =>
  numbers(count * dimensions, () => middle + (unit() - 0.5) * side);

/** The sets that every face is tried with, in both dimensions. */
export const pointSets = ([2, 3] as const).flatMap((dimensions): PointSet[] => {
  const set = (name: string, points: Float32Array<ArrayBuffer>, radius: number, groups?: Uint32Array<ArrayBuffer>) => ({
    name: `${dimensions}D ${name}`,
    dimensions,
    points,
    radius,
    ...(groups && { groups }),
  });
  const few = (count: number) => set(`${count} points`, spread(count, dimensions, 3), 1);
  const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0, 1e38, -3.4e38, 0.5, 1e-42];
  const axis = (along: number) =>
    numbers(300 * dimensions, (i) => (i % dimensions === along ? (Math.floor(i / dimensions) - 150) * 0.3 : 0));
  return [
    ...[0, 1, 2, 3, 63, 64, 65, 255, 257].map(few),
    set('around zero', spread(700, dimensions, 8), 0.5),
    set('all in one cell', spread(300, dimensions, 0.4, 7.5), 0.5),
    set(
      'all at one place',
      numbers(200 * dimensions, () => -3.25),
      0.5,
    ),
    set(
      'on a lattice of the radius',
      numbers(600 * dimensions, () => (random() % 9) - 4),
      1,
    ),
    set(
      'on a lattice, 3-4-5',
      numbers(600 * dimensions, () => (random() % 25) - 12),
      5,
    ),
    set(
      'on a fine lattice',
      numbers(600 * dimensions, () => ((random() % 41) - 20) / 4),
      0.75,
    ),
    set('far from zero', spread(500, dimensions, 8, 30_000), 0.5),
    set('at the ends of the cells', spread(500, dimensions, 8, -(2 ** 21)), 1),
    set('beyond all cells', spread(400, dimensions, 400, 2 ** 24), 1),
    set(
      'where floats are further apart than cells',
      numbers(60 * dimensions, () => 2 ** 24 + 2 * (random() % 6)),
      1,
    ),
    set(
      'where a search reaches by rounding',
      numbers(60 * dimensions, () => 2 ** 23 + 40 + (random() % 6)),
      0.9,
    ),
    set('very far away', spread(300, dimensions, 1e13, 1e20), 1),
    set(
      'everywhere',
      numbers(300 * dimensions, () => (unit() - 0.5) * 10 ** (random() % 38)),
      1000,
    ),
    set(
      'not finite, among others',
      numbers(400 * dimensions, () => special[random() % special.length] as number),
      1,
    ),
    set('a tiny radius', spread(400, dimensions, 8 * 2 ** -50), 2 ** -50),
    set('a huge radius', spread(400, dimensions, 8 * 2 ** 50), 2 ** 50),
    set('a radius that is no float', spread(400, dimensions, 2), 0.1),
    set('a line along x', axis(0), 1),
    set('a line along the last axis', axis(dimensions - 1), 1),
    set(
      'in five groups',
      spread(600, dimensions, 4),
      0.6,
      Uint32Array.from({ length: 600 }, () => [0, 1, 2, 7, 0xffff_ffff][random() % 5] as number),
    ),
    set(
      'a group for each',
      spread(200, dimensions, 1),
      2,
      Uint32Array.from({ length: 200 }, (_, i) => i),
    ),
    set('in one group', spread(200, dimensions, 2), 0.6, new Uint32Array(200).fill(9)),
  ];
});
