import { record, type Workspace } from '../gpu/index.ts';
import type { RecordMove } from '../schemes/contract/index.ts';
import { recordContents } from '../table/contents.wgsl.ts';
import { countedIn, recordBatch } from './batch.wgsl.ts';
import type { Body } from './body.ts';

/** Moves all keys and values of a table to another, which is empty, and tells whether all have arrived. */
export async function moveAll(
  source: Body,
  target: Body,
  size: number,
  context: GPUBuffer | undefined,
  workspace: Workspace,
): Promise<boolean> {
  if (size === 0) return true;
  const recordMove = source.hash === target.hash ? target.plan.moveFrom?.(source.plan) : undefined;
  return recordMove
    ? moveParts(source, target, size, context, workspace, recordMove)
    : moveByBatch(source, target, size, context, workspace);
}

/** As the plan of the new table knows how. */
async function moveParts(
  source: Body,
  target: Body,
  size: number,
  context: GPUBuffer | undefined,
  workspace: Workspace,
  recordMove: RecordMove,
): Promise<boolean> {
  const { gpu } = source;
  const { counters } = target;
  const move = { from: source.buffers(context), to: target.buffers(context), keys: size, counters, workspace };
  const [bytes] = await gpu.run(
    (encoder) => record(gpu, encoder, 'move', (recorder) => recordMove(recorder, move)),
    [target.countersRead],
  );
  return countedIn(bytes as ArrayBuffer).keys === size;
}

/** By one batch of all keys. */
async function moveByBatch(
  source: Body,
  target: Body,
  size: number,
  context: GPUBuffer | undefined,
  workspace: Workspace,
): Promise<boolean> {
  const { gpu, plan } = source;
  const { key, valueWords } = plan.request;
  const [keys, values, length] = (await gpu.allocate([
    { label: 'move/keys', bytes: size * key.words * 4 },
    { label: 'move/values', bytes: size * valueWords * 4 },
    { label: 'move/length', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'move', (recorder) => {
          const table = { plan, reading: source.reading, bound: source.bound(context) };
          recordContents(recorder, table, { keys, values, length });
          recordBatch(
            recorder,
            { body: target, context, workspace, number: 0, extent: recorder.extent(size) },
            { keys, values: valueWords > 0 ? values : undefined, context, contextStart: 0 },
            { kind: 'insert', onExisting: 'replace', unique: true },
          );
        }),
      [target.countersRead],
    );
    return countedIn(bytes as ArrayBuffer).keys === size;
  } finally {
    for (const buffer of [keys, values, length]) buffer.destroy();
  }
}
