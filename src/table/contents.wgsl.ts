import { InvalidInputError, type Readback, record } from '../gpu/index.ts';
import { wordsType } from '../keys/index.ts';
import { bindTable } from '../schemes/contract/scheme.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import type { Table } from './table.ts';

const THREADS = 256;

/** What a table holds. */
export interface Contents {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
  /** The bytes that the keys point into, for keys that have a context. */
  readonly context: Uint8Array | undefined;
}

/** The bytes of a table's keys, to be read back in one submission with words that point into them. */
export function contextReadback({ buffers }: Table): readonly Readback[] {
  const [, context] = buffers.context ?? [];
  return context ? [{ buffer: context, bytes: context.size }] : [];
}

/** Reads all keys and values of a table back, packed, in no particular order. */
export async function readContents(table: Table): Promise<Contents> {
  const { gpu, plan, settings, buffers, size, state } = table;
  const { scheme } = settings;
  const { key, valueWords } = plan;
  const { kernel: program, slots, keys, values, length } = contentsKernel(table);
  const keyBytes = size * key.words * 4;
  const valueBytes = size * valueWords * 4;
  const [keyBuffer, valueBuffer, lengthBuffer] = (await gpu.allocate([
    { label: 'contents/keys', bytes: keyBytes },
    { label: 'contents/values', bytes: valueBytes },
    { label: 'contents/length', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    if (table.state !== state) throw new InvalidInputError('the table was rebuilt while its contents were to be read');
    const slotCount = scheme.slotCount(plan);
    const [keyWords, valueWordsRead, context] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'contents', (recorder) =>
          recorder.run(
            program,
            [
              ...bindTable(table.shader('table'), buffers),
              [slots, gpu.constants(slotCount)],
              [keys, keyBuffer],
              [length, lengthBuffer],
              ...(valueWords > 0 ? ([[values, valueBuffer]] as const) : []),
            ],
            slotCount,
          ),
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

/** Every present entry goes to the next free place; a workgroup takes its places together. */
function contentsKernel(table: Table) {
  const { key, valueWords } = table.plan;
  const slots = uniform('slotCount', 'u32');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`, 'read_write');
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`, 'read_write');
  const length = storage('length', 'atomic<u32>', 'read_write');
  const taken = wgsl`var<workgroup> taken: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
  const { entry } = table.shader('table');
  const program = kernel({
    label: 'contents',
    threads: THREADS,
    body: wgsl`
  let visited = min(item, ${slots} - 1u);
  let found = ${entry}(visited);
  let present = found.present && item < ${slots};
  var place = 0u;
  if (present) { place = atomicAdd(&${taken}, 1u); }
  workgroupBarrier();
  if (thread == 0u) { ${start} = atomicAdd(&${length}, atomicLoad(&${taken})); }
  workgroupBarrier();
  if (present) {
    ${keys}[${start} + place] = found.key;
    ${valueWords > 0 ? wgsl`${values}[${start} + place] = found.value;` : ''}
  }`,
  });
  return { kernel: program, slots, keys, values, length };
}
