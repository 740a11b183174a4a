/** A batch of the host face: in whole, or not at all. */
import { BuildError, type Extent, type Gpu, perform, type Recorder, record } from '../gpu/index.ts';
import { recordGatherRows } from '../primitives/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { type Change, type Counted, countedIn, type InsertHow, type Items } from './batch.wgsl.ts';
import type { DynamicTable } from './table.ts';

/** How often a table is resized for items that found no room, before their batch is taken back. */
const MOST_RESIZES = 5;

/** What a batch changes beside the table. */
export interface Beside {
  /** Is recorded behind a deletion. */
  readonly recordAfter?: (recorder: Recorder, extent: Extent) => void;
  /** Ends an insertion. If it fails, the batch is taken back. */
  readonly finish?: (items: Items) => Promise<void>;
}

/** Runs a batch and tells which keys were there before it. Without `how` the keys are deleted. */
export async function runHostBatch(
  table: DynamicTable,
  items: Items,
  count: number,
  how: InsertHow | undefined,
  { recordAfter, finish }: Beside = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { gpu, settings } = table;
  const keepsOld = how !== undefined && how.onExisting !== 'keep' && settings.valueWords > 0;
  const [found, old, left] = (await gpu.allocate([
    { label: 'batch/found', bytes: count * WORD_BYTES },
    { label: 'batch/old', bytes: keepsOld ? count * settings.valueWords * WORD_BYTES : 0 },
    { label: 'batch/left', bytes: how ? count * WORD_BYTES : 0 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    const { size, buffers } = table;
    const { header } = buffers;
    const reads = [{ buffer: found, bytes: count * WORD_BYTES }, table.countersRead];
    const change: Change = how ? { kind: 'insert', left, ...how } : { kind: 'delete' };
    const [flags, counters] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'batch', (recorder) => {
          table.recordLookup(recorder, items, recorder.extent(count), { found, ...(keepsOld && { values: old }) });
          table.recordChange(recorder, items, recorder.extent(count), change);
          recordAfter?.(recorder, recorder.extent(count));
        }),
      reads,
    ).catch(async (error: unknown) => {
      // A batch that has run has to be finished.
      await table.recover(error);
      if (finish && table.isBuilt && table.size > size) return perform(gpu, () => {}, reads);
      throw error;
    });
    const counted = countedIn(counters as ArrayBuffer);
    const wasThere = Uint8Array.from(new Uint32Array(flags as ArrayBuffer));
    table.accept(counted);
    try {
      if (how && counted.left > 0) await insertLeft(table, items, await readLeft(gpu, left, counted), how);
      await finish?.(items);
    } catch (error) {
      table.comeBack();
      // Scratch that was too much leaves room for what follows.
      await table.recover(error);
      // A table that grew for the batch came back to buffers without it.
      if (table.buffers.header === header) {
        await takeBack(table, { ...items, values: keepsOld ? old : undefined }, wasThere);
      }
      throw error;
    }
    return wasThere;
  } finally {
    for (const buffer of [found, old, left]) buffer.destroy();
  }
}

/** The numbers of items that found no room, in the order of the batch. */
async function readLeft(gpu: Gpu, buffer: GPUBuffer, { left }: Counted): Promise<Uint32Array<ArrayBuffer>> {
  const [bytes] = await perform(gpu, () => {}, [{ buffer, bytes: left * WORD_BYTES }]);
  return new Uint32Array(bytes as ArrayBuffer).sort();
}

/** There are slots enough, but these found none: another size helps, or another hash function. */
async function insertLeft(table: DynamicTable, items: Items, numbers: Uint32Array, how: InsertHow): Promise<void> {
  let missed = numbers;
  for (let attempt = 0; attempt < MOST_RESIZES; attempt++) {
    await table.makeLarger(attempt > 0);
    missed = await withPart(table, items, missed, async (part, count) => {
      const [left] = (await table.gpu.allocate([{ label: 'batch/left', bytes: count * WORD_BYTES }])) as [GPUBuffer];
      try {
        const counted = await run(table, part, count, { kind: 'insert', left, ...how });
        const positions = counted.left > 0 ? await readLeft(table.gpu, left, counted) : [];
        return Uint32Array.from(positions, (position) => missed[position] as number);
      } finally {
        left.destroy();
      }
    });
    if (missed.length === 0) return;
  }
  const { length } = missed;
  throw new BuildError(`${length} items found no room in ${MOST_RESIZES} larger tables`, length, MOST_RESIZES);
}

/** Makes the table as it was: values get their old ones back, which takes no room, and keys that were absent are deleted. */
async function takeBack(table: DynamicTable, items: Items, wasThere: Uint8Array): Promise<void> {
  const numbers = (flag: number): Uint32Array =>
    Uint32Array.from(Array.from(wasThere.keys()).filter((i) => wasThere[i] === flag));
  const back: Change = { kind: 'insert', onExisting: 'replace', unique: false };
  if (items.values) await withPart(table, items, numbers(1), (part, count) => run(table, part, count, back));
  await withPart(table, items, numbers(0), (part, count) => run(table, part, count, { kind: 'delete' }));
}

async function run(table: DynamicTable, items: Items, count: number, change: Change): Promise<Counted> {
  const { gpu } = table;
  const [bytes] = await perform(
    gpu,
    (encoder) =>
      record(gpu, encoder, 'batch', (recorder) => table.recordChange(recorder, items, recorder.extent(count), change)),
    [table.countersRead],
  );
  const counted = countedIn(bytes as ArrayBuffer);
  table.accept(counted);
  return counted;
}

/** Does something with the items of these numbers. */
async function withPart<T>(
  table: DynamicTable,
  items: Items,
  numbers: Uint32Array,
  work: (part: Items, count: number) => Promise<T>,
): Promise<T> {
  const { gpu, settings } = table;
  const { key, valueWords } = settings;
  const count = numbers.length;
  const [indices, keys, values] = (await gpu.allocate([
    { label: 'part/indices', bytes: count * WORD_BYTES },
    { label: 'part/keys', bytes: count * key.words * WORD_BYTES },
    { label: 'part/values', bytes: items.values ? count * valueWords * WORD_BYTES : 0 },
  ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
  try {
    gpu.write(indices, numbers);
    await perform(gpu, (encoder) =>
      record(gpu, encoder, 'part', (recorder: Recorder) => {
        // Any number of rows is enough: all numbers are of items that there are.
        const gather = (rows: Items['keys'], output: GPUBuffer, rowWords: number) =>
          recordGatherRows(recorder, { rows, rowWords, rowCount: 2 ** 32 - 1, indices, output, items: count });
        gather(items.keys, keys, key.words);
        if (items.values) gather(items.values, values, valueWords);
      }),
    );
    return await work({ ...items, keys, values: items.values && values }, count);
  } finally {
    for (const buffer of [indices, keys, values]) buffer.destroy();
  }
}
