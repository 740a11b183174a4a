import { type BufferView, type GpuCount, InvalidInputError, USAGE } from '../gpu/index.ts';

/** Whole words of a buffer or of the bound part of it. */
export function wordsOf(view: BufferView): number {
  const bytes = 'buffer' in view ? (view.size ?? view.buffer.size - (view.offset ?? 0)) : view.size;
  return Math.floor(bytes / 4);
}

/** Throws unless the value is a 32-bit unsigned integer. */
export function requireWord(value: number, name: string): void {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new InvalidInputError(`${name} must be an integer from 0 to 4294967295, not ${value}`);
  }
}

/** Throws unless kernels may use the buffer. */
export function requireStorage(buffer: GPUBuffer, name: string): void {
  if (!(buffer.usage & USAGE.STORAGE)) throw new InvalidInputError(`${name} must be a buffer with the usage STORAGE`);
}

/** Throws unless that is a word of the buffer. */
export function requirePlace({ buffer, offset = 0 }: GpuCount, name: string): void {
  requireStorage(buffer, `${name}.buffer`);
  if (!Number.isInteger(offset) || offset < 0 || offset % 4 !== 0) {
    throw new InvalidInputError(`${name}.offset must be a multiple of 4, not ${offset}`);
  }
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
  for (const [name, room] of Object.entries(rooms)) {
    if (room < 0) throw new InvalidInputError(`${name} is too small by ${-room} words`);
    if (typeof count === 'number' && count > room) {
      throw new InvalidInputError(`count is ${count}, but ${name} has room for only ${room} words`);
    }
  }
  if (typeof count === 'number') {
    if (!Number.isInteger(count) || count < 0)
      throw new InvalidInputError(`count must be a whole number, not ${count}`);
    return count;
  }
  requirePlace(count, 'count');
  return Math.min(...Object.values(rooms));
}
