/** Batches against a table that lives: new keys, keys that are there, and deletion, in GPU time, every answer checked. */
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { type Measurement, measure, measureChange, median } from '../measure.ts';
import { type KernelTime, profileOnce } from '../profile.ts';
import { type PairRange, writePairs, wrongAnswers } from './pairs.ts';
import { watch } from './timing.ts';

/** What is measured of a table of `items` keys by batches of `batch`. */
export interface BatchesRequest {
  readonly scheme: DynamicScheme;
  readonly items: number;
  readonly batch: number;
  readonly loadFactor: number;
  readonly unique: boolean;
  /** How often every key occurs in a batch, one copy behind the other. Default 1. */
  readonly copies?: number;
  readonly repeat: number;
  readonly seed: number;
}

export type BatchOperation = 'new' | 'there' | 'delete' | 'hit' | 'miss' | `grow ${number}`;

export interface BatchRecord {
  readonly scheme: string;
  readonly items: number;
  readonly batch: number;
  readonly unique: boolean;
  readonly op: BatchOperation;
  readonly medianMs: number;
  readonly minMs: number;
  readonly itemsPerSecond: number;
  readonly bytesPerKey: number;
  readonly wrong: number;
}

/** The kernels of one batch of new keys, of the same keys again, and of their deletion. */
export async function profileBatches(
  gpu: Gpu,
  { scheme, items, batch, loadFactor, unique, seed }: Omit<BatchesRequest, 'repeat'>,
): Promise<(KernelTime & { readonly op: BatchOperation })[]> {
  const map = await createMap(gpu, { scheme, items, loadFactor, seed });
  const room = Math.max(batch, Math.min(items, AT_ONCE));
  const [keys, values] = (await gpu.allocate(
    ['keys', 'values'].map((label) => ({ label: `living/${label}`, bytes: room * 4 })),
  )) as [GPUBuffer, GPUBuffer];
  const io = { keys, values };
  try {
    for (let first = 0; first < items - batch; first += room) {
      const count = Math.min(room, items - batch - first);
      await writePairs(gpu, { first, count, epoch: 1 }, seed, io);
      await gpu.run((encoder) => map.encodeInsert(encoder, { ...io, count }, { unique: true }));
    }
    const times: (KernelTime & { readonly op: BatchOperation })[] = [];
    await writePairs(gpu, { first: items - batch, count: batch, epoch: 2 }, seed, io);
    const buffers = { keys: { buffer: keys, size: batch * 4 }, values: { buffer: values, size: batch * 4 } };
    for (const isCounted of [false, true]) {
      for (const op of ['new', 'there', 'delete'] as const) {
        const kernels = await profileOnce(gpu, (recorder) =>
          map.table.recordChange(
            recorder,
            { ...buffers, context: undefined, contextStart: 0 },
            recorder.extent(batch),
            op === 'delete' ? { kind: 'delete' } : { kind: 'insert', onExisting: 'replace', unique },
          ),
        );
        // How a table is filled depends on whether it is known to be empty.
        await map.settle();
        // The first time pipelines are compiled.
        if (isCounted) times.push(...kernels.map((time) => ({ ...time, op })));
      }
    }
    return times;
  } finally {
    map.destroy();
    for (const buffer of [keys, values]) buffer.destroy();
  }
}

/** Pairs that are inserted at once while a table is prepared. */
const AT_ONCE = 1 << 25;

type Buffers = Readonly<Record<'keys' | 'values' | 'answers' | 'found', GPUBuffer>>;

/** A table for so many keys, as all measurements want it. */
const createMap = (
  gpu: Gpu,
  { scheme, items, loadFactor, seed }: Omit<BatchesRequest, 'batch' | 'unique' | 'repeat'>,
) => DynamicMap.create(gpu, { key: u32, scheme, reserve: items, lowest: 0.1, highest: loadFactor, seed });

/** Buffers for so many pairs, and the answers to them. */
async function allocateBuffers(gpu: Gpu, room: number): Promise<Buffers> {
  const names = ['keys', 'values', 'answers', 'found'] as const;
  const buffers = await gpu.allocate(names.map((label) => ({ label: `living/${label}`, bytes: room * 4 })));
  return Object.fromEntries(names.map((name, i) => [name, buffers[i]])) as Buffers;
}

/** Pairs in parts for which there is room. Copies are never parted. */
const partsOf = (pairs: PairRange, room: number): PairRange[] =>
  pairs.copies !== undefined
    ? [pairs]
    : Array.from({ length: Math.ceil(pairs.count / room) }, (_, i) => ({
        first: pairs.first + i * room,
        count: Math.min(room, pairs.count - i * room),
        epoch: pairs.epoch,
      }));

type LivingMap = Awaited<ReturnType<typeof createMap>>;

/** Puts pairs into a table, by the buffers. */
async function insertPairs(gpu: Gpu, map: LivingMap, pairs: readonly PairRange[], seed: number, io: Buffers) {
  for (const part of pairs) {
    await writePairs(gpu, part, seed, io);
    const batch = { keys: io.keys, values: io.values, count: part.count };
    await gpu.run((encoder) => map.encodeInsert(encoder, batch, { unique: true }));
  }
}

/** How many of the pairs get wrong answers. */
async function wrongOf(
  gpu: Gpu,
  map: LivingMap,
  pairs: readonly PairRange[],
  seed: number,
  io: Buffers,
  expected: boolean,
): Promise<number> {
  let wrong = 0;
  const { keys, answers: values, found } = io;
  for (const part of pairs) {
    await writePairs(gpu, part, seed, io);
    await gpu.run((encoder) => map.encodeGet(encoder, { queries: keys, count: part.count, values, found, missing: 0 }));
    wrong += await wrongAnswers(gpu, part, seed, { values, found }, expected);
  }
  return wrong;
}

/** What was measured of one operation. */
const recordOf = (
  { scheme, items, unique }: Pick<BatchesRequest, 'scheme' | 'items' | 'unique'>,
  {
    op,
    ms,
    batch,
    bytes,
    wrong,
  }: { op: BatchOperation; ms: readonly number[]; batch: number; bytes: number; wrong: number },
): BatchRecord => ({
  scheme: scheme.name,
  items,
  batch,
  unique,
  op,
  medianMs: median(ms),
  minMs: Math.min(...ms),
  itemsPerSecond: batch / (median(ms) / 1000),
  bytesPerKey: bytes / items,
  wrong,
});

/** Measures one size of batches. The table has so many keys that the new ones make it `items`. */
export async function measureBatches(gpu: Gpu, request: BatchesRequest): Promise<BatchRecord[]> {
  const { items, batch, unique, repeat, seed, copies = 1 } = request;
  const distinct = Math.ceil(batch / copies);
  const map = await createMap(gpu, request);
  const room = Math.max(distinct * copies, Math.min(items, AT_ONCE));
  const buffers = await allocateBuffers(gpu, room);
  const { keys, values, answers } = buffers;
  const io = { keys, values };
  try {
    const old: PairRange = { first: 0, count: items - distinct, epoch: 1 };
    const fresh: PairRange = { first: items - distinct, count: distinct * copies, epoch: 2, copies };
    const again: PairRange = { ...fresh, epoch: 3 };
    const wrongIn = (pairs: PairRange, expected: boolean): Promise<number> =>
      wrongOf(gpu, map, partsOf(pairs, room), seed, buffers, expected);
    await insertPairs(gpu, map, partsOf(old, room), seed, buffers);
    const samples: Record<'new' | 'there' | 'delete', number[]> = { new: [], there: [], delete: [] };
    const wrong = { new: 0, there: 0, delete: 0 };
    const records: BatchRecord[] = [];
    const measured = (op: BatchOperation, ms: readonly number[], count: number, faults: number): BatchRecord =>
      recordOf(request, { op, ms, batch: count, bytes: map.tableBytes, wrong: faults });
    for (let i = 0; i < repeat + 1; i++) {
      const isCounted = i > 0;
      const check = i === repeat || i === 1;
      await writePairs(gpu, fresh, seed, io);
      const insert = (pass: GPUComputePassEncoder) => map.encodeInsert(pass, { ...io, count: fresh.count }, { unique });
      const newMs = await measureChange(gpu, insert);
      if (check) wrong.new += (await wrongIn(fresh, true)) + (await wrongIn(old, true)) + (await map.settle()).left;
      await writePairs(gpu, again, seed, io);
      const thereMs = await measureChange(gpu, insert);
      if (check) wrong.there += (await wrongIn(again, true)) + (await wrongIn(old, true));
      if (i === repeat) {
        const find = async (op: 'hit' | 'miss', pairs: PairRange): Promise<void> => {
          await writePairs(gpu, pairs, seed, io);
          const { samplesMs }: Measurement = await measure(
            gpu,
            (pass) => map.encodeGet(pass, { queries: keys, count: pairs.count, values: answers, missing: 0 }),
            { repeat },
          );
          records.push(measured(op, samplesMs, pairs.count, 0));
        };
        const count = Math.min(items, room);
        await find('hit', { first: 0, count, epoch: 0 });
        await find('miss', { first: items, count, epoch: 0 });
      }
      await writePairs(gpu, again, seed, io);
      const deleteMs = await measureChange(gpu, (pass) => map.encodeDelete(pass, { keys, count: fresh.count }));
      if (check) wrong.delete += (await wrongIn(fresh, false)) + (await wrongIn(old, true));
      await map.settle();
      if (check && map.size !== items - distinct) wrong.delete++;
      if (!isCounted) continue;
      samples.new.push(newMs);
      samples.there.push(thereMs);
      samples.delete.push(deleteMs);
    }
    return [
      ...(['new', 'there', 'delete'] as const).map((op) => measured(op, samples[op], batch, wrong[op])),
      ...records,
    ];
  } finally {
    map.destroy();
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
}

/** Measures how all keys of a table go to one with `factor` times the slots. A batch is all of them. */
export async function measureGrowth(
  gpu: Gpu,
  request: Omit<BatchesRequest, 'batch' | 'unique'>,
  factor: number,
): Promise<BatchRecord> {
  const { items, repeat, seed } = request;
  const room = Math.min(items, AT_ONCE);
  const buffers = await allocateBuffers(gpu, room);
  const pairs = partsOf({ first: 0, count: items, epoch: 1 }, room);
  const ms: number[] = [];
  let [wrong, bytes] = [0, 0];
  try {
    // The first time pipelines are compiled.
    for (let i = 0; i <= repeat; i++) {
      const map = await createMap(gpu, request);
      try {
        await insertPairs(gpu, map, pairs, seed, buffers);
        await map.settle();
        const { gpuMs, wallMs } = await watch(gpu, () => map.reserve(Math.ceil(items * factor)));
        if (i > 0) ms.push(gpuMs ?? wallMs);
        bytes = map.tableBytes;
        wrong += await wrongOf(gpu, map, pairs, seed, buffers, true);
      } finally {
        map.destroy();
      }
    }
  } finally {
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
  return recordOf({ ...request, unique: true }, { op: `grow ${factor}`, ms, batch: items, bytes, wrong });
}
