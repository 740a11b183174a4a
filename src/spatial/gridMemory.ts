/** What a grid keeps on the GPU. */
import { type Bound, type Gpu, mostBytes, TooLargeError, USAGE } from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { blockCells, type GridKind, shape, sorted, sortedGroups, starts } from './cells.wgsl.ts';

/** The memory of a grid. */
export interface GridMemory {
  /** How many points there is room for. */
  readonly capacity: number;
  readonly slots: number;
  readonly shape: GPUBuffer;
  readonly starts: GPUBuffer;
  readonly sorted: GPUBuffer;
  readonly groups: GPUBuffer | undefined;
  readonly ranks: GPUBuffer;
  readonly state: GPUBuffer;
}

/** Bytes of a point in the largest buffer. */
const POINT_BYTES = 16;

/** Throws unless a grid of so many points fits the device. */
export function requireRoom({ limits }: Gpu, points: number): void {
  const largest = Math.floor(mostBytes(limits) / POINT_BYTES);
  if (points > largest) {
    throw new TooLargeError(`a grid of ${points} points does not fit this device, which can hold ${largest}`, largest);
  }
}

/** About as many slots as points: whole blocks, a power of two of them. */
const blocksFor = (dimensions: 2 | 3, capacity: number): number =>
  2 ** Math.max(0, Math.ceil(Math.log2(capacity / blockCells(dimensions))));

/** The memory of a grid of so many points, or an error that leaves nothing behind. */
export function allocated(
  gpu: Gpu,
  { dimensions, hasGroups }: GridKind,
  capacity: number,
  shapeOf: (blocks: number) => readonly number[],
): GridMemory {
  const made: GPUBuffer[] = [];
  const room = (name: string, bytes: number, usage?: number): GPUBuffer => {
    const buffer = gpu.createBuffer(`spatialGrid/${name}`, bytes, usage);
    made.push(buffer);
    return buffer;
  };
  const blocks = blocksFor(dimensions, capacity);
  const slots = blocks * blockCells(dimensions);
  try {
    const words = Uint32Array.from(shapeOf(blocks));
    // Uniforms are padded to 16 bytes.
    // Storage for three.js, which binds it as such.
    const shapeBuffer = room('shape', Math.ceil(words.length / 4) * 16, USAGE.UNIFORM | USAGE.STORAGE | USAGE.COPY_DST);
    gpu.write(shapeBuffer, words);
    return {
      capacity,
      slots,
      shape: shapeBuffer,
      // One more than there are slots, and whole vectors, which are filled faster.
      starts: room('starts', WORD_BYTES * (slots + 4)),
      sorted: room('sorted', POINT_BYTES * capacity),
      groups: hasGroups ? room('groups', WORD_BYTES * capacity) : undefined,
      ranks: room('ranks', 8 * capacity),
      state: room('state', 8),
    };
  } catch (error) {
    for (const buffer of made) buffer.destroy();
    throw error;
  }
}

/** All that is to be destroyed with it. */
export const buffersOf = ({ shape, starts, sorted, groups, ranks, state }: GridMemory): readonly GPUBuffer[] =>
  [shape, starts, sorted, groups, ranks, state].filter((buffer) => buffer !== undefined);

/** What searches read. */
export const boundOf = ({ groups, ...memory }: GridMemory): Bound => [
  [shape, memory.shape],
  [starts, memory.starts],
  [sorted, memory.sorted],
  ...(groups ? [[sortedGroups, groups] as const] : []),
];
