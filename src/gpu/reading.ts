/** What comes back from a buffer, as numbers. */
import { WORD_BYTES } from '../wgsl/index.ts';
import { isBuffer, refuse, requireOptions, requireWhole } from './arguments.ts';
import { InvalidInputError } from './errors.ts';

/** A type of arrays that the bytes of a buffer may be read as, such as `Float32Array`. */
export interface ArrayType<Numbers> {
  new (bytes: ArrayBuffer): Numbers;
  readonly BYTES_PER_ELEMENT: number;
}

/** Which part of a buffer is read. */
export interface ReadOptions {
  /** In bytes, a multiple of 4. Default 0. */
  readonly offset?: number;
  /** In numbers. Default all that there are. */
  readonly length?: number;
}

const COPY_SRC = 0x4;

/** The part of the buffer, after everything about it has been checked. */
export function partOf(
  buffer: GPUBuffer,
  type: ArrayType<unknown>,
  options: ReadOptions,
): { readonly buffer: GPUBuffer; readonly offset: number; readonly bytes: number } {
  if (!isBuffer(buffer)) refuse('buffer', 'a GPUBuffer', buffer);
  if (!(buffer.usage & COPY_SRC)) throw new InvalidInputError('buffer must have the usage COPY_SRC');
  if (typeof type !== 'function' || !(type.BYTES_PER_ELEMENT > 0))
    refuse('type', 'an array type such as Float32Array', type);
  requireOptions(options, ['offset', 'length']);
  const { offset = 0 } = options;
  requireWhole(offset, 'offset');
  if (offset % 4 !== 0) refuse('offset', 'a multiple of 4', offset);
  const { BYTES_PER_ELEMENT: each } = type;
  // Copies move whole words.
  const room = Math.max(0, Math.floor((Math.floor(buffer.size / WORD_BYTES) * WORD_BYTES - offset) / each));
  const { length = room } = options;
  requireWhole(length, 'length');
  if (length > room)
    throw new InvalidInputError(`length is ${length}, but there are ${room} numbers from ${offset} on`);
  return { buffer, offset, bytes: length * each };
}
