/** Figure 12 of García et al. 2011: voxels in a table, and slices at random orientations that are read from it. */
import { type Slice, SparseVolume, type Vector } from '../../src/apps.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { HashMap, robinHood, type SequenceName, u32 } from '../../src/index.ts';
import { kept, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { measure } from '../measure.ts';
import { type Chance, chanceOf } from '../pictures/chance.ts';
import type { Voxels } from '../pictures/volumes.ts';
import { tally, tallyKernel } from '../tally.ts';
import { measureRebuild } from './garciaBuilds.ts';

export interface VolumeRequest {
  readonly sequence: SequenceName;
  readonly load: number;
  readonly slices: number;
  readonly repeat: number;
  readonly seed: number;
}

export interface VolumeRecord extends VolumeRequest {
  readonly items: number;
  readonly side: number;
  readonly loadFactor: number;
  readonly buildMs: number;
  readonly buildsPerSecond: number;
  /** Of one slice. */
  readonly sliceMs: number;
  /** Pixels of a slice that are inside of the volume, on average. */
  readonly queries: number;
  readonly queriesPerSecond: number;
  readonly failed: number;
  readonly wrong: number;
}

const count = uniform('count', 'u32');
const answers = storage('answers', 'array<u32>');
const found = storage('found', 'array<u32>');
const values = storage('values', 'array<u32>');
const judge = tallyKernel(
  'voxels',
  wgsl`${count}`,
  wgsl`isRight = ${found}[item] == 1u && ${answers}[item] == ${values}[item];`,
);

/** The coordinates of all voxels, one behind the other. */
const pointsOf = kept(({ places, side }: Voxels) => {
  const points = new Uint32Array(3 * places.length);
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    points[3 * i] = place % side;
    points[3 * i + 1] = Math.floor(place / side) % side;
    points[3 * i + 2] = Math.floor(place / side ** 2);
  }
  return points;
});

/** Measures the building of a table from a volume, and the reading of slices. */
export async function measureVolume(gpu: Gpu, voxels: Voxels, request: VolumeRequest): Promise<VolumeRecord> {
  const { sequence, load, slices: wanted } = request;
  const { side } = voxels;
  const built = await measureBuild(gpu, voxels, request);
  const points = pointsOf(voxels);
  const scheme = robinHood({ sequence, loadFactor: load });
  const size = { width: side, height: side, depth: side };
  const volume = await SparseVolume.from(
    gpu,
    { ...size, points, colours: voxels.colours },
    { scheme, seed: request.seed },
  );
  const chance = chanceOf(request.seed);
  const slices = Array.from({ length: wanted }, () => randomSlice(chance, side));
  const bytes = 4 * side * side;
  const [output] = (await gpu.allocate([{ label: 'figures/slice', bytes }])) as [GPUBuffer];
  try {
    const { medianMs } = await measure(
      gpu,
      (pass) => {
        for (const slice of slices) volume.encodeSlice(pass, { ...slice, output });
      },
      { repeat: request.repeat },
    );
    let { wrong } = built;
    let queries = 0;
    for (const slice of slices) {
      const [drawn] = await gpu.run(
        (encoder) => volume.encodeSlice(encoder, { ...slice, output }),
        [{ buffer: output, bytes }],
      );
      const judged = judgeSlice(new Uint32Array(drawn as ArrayBuffer), voxels, slice);
      wrong += judged.wrong;
      queries += judged.queries;
    }
    return {
      ...request,
      ...built,
      items: voxels.places.length,
      side,
      loadFactor: volume.map.loadFactor,
      sliceMs: medianMs / wanted,
      queries: queries / wanted,
      queriesPerSecond: queries / (medianMs / 1000),
      wrong,
    };
  } finally {
    volume.destroy();
    output.destroy();
  }
}

/** The build alone, of a table that trusts that no voxel is there twice. */
async function measureBuild(gpu: Gpu, { places, colours }: Voxels, { sequence, load, repeat, seed }: VolumeRequest) {
  const items = places.length;
  const [keyBuffer, valueBuffer] = await gpu.made(
    (keep) => [keep(gpu.upload('figures/keys', places)), keep(gpu.upload('figures/values', colours))] as const,
  );
  const [answerBuffer, foundBuffer] = (await gpu.allocate(
    ['answers', 'found'].map((label) => ({ label: `figures/${label}`, bytes: 4 * items })),
  )) as [GPUBuffer, GPUBuffer];
  const input = { keys: keyBuffer, values: valueBuffer, count: items };
  const scheme = robinHood({ sequence, loadFactor: load });
  const map = await HashMap.from(gpu, input, { key: u32, scheme, duplicates: 'unique', seed });
  let wrong = 0;
  const afterBuild = async (): Promise<void> => {
    const io = { queries: keyBuffer, values: answerBuffer, found: foundBuffer, count: items };
    await gpu.run((encoder) => {
      for (const buffer of [answerBuffer, foundBuffer]) encoder.clearBuffer(buffer);
      map.encodeGet(encoder, io);
    });
    const bound = [
      [count, gpu.constants(items)],
      [answers, answerBuffer],
      [found, foundBuffer],
      [values, valueBuffer],
    ] as const;
    wrong += (await tally(gpu, judge, bound, items)).wrong;
  };
  try {
    const { medianMs, failed } = await measureRebuild(map, input, { repeat, afterBuild });
    return { buildMs: medianMs, buildsPerSecond: items / (medianMs / 1000), failed, wrong };
  } finally {
    map.destroy();
    for (const buffer of [keyBuffer, valueBuffer, answerBuffer, foundBuffer]) buffer.destroy();
  }
}

const scaled = ([x, y, z]: Vector, by: number): Vector => [x * by, y * by, z * by];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** A plane through the middle of a cube, a voxel to a pixel, turned by chance: all directions are equally likely. */
function randomSlice(chance: Chance, side: number): Slice {
  const direction = (): Vector => {
    const [height, around] = [2 * chance() - 1, 2 * Math.PI * chance()];
    const flat = Math.sqrt(1 - height * height);
    return [flat * Math.cos(around), flat * Math.sin(around), height];
  };
  const u = direction();
  let v: Vector;
  do {
    const other = direction();
    v = minus(other, scaled(u, dot(u, other)));
  } while (dot(v, v) < 0.01);
  v = scaled(v, 1 / Math.sqrt(dot(v, v)));
  const half = (side - 1) / 2;
  return {
    origin: minus(minus([half, half, half], scaled(u, half)), scaled(v, half)),
    u,
    v,
    width: side,
    height: side,
  };
}

/** As far as a point may be off on the GPU, which has 32-bit floats. Where that decides between two voxels, both are right. */
const UNSURE = 1e-3;

/** How many pixels of a slice are inside of the volume, and how many of all show another voxel than the nearest. */
export function judgeSlice(
  drawn: Uint32Array,
  { side, places, colours }: Voxels,
  { origin, u, v, width, height }: Slice,
): { wrong: number; queries: number } {
  const colourAt = (cell: readonly number[]): number => {
    if (cell.some((coordinate) => coordinate < 0 || coordinate >= side)) return 0;
    const [x, y, z] = cell as [number, number, number];
    const position = positionOf(places, x + side * (y + side * z));
    return position < 0 ? 0 : (colours[position] as number);
  };
  let [wrong, queries] = [0, 0];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const point = origin.map((start, axis) => start + column * (u[axis] as number) + row * (v[axis] as number));
      const nearest = point.map((coordinate) => Math.floor(coordinate + 0.5));
      if (nearest.every((coordinate) => coordinate >= 0 && coordinate < side)) queries++;
      const shown = drawn[column + width * row];
      if (shown !== colourAt(nearest) && !around(point).some((cell) => colourAt(cell) === shown)) wrong++;
    }
  }
  return { wrong, queries };
}

/** All cells that a point may be nearest to. */
function around(point: readonly number[]): number[][] {
  return point.reduce<number[][]>(
    (cells, coordinate) => {
      const choices = new Set([-UNSURE, UNSURE].map((off) => Math.floor(coordinate + off + 0.5)));
      return cells.flatMap((cell) => [...choices].map((choice) => [...cell, choice]));
    },
    [[]],
  );
}

/** Where a number stands in an ascending list, or -1. */
function positionOf(list: Uint32Array, wanted: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return list[low] === wanted ? low : -1;
}
