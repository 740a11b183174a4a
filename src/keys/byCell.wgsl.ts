import { refuse } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { kept, wgsl } from '../wgsl/index.ts';
import type { FixedKeyType } from './keyType.ts';
import { floatVector, type Rounding, vec2f, vec3f, vec4f } from './vectors.wgsl.ts';

const SIZES: ReadonlyMap<unknown, 2 | 3 | 4> = new Map([
  [vec2f, 2],
  [vec3f, 3],
  [vec4f, 4],
]);
/** Sizes of cells, so that no coordinate that is rounded is too small or too large for a normal number. */
const [LEAST, MOST] = [2 ** -60, 2 ** 60];
/** Coordinates of so many cells and more stay as they are: below, what is rounded is not changed by being rounded again. */
const CELLS = 2 ** 21;

const cellsOf = kept((type: FixedKeyType<Float32Array>, cell: number) =>
  floatVector(SIZES.get(type) as 2 | 3 | 4, roundingTo(cell)),
);

/**
 * Points that are the same if they are in the same cell: each coordinate is rounded to a multiple of the size, half way to the even one, and
 * so it is kept. Every call with the same arguments gives the same type.
 * @example
 * const voxels = await HashSet.from(gpu, { keys: points }, { key: byCell(vec3f, 0.5) });
 */
export function byCell(type: FixedKeyType<Float32Array>, size: number): FixedKeyType<Float32Array> {
  return within('byCell', () => {
    if (!SIZES.has(type)) refuse('type', 'vec2f, vec3f or vec4f', type);
    const cell = typeof size === 'number' ? Math.fround(size) : Number.NaN;
    if (!(cell >= LEAST && cell <= MOST)) refuse('size', 'a number from 2⁻⁶⁰ to 2⁶⁰', size);
    return cellsOf(type, cell);
  });
}

function roundingTo(cell: number): Rounding {
  const perUnit = Math.fround(1 / cell);
  const limit = CELLS * cell;
  return {
    name: `/${cell}`,
    onGpu: wgsl`
fn inCell(bits: u32) -> u32 {
  if ((bits & 0x7fffffffu) >= ${bitsOf(limit)}u) { return bits; }
  return bitcast<u32>(round(bitcast<f32>(bits) * bitcast<f32>(${bitsOf(perUnit)}u)) * bitcast<f32>(${bitsOf(cell)}u));
}`,
    onHost: (coordinates) =>
      coordinates.map((x) => (Math.abs(x) < limit ? roundedToEven(Math.fround(x * perUnit)) * cell : x)),
  };
}

const bitsOf = (number: number): number => new Uint32Array(Float32Array.of(number).buffer)[0] as number;

function roundedToEven(number: number): number {
  const below = Math.floor(number);
  const rest = number - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}
