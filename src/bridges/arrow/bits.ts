/** Bits as Arrow has them: bit i is bit i % 8 of byte ⌊i / 8⌋. */
import type { Data, Vector } from 'apache-arrow';

/** A bit, as 0 or 1. */
export const bitAt = (bits: Uint8Array, i: number): number => ((bits[i >> 3] as number) >> (i & 7)) & 1;

/** Sets a bit. */
export function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
}

/** Room for so many bits, none of which is set. */
export const emptyBits = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(Math.ceil(count / 8));

/** Whether a chunk may have rows without a value. */
export const hasNulls = ({ nullBitmap, nullCount }: Data): boolean => nullCount !== 0 && (nullBitmap?.length ?? 0) > 0;

/** Whether a row of a chunk has a value. */
export const isValid = (data: Data, i: number): boolean =>
  !hasNulls(data) || bitAt(data.nullBitmap, data.offset + i) === 1;

/** Which rows of a vector have a value; undefined if all do. The bits are those of the only chunk where these begin with a byte. */
export function validBits({ data, length }: Vector): Uint8Array | undefined {
  if (!data.some(hasNulls)) return undefined;
  const [first] = data as [Data];
  if (data.length === 1 && first.offset % 8 === 0) {
    // A slice has the bits of the whole chunk.
    return first.nullBitmap.subarray(first.offset >> 3, (first.offset + length + 7) >> 3);
  }
  const bits = emptyBits(length);
  let at = 0;
  for (const chunk of data) {
    for (let i = 0; i < chunk.length; i++, at++) if (isValid(chunk, i)) setBit(bits, at);
  }
  return bits;
}
