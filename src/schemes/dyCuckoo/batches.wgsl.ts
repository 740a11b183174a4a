/** Records batches. Every step is a dispatch over all items, or over those that wait for room. */
import { type Bound, extentCount, Gates, type Gpu, type Recorder } from '../../gpu/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { kept, once } from '../../wgsl/index.ts';
import type { Batch, DynamicPlan, InsertBatch, OnExisting, TableBuffers } from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { claimKernel } from './claim.wgsl.ts';
import { copiesOf } from './copies.wgsl.ts';
import { clearKernel, countKernel, leaveKernel, leftItems, removeKernel } from './ends.wgsl.ts';
import { type Items, itemsOf } from './items.wgsl.ts';
import { matchKernel } from './match.wgsl.ts';
import { moveKernel, moves, pathKernel, round } from './moves.wgsl.ts';
import { meetingPlaces, rooms, scratchOf, work } from './scratch.wgsl.ts';
import type { Shape } from './shape.ts';

/** What changes tables of that shape. */
export function batches(
  shape: Shape,
  fields: DynamicPlan['fields'],
): Pick<DynamicPlan, 'recordClear' | 'recordInsert' | 'recordCountAbsent' | 'recordDelete'> {
  const items = once(() => itemsOf(shape, fields));
  const inserts = new Map<OnExisting, InsertKernels>();
  const insertsFor = (onExisting: OnExisting): InsertKernels => {
    const kernels = inserts.get(onExisting) ?? insertKernels(items(), onExisting);
    inserts.set(onExisting, kernels);
    return kernels;
  };
  const clear = once(() => clearKernel(items()));
  const counting = once(() => {
    const copies = copiesOf(items(), 'keep', false);
    return { meet: copies.meet, match: matchKernel(items(), copies.speaker), count: countKernel(copies.speaker) };
  });
  const removal = once(() => ({ match: matchKernel(items(), undefined), remove: removeKernel(items()) }));
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
    recordInsert: (recorder, table, batch) =>
      recordInsert(recorder, items(), insertsFor(batch.onExisting), table, batch),
    recordCountAbsent: (recorder, table, batch) => {
      const { meet, match, count } = counting();
      const bound = bind(recorder, items(), table, batch);
      const { places, get } = scratchOf(batch.items.max);
      recordFill(recorder, { output: get(batch.workspace, 'places'), value: 0, items: places });
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

type InsertKernels = ReturnType<typeof insertKernels>;

function insertKernels(items: Items, onExisting: OnExisting) {
  const copies = copiesOf(items, onExisting, items.shape.request.valueWords > 0);
  return {
    copies,
    match: matchKernel(items, copies.speaker),
    claim: claimKernel(items, copies, onExisting),
    path: pathKernel(items),
    move: moveKernel(items, copies),
    leave: leaveKernel(copies.speaker, false),
    leaveAndList: leaveKernel(copies.speaker, true),
    identity: typeof onExisting === 'object' ? onExisting.identity : 0,
  };
}

function bind(recorder: Recorder, items: Items, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound {
  const scratch = scratchOf(batch.items.max);
  const { workspace } = batch;
  return [
    ...items.bind(table, batch, recorder.gpu.constants(batch.contextStart ?? 0)),
    [work, scratch.get(workspace, 'work')],
    [meetingPlaces, scratch.get(workspace, 'places')],
    [moves, scratch.get(workspace, 'moves')],
    [rooms, recorder.gpu.constants(...scratch.rooms)],
    ...(batch.left ? [[leftItems, batch.left] as const] : []),
  ];
}

const gatesOf = kept((gpu: Gpu) => new Gates(gpu));

/** Behind a gate that is open for the items that wait, so that rounds cost nearly nothing where none do. */
function openForWaiting(recorder: Recorder, counted: GPUBuffer, lanes: number) {
  const gate = gatesOf(recorder.gpu).get(String(lanes));
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
  const { copies, identity } = kernels;
  const scratch = scratchOf(max);
  const bound = bind(recorder, items, table, batch);
  const fill = (name: 'work' | 'places' | 'moves', first: number, words: number, value = 0) =>
    recordFill(recorder, {
      output: scratch.get(batch.workspace, name),
      value,
      items: words,
      offsetItems: first,
    });
  fill('work', 0, scratch.headWords);
  fill('places', 0, scratch.places);
  fill('moves', 0, scratch.lockWords);
  if (copies.areRanked) fill('work', scratch.winnersAt, max);
  if (copies.areFolded) fill('work', scratch.foldedAt, max, identity);
  recorder.run(copies.meet, bound, batch.items);
  recorder.run(kernels.match, bound, batch.items);
  recorder.run(kernels.claim, bound, batch.items);
  const waiting = openForWaiting(recorder, scratch.get(batch.workspace, 'work'), scratch.lanes);
  for (let i = 0; i < scratch.rounds; i++) {
    const inRound: Bound = [...bound, [round, recorder.gpu.constants(i)]];
    for (const step of [kernels.path, kernels.move]) waiting.recorder.run(step, inRound, waiting.lanes);
  }
  waiting.seal();
  recorder.run(batch.left ? kernels.leaveAndList : kernels.leave, bound, batch.items);
}
