/**
 * Perfect spatial hashing (Lefebvre and Hoppe 2006), on the CPU: h(p) = (p mod m + Φ[p mod r]) mod m, with offsets
 * Φ that send every point to a slot of its own.
 */
import { FreeSlots, NO_OFFSET } from './freeSlots.ts';
import { cells, type Geometry } from './geometry.ts';
import { byOccupancy, countInseparable, neighboursOf, pointsByCell } from './offsetCells.ts';

/** Offsets that send every point to a slot of its own. */
export interface Arrangement {
  /** Φ: one word an entry, see `packing`. */
  readonly offsets: Uint32Array;
  /** The slot of every point. */
  readonly slots: Uint32Array;
}

/** Why points have no slots in these grids. */
export interface Misfit {
  /**
   * `inseparable`: points agree with others in both remainders, so that no offsets part them. `crowded`: a cell of the
   * offset table fits nowhere any more, or it would take too long to find out where.
   */
  readonly reason: 'inseparable' | 'crowded';
  /** Points without a slot. */
  readonly left: number;
}

/** Candidates looked at for each point, on average, before the grids count as too crowded. */
const TRIES_PER_POINT = 250;

/** Small tables may try harder, they are finished in no time. */
const LEAST_TRIES = 1 << 16;

/**
 * Finds the offsets cell by cell, those of the most points first: one point alone goes wherever a slot is free.
 * @param points distinct ones, of as many unsigned words as there are dimensions; at most as many as slots
 * @param random uniform 32-bit words
 */
export function construct(points: Uint32Array, geometry: Geometry, random: () => number): Arrangement | Misfit {
  const { dimensions, offsetSide } = geometry;
  const groups = pointsByCell(points, geometry);
  const inseparable = countInseparable(groups, geometry);
  if (inseparable > 0) return { reason: 'inseparable', left: inseparable };

  const { starts, order } = groups;
  const free = new FreeSlots(geometry, groups);
  const offsets = new Uint32Array(cells(offsetSide, dimensions));
  const isDone = new Uint8Array(offsets.length);
  const neighbours = neighboursOf(geometry);
  const slots = new Uint32Array(order.length);
  let triesLeft = Math.max(LEAST_TRIES, order.length * TRIES_PER_POINT);
  let left = order.length;
  let previous = 0;
  for (const cell of byOccupancy(starts)) {
    const first = starts[cell] as number;
    const end = starts[cell + 1] as number;
    // Coherence: cells of equal offsets send neighbouring points to neighbouring slots.
    const like = [...neighbours(cell), previous].find(
      (other) => isDone[other] && free.fits(first, end, offsets[other] as number),
    );
    const { offset, tries } =
      like === undefined ? free.search(first, end, random(), triesLeft) : { offset: offsets[like] as number, tries: 0 };
    if (offset === NO_OFFSET) return { reason: 'crowded', left };
    triesLeft -= tries;
    previous = cell;
    free.take(first, end, offset, (i, slot) => {
      slots[order[i] as number] = slot;
    });
    offsets[cell] = offset;
    isDone[cell] = 1;
    left -= end - first;
  }
  return { offsets, slots };
}
