/** The points, gathered by the cell of the offset table that they share. */
import { cells, type Geometry } from './geometry.ts';

/** Points in the order of their cells; 2D points have a third coordinate of 0. */
export interface PointGroups {
  /** Where the points of each cell begin; one entry more than cells. */
  readonly starts: Uint32Array;
  /** Which point of the input stands here. */
  readonly order: Uint32Array;
  /** Where it goes by the offset 0: its coordinates modulo the side of the hash table. */
  readonly x: Uint16Array;
  readonly y: Uint16Array;
  readonly z: Uint16Array;
}

/** Sorts points by cell, by counting. */
export function pointsByCell(points: Uint32Array, { dimensions, slotSide, offsetSide }: Geometry): PointGroups {
  const count = points.length / dimensions;
  const starts = new Uint32Array(cells(offsetSide, dimensions) + 1);
  const cellOf = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    let cell = 0;
    for (let axis = dimensions - 1; axis >= 0; axis--) {
      cell = cell * offsetSide + ((points[i * dimensions + axis] as number) % offsetSide);
    }
    cellOf[i] = cell;
    (starts[cell + 1] as number)++;
  }
  for (let cell = 1; cell < starts.length; cell++) (starts[cell] as number) += starts[cell - 1] as number;

  const order = new Uint32Array(count);
  const [x, y, z] = [new Uint16Array(count), new Uint16Array(count), new Uint16Array(count)];
  const next = starts.slice();
  for (let i = 0; i < count; i++) {
    const cell = cellOf[i] as number;
    const at = next[cell] as number;
    next[cell] = at + 1;
    const point = i * dimensions;
    order[at] = i;
    x[at] = (points[point] as number) % slotSide;
    y[at] = (points[point + 1] as number) % slotSide;
    if (dimensions === 3) z[at] = (points[point + 2] as number) % slotSide;
  }
  return { starts, order, x, y, z };
}

/** How many points share a cell and a slot by the offset 0 with one before them: whatever the offset, they meet. */
export function countInseparable({ starts, x, y, z }: PointGroups, { dimensions, slotSide }: Geometry): number {
  const lastCell = new Uint32Array(cells(slotSide, dimensions));
  let inseparable = 0;
  for (let cell = 0; cell + 1 < starts.length; cell++) {
    for (let i = starts[cell] as number; i < (starts[cell + 1] as number); i++) {
      const slot = (x[i] as number) + slotSide * ((y[i] as number) + slotSide * (z[i] as number));
      if (lastCell[slot] === cell + 1) inseparable++;
      lastCell[slot] = cell + 1;
    }
  }
  return inseparable;
}

/** The cells that have points, those of the most points first; by counting. */
export function byOccupancy(starts: Uint32Array): Uint32Array {
  const cellCount = starts.length - 1;
  const occupancy = (cell: number) => (starts[cell + 1] as number) - (starts[cell] as number);
  let most = 0;
  for (let cell = 0; cell < cellCount; cell++) most = Math.max(most, occupancy(cell));
  const withPoints = new Uint32Array(most + 1);
  for (let cell = 0; cell < cellCount; cell++) (withPoints[occupancy(cell)] as number)++;
  // Where cells of so many points begin in the order.
  const next = new Uint32Array(most + 1);
  for (let points = most - 1; points >= 0; points--) {
    next[points] = (next[points + 1] as number) + (withPoints[points + 1] as number);
  }
  const sorted = new Uint32Array(cellCount);
  for (let cell = 0; cell < cellCount; cell++) {
    const points = occupancy(cell);
    sorted[next[points] as number] = cell;
    (next[points] as number)++;
  }
  // What comes last has no points at all.
  return sorted.subarray(0, cellCount - (withPoints[0] as number));
}

/** The cells beside a cell, across the faces of the grid too. */
export function neighboursOf({ dimensions, offsetSide }: Geometry): (cell: number) => number[] {
  const strides = Array.from({ length: dimensions }, (_, axis) => offsetSide ** axis);
  return (cell) =>
    strides.flatMap((stride) => {
      const coordinate = Math.floor(cell / stride) % offsetSide;
      const wrap = stride * offsetSide;
      return [
        coordinate === 0 ? cell - stride + wrap : cell - stride,
        coordinate === offsetSide - 1 ? cell + stride - wrap : cell + stride,
      ];
    });
}
