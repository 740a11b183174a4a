/** Points as callers pass them, checked. */
import {
  arrayKind,
  type BufferView,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  isBuffer,
  refuse,
  requireAttached,
  requireMembers,
  requireWhole,
} from '../gpu/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { requireItems } from '../primitives/hostCall.ts';
import { type Count, checkCount, roomFor, sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { GridKind } from './cells.wgsl.ts';
import type { PointsCall } from './gridBuild.wgsl.ts';

/** Points in arrays or GPU buffers. Buffers are only read, and stay yours. */
export interface GridInput {
  /** The coordinates of a point behind those of the other. */
  readonly points: Float32Array | GPUBuffer;
  /** The number of the world that every point is in: only points of one world are neighbours. */
  readonly groups?: Uint32Array | GPUBuffer;
  /** How many points; required where they are in a `GPUBuffer`. */
  readonly count?: number;
  /** Words from one point to the next in a `GPUBuffer`: 4 for `array<vec4f>`. Default the number of dimensions. */
  readonly strideWords?: number;
}

/** Points in GPU buffers, for the encoder face. */
export interface GridBuffers {
  readonly points: GPUBuffer;
  readonly groups?: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: Count;
  /** Words from one point to the next: 4 for `array<vec4f>`. Default the number of dimensions. */
  readonly strideWords?: number;
}

/** Points to build from. What is not on the GPU yet is uploaded by `load`. */
export interface PointSource {
  readonly count: number | GpuCount;
  /** The count, or the greatest that it can be. */
  readonly most: number;
  load(upload?: (name: string, data: ArrayBufferView) => GPUBuffer): PointsCall;
}

const INPUT = ['points', 'groups', 'count', 'strideWords'];

/** Throws unless those are points; what kind of grid they make follows from whether they have groups. */
export function pointSource(
  gpu: Gpu,
  { dimensions, hasGroups }: GridKind,
  input: GridInput | GridBuffers,
): PointSource {
  requireMembers(input, 'input', INPUT);
  const { points, groups, strideWords = dimensions } = input;
  if (hasGroups !== (groups !== undefined)) {
    throw new InvalidInputError(hasGroups ? 'this grid has groups: the points need theirs' : 'this grid has no groups');
  }
  requireWhole(strideWords, 'strideWords');
  if (strideWords < dimensions) refuse('strideWords', `at least ${dimensions}, the words of a point`, strideWords);
  if (!isBuffer(points) && strideWords !== dimensions) {
    throw new InvalidInputError('strideWords goes with points in a GPUBuffer only');
  }
  const known = isBuffer(points) ? undefined : pointsIn(points, dimensions, 'points');
  const room = isBuffer(points) ? roomForPoints(points, dimensions, strideWords) : (known as number);
  const groupRoom = groups === undefined ? room : roomForGroups(groups, known);
  const most = checkCount(input.count ?? known, Math.min(room, groupRoom));
  const wordsOf = (count: number) => (count === 0 ? 0 : (count - 1) * strideWords + dimensions);
  requireItems(gpu, wordsOf(most), 'the number of words of all points');
  return {
    count: input.count ?? most,
    most,
    load: (upload = (name, data) => gpu.upload(name, data)) => {
      const view = (name: string, data: ArrayBufferView | GPUBuffer, words: number): BufferView =>
        sized(gpu, isBuffer(data) ? data : upload(name, data), WORD_BYTES * words);
      return {
        points: view('points', points, wordsOf(most)),
        groups: groups && view('groups', groups, most),
        strideWords,
        count: input.count ?? most,
        most,
      };
    },
  };
}

/** Throws for a count that only the encoder face takes: here the room for the points is decided. */
export function requireHostCount(input: GridInput): void {
  requireMembers(input, 'input', INPUT);
  if (input.count !== undefined) requireWhole(input.count, 'count on the host face');
}

/** Throws for what only the host face takes: nobody would free what were uploaded. */
export function requireGridBuffers(input: GridBuffers): void {
  requireMembers(input, 'input', INPUT);
  requireStorage(input.points, 'points');
  if (input.groups !== undefined) requireStorage(input.groups, 'groups');
}

/** How many points an array has. */
export function pointsIn(points: unknown, dimensions: number, name: string): number {
  if (arrayKind(points) !== 'Float32Array') refuse(name, 'a Float32Array', points);
  requireAttached(points, name);
  const { length } = points as Float32Array;
  if (length % dimensions !== 0) {
    throw new InvalidInputError(`${name} has ${length} coordinates; each point takes ${dimensions}`);
  }
  return length / dimensions;
}

function roomForPoints(buffer: GPUBuffer, dimensions: number, strideWords: number): number {
  requireStorage(buffer, 'points');
  return Math.max(0, Math.floor((Math.floor(buffer.size / WORD_BYTES) - dimensions) / strideWords) + 1);
}

function roomForGroups(groups: Uint32Array | GPUBuffer, points: number | undefined): number {
  if (isBuffer(groups)) {
    requireStorage(groups, 'groups');
    return roomFor(groups, 4);
  }
  requireGroups(groups, points, 'groups');
  return groups.length;
}

/** Throws unless there is a group for every point. */
export function requireGroups(groups: unknown, points: number | undefined, name: string): void {
  if (arrayKind(groups) !== 'Uint32Array') refuse(name, 'a Uint32Array', groups);
  requireAttached(groups, name);
  const { length } = groups as Uint32Array;
  if (points !== undefined && length !== points) {
    throw new InvalidInputError(`there are ${points} points but ${length} ${name}`);
  }
}
