/** Tables that live long: rounds of batches, every key looked at on the GPU, and what searches cost afterwards. */
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { bufferSourceOf } from '../../src/table/source.ts';
import { measure } from '../measure.ts';
import { type PairRange, writePairs, wrongAnswers } from './pairs.ts';

export interface ChurnRequest {
  readonly scheme: DynamicScheme;
  /** The table goes from the fewest keys to the most and back; with the same for both, every round replaces a batch. */
  readonly fewest: number;
  readonly most: number;
  readonly batch: number;
  readonly rounds: number;
  readonly seed: number;
}

export interface ChurnRecord {
  readonly scheme: string;
  readonly keys: number;
  readonly rounds: number;
  readonly batch: number;
  readonly growths: number;
  readonly shrinks: number;
  /** Answers that were looked at, and how many of them were wrong. */
  readonly answers: number;
  readonly wrong: number;
  /** Rates of searches for keys that are there and for others, at the end. */
  readonly hitsPerSecond: number;
  readonly missesPerSecond: number;
  /** Average probes of both. */
  readonly hitProbes: number;
  readonly missProbes: number;
  /** Bytes of the table before the first batch, at most, and after all keys were deleted. */
  readonly bytes: readonly [number, number, number];
}

const AT_ONCE = 1 << 24;

/** Keys go in at one end of the indices and out at the other. */
export async function churn(gpu: Gpu, request: ChurnRequest): Promise<ChurnRecord> {
  const { scheme, fewest, most, batch, rounds, seed } = request;
  const map = await DynamicMap.create(gpu, { key: u32, scheme, seed });
  const room = Math.max(batch, Math.min(most, AT_ONCE));
  const [keys, values, answers, found] = (await gpu.allocate(
    ['keys', 'values', 'answers', 'found'].map((label) => ({ label: `churn/${label}`, bytes: room * 4 })),
  )) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
  const bytes: [number, number, number] = [map.tableBytes, 0, 0];
  let [low, high, looked, wrong] = [0, 0, 0, 0];
  const partsOf = (first: number, end: number): PairRange[] =>
    Array.from({ length: Math.ceil((end - first) / room) }, (_, i) => ({
      first: first + i * room,
      count: Math.min(room, end - first - i * room),
      epoch: 1,
    }));
  const change = async (part: PairRange, kind: 'insert' | 'delete'): Promise<void> => {
    await writePairs(gpu, part, seed, { keys, values });
    const { count } = part;
    const source = bufferSourceOf(
      gpu,
      u32,
      { keys, count, ...(kind === 'insert' && { values }) },
      kind === 'insert' ? 1 : 0,
    );
    const flags =
      kind === 'insert'
        ? await map.table.insert(source, { onExisting: 'replace', unique: true })
        : await map.table.delete(source);
    const expected = kind === 'insert' ? 0 : 1;
    looked += count;
    wrong += flags.reduce((sum, flag) => sum + Number(flag !== expected), 0);
  };
  const look = async (first: number, end: number, expected: boolean): Promise<void> => {
    for (const part of partsOf(first, end)) {
      await writePairs(gpu, part, seed, { keys, values });
      await gpu.run((encoder) =>
        map.encodeGet(encoder, { queries: keys, count: part.count, values: answers, found, missing: 0 }),
      );
      looked += part.count;
      wrong += await wrongAnswers(gpu, part, seed, { values: answers, found }, expected);
    }
  };
  const insertTo = async (end: number): Promise<void> => {
    for (; high < end; high = Math.min(end, high + batch)) {
      await change({ first: high, count: Math.min(batch, end - high), epoch: 1 }, 'insert');
    }
  };
  const deleteTo = async (end: number): Promise<void> => {
    for (; low < end; low = Math.min(end, low + batch)) {
      await change({ first: low, count: Math.min(batch, end - low), epoch: 1 }, 'delete');
    }
  };
  try {
    await insertTo(fewest);
    let isGrowing = most > fewest;
    for (let round = 0; round < rounds; round++) {
      if (most === fewest) {
        await deleteTo(low + batch);
        await insertTo(high + batch);
      } else if (isGrowing) await insertTo(high + batch);
      else await deleteTo(low + batch);
      if (high - low >= most) isGrowing = false;
      if (high - low <= fewest) isGrowing = most > fewest;
      if (map.size !== high - low) wrong++;
      bytes[1] = Math.max(bytes[1], map.tableBytes);
      await look(low, high, true);
      await look(Math.max(0, low - batch), low, false);
    }
    const count = Math.min(room, high - low);
    const rateOf = async (first: number): Promise<number> => {
      await writePairs(gpu, { first, count, epoch: 1 }, seed, { keys, values });
      const { medianMs } = await measure(
        gpu,
        (pass) => map.encodeGet(pass, { queries: keys, count, values: answers, missing: 0 }),
        { repeat: 5 },
      );
      return count / (medianMs / 1000);
    };
    const hitsPerSecond = await rateOf(low);
    const missesPerSecond = await rateOf(high);
    const { present, absent } = await map.stats();
    const size = high - low;
    await deleteTo(high);
    bytes[2] = map.tableBytes;
    return {
      scheme: scheme.name,
      keys: size,
      rounds,
      batch,
      growths: map.report.growths,
      shrinks: map.report.shrinks,
      answers: looked,
      wrong,
      hitsPerSecond,
      missesPerSecond,
      hitProbes: present.average,
      missProbes: absent.average,
      bytes,
    };
  } finally {
    map.destroy();
    for (const buffer of [keys, values, answers, found]) buffer.destroy();
  }
}
