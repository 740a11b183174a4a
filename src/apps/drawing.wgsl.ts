/** Pictures that are read from a table, pixel by pixel: all cells of a grid, or a plane through a volume. */
import { type Bound, type BufferView, extentCount, type Gpu, type Recorder } from '../gpu/index.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Searchable } from '../table/searchable.ts';
import { kept, kernel, storage, uniform, type Wgsl, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { bindGrid, cellAt, cellOfIndex, nearestCell } from './cells.wgsl.ts';
import type { Grid } from './grid.ts';
import type { Sides } from './places.wgsl.ts';

/** A picture that has not been read yet. */
export interface Drawing {
  /** All cells as they lie, or those that are nearest to a plane. */
  readonly kind: 'cells' | 'plane';
  /** Width, height and depth of what is drawn. */
  readonly size: Sides;
  readonly bound: Bound;
}

/** All cells of a grid. */
export const allCells = (gpu: Gpu, grid: Grid): Drawing => ({
  kind: 'cells',
  size: grid.sides,
  bound: bindGrid(gpu, grid),
});

/** Three coordinates. */
export type Vector = readonly [x: number, y: number, z: number];

/** A plane through a volume, as a picture. The middle of the voxel (x, y, z) is at that point. */
export interface Slice {
  /** The point that the first pixel shows. */
  readonly origin: Vector;
  /** The step to the next pixel of a row. */
  readonly u: Vector;
  /** The step to the next row. */
  readonly v: Vector;
  readonly width: number;
  readonly height: number;
}

const Plane = wgsl`
struct Plane {
  origin: vec3f,
  u: vec3f,
  v: vec3f,
}`;
const plane = uniform('plane', Plane);

/** What is nearest to a plane. */
export function planeThrough(gpu: Gpu, grid: Grid, { origin, u, v, width, height }: Slice): Drawing {
  const words = new Uint32Array(Float32Array.of(...origin, 0, ...u, 0, ...v, 0).buffer);
  return {
    kind: 'plane',
    size: [width, height, 1],
    bound: [...bindGrid(gpu, grid), [plane, gpu.constants(...words)]],
  };
}

/** WGSL: `(pixel: vec3u) -> u32`, the colour that a drawing has there. */
export const drawnWord = kept((reading: Reading, kind: Drawing['kind']): Wgsl => {
  if (kind === 'cells')
    return wgsl`fn drawnWord(pixel: vec3u) -> u32 { return ${cellAt(reading)}(vec3i(pixel)).word; }`;
  return wgsl`
fn drawnWord(pixel: vec3u) -> u32 {
  let point = ${plane}.origin + f32(pixel.x) * ${plane}.u + f32(pixel.y) * ${plane}.v;
  return ${cellAt(reading)}(${nearestCell}(point)).word;
}`;
});

const Part = wgsl`
struct Part {
  size: vec3u,
  first: u32, // the number of the first pixel that is drawn
}`;
const part = uniform('part', Part);
const output = storage('output', 'array<u32>', 'read_write');
const THREADS = 256;

const drawKernel = kept((reading: Reading, kind: Drawing['kind']) =>
  kernel({
    label: `apps/${kind}`,
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${output}[item] = ${drawnWord(reading, kind)}(${cellOfIndex}(${part}.first + item, ${part}.size));`,
  }),
);

/** Records a drawing into a buffer: so many pixels from the first one on, a word each. */
export function recordDrawing(
  recorder: Recorder,
  table: Searchable,
  drawing: Drawing,
  pixels: { readonly first: number; readonly count: number; readonly output: GPUBuffer },
): void {
  const { gpu } = recorder;
  const { first, count } = pixels;
  const used: BufferView = { buffer: pixels.output, size: WORD_BYTES * count };
  const bound: Bound = [
    ...table.bound,
    ...drawing.bound,
    [part, gpu.constants(...drawing.size, first)],
    [output, used],
    [extentCount, recorder.extent(count).count],
  ];
  recorder.run(drawKernel(table.reading, drawing.kind), bound, count);
}
