/**
 * Space as cells, and cells as slots. A cell has a side a little greater than the radius. Four cells a side are a block, and a
 * block is hashed; the lowest bits of a slot tell where the cell is in its block. A search reaches four cells a side at most,
 * so no two of them have the same lowest bits, and none the same slot, whatever blocks are hashed to: each slot is visited
 * once. Cells of a block that lie side by side along x have slots that do, and are visited in one go.
 */
import { mix } from '../hashing/index.ts';
import { storage, uniform, type Wgsl, wgsl } from '../wgsl/index.ts';

/** What a grid is and stays. */
export interface GridKind {
  readonly dimensions: 2 | 3;
  readonly hasGroups: boolean;
}

/** Bits of a coordinate that tell where a cell is in its block. */
const WITHIN_BITS = 2;
/**
 * Cells are numbered from −FAR to FAR along each axis, and the outermost reach on for ever. Up to there no rounding makes a
 * search reach more than four cells a side: 2 radii are less than 2 sides, and the ends are off by less than 1 side together.
 */
const FAR = 2 ** 21;
/** How much greater a side is than the radius: without, a search would often touch a fourth cell by rounding. */
const SIDE = 1 + 2 ** -10;
/** How much further than the radius a search reaches: more than all rounding of a distance. */
const REACH = 1 + 2 ** -20;

/** The cells of a block. */
export const blockCells = (dimensions: 2 | 3): number => 2 ** (WITHIN_BITS * dimensions);

const Shape = wgsl`
struct Shape {
  hash: vec4u,
  blockMask: u32,
  perUnit: f32,       // cells
  far: f32,           // coordinates beyond are in the outermost cells
  reach: f32,
  squaredRadius: f32,
}`;
export const shape = uniform('shape', Shape);

/** The words of the shape. */
export function shapeWords(radius: number, blocks: number, hash: readonly number[]): number[] {
  const r = Math.fround(radius);
  const side = r * SIDE;
  const floats = Float32Array.of(1 / side, FAR * side, r * REACH, r * r);
  return [...hash, blocks - 1, ...new Uint32Array(floats.buffer)];
}

/** Where the points of every slot begin, and behind the last one how many there are in all. */
export const starts = storage('starts', 'array<u32>');
/** The points in the order of their slots: the bits of their coordinates, and their number. */
export const sorted = storage('sorted', 'array<vec4u>');
export const sortedGroups = storage('sortedGroups', 'array<u32>');

/** WGSL about cells. */
export interface Cells {
  /** `vec2f` or `vec3f`, and the like. */
  readonly point: string;
  readonly cell: string;
  /** `(at) -> bool`, by their bits, because a shader may take for granted that all numbers are finite. */
  readonly isFinite: Wgsl;
  /** `(at) -> cell`. A greater coordinate never has a lesser cell. */
  readonly cellAt: Wgsl;
  /** `(cell, group: u32) -> u32`. */
  readonly slotOf: Wgsl;
  /** How many slots there are. */
  readonly slotCount: Wgsl;
}

/** WGSL about cells of a plane or of space, with groups or without. */
export function cellsOf({ dimensions, hasGroups }: GridKind): Cells {
  const [point, cell, bits] = ['f', 'i', 'u'].map((type) => `vec${dimensions}${type}`) as [string, string, string];
  const axes = ['x', 'y', 'z'].slice(0, dimensions);
  const lowest = axes.map((axis, i) => `(within.${axis} << ${WITHIN_BITS * i}u)`).join(' | ');
  const words = axes.map((axis) => `block.${axis}`).join(', ');
  return {
    point,
    cell,
    isFinite: wgsl`
fn isFinite(at: ${point}) -> bool {
  return all((bitcast<${bits}>(at) & ${bits}(0x7f800000u)) != ${bits}(0x7f800000u));
}`,
    cellAt: wgsl`
fn cellAt(at: ${point}) -> ${cell} {
  return ${cell}(floor(clamp(at, ${point}(-${shape}.far), ${point}(${shape}.far)) * ${shape}.perUnit));
}`,
    slotOf: wgsl`
fn slotOf(cell: ${cell}, group: u32) -> u32 {
  let block = bitcast<${bits}>(cell >> ${bits}(${WITHIN_BITS}u));
  let within = bitcast<${bits}>(cell) & ${bits}(${2 ** WITHIN_BITS - 1}u);
  let hash = ${mix.hash(dimensions + Number(hasGroups))}(${words}${hasGroups ? ', group' : ''}, ${shape}.hash).x;
  return ((hash & ${shape}.blockMask) << ${WITHIN_BITS * dimensions}u) | ${lowest};
}`,
    slotCount: wgsl`((${shape}.blockMask + 1u) << ${WITHIN_BITS * dimensions}u)`,
  };
}

/** The last cell of a block along x. */
export const blockEnd = (x: string): string => `(${x} | ${2 ** WITHIN_BITS - 1})`;
