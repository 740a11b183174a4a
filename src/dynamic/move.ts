import { ELEMENT_BYTES, perform, record, submit, type Workspace } from '../gpu/index.ts';
import { recordContents } from '../table/contents.wgsl.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { countedIn, recordBatch } from './batch.wgsl.ts';
import type { Body } from './body.ts';
import { type Compacted, compactedContext } from './compact.wgsl.ts';
import { batchOf } from './fits.ts';

/** All keys and values of a table, one behind the other. */
export interface Packed {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly count: number;
  readonly context: GPUBuffer | undefined;
}

/** Does something with all keys and values of a table, which has so many. */
export async function withPacked<T>(
  source: Body,
  count: number,
  context: GPUBuffer | undefined,
  work: (packed: Packed) => Promise<T>,
): Promise<T> {
  const { gpu, plan } = source;
  const { key, valueWords } = plan.request;
  const [keys, values, counted] = (await gpu.allocate([
    { label: 'packed/keys', bytes: Math.max(ELEMENT_BYTES, count * key.words * WORD_BYTES) },
    { label: 'packed/values', bytes: count * valueWords * WORD_BYTES },
    { label: 'packed/count', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    const table = { plan, reading: source.reading, bound: source.bound(context) };
    const output = { keys, values: valueWords > 0 ? values : undefined, count: { buffer: counted }, room: count };
    await submit(gpu, (encoder) =>
      record(gpu, encoder, 'packed', (recorder) => recordContents(recorder, table, output)),
    );
    return await work({ keys, values, count, context });
  } finally {
    for (const buffer of [keys, values, counted]) buffer.destroy();
  }
}

/** The same with a context that has the bytes of these keys and of no others, if that is a smaller one. It is the work's to keep. */
export const withCompacted = <T>(
  source: Body,
  count: number,
  { buffer, ...room }: { readonly buffer: GPUBuffer; readonly used: number; readonly reserved: number },
  work: (packed: Packed, compacted: Compacted | undefined) => Promise<T>,
): Promise<T> =>
  withPacked(source, count, buffer, async (packed) => {
    const compacted = await compactedContext(source.gpu, { keys: packed.keys, count, context: buffer, ...room });
    return work({ ...packed, context: compacted?.buffer ?? buffer }, compacted);
  });

/** So many items begin where a binding may, whatever their words. */
const ALIGNED_ITEMS = 64;

/**
 * Puts all keys and values of a table into another, and no others, and tells whether all have arrived. There are several batches where
 * the device does not take all at once.
 */
export async function insertPacked(target: Body, packed: Packed, workspace: Workspace): Promise<boolean> {
  const { gpu, plan } = target;
  const { count, context } = packed;
  const { key, valueWords } = plan.request;
  const most = batchOf(gpu, plan, count);
  const atOnce = most === count ? count : Math.max(ALIGNED_ITEMS, most - (most % ALIGNED_ITEMS));
  for (let first = 0; first < count; first += atOnce) {
    const items = Math.min(atOnce, count - first);
    const part = (buffer: GPUBuffer, words: number) => {
      const itemBytes = words * WORD_BYTES;
      return { buffer, offset: first * itemBytes, size: items * itemBytes };
    };
    const values = valueWords > 0 ? part(packed.values, valueWords) : undefined;
    const [bytes] = await perform(
      gpu,
      (encoder) => {
        if (first === 0) target.encodeClear(encoder);
        record(gpu, encoder, 'move', (recorder) =>
          recordBatch(
            recorder,
            { body: target, context, workspace, number: 0, extent: recorder.extent(items), isEmpty: first === 0 },
            { keys: part(packed.keys, key.words), values, context, contextStart: 0 },
            { kind: 'insert', onExisting: 'replace', unique: true },
          ),
        );
      },
      [target.countersRead],
    );
    if (countedIn(bytes as ArrayBuffer).keys < first + items) return false;
  }
  return true;
}

/** Moves all keys and values of a table to another, and tells whether all have arrived. */
export async function moveAll(
  source: Body,
  target: Body,
  size: number,
  context: GPUBuffer | undefined,
  workspace: Workspace,
): Promise<boolean> {
  if (size === 0) {
    await perform(target.gpu, (encoder) => target.encodeClear(encoder));
    return true;
  }
  const { gpu } = source;
  const { counters } = target;
  const ways = source.hash === target.hash ? (target.plan.moveFrom?.(source.plan, gpu.limits) ?? []) : [];
  if (ways.length === 0) return withPacked(source, size, context, (packed) => insertPacked(target, packed, workspace));
  const move = { from: source.buffers(context), to: target.buffers(context), keys: size, counters, workspace };
  for (const recordMove of ways) {
    const [bytes] = await perform(
      gpu,
      (encoder) => {
        encoder.clearBuffer(counters);
        record(gpu, encoder, 'move', (recorder) => recordMove(recorder, move));
      },
      [target.countersRead],
    );
    if (countedIn(bytes as ArrayBuffer).keys === size) return true;
  }
  return false;
}
