/** Welding by a `Map`. */
import type { Attribute } from '../../src/spatial.ts';

const { fround } = Math;

/** To the nearest whole number, and half way to the even one. */
const roundEven = (x: number): number => {
  const below = Math.floor(x);
  const rest = x - below;
  return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
};

/** What stands for a number: equal texts are the same number. */
function spelled(x: number, tolerance: number): string {
  const t = fround(tolerance);
  if (t === 0 || !(Math.abs(x) < fround(2 ** 23 * t))) return String(x === 0 ? 0 : x);
  const multiple = fround(roundEven(fround(x * fround(1 / t))) * t);
  return String(multiple === 0 ? 0 : multiple);
}

/** The same by a `Map`. */
export function welded(positions: Float32Array, tolerance = 0, attributes: Record<string, Attribute> = {}) {
  const count = positions.length / 3;
  const columns = [
    { values: positions, tolerance },
    ...Object.values(attributes).map((one) => (ArrayBuffer.isView(one) ? { values: one, tolerance: 0 } : one)),
  ];
  const known = new Map<string, number>();
  const vertices: number[] = [];
  const indices = Array.from({ length: count }, (_, vertex) => {
    const key = columns
      .map((column) => {
        const size = column.values.length / count;
        const row = column.values.subarray(vertex * size, (vertex + 1) * size);
        return Array.from(row, (x) => spelled(x, column.tolerance)).join();
      })
      .join('|');
    const id = known.get(key) ?? known.size;
    if (id === known.size) vertices.push(vertex);
    known.set(key, id);
    return id;
  });
  return { indices: Uint32Array.from(indices), vertices: Uint32Array.from(vertices) };
}
