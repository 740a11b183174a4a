/** Points in space: neighbours beside a loop over all pairs, and welding beside a `Map`. */
import type { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { type Attribute, SpatialGrid, weld } from '../../src/spatial.ts';
import { isNear, type PointSet, pairsOf, pointSets } from '../oracles/neighbours.ts';
import { welded } from '../oracles/weld.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue } from './expect.ts';

/** The pairs of a grid are those of a loop over all pairs, each once and in order. */
export async function checkPairs(set: PointSet, grid: SpatialGrid): Promise<void> {
  const { must, may } = pairsOf(set);
  const pairs = await grid.pairs();
  let [lastA, lastB] = [-1, -1];
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [pairs[i] as number, pairs[i + 1] as number];
    isTrue(a < b && (a > lastA || (a === lastA && b > lastB)), `the pair ${a}, ${b} is there once, in order`);
    [lastA, lastB] = [a, b];
    const pair = `${a},${b}`;
    isTrue(must.delete(pair) || may.has(pair), `${pair} is a pair`);
  }
  equal([...must].join(' '), '', 'pairs that are missing');
}

/** The neighbours of points are those of a loop over all points. */
export async function checkNeighbours(
  set: PointSet,
  grid: SpatialGrid,
  queries: Float32Array,
  groups?: Uint32Array,
): Promise<void> {
  const { dimensions, points, radius } = set;
  const { values, offsets } = await grid.neighbours(queries, groups && { groups });
  const at = (array: Float32Array, i: number) => array.subarray(i * dimensions, (i + 1) * dimensions);
  equal(offsets.length, queries.length / dimensions + 1, 'offsets');
  for (let q = 0; q + 1 < offsets.length; q++) {
    const found = values.subarray(offsets[q], offsets[q + 1]);
    const near = Array.from({ length: points.length / dimensions }, (_, i) =>
      groups && groups[q] !== set.groups?.[i] ? false : isNear(at(queries, q), at(points, i), radius),
    );
    const expected = near.flatMap((is, i) => (is === true || (is === 'either' && found.includes(i)) ? [i] : []));
    equalWords(found, expected, `neighbours of ${at(queries, q)}`);
  }
}

const neighbourCases = pointSets.map(
  (set): ConformanceCase => ({
    name: `spatial grid: ${set.name}`,
    short: /around zero|five groups|not finite/.test(set.name),
    run: async (gpu) => {
      const { points, groups, radius, dimensions } = set;
      using grid = await SpatialGrid.from(gpu, { points, ...(groups && { groups }) }, { radius, dimensions });
      equal(grid.size, points.length / dimensions, 'size');
      await checkPairs(set, grid);
      await checkNeighbours(set, grid, points.slice(0, 40 * dimensions), groups?.slice(0, 40));
    },
  }),
);

async function checkWeld(gpu: Gpu, positions: Float32Array, tolerance: number, attributes: Record<string, Attribute>) {
  const got = await weld(gpu, positions, { tolerance, attributes });
  const { indices, vertices } = welded(positions, tolerance, attributes);
  equalWords(got.indices, indices, 'indices');
  equalWords(got.vertices, vertices, 'vertices');
}

const weldCases = [0, 1e-3, 0.1, 7, 1e30].map((tolerance): ConformanceCase => {
  const random = randomWords(21);
  const scale = [0.3, 1, 5, 1e3, 1e7, 2 ** 22, 2 ** 23, 2 ** 24];
  const numbers = Float32Array.from({ length: 1800 }, (_, i) => {
    const factor = scale[random() % scale.length] as number;
    return (i % 2 === 0 ? 1 : -1) * (tolerance || 1) * factor * ((random() % 64) / 64);
  });
  return {
    name: `weld: tolerance ${tolerance}`,
    short: tolerance === 0.1,
    run: async (gpu) => {
      await checkWeld(gpu, numbers, tolerance, {});
      await checkWeld(gpu, numbers, tolerance, {
        wide: Uint8Array.from({ length: 600 * 9 }, (_, i) => Number(i % 901 === 0)),
      });
    },
  };
});

export const spatialCases: readonly ConformanceCase[] = [...neighbourCases, ...weldCases];
