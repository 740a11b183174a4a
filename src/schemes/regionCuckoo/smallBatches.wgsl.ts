/** Records small batches: every step is a dispatch over all items, or over those that wait for room. */
import type { Bound, Recorder } from '../../gpu/index.ts';
import { kept, once, wgsl } from '../../wgsl/index.ts';
import type { Batch, InsertBatch, OnExisting, TableBuffers } from '../contract/index.ts';
import { countKernel, leaveKernel } from '../kit/batch/ends.wgsl.ts';
import { OWN_SPEAKERS, type Speakers, speakersOf } from '../kit/batch/speakers.wgsl.ts';
import { arrivalKernels, matchKernel, mendKernel } from './arriveInPlace.wgsl.ts';
import type { Batches } from './batches.wgsl.ts';
import { copiesMatter } from './copies.wgsl.ts';
import { deletionKernels } from './deleteInPlace.wgsl.ts';
import { work } from './inPlace.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { slotsInPlace } from './lookInPlace.wgsl.ts';
import { slotsOf } from './slots.wgsl.ts';
import { bucketsShared, tagsInPlace } from './tagStore.wgsl.ts';
import { round, waitingKernels } from './waitInPlace.wgsl.ts';

const owner = 'regionCuckoo';

/** Items for which there are threads where few of all are expected: a thread may look after several. */
const EXPECTED = 2 ** 17;

/** So many items leave more than one workgroup should look after. */
const MANY = 2 ** 16;
/** Rounds that all of them take part in then. */
const ROUNDS = 2;

const isNobody = wgsl`atomicLoad(&${work.leftCount}) == 0u`;

export function smallBatches(items: Items): Batches {
  const { shape, header, keys, valueAt, access } = items;
  const { key, valueWords } = shape.request;
  const store = tagsInPlace(shape.layout, header);
  const slotsFor = (held: typeof valueWords) =>
    slotsInPlace(
      slotsOf({ shape, header, key: access, parcels: items.parcels({ valueWords: held, numbered: false }) }, store),
      store,
    );
  const speakers = (onExisting: OnExisting): Speakers =>
    speakersOf({ owner, key, keys, header, valueAt, work }, onExisting);
  const insertion = kept((onExisting: OnExisting, matters: boolean, isFew: boolean) => {
    // Few items whose tags tell their keys do not wait for copies to meet: if any have met, the last of each mends its value.
    const hopes = matters && isFew && shape.exact && onExisting === 'replace';
    const spoken = matters ? speakers(onExisting) : undefined;
    const copies: Partial<Speakers> & typeof OWN_SPEAKERS = spoken && !hopes ? spoken : OWN_SPEAKERS;
    const inserted = {
      work,
      slots: slotsFor(valueWords),
      onExisting,
      copies,
      meetingOf: hopes ? spoken?.meetingOf : undefined,
    };
    return {
      meet: copies.meet,
      isFolded: copies.folded !== undefined,
      mend: spoken && hopes ? mendKernel(inserted.slots, spoken.speaker) : undefined,
      arrive: arrivalKernels(inserted),
      ...waitingKernels(inserted),
      leave: leaveKernel({ owner, work, copies }, false, isNobody),
      leaveAndList: leaveKernel({ owner, work, copies }, true, isNobody),
    };
  });
  const counting = once(() => {
    const copies = speakers('keep');
    return [copies.meet, matchKernel(slotsFor(0), copies), countKernel({ owner, work, copies })];
  });
  const deletion = once(() => deletionKernels(slotsFor(0), store));
  const bind = (recorder: Recorder, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound => [
    ...items.bind(recorder, table, batch),
    ...work.bind(recorder, batch.workspace, batch.items.max),
    [bucketsShared, table.get('buckets')],
  ];
  return {
    insert: (recorder, table, batch) => {
      const { items: extent, workspace, onExisting, unique, left } = batch;
      const { max } = extent;
      const isFew = max < MANY;
      const { meet, isFolded, mend, arrive, ask, move, last, lastOfFew, lastOfAll, leave, leaveAndList } = insertion(
        onExisting,
        copiesMatter(onExisting, unique, valueWords),
        isFew,
      );
      if (max === 0) return;
      const few = Math.min(max, EXPECTED);
      const bound = bind(recorder, table, batch);
      work.recordClear(recorder, workspace, max, isFolded ? 'folded' : meet || mend ? 'seats' : 'locks');
      for (const step of meet ? [meet, ...arrive] : arrive) recorder.run(step, bound, extent);
      const inRound = (i: number, most: number): Bound => [...bound, [round, recorder.gpu.constants(i, most)]];
      if (isFew) {
        recorder.run(left ? lastOfFew : lastOfAll, inRound(0, 0), 1);
        if (left) recorder.run(leaveAndList, bound, few);
      } else {
        for (let i = 1; i <= ROUNDS; i++) {
          for (const step of [ask, move]) recorder.run(step, inRound(i, ROUNDS), few);
        }
        recorder.run(last, inRound(ROUNDS, ROUNDS), 1);
        recorder.run(left ? leaveAndList : leave, bound, few);
      }
      if (mend) recorder.run(mend, bound, few);
    },
    countAbsent: (recorder, table, batch) => {
      work.recordClear(recorder, batch.workspace, batch.items.max, 'seats');
      const bound = bind(recorder, table, batch);
      for (const step of counting()) recorder.run(step, bound, batch.items);
    },
    remove: (recorder, table, batch) => {
      const bound = bind(recorder, table, batch);
      for (const step of deletion()) recorder.run(step, bound, batch.items);
    },
  };
}
