/** The cells of a grid as kernels read them. */
import type { Bound, Gpu } from '../gpu/index.ts';
import { u32 } from '../keys/index.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import { kept, uniform, type Wgsl, wgsl } from '../wgsl/index.ts';
import { type Grid, wordOf } from './grid.ts';
import { placeOfCell } from './places.wgsl.ts';

const GridShape = wgsl`
struct GridShape {
  sides: vec3u,
  background: u32, // the colour of cells that are not in the table
}`;
const gridShape = uniform('gridShape', GridShape);

/** The grid, for kernels. */
export const bindGrid = (gpu: Gpu, { sides, background }: Grid): Bound => [
  [gridShape, gpu.constants(...sides, wordOf(background))],
];

/** WGSL: `(index: u32) -> vec3u`, the cell that comes so many behind the first, where rows lie one behind the other. */
export const cellOfIndex = wgsl`
fn cellOfIndex(index: u32, sides: vec3u) -> vec3u {
  let row = index / sides.x;
  return vec3u(index % sides.x, row % sides.y, row / sides.y);
}`;

/** WGSL: `(index: u32) -> u32`, the key of that cell. */
export const placeOfIndex = wgsl`
fn placeOfIndex(index: u32) -> u32 {
  return ${placeOfCell}(${cellOfIndex}(index, ${gridShape}.sides), ${gridShape}.sides);
}`;

export const backgroundWord = wgsl`${gridShape}.background`;

/** Where a point is: whether in the grid at all, and the key of its cell. */
const Place = wgsl`
struct Place {
  isInside: bool,
  number: u32,
}`;

/** WGSL: `(at: vec3i) -> Place`. */
export const placeInside = wgsl`
fn placeInside(at: vec3i) -> ${Place} {
  let cell = vec3u(at);
  if (any(cell >= ${gridShape}.sides)) { return ${Place}(false, 0u); }
  return ${Place}(true, ${placeOfCell}(cell, ${gridShape}.sides));
}`;

/** What is at a cell: whether it is in the table, and its colour as a word. */
const Cell = wgsl`
struct Cell {
  found: bool,
  word: u32,
}`;

/** WGSL: `(at: vec3i) -> Cell`, in a table of colours. Outside of the grid there is nothing but background. */
export const cellAt = kept((reading: Reading): Wgsl => {
  const needle = u32.access('needle');
  return wgsl`
fn cellAt(at: vec3i) -> ${Cell} {
  let place = ${placeInside}(at);
  if (!place.isInside) { return ${Cell}(false, ${gridShape}.background); }
  let hit = ${reading.find(needle)}(${needle.of('place.number')});
  return ${Cell}(hit.found, select(${gridShape}.background, hit.value, hit.found));
}`;
});

/** WGSL: `(point: vec3f) -> vec3i`, the cell whose middle is nearest. The middle of the first cell is at zero. */
export const nearestCell = wgsl`
fn nearestCell(point: vec3f) -> vec3i {
  return vec3i(floor(point + 0.5));
}`;
