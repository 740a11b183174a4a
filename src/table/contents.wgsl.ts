import {
  type BufferView,
  countedWord,
  ELEMENT_BYTES,
  type GpuCount,
  perform,
  type Readback,
  type Recorder,
  record,
  type Target,
} from '../gpu/index.ts';
import { wordsArray } from '../keys/index.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { type KeyListBuffers, recordNone } from './entryBuffers.ts';
import type { Reading } from './reading.wgsl.ts';
import type { Searchable } from './searchable.ts';
import { sized } from './source.ts';

const THREADS = 256;

/** What a table holds. */
export interface Contents {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
  /** The bytes that the keys point into, for keys that have a context. */
  readonly context: Uint8Array | undefined;
}

/** The bytes of a table's keys, to be read back in one submission with words that point into them. */
export function contextReadback({ buffers: { context } }: Searchable): readonly Readback[] {
  return context ? [{ buffer: context, bytes: context.size }] : [];
}

/** Reads all keys and values of a table back, packed, in no particular order. */
export async function readContents(table: Searchable): Promise<Contents> {
  const { gpu, plan, size } = table;
  const assertUnchanged = table.unchanged();
  const { key, valueWords } = plan.request;
  const keyBytes = size * key.words * WORD_BYTES;
  const valueBytes = size * valueWords * WORD_BYTES;
  const [keyBuffer, valueBuffer, countBuffer] = (await gpu.allocate([
    { label: 'contents/keys', bytes: Math.max(ELEMENT_BYTES, keyBytes) },
    { label: 'contents/values', bytes: valueBytes },
    { label: 'contents/count', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    assertUnchanged();
    const [keyWords, valueWordsRead, context] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'contents', (recorder) =>
          recordContents(recorder, table, {
            keys: keyBuffer,
            values: valueWords > 0 ? valueBuffer : undefined,
            count: { buffer: countBuffer },
            room: size,
          }),
        ),
      [{ buffer: keyBuffer, bytes: keyBytes }, { buffer: valueBuffer, bytes: valueBytes }, ...contextReadback(table)],
    );
    return {
      keys: new Uint32Array(keyWords as ArrayBuffer),
      values: new Uint32Array(valueWordsRead as ArrayBuffer),
      context: context && new Uint8Array(context),
    };
  } finally {
    for (const buffer of [keyBuffer, valueBuffer, countBuffer]) buffer.destroy();
  }
}

/** Where the contents of a table go. */
interface ContentsOutput {
  readonly keys: BufferView;
  /** Nothing where only the keys are wanted. */
  readonly values?: BufferView | undefined;
  /** Counts them. It is zero before. */
  readonly count: GpuCount;
  /** How many there is room for. */
  readonly room: number;
}

/** Records that all keys and values of a table are packed, in no particular order. */
export function recordContents(
  recorder: Recorder,
  { reading, bound, plan }: Pick<Searchable, 'reading' | 'bound' | 'plan'>,
  output: ContentsOutput,
): void {
  const { program, limits, keys, values, count } = contentsKernel(reading, output.values !== undefined);
  recorder.run(
    program,
    [
      ...bound,
      [limits, recorder.gpu.constants(plan.slotCount, output.room, countedWord(output.count))],
      [keys, output.keys],
      ...(output.values ? ([[values, output.values]] as const) : []),
      [count, output.count.buffer],
    ],
    plan.slotCount,
  );
}

/** Every present entry goes to the next free position; a workgroup takes its positions together. */
const contentsKernel = kept((reading: Reading, withValues: boolean) => {
  const { key, valueWords } = reading.request;
  /** Slots, room, and which word counts. */
  const limits = uniform('limits', 'vec3u');
  const keys = wordsArray('keys', key.words, 'read_write');
  const values = wordsArray('values', valueWords, 'read_write');
  const count = storage('count', 'array<atomic<u32>>', 'read_write');
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
  const program = kernel({
    label: 'contents',
    threads: THREADS,
    body: wgsl`
  let visited = min(item, ${limits}.x - 1u);
  let found = ${reading.entry}(visited);
  let present = found.present && item < ${limits}.x && ${reading.isBuilt};
  var position = 0u;
  if (present) { position = atomicAdd(&${taken}, 1u); }
  workgroupBarrier();
  if (thread == 0u) { ${start} = atomicAdd(&${count}[${limits}.z], atomicLoad(&${taken})); }
  workgroupBarrier();
  position += ${start};
  if (present && position < ${limits}.y) {
    ${keys}[position] = found.key;
    ${withValues ? wgsl`${values}[position] = found.value;` : ''}
  }`,
  });
  return { program, limits, keys, values, count };
});

/** Records the same into buffers of a caller's, which have room for as many as there can be. */
export function encodeContents(
  target: Target,
  table: Searchable,
  capacity: number,
  { keys, values, count }: KeyListBuffers & { readonly values?: GPUBuffer | undefined },
): void {
  const { gpu, settings } = table;
  record(gpu, target, 'entries', (recorder) => {
    recordNone(recorder, count);
    if (capacity === 0) return;
    recordContents(recorder, table, {
      keys: sized(gpu, keys, capacity * settings.key.words * WORD_BYTES),
      values: values && sized(gpu, values, capacity * settings.valueWords * WORD_BYTES),
      count,
      room: capacity,
    });
  });
}
