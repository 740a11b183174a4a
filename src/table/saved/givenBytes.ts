import { arrayKind, FormatError, plainBytes, refuse } from '../../gpu/index.ts';

/** The bytes that a caller gave, as a plain array. A `Buffer` of Node is a `Uint8Array` whose `slice` copies nothing. */
export function givenBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (arrayKind(bytes) !== 'Uint8Array') refuse('bytes', 'a Uint8Array', bytes);
  if (bytes.byteLength === 0) {
    throw new FormatError('bytes is empty: there is nothing in the file, or the array was transferred away');
  }
  return plainBytes(bytes);
}
