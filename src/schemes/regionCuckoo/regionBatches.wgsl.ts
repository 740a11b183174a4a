/** Records large batches: partition by region, then every region by the workgroup that owns it. */
import { type Bound, extentCount, type Gpu, gateArgs, gateRows, writeGrids } from '../../gpu/index.ts';
import {
  type Binding,
  type Kernel,
  kept,
  kernel,
  once,
  storage,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../../wgsl/index.ts';
import { type BufferSpec, counters, type OnExisting } from '../contract/index.ts';
import { type Parcels, parcelWordsOf } from '../kit/partition/parcels.wgsl.ts';
import {
  type PartitionScratch,
  partition,
  partitionScans,
  partitionScratch,
  roomsFor,
} from '../kit/partition/partition.wgsl.ts';
import type { Partitioned } from '../kit/partition/pass.wgsl.ts';
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
  isCrowdedRegion,
} from './copies.wgsl.ts';
import { deleteKernel } from './delete.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { COUNTING, type InsertKind, insertKernel, isNumbered, marksClaims, mayHope } from './insert.wgsl.ts';
import type { Content, Items } from './items.wgsl.ts';
import { isAllInserted, quickInsertFits, quickInsertKernel, regionEndsOut } from './quickInsert.wgsl.ts';
import { wholeBuckets } from './quickRegion.wgsl.ts';
import {
  type Entry,
  enterRegion,
  enterRoom,
  findings,
  isOverflowing,
  type Region,
  regionEnds,
  regionOf,
  regionRoom,
} from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { bucketsOut } from './tagStore.wgsl.ts';
import { fewWait, recordNobodyWaits, waitingOutside, waitingSpec } from './waitOutside.wgsl.ts';

const OWNER = 'regionCuckoo';

/** Workgroups that partition items again. */
const AGAIN_GROUPS = 768;

/** For fewer items it takes longer to make sure that rooms were enough than to count. */
const ROOMY_FROM = 2 ** 16;

export function regionBatches(items: Items): Batches {
  const keysAlone: Content = { valueWords: 0, numbered: false };
  const insertion = kept((onExisting: OnExisting, unique: boolean, listsLeft: boolean) =>
    insertSteps(items, { onExisting, unique, listsLeft, onlyCounts: false }),
  );
  const counting = once(() =>
    stepsOf(items, keysAlone, { change: (region, enter) => insertKernel(region, COUNTING, enter) }),
  );
  const deletion = once(() => stepsOf(items, keysAlone, { change: deleteKernel }));
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
    makeRoom(parcels: Parcels): ReturnType<typeof waitingOutside>;
  };
  /** What comes before the change if the table is thought to be empty: it makes sure, and leaves to it what it gives up. */
  fillEmpty?(parcels: Parcels, threads: number): Kernel;
}

function insertSteps(items: Items, kind: InsertKind): RecordBatch {
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

/** @param hopes whether parcels hold no numbers although these may be needed */
function stepsOf(items: Items, content: Content, programs: Programs, hopes = false): RecordBatch {
  const { shape, header, access } = items;
  const { regions, request } = shape;
  const withNumbers = { ...content, numbered: true };
  const parcels = items.parcels(content);
  const numbered = hopes ? items.parcels(withNumbers) : parcels;
  const arriving = items.parcels({ ...content, writable: false });
  const regionWith = (held: Parcels): Region => regionOf({ shape, header, parcels: held, key: access });
  // Who decides needs parcels that were counted. Kernels with strings have no room for another buffer.
  const mayBeRoomy = !request.key.hasContext && (hopes || !programs.decide);
  const beginsList = programs.decide ? clearCrowded(header) : '';
  const counting = once(() => ({
    recordPartition: partitionOf(items, arriving, { opening: { code: wgsl`${beginsList}` } }),
    change: programs.change(regionWith(parcels), enterRegion(header)),
  }));
  const roomy = once(() => ({
    recordPartition: partitionOf(items, arriving, {
      opening: { code: wgsl`${programs.fillEmpty ? findEmpty : resetFindings}${beginsList}` },
      noteOverflow: wgsl`atomicStore(&${findingsOut}[0], 1u);`,
    }),
    recordAgain: partitionOf(items, arriving, { isNeeded: isOverflowing, opening: { code: openIfOverflowing } }),
    change: programs.change(regionWith(parcels), enterRoom(header)),
  }));
  const outside = once(
    () =>
      programs.outside && {
        change: programs.outside.change(regionWith(parcels), enterRoom(header)),
        makeRoom: programs.outside.makeRoom(parcels),
      },
  );
  const fillEmptyOn = kept(({ limits }: Gpu) =>
    programs.fillEmpty && quickInsertFits(shape, limits)
      ? { kernel: programs.fillEmpty(parcels, regionThreads(limits)), goOn: goOnKernel(header) }
      : undefined,
  );
  const deciding = once(() => ({
    recordAgain: hopes
      ? partitionOf(items, items.parcels({ ...withNumbers, writable: false }), {
          isNeeded: wgsl`(${crowded}[0] > 0u)`,
          isWanted: (region) => wgsl`${isInCrowd(header)}(${region})`,
        })
      : undefined,
    decide: programs.decide?.(regionWith(numbered)),
  }));
  return (recorder, table, batch) => {
    const { gpu } = recorder;
    const { workspace } = batch;
    const { max } = batch.items;
    const isRoomy = mayBeRoomy && max >= ROOMY_FROM;
    const rooms = isRoomy ? roomsFor(max, regions) : undefined;
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
    const call = { bound: listed, items: max, scratch, workspace };
    if (isRoomy) {
      const { recordPartition, recordAgain, change: changeInside } = roomy();
      // Nobody waits who comes to an empty table.
      const waiting = batch.isEmpty ? undefined : outside();
      const { change } = waiting ?? { change: changeInside };
      const waits = waiting ? recordNobodyWaits(recorder, { workspace, items: max }) : [];
      const found = workspace.scratch(FINDINGS.name, FINDINGS.bytes);
      const finding: Bound = [...listed, [findingsOut, found], [counters, batch.counters]];
      const entered = (room: number): Bound => [
        ...changed,
        [regionEndsOut, scratch('regionEnds')],
        [wholeBuckets, table.get('buckets')],
        [findings, found],
        [regionRoom, gpu.constants(room)],
        ...waits,
      ];
      recordPartition(recorder, { ...call, bound: finding, rooms });
      const room = rooms?.fine ?? 0;
      const fill = batch.isEmpty ? fillEmptyOn(gpu) : undefined;
      const gate = fill && workspace.gate(OWNER, 'fill', max, regions, parcels.words);
      if (fill && gate) {
        recorder.run(fill.kernel, entered(room), regions);
        recorder.runOnce(fill.goOn, [...entered(room), [gateRows, gate.rows], [gateArgs, gate.args]]);
      }
      const rest = gate ? recorder.behind(gate) : recorder;
      rest.run(change, entered(room), regions);
      const again = gate ?? workspace.gate(OWNER, 'again', regions);
      const opening: Bound = [
        [findings, found],
        [gateRows, again.rows],
        [gateArgs, again.args],
      ];
      recordAgain(recorder, { ...call, bound: [...bound, ...opening], mostGroups: AGAIN_GROUPS });
      // Workgroups that have nothing to do would take longer, as many as there are regions.
      recorder.behind(again).run(change, entered(0), regions);
      again.seal();
      waiting?.makeRoom(recorder, table, entered(0), max);
    } else {
      const { recordPartition, change } = counting();
      recordPartition(recorder, call);
      recorder.run(change, changed, regions);
    }
    const { recordAgain, decide } = deciding();
    if (!decide) return;
    recordAgain?.(recorder, { ...call, bound: [...bound, [crowded, list]], mostGroups: AGAIN_GROUPS });
    const decided: Bound = [...changed, [numbered.buffer, scratch('parcels')], [crowded, list]];
    recorder.run(decide, decided, Math.min(DECIDING_GROUPS, regions));
  };
}

/** How items are partitioned: into bins with room, or counted if that is needed; all of them, or those of some regions. */
interface Partitioning extends Pick<Partitioned, 'isNeeded' | 'opening' | 'noteOverflow'> {
  isWanted?(region: Wgsl): Wgsl;
}

function partitionOf({ shape, header }: Items, arriving: Parcels, { isWanted, ...how }: Partitioning) {
  const { regionOf: regionOfHash } = geometry(shape, header);
  const regionOfParcel = (parcel: WgslPart): Wgsl => regionOfHash(arriving.hash(parcel));
  return partition(
    {
      ...arriving,
      ...how,
      owner: OWNER,
      count: wgsl`${extentCount}`,
      regionOf: regionOfParcel,
      ...(isWanted && { isWanted: (parcel) => isWanted(regionOfParcel(parcel)) }),
    },
    shape.regions,
    how.noteOverflow === undefined,
  );
}

const findingsOut = storage('findings', 'array<atomic<u32>, 2>', 'read_write');

/** No room is too small so far. */
const resetFindings = wgsl`if (item == 0u) { atomicStore(&${findingsOut}[0], 0u); }`;
/** And is the table empty? */
const findEmpty = wgsl`
  ${resetFindings}
  if (item == 0u) { atomicStore(&${findingsOut}[1], u32(atomicLoad(&${counters}.keys) == 0u)); }`;

/** Opens the gate of what follows if rooms were too small. */
const openIfOverflowing = wgsl`if (item == 0u) { ${writeGrids}(0u, ${isOverflowing}); }`;

/** Opens the gate of what follows, unless nothing is left to be done. */
const goOnKernel = kept((header: Binding) =>
  kernel({
    label: 'regionCuckoo/goOn',
    threads: 1,
    body: wgsl`${writeGrids}(0u, !${isAllInserted(header)});`,
  }),
);

const FINDINGS: BufferSpec = { name: `${OWNER}/findings`, bytes: 8 };

const isInCrowd = kept(
  (header: Binding): Wgsl => wgsl`
fn isInCrowd(region: u32) -> bool {
  return ${isCrowdedRegion('region', header)};
}`,
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
