/** What callers say of pictures and volumes, checked: sides, colours, points. */
import {
  arrayKind,
  InvalidInputError,
  isBuffer,
  plainBytes,
  refuse,
  requireAttached,
  TooLargeError,
} from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { placeOf, type Sides } from './places.wgsl.ts';

/** Red, green, blue and alpha, each from 0 to 255. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/**
 * Colours one behind the other: four bytes for red, green, blue and alpha, or words with red in the lowest byte. In memory
 * that is the same.
 */
export type Colours = Uint8Array | Uint8ClampedArray | Uint32Array;

/** Coordinates one behind the other: x and y of a pixel, or x, y and z of a voxel. */
export type Points = Int32Array | Uint32Array;

/** Cells side by side, and the colour of those that are not in the table. */
export interface Grid {
  readonly sides: Sides;
  readonly dimensions: 2 | 3;
  readonly background: Rgba;
}

/** So that a cell has a number in one word, in every order of cells, and all ones are no cell's number. */
const MOST = { 2: 65_535, 3: 1024 } as const;

export const cellsOf = ({ sides: [width, height, depth] }: Grid): number => width * height * depth;

const TRANSPARENT: Rgba = [0, 0, 0, 0];

/** A grid with named sides, by default transparent where nothing is. */
export function gridOf(named: Readonly<Record<string, unknown>>, background: unknown = TRANSPARENT): Grid {
  const given = Object.entries(named);
  const dimensions = given.length as 2 | 3;
  const most = MOST[dimensions];
  for (const [name, side] of given) {
    if (!Number.isInteger(side) || (side as number) < 1 || (side as number) > most) {
      refuse(name, `a whole number from 1 to ${most}`, side);
    }
  }
  const [width, height, depth = 1] = given.map(([, side]) => side as number) as [number, number, number?];
  return { sides: [width, height, depth], dimensions, background: requireRgba(background, 'background') };
}

function requireRgba(colour: unknown, name: string): Rgba {
  const isByte = (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256;
  const values = Array.isArray(colour) || arrayKind(colour) ? Array.prototype.slice.call(colour) : [];
  if (values.length !== 4 || !values.every(isByte)) refuse(name, 'four whole numbers from 0 to 255', colour);
  return values as unknown as Rgba;
}

export const wordOf = ([red, green, blue, alpha]: Rgba): number =>
  (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0;

/** Throws unless there is a colour for each of so many cells. */
export function requireColours(colours: unknown, name: string, count: number, of: string): void {
  const kind = arrayKind(colours);
  if (kind !== 'Uint8Array' && kind !== 'Uint8ClampedArray' && kind !== 'Uint32Array') {
    refuse(name, `a Uint8Array, a Uint8ClampedArray or a Uint32Array`, colours);
  }
  requireAttached(colours, name);
  const { byteLength } = colours as Colours;
  if (byteLength !== WORD_BYTES * count) {
    throw new InvalidInputError(`${name} has ${byteLength} bytes, but ${of} take ${WORD_BYTES * count}: four each`);
  }
}

/** The same colours as words, in memory of their own. */
export const colourWords = (colours: Colours): Uint32Array<ArrayBuffer> =>
  new Uint32Array(Uint8Array.from(plainBytes(colours)).buffer);

export const colourBytes = (words: Uint32Array<ArrayBuffer>): Uint8ClampedArray<ArrayBuffer> =>
  new Uint8ClampedArray(words.buffer, words.byteOffset, words.byteLength);

/** What no cell has for its number. */
export const NOWHERE = 0xffffffff;

/** The number of every point; what is outside of the grid has a number that no cell has. */
export function placesOf({ sides, dimensions }: Grid, points: Points): Uint32Array<ArrayBuffer> {
  const kind = arrayKind(points);
  if (kind !== 'Int32Array' && kind !== 'Uint32Array') refuse('points', 'an Int32Array or a Uint32Array', points);
  requireAttached(points, 'points');
  if (points.length % dimensions !== 0) {
    throw new InvalidInputError(`points has ${points.length} coordinates; each point takes ${dimensions}`);
  }
  const [width, height, depth] = sides;
  const places = new Uint32Array(points.length / dimensions);
  for (let i = 0, at = 0; i < places.length; i++, at += dimensions) {
    const x = points[at] as number;
    const y = points[at + 1] as number;
    const z = dimensions === 3 ? (points[at + 2] as number) : 0;
    const isInside = x >= 0 && x < width && y >= 0 && y < height && z >= 0 && z < depth;
    places[i] = isInside ? placeOf(sides, x, y, z) : NOWHERE;
  }
  return places;
}

/** The number of every point; throws if one is outside of the grid. */
export function placesInside(grid: Grid, points: Points): Uint32Array<ArrayBuffer> {
  const places = placesOf(grid, points);
  const outside = places.indexOf(NOWHERE);
  if (outside >= 0) {
    const at = outside * grid.dimensions;
    const where = [...points.subarray(at, at + grid.dimensions)].join(', ');
    const sides = grid.sides.slice(0, grid.dimensions).join(' × ');
    throw new InvalidInputError(`points: (${where}) is outside of ${sides}`);
  }
  return places;
}

/** Room for the colours of so many cells on the host. */
export function roomForWords(count: number): Uint32Array<ArrayBuffer> {
  try {
    return new Uint32Array(count);
  } catch {
    throw new TooLargeError(`${count} colours do not fit in one array: read a part of them by get()`, 0);
  }
}

export const isTexture = (value: unknown): value is GPUTexture => !isBuffer(value) && 'createView' in Object(value);
