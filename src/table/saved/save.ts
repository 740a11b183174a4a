import { perform, record } from '../../gpu/index.ts';
import { HASH_VERSION } from '../../hashing/index.ts';
import { HeaderLayout } from '../../schemes/contract/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { Table } from '../table.ts';
import type { ValueType } from '../values.ts';
import { recordChecksum } from './checksum.wgsl.ts';
import { type Description, frameOf, requireReadable, type SavedKind } from './format.ts';

/** The name of the bytes that keys point into. */
export const CONTEXT = 'context';

/** A part of a buffer that is saved. */
interface SavedPart {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

/** What a collection adds to its table when it is saved. */
export interface SavedExtras {
  readonly buffers: Readonly<Record<string, SavedPart>>;
  readonly details: Readonly<Record<string, string>>;
}

/** Reads a table back and packs it. */
export async function saveTable(
  table: Table,
  kind: SavedKind,
  value: ValueType | undefined,
  { buffers: extras, details }: SavedExtras = { buffers: {}, details: {} },
): Promise<Uint8Array<ArrayBuffer>> {
  const { gpu, plan, settings, buffers, size, state } = table;
  const { context } = buffers;
  const beside = Object.entries({
    ...extras,
    ...(context && { [CONTEXT]: { buffer: context, bytes: context.size } }),
  });
  const parts: readonly SavedPart[] = [
    { buffer: buffers.header, bytes: HeaderLayout.of(plan.fields).bytes },
    ...plan.buffers.map(({ name, bytes }) => ({ buffer: buffers.get(name), bytes })),
    ...beside.map(([, part]) => part),
  ];
  const description: Description = {
    kind,
    scheme: settings.scheme.name,
    options: settings.scheme.options,
    format: plan.format,
    key: settings.key.name,
    value: value?.name ?? null,
    duplicates: settings.duplicates,
    hashVersion: HASH_VERSION,
    items: plan.request.items,
    size,
    growth: plan.request.growth,
    seed: state.report.seed ?? null,
    buffers: plan.buffers.map(({ name, bytes }) => ({ name, bytes })),
    extras: beside.map(([name, { bytes }]) => ({ name, bytes })),
    details,
  };
  requireReadable(description);
  const { bytes, starts, seal } = frameOf(
    description,
    parts.map((part) => part.bytes),
  );
  const summed = parts.map((part, i) => ({ ...part, firstWord: (starts[i] as number) / WORD_BYTES }));
  const taken: GPUBuffer[] = [];
  const reads: SavedPart[] = [...parts];
  let isGood = false;
  try {
    const checksum = await perform(
      gpu,
      (encoder) => {
        const sum = gpu.spare.take('kernel', 4);
        taken.push(sum);
        reads.push({ buffer: sum, bytes: 4 });
        encoder.clearBuffer(sum);
        record(gpu, encoder, 'save', (recorder) => recordChecksum(recorder, summed, { buffer: sum, size: 4 }));
      },
      reads,
      (contents) => {
        for (const [i, start] of starts.entries()) bytes.set(contents[i] as Uint8Array, start);
        return new DataView((contents.at(-1) as Uint8Array).slice().buffer).getUint32(0, true);
      },
    );
    isGood = true;
    return seal(checksum);
  } finally {
    for (const buffer of taken) gpu.spare.giveBack('kernel', buffer, isGood);
  }
}
