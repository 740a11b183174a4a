/** A soup of triangles becomes an indexed mesh: vertices that are the same are kept once. */
import type { Gpu } from 'hashnest';
import { weld } from 'hashnest/spatial';

/** A square of two triangles, whose second has moved by less than anybody can see. */
const positions = new Float32Array([...[0, 0, 0, 1, 0, 0, 1, 1, 0], ...[0, 0, 0.000001, 1, 1.000001, 0, 0, 1, 0]]);
const colours = new Uint8Array([
  ...[1, 1, 1], // one number a vertex
  ...[1, 2, 1],
]);

/** The corners of the triangles, first by their place alone, then by their colour too. */
export async function cornersOfSquare(gpu: Gpu): Promise<number[][]> {
  const square = await weld(gpu, positions, { tolerance: 0.001 });
  const coloured = await weld(gpu, positions, { tolerance: 0.001, attributes: { colours } });
  console.log(square.positions.length / 3, 'vertices instead of', positions.length / 3); // 4 vertices instead of 6
  return [square, coloured].map(({ indices }) => [...indices]); // [0, 1, 2, 0, 2, 3], [0, 1, 2, 0, 3, 4]
}
