/** Particles in a box, about thirty within the radius of each. */
import { scrambleTwin } from '../../scramble.ts';

/**
 * Coordinates are whole numbers of this, a power of two: squares of distances up to the radius are then exact, and all who compare them with
 * that of the radius agree.
 */
const UNIT = 2 ** -10;
const RADIUS_UNITS = 1000;
const NEIGHBOURS = 30;
const SEED = [0x2545_f491, 0x4f6c_dd1d] as const;

export interface Particles {
  readonly count: number;
  /** x, y and z of each, from 0 to `side`. */
  readonly points: Float32Array<ArrayBuffer>;
  readonly radius: number;
  readonly side: number;
  /** What every particle has: how many others, and itself, are within the radius, and the sum of their numbers, modulo 2³². */
  readonly expected: Uint32Array;
}

export function makeParticles(count: number): Particles {
  const sideUnits = Math.ceil(RADIUS_UNITS * Math.cbrt((count * 4 * Math.PI) / 3 / NEIGHBOURS));
  const points = Float32Array.from(
    { length: 3 * count },
    (_, i) => Math.floor((scrambleTwin(i, SEED) / 2 ** 32) * sideUnits) * UNIT,
  );
  const shape = { count, points, radius: RADIUS_UNITS * UNIT, side: sideUnits * UNIT };
  return { ...shape, expected: sumsOf(shape) };
}

/** The sums of neighbours, by cells on the host. */
export function sumsOf({ count, points, radius, side }: Omit<Particles, 'expected'>): Uint32Array {
  const cells = Math.max(1, Math.floor(side / radius));
  const cellOf = (coordinate: number) => Math.min(cells - 1, Math.floor((coordinate / side) * cells));
  const at = (i: number, axis: number) => points[3 * i + axis] as number;
  const numberOf = (x: number, y: number, z: number) => (z * cells + y) * cells + x;
  // Lists: the first particle of every cell, and the next of every particle.
  const first = new Int32Array(cells ** 3).fill(-1);
  const next = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const cell = numberOf(cellOf(at(i, 0)), cellOf(at(i, 1)), cellOf(at(i, 2)));
    next[i] = first[cell] as number;
    first[cell] = i;
  }
  const sums = new Uint32Array(2 * count);
  const reach = (coordinate: number) => {
    const cell = cellOf(coordinate);
    return [Math.max(0, cell - 1), Math.min(cells - 1, cell + 1)] as const;
  };
  for (let i = 0; i < count; i++) {
    const [px, py, pz] = [at(i, 0), at(i, 1), at(i, 2)];
    const [[lowX, highX], [lowY, highY], [lowZ, highZ]] = [reach(px), reach(py), reach(pz)];
    for (let z = lowZ; z <= highZ; z++) {
      for (let y = lowY; y <= highY; y++) {
        for (let x = lowX; x <= highX; x++) {
          for (let j = first[numberOf(x, y, z)] as number; j >= 0; j = next[j] as number) {
            if ((at(j, 0) - px) ** 2 + (at(j, 1) - py) ** 2 + (at(j, 2) - pz) ** 2 > radius ** 2) continue;
            sums[2 * i] = (sums[2 * i] as number) + 1;
            sums[2 * i + 1] = (sums[2 * i + 1] as number) + j;
          }
        }
      }
    }
  }
  return sums;
}

/** How many numbers are not what they should be. */
export const wrongSums = ({ expected }: Particles, sums: Uint32Array): number =>
  expected.reduce((wrong, sum, i) => wrong + (sums[i] === sum ? 0 : 1), 0);
