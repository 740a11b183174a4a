/**
 * Keys of variable length may share bytes, so that few bytes can stand for many long keys. In a file of somebody else's that
 * may be all that it is for.
 */
import { FormatError } from '../../gpu/index.ts';
import type { TablePlan } from '../../schemes/contract/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';

/** Whoever reads all keys back gets at most so many times the bytes of the file. */
const MOST_READ_PER_BYTE = 16;

/** Bytes that are hashed where all slots are visited: so many, and more of them for each byte of the file. */
const MOST_HASHED = 2 ** 28;
const MOST_HASHED_PER_BYTE = 64;

/** Throws if all keys together would take far more memory than the file. */
export function requireReadableKeys(keyBytes: number, fileBytes: number): void {
  if (keyBytes > MOST_READ_PER_BYTE * fileBytes) throw tooMuchShared(keyBytes, fileBytes);
}

/** Throws if the keys in all slots together are too long to be hashed, where `entry` hashes whatever is in a slot. */
export function requireHashable(
  { soundness }: TablePlan,
  parts: ReadonlyMap<string, Uint8Array>,
  bytes: { readonly context: number; readonly file: number },
): void {
  if (!soundness?.hashed) return;
  const { buffer: name, slotWords } = soundness.hashed;
  const { buffer, byteOffset, byteLength } = parts.get(name) as Uint8Array;
  const slots = new DataView(buffer, byteOffset, byteLength);
  let hashed = 0;
  for (let at = 0; at < byteLength; at += WORD_BYTES * slotWords) {
    // As kernels see them: a slice ends where its context does, and an empty slot is none.
    const offset = Math.min(slots.getUint32(at, true), bytes.context);
    hashed += Math.min(slots.getUint32(at + 4, true), bytes.context - offset);
  }
  if (hashed > MOST_HASHED + MOST_HASHED_PER_BYTE * bytes.file) throw tooMuchShared(hashed, bytes.file);
}

const tooMuchShared = (keyBytes: number, fileBytes: number): FormatError =>
  new FormatError(`the keys of the saved table share bytes: ${keyBytes} of them in a file of ${fileBytes}`);
