import {
  type BufferView,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  isBuffer,
  refuse,
  requireGpu,
  requireMembers,
  requireWhole,
  USAGE,
  Workspace,
} from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** Whole words of a buffer or of the bound part of it. */
export function wordsOf(view: BufferView): number {
  const bytes = 'buffer' in view ? (view.size ?? view.buffer.size - (view.offset ?? 0)) : view.size;
  return Math.floor(bytes / WORD_BYTES);
}

/** Throws unless the value is a 32-bit unsigned integer. */
export function requireWord(value: number, name: string): void {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    refuse(name, 'an integer from 0 to 4294967295', value);
  }
}

/** Throws unless there is a Gpu, and options by their right names, with scratch of the same Gpu. */
export function requireCall<T extends object>(gpu: Gpu, options: T, names: readonly (keyof T & string)[]): void {
  requireGpu(gpu);
  requireMembers(options, 'options', names);
  const { workspace } = options as { readonly workspace?: unknown };
  if (workspace !== undefined && !(workspace instanceof Workspace && workspace.gpu === gpu)) {
    refuse('workspace', 'a Workspace of the same Gpu', workspace);
  }
}

/** Throws unless kernels may use the buffer. */
export function requireStorage(buffer: GPUBuffer, name: string): void {
  if (!isBuffer(buffer)) refuse(name, 'a GPUBuffer', buffer);
  if (!(buffer.usage & USAGE.STORAGE)) throw new InvalidInputError(`${name} must be a buffer with the usage STORAGE`);
}

/** Throws unless that is a word of the buffer. */
export function requireGpuCount(count: GpuCount, name: string): void {
  if (!Object.hasOwn(Object(count), 'buffer')) refuse(name, '{ buffer, offset }', count);
  const { buffer, offset = 0 } = count;
  requireStorage(buffer, `${name}.buffer`);
  if (!Number.isInteger(offset) || offset < 0 || offset % 4 !== 0) refuse(`${name}.offset`, 'a multiple of 4', offset);
  if (offset + 4 > buffer.size) {
    throw new InvalidInputError(`${name}.offset is ${offset}, but the buffer has only ${buffer.size} bytes`);
  }
}

/** Throws unless the buffers are all different ones. */
export function requireApart(buffers: Readonly<Record<string, GPUBuffer | undefined>>): void {
  const names = new Map<GPUBuffer, string>();
  for (const [name, buffer] of Object.entries(buffers)) {
    if (!buffer) continue;
    const other = names.get(buffer);
    if (other !== undefined) throw new InvalidInputError(`${other} and ${name} must not be the same buffer`);
    names.set(buffer, name);
  }
}

/**
 * Checks a count against the words that each buffer has room for, and returns the greatest count possible: the count
 * itself where the host knows it, else the smallest room.
 */
export function requireCount(count: number | GpuCount, rooms: Readonly<Record<string, number>>): number {
  if (typeof count === 'number') requireWhole(count, 'count');
  else requireGpuCount(count, 'count');
  for (const [name, room] of Object.entries(rooms)) {
    if (room < 0) throw new InvalidInputError(`${name} is too small by ${-room} words`);
    if (typeof count === 'number' && count > room) {
      throw new InvalidInputError(`count is ${count}, but ${name} has room for only ${room} words`);
    }
  }
  return typeof count === 'number' ? count : Math.min(...Object.values(rooms));
}
