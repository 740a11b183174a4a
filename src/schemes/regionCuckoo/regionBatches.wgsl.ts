/** Records large batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, type Gpu, gateArgs, gateRows, type Recorder, writeGrids } from '../../gpu/index.ts';
import { type Binding, type Kernel, kept, kernel, once, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { Batch, BufferSpec, InsertBatch, OnExisting, TableBuffers } from '../contract/index.ts';
import { type Parcels, parcelWordsOf } from '../kit/partition/parcels.wgsl.ts';
import {
  type PartitionCall,
  type PartitionScratch,
  partitionScans,
  partitionScratch,
  type RecordPartition,
  type Rooms,
  roomsFor,
} from '../kit/partition/partition.wgsl.ts';
import { regionThreads } from '../kit/quick/slots.wgsl.ts';
import type { Batches, RecordBatch } from './batches.wgsl.ts';
import {
  clearCrowded,
  copiesMatter,
  crowded,
  crowdedOut,
  crowdedWords,
  DECIDING_GROUPS,
  decideKernel,
} from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, marksClaims, mayHope } from './insert.wgsl.ts';
import type { Content, Items } from './items.wgsl.ts';
import { isAllInserted, quickInsertFits, quickInsertKernel, regionEndsOut } from './quickInsert.wgsl.ts';
import { wholeBuckets } from './quickRegion.wgsl.ts';
import {
  type Entry,
  enterRegion,
  enterRoom,
  findings,
  type Region,
  regionEnds,
  regionOf,
  regionRoom,
} from './region.wgsl.ts';
import { FINDINGS, findingsOut, OWNER, partitionOf, partitionOfCrowds, roomyPartitions } from './rooms.wgsl.ts';
import type { Shape } from './shape.ts';
import { bucketsOut } from './tagStore.wgsl.ts';
import { fewWait, type MakeRoom, recordNobodyWaits, waitingOutside, waitingSpec } from './waitOutside.wgsl.ts';

/** Workgroups that partition items again. */
const AGAIN_GROUPS = 768;

/** For fewer items it takes longer to make sure that rooms were enough than to count. */
const ROOMY_FROM = 2 ** 16;

export function regionBatches(items: Items): Batches {
  const keysAlone: Content = { valueWords: 0, numbered: false };
  const insertion = kept((onExisting: OnExisting, unique: boolean, listsLeft: boolean) =>
    recordSteps(insertSteps(items, { onExisting, unique, listsLeft, onlyCounts: false })),
  );
  const counting = once(() =>
    recordSteps(stepsOf(items, keysAlone, { change: (region, enter) => insertKernel(region, COUNTING, enter) })),
  );
  const deletion = once(() => recordSteps(stepsOf(items, keysAlone, { change: deleteKernel })));
  return {
    insert: (recorder, table, batch) => {
      const { onExisting, unique, left } = batch;
      insertion(onExisting, unique, left !== undefined)(recorder, table, batch);
    },
    countAbsent: (...call) => counting()(...call),
    remove: (...call) => deletion()(...call),
  };
}

/** The kernels of a batch behind its partition: the change, and what decides between copies where they matter. */
interface Programs {
  change(region: Region, enter: Entry): Kernel;
  decide?(region: Region): Kernel;
  /** The change where items for which room has to be made wait outside, and the function that records how it is made for all of them. */
  readonly outside?: {
    change(region: Region, enter: Entry): Kernel;
    makeRoom(parcels: Parcels): MakeRoom;
  };
  /** What comes before the change if the table is thought to be empty: it makes sure, and leaves to it what it gives up. */
  fillEmpty?(parcels: Parcels, threads: number): Kernel;
}

function insertSteps(items: Items, kind: InsertKind): Steps {
  const { valueWords } = items.shape.request;
  const { onExisting, unique } = kind;
  const hopes = mayHope(kind, valueWords);
  const content = {
    valueWords,
    numbered: isNumbered(kind, valueWords) && !hopes,
    writable: marksClaims(kind, valueWords),
  };
  const isDecided = copiesMatter(onExisting, unique, valueWords);
  const programs: Programs = {
    change: (region, enter) => insertKernel(region, kind, enter),
    ...(fewWait(items.shape) &&
      !isDecided &&
      !kind.listsLeft && {
        outside: {
          change: (region, enter) => insertKernel(region, { ...kind, waitsOutside: true }, enter),
          makeRoom: (parcels) => waitingOutside(items, parcels, onExisting),
        },
      }),
    fillEmpty: (parcels, threads) => quickInsertKernel({ ...items, parcels }, threads),
    ...(isDecided && { decide: (region) => decideKernel(region, onExisting) }),
  };
  return stepsOf(items, content, programs, hopes);
}

/** What a batch is made of: parcels, how they come to their regions, and the kernels behind. What is not needed is not made. */
interface Steps {
  readonly items: Items;
  readonly programs: Programs;
  readonly parcels: Parcels;
  /** The same with the numbers of their items, where copies are decided between. */
  readonly numbered: Parcels;
  /** Whether parcels may have rooms instead of being counted. */
  readonly mayBeRoomy: boolean;
  readonly counted: () => { readonly recordPartition: RecordPartition; readonly change: Kernel };
  readonly roomy: () => ReturnType<typeof roomyPartitions> & { readonly change: Kernel };
  /** The change, and what is recorded behind it, where items wait outside. */
  readonly outside: () => { readonly change: Kernel; readonly makeRoom: MakeRoom } | undefined;
  /** What fills an empty table, where the device has enough memory for it, and what opens the gate of what is left to be done. */
  readonly fillEmptyOn: (gpu: Gpu) => { readonly kernel: Kernel; readonly goOn: Kernel } | undefined;
  /** How parcels of regions with copies get numbers, where they have none, and what decides between copies. */
  readonly deciding: () => { readonly recordAgain: RecordPartition | undefined; readonly decide: Kernel } | undefined;
}

/** @param hopes whether parcels hold no numbers although these may be needed */
function stepsOf(items: Items, content: Content, programs: Programs, hopes = false): Steps {
  const { shape, header, access } = items;
  const withNumbers = { ...content, numbered: true };
  const parcels = items.parcels(content);
  const numbered = hopes ? items.parcels(withNumbers) : parcels;
  const arriving = items.parcels({ ...content, writable: false });
  const regionWith = (held: Parcels): Region => regionOf({ shape, header, parcels: held, key: access });
  const { outside, fillEmpty, decide } = programs;
  const beginsList = decide ? clearCrowded(header) : wgsl``;
  return {
    items,
    programs,
    parcels,
    numbered,
    // Who decides needs parcels that were counted. Kernels with strings have no room for another buffer.
    mayBeRoomy: !shape.request.key.hasContext && (hopes || !decide),
    counted: once(() => ({
      recordPartition: partitionOf(items, arriving, { opening: { code: beginsList } }),
      change: programs.change(regionWith(parcels), enterRegion(header)),
    })),
    roomy: once(() => ({
      ...roomyPartitions(items, arriving, { opening: beginsList, findsEmpty: fillEmpty !== undefined }),
      change: programs.change(regionWith(parcels), enterRoom(header)),
    })),
    outside: once(
      () =>
        outside && {
          change: outside.change(regionWith(parcels), enterRoom(header)),
          makeRoom: outside.makeRoom(parcels),
        },
    ),
    fillEmptyOn: kept(({ limits }: Gpu) =>
      fillEmpty && quickInsertFits(shape, limits)
        ? { kernel: fillEmpty(parcels, regionThreads(limits)), goOn: goOnKernel(header) }
        : undefined,
    ),
    deciding: once(
      () =>
        decide && {
          recordAgain: hopes ? partitionOfCrowds(items, items.parcels({ ...withNumbers, writable: false })) : undefined,
          decide: decide(regionWith(numbered)),
        },
    ),
  };
}

/** What is bound while a batch is recorded, and where its scratch is. */
interface Recording {
  readonly table: TableBuffers;
  readonly batch: Batch & Partial<InsertBatch>;
  readonly rooms: Rooms | undefined;
  readonly scratch: (name: PartitionScratch) => GPUBuffer;
  /** What partitions are recorded with. */
  readonly call: PartitionCall;
  /** What kernels of regions are. */
  readonly changed: Bound;
  /** The list of regions with copies. */
  readonly list: GPUBuffer;
}

const recordSteps =
  (steps: Steps): RecordBatch =>
  (recorder, table, batch) => {
    const { items, programs, parcels, numbered, mayBeRoomy } = steps;
    const { regions } = items.shape;
    const { workspace } = batch;
    const { max } = batch.items;
    const rooms = mayBeRoomy && max >= ROOMY_FROM ? roomsFor(max, regions) : undefined;
    // One set of buffers for all partitions, one after the other.
    const specs = partitionScratch(OWNER, { items: max, words: numbered.words, regions, rooms });
    const scratch = (name: PartitionScratch) => workspace.scratch(specs[name].name, specs[name].bytes);
    const list = workspace.scratch(crowdedSpec(regions).name, crowdedSpec(regions).bytes);
    const bound = items.bind(recorder, table, batch);
    const changed: Bound = [
      ...bound,
      [regionEnds, scratch('regionEnds')],
      [bucketsOut, table.get('buckets')],
      [parcels.buffer, scratch('parcels')],
      [crowdedOut, list],
    ];
    const listed: Bound = programs.decide ? [...bound, [crowdedOut, list]] : bound;
    const call = { bound: listed, items: max, scratch, workspace, rooms };
    const recording = { table, batch, rooms, scratch, call, changed, list };
    if (rooms) recordRoomy(recorder, steps, recording);
    else {
      const { recordPartition, change } = steps.counted();
      recordPartition(recorder, call);
      recorder.run(change, changed, regions);
    }
    recordDecision(recorder, steps, recording);
  };

/** Where parcels have rooms: whether these were enough shows on the way, and if not, parcels are counted after all. */
function recordRoomy(
  recorder: Recorder,
  steps: Steps,
  { table, batch, rooms, scratch, call, changed }: Recording,
): void {
  const { gpu } = recorder;
  const { regions } = steps.items.shape;
  const { workspace, isEmpty } = batch;
  const { recordPartition, recordAgain, change: changeInside } = steps.roomy();
  // Nobody waits who comes to an empty table.
  const waiting = isEmpty ? undefined : steps.outside();
  const { change } = waiting ?? { change: changeInside };
  const waits = waiting ? recordNobodyWaits(recorder, { workspace, items: call.items }) : [];
  const found = workspace.scratch(FINDINGS.name, FINDINGS.bytes);
  const entered = (room: number): Bound => [
    ...changed,
    [regionEndsOut, scratch('regionEnds')],
    [wholeBuckets, table.get('buckets')],
    [findings, found],
    [regionRoom, gpu.constants(room)],
    ...waits,
  ];
  recordPartition(recorder, { ...call, bound: [...call.bound, [findingsOut, found]] });
  const room = rooms?.fine ?? 0;
  const fill = isEmpty ? steps.fillEmptyOn(gpu) : undefined;
  const gate = fill
    ? workspace.gate(OWNER, 'fill', call.items, regions, steps.parcels.words)
    : workspace.gate(OWNER, 'again', regions);
  const opening: Bound = [
    [gateRows, gate.rows],
    [gateArgs, gate.args],
  ];
  if (fill) {
    recorder.run(fill.kernel, entered(room), regions);
    recorder.runOnce(fill.goOn, [...entered(room), ...opening]);
  }
  (fill ? recorder.behind(gate) : recorder).run(change, entered(room), regions);
  recordAgain(recorder, {
    ...call,
    bound: [...call.bound, [findings, found], ...opening],
    rooms: undefined,
    mostGroups: AGAIN_GROUPS,
  });
  // Workgroups that have nothing to do would take longer, as many as there are regions.
  recorder.behind(gate).run(change, entered(0), regions);
  gate.seal();
  waiting?.makeRoom(recorder, table, entered(0), call.items);
}

/** Which of several copies has the last word, in regions that have any. */
function recordDecision(recorder: Recorder, steps: Steps, { scratch, call, changed, list }: Recording): void {
  const { regions } = steps.items.shape;
  const deciding = steps.deciding();
  if (!deciding) return;
  const again: PartitionCall = { ...call, bound: [...call.bound, [crowded, list]], rooms: undefined };
  deciding.recordAgain?.(recorder, { ...again, mostGroups: AGAIN_GROUPS });
  const decided: Bound = [...changed, [steps.numbered.buffer, scratch('parcels')], [crowded, list]];
  recorder.run(deciding.decide, decided, Math.min(DECIDING_GROUPS, regions));
}

/** Opens the gate of what follows, unless nothing is left to be done. */
const goOnKernel = kept((header: Binding) =>
  kernel({
    label: 'regionCuckoo/goOn',
    threads: 1,
    body: wgsl`${writeGrids}(0u, !${isAllInserted(header)});`,
  }),
);

/** The list of regions with copies. */
const crowdedSpec = (regions: number): BufferSpec => ({
  name: `${OWNER}/crowded`,
  bytes: crowdedWords(regions) * WORD_BYTES,
});

/** What a batch of so many items needs at most. */
export const regionScratch = (shape: Shape, items: number): readonly BufferSpec[] => {
  const { request, regions } = shape;
  const { key, valueWords } = request;
  const wordsOf = (numbered: boolean): number => parcelWordsOf({ key, valueWords, numbered });
  const isRoomy = items >= ROOMY_FROM && !key.hasContext;
  const rooms = isRoomy ? roomsFor(items, regions) : undefined;
  return [
    ...Object.values(partitionScratch(OWNER, { items, words: wordsOf(true), regions, rooms })),
    ...partitionScans(regions),
    ...(isRoomy ? [FINDINGS] : []),
    ...(isRoomy && fewWait(shape) ? [waitingSpec(items)] : []),
    crowdedSpec(regions),
  ];
};
