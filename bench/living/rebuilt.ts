/**
 * Static tables among those that live, for comparison only. One has to be built anew from all items whenever a batch changes it: items
 * are kept in a log, a deleted key is an item whose value is zero, and of the items of a key the last counts. When the log is full, it
 * is packed, and gets twice the room if that does not help.
 */
import { type Bound, type Gpu, Recorder, record } from '../../src/gpu/index.ts';
import { HashMap, linearProbing, type Scheme, u32 } from '../../src/index.ts';
import { recordContents } from '../../src/table/contents.wgsl.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import type { Batch, LivingTable, Queries, TableRequest } from './tables.ts';

const Append = wgsl`
struct Append {
  start: u32,
  count: u32,
  isDeleted: u32,
}`;
const append = uniform('append', Append);
const count = uniform('count', 'u32');
const keys = storage('keys', 'array<u32>');
const values = storage('values', 'array<u32>');
const logKeys = storage('logKeys', 'array<u32>', 'read_write');
const logValues = storage('logValues', 'array<u32>', 'read_write');
const found = storage('found', 'array<u32>', 'read_write');
const answers = storage('answers', 'array<u32>');
const length = storage('length', 'u32');
const kept = storage('kept', 'atomic<u32>', 'read_write');

const appendItems = kernel({
  label: 'rebuilt/append',
  threads: 256,
  body: wgsl`
  if (item >= ${append}.count) { return; }
  ${logKeys}[${append}.start + item] = ${keys}[item];
  ${logValues}[${append}.start + item] = select(${values}[item], 0u, ${append}.isDeleted == 1u);`,
});
const withoutDeleted = kernel({
  label: 'rebuilt/withoutDeleted',
  threads: 256,
  body: wgsl`if (item < ${count} && ${answers}[item] == 0u) { ${found}[item] = 0u; }`,
});
const pack = kernel({
  label: 'rebuilt/pack',
  threads: 256,
  body: wgsl`
  if (item >= ${length} || ${values}[item] == 0u) { return; }
  let position = atomicAdd(&${kept}, 1u);
  ${logKeys}[position] = ${keys}[item];
  ${logValues}[position] = ${values}[item];`,
});
const countKept = kernel({
  label: 'rebuilt/count',
  threads: 256,
  body: wgsl`if (item < ${length} && ${values}[item] != 0u) { atomicAdd(&${kept}, 1u); }`,
});

interface Log {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  /** Items that there is room for. */
  readonly room: number;
}

export class RebuiltTable implements LivingTable {
  #length = 0;
  #live = 0;

  private constructor(
    readonly gpu: Gpu,
    readonly request: TableRequest,
    private log: Log,
    private map: HashMap<Uint32Array>,
  ) {}

  static async create(gpu: Gpu, request: TableRequest): Promise<RebuiltTable> {
    const log = await makeLog(gpu, 3 * request.batch);
    return new RebuiltTable(gpu, request, log, await mapOver(gpu, log, request));
  }

  get slots(): number {
    return this.map.capacitySlots;
  }

  get tableBytes(): number {
    return this.map.tableBytes + 8 * this.log.room;
  }

  /** For this batch, and for the deletions that come before the next one. */
  async makeRoom(batch: Batch): Promise<void> {
    const { gpu, request, log } = this;
    const needed = batch.count + request.batch;
    if (this.#length + needed <= log.room) return;
    const live = this.#live;
    const room = live + needed > log.room * 0.75 ? Math.max(2 * log.room, live + 2 * needed) : log.room;
    const larger = await makeLog(gpu, room);
    if (this.#length > 0) await this.#packed(larger);
    this.#release();
    this.#length = live;
    this.log = larger;
    this.map = await mapOver(gpu, larger, request);
  }

  encodeInsert(pass: GPUComputePassEncoder, batch: Batch): void {
    this.#append(pass, batch, false);
  }

  encodeDelete(pass: GPUComputePassEncoder, batch: Batch): void {
    this.#append(pass, batch, true);
  }

  #append(pass: GPUComputePassEncoder, batch: Batch, isDeleted: boolean): void {
    const { gpu, log } = this;
    const bound: Bound = [
      [append, gpu.constants(this.#length, batch.count, Number(isDeleted))],
      [keys, batch.keys],
      [values, batch.values],
      [logKeys, log.keys],
      [logValues, log.values],
    ];
    new Recorder(gpu, pass).run(appendItems, bound, batch.count);
    this.#length += batch.count;
    this.map.encodeRebuild(pass, { keys: log.keys, values: log.values, count: this.#length });
  }

  encodeFind(pass: GPUComputePassEncoder, queries: Queries): void {
    const { gpu } = this;
    this.map.encodeGet(pass, { ...queries, missing: 0 });
    const bound: Bound = [
      [count, gpu.constants(queries.count)],
      [found, queries.found],
      [answers, queries.values],
    ];
    new Recorder(gpu, pass).run(withoutDeleted, bound, queries.count);
  }

  async settle(): Promise<{ size: number; left: number }> {
    await this.map.settle();
    this.#live = await this.#packed(undefined);
    return { size: this.#live, left: 0 };
  }

  async makeLarger(): Promise<void> {}

  async tidy(): Promise<void> {}

  async averageProbes(): Promise<undefined> {
    return undefined;
  }

  /** Counts the keys that are not deleted, and puts them into a log if there is one. */
  async #packed(to: Log | undefined): Promise<number> {
    const { gpu, map } = this;
    const [keyBuffer, valueBuffer, lengthBuffer, keptBuffer] = (await gpu.allocate([
      { label: 'rebuilt/keys', bytes: map.size * 4 },
      { label: 'rebuilt/values', bytes: map.size * 4 },
      { label: 'rebuilt/length', bytes: 4 },
      { label: 'rebuilt/kept', bytes: 4 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    try {
      const bound: Bound = [
        [length, lengthBuffer],
        [values, valueBuffer],
        [kept, keptBuffer],
      ];
      const output: Bound = to
        ? [
            [keys, keyBuffer],
            [logKeys, to.keys],
            [logValues, to.values],
          ]
        : [];
      const [bytes] = await gpu.run(
        (encoder) =>
          record(gpu, encoder, 'rebuilt', (recorder) => {
            recordContents(recorder, map.table, {
              keys: keyBuffer,
              values: valueBuffer,
              count: { buffer: lengthBuffer },
              room: map.size,
            });
            recorder.run(to ? pack : countKept, [...bound, ...output], map.size);
          }),
        [{ buffer: keptBuffer, bytes: 4 }],
      );
      return new Uint32Array(bytes as ArrayBuffer)[0] as number;
    } finally {
      for (const buffer of [keyBuffer, valueBuffer, lengthBuffer, keptBuffer]) buffer.destroy();
    }
  }

  #release(): void {
    this.map.destroy();
    this.log.keys.destroy();
    this.log.values.destroy();
  }

  destroy(): void {
    this.#release();
  }
}

async function makeLog(gpu: Gpu, room: number): Promise<Log> {
  const [keyBuffer, valueBuffer] = (await gpu.allocate(
    ['keys', 'values'].map((label) => ({ label: `rebuilt/${label}`, bytes: room * 4 })),
  )) as [GPUBuffer, GPUBuffer];
  return { keys: keyBuffer, values: valueBuffer, room };
}

/** An empty map with room for all items of a log. */
async function mapOver(gpu: Gpu, log: Log, { highest, seed }: TableRequest): Promise<HashMap<Uint32Array>> {
  const [none] = (await gpu.allocate([{ label: 'rebuilt/none', bytes: 4 }])) as [GPUBuffer];
  try {
    const input = { keys: log.keys, values: log.values, count: { buffer: none, offset: 0 } };
    const scheme = linearProbing({ loadFactor: highest });
    let map: HashMap<Uint32Array> | undefined;
    await gpu.run((encoder) => {
      map = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme, seed });
    });
    return await (map as unknown as HashMap<Uint32Array>).settle();
  } finally {
    none.destroy();
  }
}

/** A static table of some scheme, built from one batch. */
export class StaticTable implements LivingTable {
  #map: HashMap<Uint32Array> | undefined;

  constructor(
    readonly gpu: Gpu,
    readonly scheme: Scheme,
    readonly request: TableRequest,
  ) {}

  get #built(): HashMap<Uint32Array> {
    if (!this.#map) throw new Error('a static table needs its items first');
    return this.#map;
  }

  get slots(): number {
    return this.#built.capacitySlots;
  }

  get tableBytes(): number {
    return this.#built.tableBytes;
  }

  async makeRoom({ keys: from, values: to, count: items }: Batch): Promise<void> {
    const { scheme, request } = this;
    this.#map ??= (await HashMap.from(
      this.gpu,
      { keys: from, values: to, count: items },
      { key: u32, scheme, duplicates: request.unique ? 'unique' : 'any', seed: request.seed },
    )) as HashMap<Uint32Array>;
  }

  encodeInsert(pass: GPUComputePassEncoder, { keys: from, values: to, count: items }: Batch): void {
    this.#built.encodeRebuild(pass, { keys: from, values: to, count: items });
  }

  encodeFind(pass: GPUComputePassEncoder, queries: Queries): void {
    this.#built.encodeGet(pass, { ...queries, missing: 0 });
  }

  encodeDelete(): void {
    throw new Error('a static table deletes nothing');
  }

  async settle(): Promise<{ size: number; left: number }> {
    await this.#built.settle();
    return { size: this.#built.size, left: 0 };
  }

  async makeLarger(): Promise<void> {}

  async tidy(): Promise<void> {}

  async averageProbes(): Promise<number> {
    return (await this.#built.stats()).present.average;
  }

  destroy(): void {
    this.#map?.destroy();
  }
}
