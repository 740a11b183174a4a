/** The bytes that keys of variable length point into, on the GPU: those of a table, of its input and of queries. */
import { type Gpu, InvalidInputError, mostBytes, TooLargeError } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** Throws unless there is a context where keys in a `GPUBuffer` need one, and none where they do not. */
export function requireContext(key: KeyType, context: GPUBuffer | undefined): void {
  if (key.hasContext && !context) {
    throw new InvalidInputError(`${key.name} keys in a GPUBuffer need a \`context\`: the buffer of their bytes`);
  }
  if (!key.hasContext && context) throw new InvalidInputError(`${key.name} keys have no context`);
  if (!context) return;
  requireStorage(context, 'context');
  if (context.size % 4 !== 0) {
    throw new InvalidInputError(`the context has ${context.size} bytes; it must be a whole number of words`);
  }
}

/** Arrays that lie one behind the other in a buffer, each beginning at a multiple of four bytes. */
export type Pieces = readonly ArrayBufferView[];

/** Bytes of pieces that each begin at a multiple of four. */
export const contextBytes = (pieces: Pieces): number =>
  pieces.reduce((sum, { byteLength }) => sum + Math.ceil(byteLength / WORD_BYTES) * WORD_BYTES, 0);

/** Throws if a context of so many bytes cannot be bound. */
export function requireContextFits({ limits }: Gpu, bytes: number): void {
  const most = mostBytes(limits);
  if (bytes > most) {
    throw new TooLargeError(`the keys have ${bytes} bytes, more than the ${most} that a binding may have`, 0);
  }
}

/** Uploads pieces one behind the other, without joining them on the host. `keep` is told of the buffer before it is written. */
export function uploadPieces(
  gpu: Gpu,
  label: string,
  pieces: Pieces,
  keep = (buffer: GPUBuffer): GPUBuffer => buffer,
): GPUBuffer {
  const buffer = keep(gpu.createBuffer(label, contextBytes(pieces)));
  writePieces(gpu, buffer, pieces);
  return buffer;
}

/** The same for a buffer that is there. */
export function writePieces(gpu: Gpu, buffer: GPUBuffer, pieces: Pieces): void {
  let at = 0;
  for (const piece of pieces) {
    gpu.write(buffer, piece, at);
    at += Math.ceil(piece.byteLength / WORD_BYTES) * WORD_BYTES;
  }
}
