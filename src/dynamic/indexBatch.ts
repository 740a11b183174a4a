/** Batches of the host face that give ids to keys and take them back. They run in the turn of their call. */
import { OutOfMemoryError, perform, record } from '../gpu/index.ts';
import type { Source } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Items } from './batch.wgsl.ts';
import { type Ids, NO_ID } from './ids.wgsl.ts';
import { type DynamicTable, itemsOf } from './table.ts';

const KEEP = { onExisting: 'keep', unique: false } as const;

/** Gives ids to keys that have none. Everything that it needs is there before the table changes. */
export async function activate(table: DynamicTable, given: Ids, source: Source) {
  const { gpu } = table;
  const count = source.maxCount;
  const label = (name: string) => ({ label: `activate/${name}`, bytes: count * WORD_BYTES });
  const [numbers, slots, fresh, ids] = (await gpu.allocate(['numbers', 'slots', 'fresh', 'ids'].map(label))) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  try {
    const [before] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'activate', (recorder) => given.recordNumbers(recorder, numbers, recorder.extent(count))),
      [given.stateRead],
    );
    let answers: ArrayBuffer[] = [];
    const give = (items: Items) =>
      perform(
        gpu,
        (encoder) =>
          record(gpu, encoder, 'activate', (recorder) => {
            given.recordGive(recorder, table, items, recorder.extent(count), { slots, fresh });
            table.recordLookup(recorder, items, recorder.extent(count), { values: ids }, NO_ID);
          }),
        [{ buffer: ids, bytes: count * WORD_BYTES }, { buffer: fresh, bytes: count * WORD_BYTES }, given.stateRead],
      );
    const finish = async (items: Items): Promise<void> => {
      answers = await give(items).catch((error: unknown) => {
        given.takeBack(before as ArrayBuffer);
        throw error;
      });
    };
    await table.insert({ ...source, load: () => ({ ...source.load(), values: numbers }) }, KEEP, { finish });
    await given.makeRoom(table.plan.slotCount).catch((error: unknown) => {
      // The ids are given; who wants to release some tries again.
      if (!(error instanceof OutOfMemoryError)) throw error;
    });
    const [idBytes, freshBytes, state] = answers as [ArrayBuffer, ArrayBuffer, ArrayBuffer];
    return { ids: new Uint32Array(idBytes), fresh: Uint8Array.from(new Uint32Array(freshBytes)), state };
  } finally {
    for (const buffer of [numbers, slots, fresh, ids]) buffer.destroy();
  }
}

/** Removes keys and takes their ids back. Ids are below `limit`. */
export async function release(table: DynamicTable, given: Ids, source: Source, limit: number) {
  const { gpu } = table;
  const count = source.maxCount;
  await given.makeRoom(Math.max(table.plan.slotCount, limit));
  const [ids] = (await gpu.allocate([{ label: 'release/ids', bytes: count * WORD_BYTES }])) as [GPUBuffer];
  try {
    await perform(gpu, (encoder) =>
      record(gpu, encoder, 'release', (recorder) =>
        table.recordLookup(recorder, itemsOf(source), recorder.extent(count), { values: ids }, NO_ID),
      ),
    );
    return await table.delete(source, {
      recordAfter: (recorder, extent) => given.recordBack(recorder, ids, extent),
    });
  } finally {
    ids.destroy();
  }
}
