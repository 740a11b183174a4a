import { record, type Workspace } from '../gpu/index.ts';
import { COUNTER_WORDS, type RecordMove } from '../schemes/contract/index.ts';
import { recordContents } from '../table/contents.wgsl.ts';
import { recordChange } from './batch.wgsl.ts';
import type { Body } from './body.ts';

/** Moves all keys and values of a table to another, which is empty, and returns how many have arrived. */
export async function moveAll(
  from: Body,
  to: Body,
  context: GPUBuffer | undefined,
  size: number,
  workspace: Workspace,
): Promise<number> {
  if (size === 0) return 0;
  const recordMove = from.hash === to.hash ? to.plan.moveFrom?.(from.plan) : undefined;
  return recordMove
    ? moveParts(from, to, context, size, workspace, recordMove)
    : moveByBatch(from, to, context, size, workspace);
}

const countersOf = ({ counters: buffer }: Body) => ({ buffer, bytes: COUNTER_WORDS * 4 });
const keysIn = (counters: ArrayBuffer | undefined): number => new Uint32Array(counters as ArrayBuffer)[0] as number;

/** As the plan of the new table knows how. */
async function moveParts(
  from: Body,
  to: Body,
  context: GPUBuffer | undefined,
  size: number,
  workspace: Workspace,
  recordMove: RecordMove,
): Promise<number> {
  const { gpu } = from;
  const move = {
    from: from.buffers(context),
    to: to.buffers(context),
    keys: size,
    counters: to.counters,
    workspace,
  };
  const [bytes] = await gpu.run(
    (encoder) => record(gpu, encoder, 'move', (recorder) => recordMove(recorder, move)),
    [countersOf(to)],
  );
  return keysIn(bytes);
}

/** By one batch of all keys. */
async function moveByBatch(
  from: Body,
  to: Body,
  context: GPUBuffer | undefined,
  size: number,
  workspace: Workspace,
): Promise<number> {
  const { gpu, plan } = from;
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
          recordContents(
            recorder,
            { plan, reading: from.reading, bound: from.bound(context) },
            { keys, values, length },
          );
          recordChange(recorder, to, context, {
            kind: 'insert',
            keys,
            values: valueWords > 0 ? values : undefined,
            context,
            items: recorder.extent(size),
            workspace,
            onExisting: 'replace',
            unique: true,
          });
        }),
      [countersOf(to)],
    );
    return keysIn(bytes);
  } finally {
    for (const buffer of [keys, values, length]) buffer.destroy();
  }
}
