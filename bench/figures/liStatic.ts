/**
 * Figures 7 to 9 and Table III of Li et al. 2021: insertion of a whole data set into a table that has room for it at some filled factor,
 * and a search for all of its items.
 */
import type { Gpu } from '../../src/gpu/index.ts';
import { DATA_SETS, DataSet, type SetName } from '../living/dataSets.ts';
import type { Contender, LivingTable } from '../living/tables.ts';
import { timePasses } from '../living/timing.ts';
import { median } from '../measure.ts';

export interface StaticRequest {
  readonly set: SetName;
  readonly scale: number;
  /** Of every key only one pair. */
  readonly unique: boolean;
  /** The filled factor θ. */
  readonly theta: number;
  readonly repeat: number;
  readonly seed: number;
}

export interface StaticRecord {
  readonly scheme: string;
  readonly set: SetName;
  readonly unique: boolean;
  readonly theta: number;
  readonly pairs: number;
  readonly uniqueKeys: number;
  /** Keys per slot as it came out. */
  readonly filled: number;
  readonly insertMs: number;
  readonly findMs: number;
  readonly insertsPerSecond: number;
  readonly findsPerSecond: number;
  readonly averageProbes: number | undefined;
  readonly bytesPerKey: number;
  /** Tables that were given up, for others with another seed, because items found no room. */
  readonly failed: number;
  readonly wrong: number;
}

/** Items of a batch at most. */
const AT_ONCE = 1 << 25;
/** Tables that may be given up. */
const MOST_FAILED = 20;

/** Table III: rows of the paper, and what is like them here. */
export const PAPER_PROBES: readonly { readonly name: string; readonly probes: Readonly<Record<SetName, number>> }[] = [
  { name: 'CUDPP', probes: { TW: 2.07, RE: 1.99, LINE: 1.79, COM: 2.08, RAND: 2.05 } },
  { name: 'Warp', probes: { TW: 1.3, RE: 1.3, LINE: 1.3, COM: 1.3, RAND: 1.3 } },
  { name: 'MegaKV', probes: { TW: 1.14, RE: 1.14, LINE: 1.14, COM: 1.14, RAND: 1.14 } },
  { name: 'Slab', probes: { TW: 3.04, RE: 3.04, LINE: 3.45, COM: 3.05, RAND: 3.05 } },
  { name: 'DyCuckoo', probes: { TW: 1.14, RE: 1.14, LINE: 1.14, COM: 1.14, RAND: 1.14 } },
];

/** Measures one table. Where its sizes are far apart, the set is cut so that the largest that is not too large is filled as wanted. */
export async function measureStatic(gpu: Gpu, contender: Contender, request: StaticRequest): Promise<StaticRecord> {
  const { theta, repeat, seed } = request;
  const { unique } = request;
  const set = await DataSet.create(gpu, request.set, { scale: cutScale(contender, request), seed, unique });
  const room = contender.isStatic ? set.pairs : Math.min(set.pairs, AT_ONCE);
  const [keys, values, answers, found] = (await gpu.allocate(
    ['keys', 'values', 'answers', 'found'].map((label) => ({ label: `living/${label}`, bytes: room * 4 })),
  )) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
  const parts = Array.from({ length: Math.ceil(set.pairs / room) }, (_, i) => ({
    first: i * room,
    count: Math.min(room, set.pairs - i * room),
  }));
  const insertTimes: number[] = [];
  const findTimes: number[] = [];
  let table: LivingTable | undefined;
  let wrong = 0;
  let failed = 0;
  /** Milliseconds of inserting everything, or nothing if items found no room. */
  const fill = async (living: LivingTable): Promise<number | undefined> => {
    let ms = 0;
    for (const part of parts) {
      set.write(part, { keys, values });
      const batch = { keys, values, count: part.count };
      await living.makeRoom(batch);
      ms += (await timePasses(gpu, [(pass) => living.encodeInsert(pass, batch)]))[0] as number;
      if ((await living.settle()).left > 0) return undefined;
      set.inserted(part);
    }
    return ms;
  };
  try {
    for (let i = 0; i <= repeat; i++) {
      let insertMs: number | undefined;
      while (insertMs === undefined) {
        table?.destroy();
        table = await contender.create(gpu, {
          keys: set.uniqueKeys,
          insertions: set.pairs,
          batch: room,
          isReserved: true,
          unique: set.isUnique,
          lowest: 0.1,
          highest: theta,
          seed: seed + i + 1000 * failed,
        });
        insertMs = await fill(table);
        if (insertMs === undefined && ++failed > MOST_FAILED)
          throw new Error(`items found no room in ${failed} tables`);
      }
      const living = table as LivingTable;
      let findMs = 0;
      for (const part of parts) {
        set.write(part, { keys, values });
        const queries = { queries: keys, count: part.count, values: answers, found };
        findMs += (await timePasses(gpu, [(pass) => living.encodeFind(pass, queries)]))[0] as number;
        wrong += await set.wrong(part, { values: answers, found });
      }
      // The first time pipelines are compiled.
      if (i === 0) continue;
      insertTimes.push(insertMs);
      findTimes.push(findMs);
    }
    const { size } = await (table as LivingTable).settle();
    const { slots, tableBytes } = table as LivingTable;
    wrong += Math.abs(size - (await set.size()));
    const [insertMs, findMs] = [median(insertTimes), median(findTimes)];
    return {
      scheme: contender.name,
      set: request.set,
      unique: set.isUnique,
      theta,
      pairs: set.pairs,
      uniqueKeys: size,
      filled: size / slots,
      insertMs,
      findMs,
      insertsPerSecond: set.pairs / (insertMs / 1000),
      findsPerSecond: set.pairs / (findMs / 1000),
      averageProbes: await (table as LivingTable).averageProbes(),
      bytesPerKey: tableBytes / size,
      failed,
      wrong,
    };
  } finally {
    table?.destroy();
    set.destroy();
    for (const buffer of [keys, values, answers, found]) buffer.destroy();
  }
}

/** The scale at which the keys of a set fill a table of the largest size that they can fill. */
function cutScale({ slotsOf }: Contender, { set, scale, theta }: StaticRequest): number {
  const { uniqueKeys } = DATA_SETS[set];
  if (!slotsOf) return scale;
  const most = Math.floor((uniqueKeys * scale) / theta);
  let [low, high] = [1, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (slotsOf(middle) <= most) low = middle;
    else high = middle - 1;
  }
  // A table has a smallest size, which a small set does not fill.
  return slotsOf(low) > most ? scale : Math.floor(slotsOf(low) * theta) / uniqueKeys;
}
