/** Builds of schemes that work on the host: the items come from the GPU, and the finished table goes back to it. */
import { type Gpu, InvalidInputError, record } from '../gpu/index.ts';
import { recordCopy } from '../primitives/copy.wgsl.ts';
import { writeHeader } from '../schemes/contract/header.wgsl.ts';
import {
  bufferOf,
  type HostBuild,
  type HostItems,
  type TableBuffers,
  type TablePlan,
} from '../schemes/contract/scheme.ts';
import type { Source } from './source.ts';

/** The words of all items. A kernel copies them first, because a caller's buffers need not be made for copying. */
export async function readItems(gpu: Gpu, { key, valueWords }: TablePlan, source: Source): Promise<HostItems> {
  const { count } = source;
  if (typeof count !== 'number') throw new InvalidInputError('on the host face the count must be a number');
  const keyWords = count * key.words;
  const allValueWords = count * valueWords;
  const [keys, values] = (await gpu.allocate([
    { label: 'host/keys', bytes: keyWords * 4 },
    { label: 'host/values', bytes: allValueWords * 4 },
  ])) as [GPUBuffer, GPUBuffer];
  try {
    const [keyBytes, valueBytes] = (await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'host/items', (recorder) => {
          recordCopy(recorder, { from: source.keys, to: keys, items: keyWords });
          if (source.values) recordCopy(recorder, { from: source.values, to: values, items: allValueWords });
        }),
      [
        { buffer: keys, bytes: keyWords * 4 },
        { buffer: values, bytes: allValueWords * 4 },
      ],
    )) as [ArrayBuffer, ArrayBuffer];
    return { keys: new Uint32Array(keyBytes), values: valueWords > 0 ? new Uint32Array(valueBytes) : undefined };
  } finally {
    for (const buffer of [keys, values]) buffer.destroy();
  }
}

/** Leaves buffers and header as the kernels of an attempt would have left them. */
export async function writeTable(
  gpu: Gpu,
  plan: TablePlan,
  buffers: TableBuffers,
  built: HostBuild,
  options: { readonly count: number; readonly attempts: number; readonly build: number },
): Promise<void> {
  const header = writeHeader({ ...built, ...options, capacity: plan.capacitySlots, own: plan.own });
  await gpu.checked(() => {
    if (built.status === 0) for (const [name, words] of built.buffers) gpu.write(bufferOf(buffers, name), words);
    gpu.write(buffers.header, header);
  });
}
