/**
 * The dynamic workload of Li et al. 2021, section VI: batches of insertions, each followed by as many searches and by r times as many
 * deletions; after the last one the same with insertions and deletions exchanged, from the last batch back to the first. Every batch
 * inserts before it deletes, so that all keys are gone at the end, as the paper has it.
 */

import type { Bounds } from '../../src/dynamic/settings.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { DataSet, ItemRange, PairBuffers } from './dataSets.ts';
import type { Contender, LivingTable } from './tables.ts';
import { NOTHING_SPENT, type Spent, spentTogether, timePasses, watch } from './timing.ts';

export interface DynamicRequest extends Bounds {
  readonly batch: number;
  /** Deletions for every insertion, and the other way round on the way back. */
  readonly ratio: number;
  readonly runs: number;
  readonly seed: number;
  readonly onProgress?: (done: number, all: number) => void;
}

/** What is left behind every batch. */
interface BatchTrace {
  readonly run: number;
  readonly size: number;
  readonly slots: number;
  readonly filled: number;
  readonly tableBytes: number;
}

export interface DynamicOutcome {
  readonly operations: number;
  /** GPU time of the batches: wall time where the device has no timestamps. */
  readonly insertMs: number;
  readonly findMs: number;
  readonly deleteMs: number;
  readonly upsize: Spent;
  readonly downsize: Spent;
  /** Batches that were encoded again in a larger table because items found no room. */
  readonly again: number;
  readonly wrong: number;
  readonly trace: readonly BatchTrace[];
}

/** How often a batch is encoded again before it is given up. */
const MOST_AGAIN = 8;
/** Milliseconds for which clocks are held up just after other passes. */
const CLOCKS_ARE_UP = 0;

export async function runDynamic(
  gpu: Gpu,
  contender: Contender,
  set: DataSet,
  request: DynamicRequest,
): Promise<DynamicOutcome> {
  const { ratio, runs, seed, lowest, highest } = request;
  const batch = Math.min(request.batch, set.pairs);
  const few = Math.round(batch * ratio);
  const names = ['insertKeys', 'insertValues', 'queries', 'ignored', 'deleteKeys', 'deleteValues', 'answers', 'found'];
  const buffers = await gpu.allocate(names.map((label) => ({ label: `living/${label}`, bytes: batch * 4 })));
  const [insertKeys, insertValues, queries, ignored, deleteKeys, deleteValues, answers, found] = buffers as GPUBuffer[];
  const io: StepBuffers = {
    insert: { keys: insertKeys, values: insertValues } as PairBuffers,
    find: { keys: queries, values: ignored } as PairBuffers,
    delete: { keys: deleteKeys, values: deleteValues } as PairBuffers,
    answers: { values: answers, found } as StepBuffers['answers'],
  };
  const starts = Array.from({ length: Math.ceil(set.pairs / batch) }, (_, i) => i * batch);
  const outcome = new Outcome();
  const make = () =>
    contender.create(gpu, {
      keys: set.uniqueKeys,
      insertions: Math.ceil(set.pairs * (1 + ratio)),
      batch,
      unique: set.isUnique,
      lowest,
      highest,
      seed,
    });
  let table: LivingTable | undefined;
  try {
    for (let run = 0; run < runs; run++) {
      // One whose memory never shrinks begins anew: it would need more and more.
      if (!table || !contender.resizes) {
        table?.destroy();
        table = await make();
      }
      set.forget();
      for (const [i, step] of [...starts.map(forth), ...[...starts].reverse().map(back)].entries()) {
        await outcome.step(gpu, table, set, { ...step, run }, io);
        request.onProgress?.(run * 2 * starts.length + i + 1, runs * 2 * starts.length);
      }
    }
    return outcome;
  } finally {
    table?.destroy();
    for (const buffer of buffers) buffer.destroy();
  }

  function partsOf(first: number) {
    const count = Math.min(batch, set.pairs - first);
    const below = first + count;
    return {
      whole: { first, count },
      drawn: { first: 0, count: Math.min(few, count), below, salt: 3 * first + 1 },
      asked: (salt: number): ItemRange => ({ first: 0, count, below, salt: 3 * first + salt }),
    };
  }
  function forth(first: number): Omit<Step, 'run'> {
    const { whole, drawn, asked } = partsOf(first);
    return { insert: whole, find: asked(2), delete: drawn };
  }
  function back(first: number): Omit<Step, 'run'> {
    const { whole, drawn, asked } = partsOf(first);
    return { insert: drawn, find: asked(3), delete: whole };
  }
}

interface Step {
  readonly run: number;
  readonly insert: ItemRange;
  readonly find: ItemRange;
  readonly delete: ItemRange;
}

interface StepBuffers {
  readonly insert: PairBuffers;
  readonly find: PairBuffers;
  readonly delete: PairBuffers;
  readonly answers: { readonly values: GPUBuffer; readonly found: GPUBuffer };
}

class Outcome implements DynamicOutcome {
  operations = 0;
  insertMs = 0;
  findMs = 0;
  deleteMs = 0;
  upsize = NOTHING_SPENT;
  downsize = NOTHING_SPENT;
  again = 0;
  wrong = 0;
  readonly trace: BatchTrace[] = [];

  async step(gpu: Gpu, table: LivingTable, set: DataSet, step: Step, io: StepBuffers): Promise<void> {
    const { insert, find, delete: remove } = step;
    set.write(insert, io.insert);
    set.write(find, io.find);
    set.write(remove, io.delete);
    const items = { ...io.insert, count: insert.count };
    this.upsize = spentTogether(this.upsize, await watch(gpu, () => table.makeRoom(items)));
    for (let attempt = 0; ; attempt++) {
      const [insertMs = 0] = await timePasses(gpu, [(pass) => table.encodeInsert(pass, items)]);
      this.insertMs += insertMs;
      const { left } = await table.settle();
      if (left === 0) break;
      if (attempt === MOST_AGAIN) throw new Error(`${left} items of a batch found no room`);
      this.again++;
      this.upsize = spentTogether(this.upsize, await watch(gpu, () => table.makeLarger()));
    }
    // Not before all items are there: what is deleted would be missing when they are inserted, and searched for, again.
    const [findMs = 0, deleteMs = 0] = await timePasses(
      gpu,
      [
        (pass) => table.encodeFind(pass, { queries: io.find.keys, count: find.count, ...io.answers }),
        (pass) => table.encodeDelete(pass, { ...io.delete, count: remove.count }),
      ],
      CLOCKS_ARE_UP,
    );
    this.findMs += findMs;
    this.deleteMs += deleteMs;
    const settled = await table.settle();
    this.operations += insert.count + find.count + remove.count;
    set.inserted(insert);
    this.wrong += await set.wrong(find, io.answers);
    set.deleted(remove);
    this.wrong += Math.abs((await set.size()) - settled.size);
    this.downsize = spentTogether(this.downsize, await watch(gpu, () => table.tidy()));
    const { slots, tableBytes } = table;
    this.trace.push({ run: step.run, size: settled.size, slots, filled: settled.size / slots, tableBytes });
  }
}
