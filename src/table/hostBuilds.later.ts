/** Builds of schemes that work on the host: the items come from the GPU, and the finished table goes back to it. */
import { type Gpu, InvalidInputError, perform, record } from '../gpu/index.ts';
import { recordCopy } from '../primitives/index.ts';
import {
  HeaderLayout,
  type HostBuild,
  type HostItems,
  type HostOutcome,
  type PlannedTable,
  type TableBuffers,
  type TablePlan,
} from '../schemes/contract/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Source } from './source.ts';

/** Makes an attempt, and leaves buffers and header as the kernels of one would have left them. */
export type HostAttempt = (
  plan: TablePlan,
  table: TableBuffers,
  random: () => number,
  attempt: { readonly attempts: number; readonly build: number },
) => Promise<void>;

/** Reads the items, and tells how attempts are made from them. */
export async function hostAttempts(gpu: Gpu, planned: TablePlan, source: Source): Promise<HostAttempt> {
  const items = await readItems(gpu, planned, source);
  return (plan, table, random, attempt) =>
    writeTable(gpu, plan, table, (plan.build as HostBuild).run(items, random), { ...attempt, count: source.maxCount });
}

/** The words of all items. A kernel copies them first, because a caller's buffers need not be made for copying. */
async function readItems(gpu: Gpu, { request }: PlannedTable, source: Source): Promise<HostItems> {
  const { key, valueWords } = request;
  const { count } = source;
  if (typeof count !== 'number') throw new InvalidInputError('on the host face the count must be a number');
  const keyWords = count * key.words;
  const allValueWords = count * valueWords;
  const [keys, values] = (await gpu.allocate([
    { label: 'host/keys', bytes: keyWords * WORD_BYTES },
    { label: 'host/values', bytes: allValueWords * WORD_BYTES },
  ])) as [GPUBuffer, GPUBuffer];
  try {
    const [keyBytes, valueBytes] = (await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'host/items', (recorder) => {
          const items = source.load();
          recordCopy(recorder, { from: items.keys, to: keys, items: keyWords });
          if (items.values) recordCopy(recorder, { from: items.values, to: values, items: allValueWords });
        }),
      [
        { buffer: keys, bytes: keyWords * WORD_BYTES },
        { buffer: values, bytes: allValueWords * WORD_BYTES },
      ],
    )) as [ArrayBuffer, ArrayBuffer];
    return { keys: new Uint32Array(keyBytes), values: valueWords > 0 ? new Uint32Array(valueBytes) : undefined };
  } finally {
    for (const buffer of [keys, values]) buffer.destroy();
  }
}

async function writeTable(
  gpu: Gpu,
  { fields, capacitySlots }: PlannedTable,
  table: TableBuffers,
  outcome: HostOutcome,
  attempt: { readonly count: number; readonly attempts: number; readonly build: number },
): Promise<void> {
  const nothing = { hash: [0, 0, 0, 0] as const, buffers: new Map<string, Uint32Array>() };
  const { hash, buffers, ...counters } = { ...nothing, ...outcome };
  const header = HeaderLayout.of(fields).write({ ...counters, ...attempt, hash, own: fields, capacity: capacitySlots });
  await gpu.checked(() => {
    for (const [name, words] of buffers) gpu.write(table.get(name), words);
    gpu.write(table.header, header);
  });
}
