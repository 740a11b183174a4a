/** The number of a cell, which is its key: on the host and in WGSL. */
import { wgsl } from '../wgsl/index.ts';

/** Width, height and depth; pictures have a depth of 1. */
export type Sides = readonly [width: number, height: number, depth: number];

/** Rows one behind the other, and layers of rows. */
export const placeOf = ([width, height]: Sides, x: number, y: number, z: number): number =>
  x + width * (y + height * z);

/** The same in WGSL: `(at: vec3u, sides: vec3u) -> u32`. */
export const placeOfCell = wgsl`
fn placeOfCell(at: vec3u, sides: vec3u) -> u32 {
  return at.x + sides.x * (at.y + sides.y * at.z);
}`;
