/**
 * Items of large batches that found both of their buckets full, where these are few: buckets have far more slots than they need on average.
 * The owner of a region does not wait for them. They wait in a list of the whole batch, and room is made for all of them together, as for
 * those of small batches (`waitInPlace.wgsl.ts`).
 */
import type { Bound, Recorder, Workspace } from '../../gpu/index.ts';
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { type BufferSpec, counters, type OnExisting, type TableBuffers } from '../contract/index.ts';
import { OWN_SPEAKERS } from '../kit/batch/speakers.wgsl.ts';
import { ABSENT, workOf } from '../kit/batch/work.wgsl.ts';
import type { Parcels } from '../kit/partition/parcels.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { hasInlineValues } from './layout.wgsl.ts';
import { slotsInPlace } from './lookInPlace.wgsl.ts';
import type { Region } from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { slotsOf } from './slots.wgsl.ts';
import { bucketsShared, tagsInPlace } from './tagStore.wgsl.ts';
import { round, waitingKernels } from './waitInPlace.wgsl.ts';

/** An item is one that waits, and has the number of its lane. Where its parcel is stands beside it. */
const work = workOf('regionCuckoo/outside', { locks: 2 }, { slot: 1, waiting: 1, steps: 2, again: 1, parcel: 1 });

/** Of a hundred items one finds both buckets full where loads count four slots of six. Of sixteen there is room for one. */
const MOST_WAITING = 1 / 16;

/** Rounds that all of them take part in, and threads for them. */
const ROUNDS = 3;
const LANES = 2 ** 17;

/** Whether few items wait. With five slots in a bucket one in twenty does, and the owners of regions are faster. */
export const fewWait = ({ layout }: Shape): boolean => hasInlineValues(layout) && layout.slots > 5;

const lanesFor = (items: number): number => Math.ceil(items * MOST_WAITING);

/** What those of so many items need. */
export const waitingSpec = (items: number): BufferSpec => work.spec(lanesFor(items));

/** Statements by which the items in the mask `stuck` begin to wait; they see `thread` and `start`. */
export const beginToWait = ({ store: { threads } }: Region): Wgsl => wgsl`
    for (; stuck != 0u; stuck &= stuck - 1u) {
      let lane = atomicAdd(&${work.waitingCount}, 1u);
      if (lane >= ${work.room}) {
        atomicAdd(&${counters}.left, 1u);
        continue;
      }
      atomicStore(&${work.of('parcel', 'lane')}, start + firstTrailingBit(stuck) * ${threads}u + thread);
      atomicStore(&${work.of('waiting', 'lane')}, lane);
      atomicStore(&${work.of('slot', 'lane')}, ${ABSENT});
    }`;

/** What is recorded for those who wait. */
export interface Waiting {
  readonly workspace: Workspace;
  /** Items of the batch at most. */
  readonly items: number;
}

/** Records that nobody waits, and gives the list as kernels see it. */
export function recordNobodyWaits(recorder: Recorder, { workspace, items }: Waiting): Bound {
  work.recordClear(recorder, workspace, lanesFor(items), 'locks');
  return work.bind(recorder, workspace, lanesFor(items));
}

/** Records how room is made for all who wait. */
export type MakeRoom = (recorder: Recorder, table: TableBuffers, bound: Bound, items: number) => void;

export function waitingOutside({ shape, header, access }: Items, parcels: Parcels, onExisting: OnExisting): MakeRoom {
  const store = tagsInPlace(shape.layout, header);
  const waiting: Parcels = {
    ...parcels,
    fromInput: (item) => wgsl`${parcels.buffer}[atomicLoad(&${work.of('parcel', item)})]`,
  };
  const slots = slotsInPlace(slotsOf({ shape, header, key: access, parcels: waiting }, store), store);
  const { ask, move, lastAndLeft } = waitingKernels({ work, slots, onExisting, copies: OWN_SPEAKERS });
  return (recorder, table, bound, items) => {
    const inRound = (number: number): Bound => [
      ...bound,
      [bucketsShared, table.get('buckets')],
      [round, recorder.gpu.constants(number, ROUNDS)],
    ];
    const lanes = Math.min(lanesFor(items), LANES);
    for (let number = 1; number <= ROUNDS; number++) {
      for (const step of [ask, move]) recorder.run(step, inRound(number), lanes);
    }
    recorder.run(lastAndLeft, inRound(ROUNDS), 1);
  };
}
