/**
 * Searches on the host face: keys from an array, answers into arrays, in one submission, with buffers and bind groups that the
 * calls before have left. A flag is a byte on the way back, not a word.
 */
import {
  type Bound,
  type BufferView,
  extentCount,
  InvalidInputError,
  mostBytes,
  perform,
  record,
  type Signal,
} from '../gpu/index.ts';
import { keysView } from '../keys/index.ts';
import { kept, kernel, storage, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { valueAnswer } from './lookup.wgsl.ts';
import type { NeedlePart } from './needles.ts';
import type { Reading } from './reading.wgsl.ts';
import type { Searchable } from './searchable.ts';

/** Where the answers to a search go; what nobody wants is not read back. */
export interface Answers {
  /** The words of the values. */
  readonly values?: Uint32Array | undefined;
  /** 1 or 0 for every key. */
  readonly found?: Uint8Array | undefined;
  /** Says when nobody wants them any more: the arrays are left alone then. */
  readonly signal?: Signal | undefined;
}

const THREADS = 64;
/** Keys of a thread: their flags make a word. */
const KEYS_PER_THREAD = 4;

const hostKernel = kept((reading: Reading, answers: 'values' | 'found' | 'values and found') => {
  const needles = keysView(reading.request.key, 'needle', 'queries');
  const values = valueAnswer(reading);
  const found = storage('found', 'array<u32>', 'read_write');
  const program = kernel({
    label: 'search',
    threads: THREADS,
    itemsPerGroup: THREADS * KEYS_PER_THREAD,
    body: wgsl`
  var flags = 0u;
  for (var i = 0u; i < ${KEYS_PER_THREAD}u; i++) {
    let query = item * ${KEYS_PER_THREAD}u + i;
    if (query >= ${extentCount}) { break; }
    let hit = ${reading.find(needles.access)}(${needles.at('query')});
    flags |= u32(hit.found) << (8u * i);
    ${answers.includes('values') ? values.store('query') : ''}
  }
  ${answers.includes('found') ? wgsl`if (item * ${KEYS_PER_THREAD}u < ${extentCount}) { ${found}[item] = flags; }` : ''}`,
  });
  return { program, needles, values, found };
});

/** Searches for some keys, and puts the answers where they belong. */
export async function lookUp(
  table: Searchable,
  { words: keys, first, count, context }: NeedlePart,
  missing: readonly number[],
  { values, found, signal }: Answers,
): Promise<void> {
  const { gpu, settings } = table;
  table.assertBuilt();
  const { valueWords } = settings;
  const taken: GPUBuffer[] = [];
  const take = (bytes: number): BufferView => {
    const buffer = gpu.spare.take('kernel', bytes);
    taken.push(buffer);
    // The whole of it, so that the next search needs no other bind group.
    return { buffer, size: Math.min(buffer.size, mostBytes(gpu.limits)) };
  };
  const { program, needles, ...io } = hostKernel(
    table.reading,
    values ? (found ? 'values and found' : 'values') : 'found',
  );
  const reads: { buffer: GPUBuffer; bytes: number }[] = [];
  let isGood = false;
  try {
    await perform(
      gpu,
      (encoder) => {
        const [counter, queries] = [take(4), take(keys.byteLength)];
        gpu.write(bufferOf(counter), Uint32Array.of(count));
        gpu.write(bufferOf(queries), keys);
        const answer = (bytes: number): BufferView => {
          const output = take(bytes);
          reads.push({ buffer: bufferOf(output), bytes });
          return output;
        };
        const bound: Bound = [
          ...table.bound,
          [extentCount, bufferOf(counter)],
          ...needles.bind({ keys: queries, context }),
          ...(values ? io.values.bind(gpu, answer(count * valueWords * WORD_BYTES), missing) : []),
          ...(found ? ([[io.found, answer(count)]] as const) : []),
        ];
        record(gpu, encoder, 'search', (recorder) =>
          recorder.run(program, bound, { max: count, count: bufferOf(counter), onGpu: false }),
        );
      },
      reads,
      (parts) => {
        if (signal?.aborted) return;
        const [valuePart, foundPart] = values ? parts : [undefined, ...parts];
        if (values && valuePart) putAnswers(values, wordsIn(valuePart), first * valueWords);
        if (found && foundPart) putAnswers(found, foundPart, first);
      },
    );
    isGood = true;
  } finally {
    for (const buffer of taken.reverse()) gpu.spare.giveBack('kernel', buffer, isGood);
  }
}

const bufferOf = (view: BufferView): GPUBuffer => ('buffer' in view ? view.buffer : view);

const wordsIn = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / WORD_BYTES);

/** Puts answers into an array, which may be a caller's. */
export function putAnswers<T extends Uint32Array | Uint8Array>(array: T, answers: T, at: number): void {
  if (array.length < at + answers.length) {
    throw new InvalidInputError('into: an array has lost its memory while it was waited for');
  }
  array.set(answers, at);
}
