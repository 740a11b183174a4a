/** The slots of the hash table that are still free, and where a group of points would fit into them. */
import { cells, type Geometry, packing } from './geometry.ts';
import type { PointGroups } from './offsetCells.ts';

/** No packed offset is negative. */
export const NO_OFFSET = -1;

export class FreeSlots {
  readonly #groups: PointGroups;
  readonly #side: number;
  readonly #bits: number;
  readonly #mask: number;
  readonly #maskZ: number;
  /** A bit for each slot. */
  readonly #taken: Uint32Array;
  /** The free slots, as packed coordinates, in no order, and the position of each slot among them. */
  readonly #list: Uint32Array;
  readonly #positionOf: Uint32Array;
  #count: number;

  constructor({ dimensions, slotSide }: Geometry, groups: PointGroups) {
    const { bits, mask, maskZ } = packing(dimensions);
    this.#groups = groups;
    this.#side = slotSide;
    this.#bits = bits;
    this.#mask = mask;
    this.#maskZ = maskZ;
    this.#count = cells(slotSide, dimensions);
    this.#taken = new Uint32Array(Math.ceil(this.#count / 32));
    this.#list = new Uint32Array(this.#count);
    this.#positionOf = new Uint32Array(this.#count);
    for (let slot = 0; slot < this.#count; slot++) {
      const row = Math.floor(slot / slotSide);
      const y = row % slotSide;
      const z = Math.floor(row / slotSide);
      this.#list[slot] = (slot % slotSide) | (y << bits) | (z << (2 * bits));
      this.#positionOf[slot] = slot;
    }
  }

  /** Whether these points all find a free slot by that offset. */
  fits(first: number, end: number, offset: number): boolean {
    const { x, y, z } = this.#groups;
    const side = this.#side;
    const taken = this.#taken;
    const offsetX = offset & this.#mask;
    const offsetY = (offset >>> this.#bits) & this.#mask;
    const offsetZ = (offset >>> (2 * this.#bits)) & this.#maskZ;
    for (let i = first; i < end; i++) {
      let slotX = (x[i] as number) + offsetX;
      if (slotX >= side) slotX -= side;
      let slotY = (y[i] as number) + offsetY;
      if (slotY >= side) slotY -= side;
      let slotZ = (z[i] as number) + offsetZ;
      if (slotZ >= side) slotZ -= side;
      const slot = slotX + side * (slotY + side * slotZ);
      if ((taken[slot >>> 5] as number) & (1 << (slot & 31))) return false;
    }
    return true;
  }

  /** Sends the first of these points to one free slot after the other, from a random one on, until all of them fit. */
  search(first: number, end: number, random: number, mostTries: number): { offset: number; tries: number } {
    const { x, y, z } = this.#groups;
    const baseX = x[first] as number;
    const baseY = y[first] as number;
    const baseZ = z[first] as number;
    const most = Math.min(mostTries, this.#count);
    let position = random % this.#count;
    for (let tries = 1; tries <= most; tries++) {
      const offset = this.#offsetTo(this.#list[position] as number, baseX, baseY, baseZ);
      if (this.fits(first + 1, end, offset)) return { offset, tries };
      position++;
      if (position === this.#count) position = 0;
    }
    return { offset: NO_OFFSET, tries: most };
  }

  #offsetTo(packedSlot: number, baseX: number, baseY: number, baseZ: number): number {
    const side = this.#side;
    const bits = this.#bits;
    let x = (packedSlot & this.#mask) - baseX;
    if (x < 0) x += side;
    let y = ((packedSlot >>> bits) & this.#mask) - baseY;
    if (y < 0) y += side;
    let z = ((packedSlot >>> (2 * bits)) & this.#maskZ) - baseZ;
    if (z < 0) z += side;
    return (x | (y << bits) | (z << (2 * bits))) >>> 0;
  }

  /** Takes the slots of these points, which fit, and tells them. */
  take(first: number, end: number, offset: number, tell: (i: number, slot: number) => void): void {
    const { x, y, z } = this.#groups;
    const side = this.#side;
    const offsetX = offset & this.#mask;
    const offsetY = (offset >>> this.#bits) & this.#mask;
    const offsetZ = (offset >>> (2 * this.#bits)) & this.#maskZ;
    for (let i = first; i < end; i++) {
      const slotX = ((x[i] as number) + offsetX) % side;
      const slotY = ((y[i] as number) + offsetY) % side;
      const slotZ = ((z[i] as number) + offsetZ) % side;
      const slot = slotX + side * (slotY + side * slotZ);
      this.#taken[slot >>> 5] = (this.#taken[slot >>> 5] as number) | (1 << (slot & 31));
      // The last of the list takes its place.
      this.#count--;
      const moved = this.#list[this.#count] as number;
      const position = this.#positionOf[slot] as number;
      this.#list[position] = moved;
      const movedX = moved & this.#mask;
      const movedY = (moved >>> this.#bits) & this.#mask;
      const movedZ = (moved >>> (2 * this.#bits)) & this.#maskZ;
      this.#positionOf[movedX + side * (movedY + side * movedZ)] = position;
      tell(i, slot);
    }
  }
}
