/**
 * The checksum of saved tables, on the GPU and on the host: the sum of all words, each mixed with its position. A word that was
 * altered always changes it, and any other damage with a probability of 1 − 2⁻³². It is a sum, so the parts of a file may be
 * summed wherever they are.
 */
import type { BufferView, Recorder } from '../../gpu/index.ts';
import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../../wgsl/index.ts';

const STRIDE = 0x9e37_79b9;
const FIRST = 0x85eb_ca6b;
const SECOND = 0xc2b2_ae35;

/** The checksum of words that stand in the file from the given word on. */
export function checksum(bytes: Uint8Array, firstWord: number): number {
  // Where whole words cannot be read in place, a copy.
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const words = new Uint32Array(buffer, byteOffset, length / WORD_BYTES);
  let sum = 0;
  let position = Math.imul(firstWord, STRIDE);
  for (let i = 0; i < words.length; i++) {
    let mixed = ((words[i] as number) + position) | 0;
    mixed = Math.imul(mixed ^ (mixed >>> 16), FIRST);
    mixed = Math.imul(mixed ^ (mixed >>> 13), SECOND);
    sum = (sum + (mixed ^ (mixed >>> 16))) | 0;
    position = (position + STRIDE) | 0;
  }
  return sum >>> 0;
}

/** The checksum of a whole from those of its parts. */
export const sumOf = (...parts: readonly number[]): number => parts.reduce((sum, part) => (sum + part) >>> 0, 0);

const THREADS = 256;
/** Words of a thread, and so few workgroups that adding up their sums takes no time. */
const WORDS_PER_THREAD = 16;

const words = storage('words', 'array<u32>');
const sum = storage('sum', 'atomic<u32>', 'read_write');
/** How many words, and where they stand in the file. */
const extent = uniform('extent', 'vec2u');
const groupSum = wgsl`var<workgroup> groupSum: atomic<u32>;`;

const sumWords = kernel({
  label: 'saved/checksum',
  threads: THREADS,
  itemsPerGroup: THREADS * WORDS_PER_THREAD,
  body: wgsl`
  var own = 0u;
  for (var i = 0u; i < ${WORDS_PER_THREAD}u; i++) {
    let at = (group * ${WORDS_PER_THREAD}u + i) * ${THREADS}u + thread;
    if (at < ${extent}.x) {
      var mixed = ${words}[at] + (at + ${extent}.y) * ${STRIDE}u;
      mixed = (mixed ^ (mixed >> 16u)) * ${FIRST}u;
      mixed = (mixed ^ (mixed >> 13u)) * ${SECOND}u;
      own += mixed ^ (mixed >> 16u);
    }
  }
  atomicAdd(&${groupSum}, own);
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${sum}, atomicLoad(&${groupSum})); }`,
});

/** Part of a file, in a buffer. */
export interface SummedPart {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
  /** Where it stands in the file. */
  readonly firstWord: number;
}

/** Records that the words of parts are added to a sum. */
export function recordChecksum(recorder: Recorder, parts: readonly SummedPart[], to: BufferView): void {
  for (const { buffer, bytes, firstWord } of parts) {
    const count = bytes / WORD_BYTES;
    recorder.run(
      sumWords,
      [
        [words, { buffer, size: Math.max(4, bytes) }],
        [extent, recorder.gpu.constants(count, firstWord)],
        [sum, to],
      ],
      count,
    );
  }
}
