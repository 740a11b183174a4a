/** Records batches. Every step is a dispatch over all items, or over those that wait for room. */
import { type Bound, extentCount, type Recorder, type Workspace } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { kept, once } from '../../wgsl/index.ts';
import type { Batch, DynamicPlan, InsertBatch, OnExisting, TableBuffers } from '../contract/index.ts';
import { countKernel, leaveKernel, leftItems } from '../kit/batch/ends.wgsl.ts';
import { type Speakers, speakersOf } from '../kit/batch/speakers.wgsl.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { claimKernel } from './claim.wgsl.ts';
import { clearKernel, removeKernel } from './ends.wgsl.ts';
import { type Items, itemsOf } from './items.wgsl.ts';
import { matchKernel } from './match.wgsl.ts';
import { moveKernel, moves, pathKernel, round } from './moves.wgsl.ts';
import { moveRooms, moveScratch, work } from './scratch.wgsl.ts';
import type { Shape } from './shape.ts';

const owner = 'dyCuckoo';

/** What changes tables of that shape. */
export function batches(
  shape: Shape,
  fields: DynamicPlan['fields'],
): Pick<DynamicPlan, 'recordClear' | 'recordInsert' | 'recordCountAbsent' | 'recordDelete'> {
  const items = once(() => itemsOf(shape, fields));
  const inserts = kept((onExisting: OnExisting) => insertKernels(items(), onExisting));
  const clear = once(() => clearKernel(items()));
  const counting = once(() => {
    const copies = speakers(items(), 'keep');
    return { meet: copies.meet, match: matchKernel(items(), copies), count: countKernel({ owner, work, copies }) };
  });
  const removal = once(() => ({ match: matchKernel(items()), remove: removeKernel(items()) }));
  return {
    recordClear: (recorder, table) => {
      const words = recorder.extent(shape.buckets * BUCKET_WORDS);
      const { program, cleared } = clear();
      const bound: Bound = [
        [items().header, table.header],
        [cleared, table.get('buckets')],
        [extentCount, words.count],
      ];
      recorder.run(program, bound, words);
    },
    recordInsert: (recorder, table, batch) => recordInsert(recorder, items(), inserts(batch.onExisting), table, batch),
    recordCountAbsent: (recorder, table, batch) => {
      const { meet, match, count } = counting();
      const bound = bind(recorder, items(), table, batch);
      work.recordClear(recorder, batch.workspace, batch.items.max, 'seats');
      for (const step of [meet, match, count]) recorder.run(step, bound, batch.items);
    },
    recordDelete: (recorder, table, batch) => {
      const { match, remove } = removal();
      const bound = bind(recorder, items(), table, batch);
      recorder.run(match, bound, batch.items);
      recorder.run(remove, bound, batch.items);
    },
  };
}

const speakers = ({ shape, keys, header, valueAt }: Items, onExisting: OnExisting): Speakers =>
  speakersOf({ owner, key: shape.request.key, keys, header, valueAt, work }, onExisting);

type InsertKernels = ReturnType<typeof insertKernels>;

function insertKernels(items: Items, onExisting: OnExisting) {
  const copies = speakers(items, onExisting);
  return {
    meet: copies.meet,
    match: matchKernel(items, copies),
    claim: claimKernel(items, copies, onExisting),
    path: pathKernel(items),
    move: moveKernel(items, copies),
    leave: leaveKernel({ owner, work, copies }, false),
    leaveAndList: leaveKernel({ owner, work, copies }, true),
    isFolded: copies.folded !== undefined,
  };
}

function bind(recorder: Recorder, items: Items, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound {
  const { workspace } = batch;
  const { max } = batch.items;
  const scratch = moveScratch(max);
  return [
    ...items.bind(recorder.gpu, table, batch),
    ...work.bind(recorder, workspace, max),
    [moves, scratch.get(workspace)],
    [moveRooms, recorder.gpu.constants(...scratch.rooms)],
    ...(batch.left ? [[leftItems, batch.left] as const] : []),
  ];
}

/** Behind a gate that is open for the items that wait, so that rounds cost nearly nothing where none do. */
function openForWaiting(recorder: Recorder, workspace: Workspace, counted: GPUBuffer, lanes: number) {
  const gate = workspace.gate(owner, 'waiting', lanes);
  gate.open(recorder, { buffer: counted }, lanes);
  return { recorder: recorder.behind(gate), lanes: gate.extent(lanes), seal: () => gate.seal() };
}

function recordInsert(
  recorder: Recorder,
  items: Items,
  kernels: InsertKernels,
  table: TableBuffers,
  batch: InsertBatch,
): void {
  const { max } = batch.items;
  if (max === 0) return;
  const { workspace } = batch;
  const scratch = moveScratch(max);
  const bound = bind(recorder, items, table, batch);
  work.recordClear(recorder, workspace, max, kernels.isFolded ? 'folded' : 'seats');
  recordFill(recorder, { output: scratch.get(workspace), value: 0, items: scratch.lockWords });
  recorder.run(kernels.meet, bound, batch.items);
  recorder.run(kernels.match, bound, batch.items);
  recorder.run(kernels.claim, bound, batch.items);
  const waiting = openForWaiting(recorder, workspace, work.get(workspace, max), scratch.lanes);
  for (let i = 0; i < scratch.rounds; i++) {
    const inRound: Bound = [...bound, [round, recorder.gpu.constants(i)]];
    for (const step of [kernels.path, kernels.move]) waiting.recorder.run(step, inRound, waiting.lanes);
  }
  waiting.seal();
  recorder.run(batch.left ? kernels.leaveAndList : kernels.leave, bound, batch.items);
}
