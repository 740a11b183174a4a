/** A soup of triangles: a hilly square, whose every quad is two triangles with corners of their own. */

/** Which corners of a quad its two triangles have: steps along x and along z. */
const CORNERS = [
  [0, 0],
  [0, 1],
  [1, 1],
  [0, 0],
  [1, 1],
  [1, 0],
] as const;
/** Vertices are so far apart along x and z. */
const STEP = 1 / 64;
/** What three.js takes for the same by default; far less than a step, so both ways to round tell vertices apart. */
export const TOLERANCE = 1e-4;

export interface Mesh {
  readonly indices: ArrayLike<number>;
  readonly positions: ArrayLike<number>;
}

export interface Soup {
  /** x, y and z of every corner. */
  readonly corners: Float32Array<ArrayBuffer>;
  /** The mesh whose vertices are in the order of their first corners. */
  readonly expected: Mesh;
}

/** As many corners as make a square, up to half a row of quads more or less than asked for. */
export function makeSoup(size: number): Soup {
  const quads = Math.max(1, Math.round(Math.sqrt(size / CORNERS.length)));
  const corners = new Float32Array(3 * CORNERS.length * quads ** 2);
  const indices = new Uint32Array(corners.length / 3);
  const numbers = new Int32Array((quads + 1) ** 2).fill(-1);
  const positions = new Float32Array(3 * numbers.length);
  let [corner, vertices] = [0, 0];
  for (let quad = 0; quad < quads ** 2; quad++) {
    for (const [alongX, alongZ] of CORNERS) {
      const [x, z] = [(quad % quads) + alongX, Math.floor(quad / quads) + alongZ];
      const at = [STEP * x, Math.sin(x / 10) * Math.cos(z / 10), STEP * z];
      const vertex = z * (quads + 1) + x;
      if (numbers[vertex] === -1) {
        positions.set(at, 3 * vertices);
        numbers[vertex] = vertices++;
      }
      corners.set(at, 3 * corner);
      indices[corner++] = numbers[vertex] as number;
    }
  }
  return { corners, expected: { indices, positions } };
}

/** How many corners and coordinates are not what they should be. */
export function wrongMesh({ expected }: Soup, mesh: Mesh): number {
  const differences = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    let wrong = Math.abs(a.length - b.length);
    for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) wrong++;
    return wrong;
  };
  return differences(expected.indices, mesh.indices) + differences(expected.positions, mesh.positions);
}
