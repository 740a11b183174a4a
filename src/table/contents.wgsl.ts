import { ELEMENT_BYTES, type Readback, type Recorder, record } from '../gpu/index.ts';
import { wordsArray } from '../keys/index.ts';
import { kept, kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import type { Reading } from './reading.wgsl.ts';
import type { Searchable } from './searchable.ts';

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
  const keyBytes = size * key.words * 4;
  const valueBytes = size * valueWords * 4;
  const [keyBuffer, valueBuffer, lengthBuffer] = (await gpu.allocate([
    { label: 'contents/keys', bytes: Math.max(ELEMENT_BYTES, keyBytes) },
    { label: 'contents/values', bytes: valueBytes },
    { label: 'contents/length', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    assertUnchanged();
    const [keyWords, valueWordsRead, context] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'contents', (recorder) =>
          recordContents(recorder, table, { keys: keyBuffer, values: valueBuffer, length: lengthBuffer }),
        ),
      [{ buffer: keyBuffer, bytes: keyBytes }, { buffer: valueBuffer, bytes: valueBytes }, ...contextReadback(table)],
    );
    return {
      keys: new Uint32Array(keyWords as ArrayBuffer),
      values: new Uint32Array(valueWordsRead as ArrayBuffer),
      context: context && new Uint8Array(context),
    };
  } finally {
    for (const buffer of [keyBuffer, valueBuffer, lengthBuffer]) buffer.destroy();
  }
}

/** Records that all keys and values of a table are packed, in no particular order. `length` is zero before. */
export function recordContents(
  recorder: Recorder,
  { reading, bound, plan }: Pick<Searchable, 'reading' | 'bound' | 'plan'>,
  output: { readonly keys: GPUBuffer; readonly values: GPUBuffer; readonly length: GPUBuffer },
): void {
  const { program, slots, keys, values, length } = contentsKernel(reading);
  recorder.run(
    program,
    [
      ...bound,
      [slots, recorder.gpu.constants(plan.slotCount)],
      [keys, output.keys],
      [values, output.values],
      [length, output.length],
    ],
    plan.slotCount,
  );
}

/** Every present entry goes to the next free position; a workgroup takes its positions together. */
const contentsKernel = kept((reading: Reading) => {
  const { key, valueWords } = reading.request;
  const slots = uniform('slotCount', 'u32');
  const keys = wordsArray('keys', key.words, 'read_write');
  const values = wordsArray('values', valueWords, 'read_write');
  const length = storage('length', 'atomic<u32>', 'read_write');
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
  const program = kernel({
    label: 'contents',
    threads: THREADS,
    body: wgsl`
  let visited = min(item, ${slots} - 1u);
  let found = ${reading.entry}(visited);
  let present = found.present && item < ${slots};
  var position = 0u;
  if (present) { position = atomicAdd(&${taken}, 1u); }
  workgroupBarrier();
  if (thread == 0u) { ${start} = atomicAdd(&${length}, atomicLoad(&${taken})); }
  workgroupBarrier();
  if (present) {
    ${keys}[${start} + position] = found.key;
    ${valueWords > 0 ? wgsl`${values}[${start} + position] = found.value;` : ''}
  }`,
  });
  return { program, slots, keys, values, length };
});
