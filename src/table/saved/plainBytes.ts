import { FormatError, InvalidInputError } from '../../gpu/index.ts';

/** What something is, also if it comes from another realm. */
const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

/**
 * The bytes that a caller gave, as a plain array over memory that nobody else changes. A `Buffer` of Node is a `Uint8Array`
 * whose `slice` copies nothing; shared memory may change between two reads; memory that may grow cannot be written to a GPU.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const kind = kindOf(bytes);
  if (kind !== 'Uint8Array') throw new InvalidInputError(`bytes must be a Uint8Array, not ${kind}`);
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteLength === 0) {
    throw new FormatError('bytes is empty: there is nothing in the file, or the array was transferred away');
  }
  const isPlain = kindOf(buffer) === 'ArrayBuffer' && !(buffer as { readonly resizable?: boolean }).resizable;
  return isPlain ? new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength) : new Uint8Array(bytes);
}
