/**
 * Slab lists after Ashkiani, Farach-Colton and Owens 2018, for comparison only: as many chains as were decided at the beginning, of slabs
 * of 128 bytes. A deleted key is only marked; its slot is not used again, and no slab is ever given back. Unlike there, an item has one
 * thread rather than a warp.
 */
import { type Bound, type Gpu, Recorder, record } from '../../src/gpu/index.ts';
import { kernel, storage, uniform, type Wgsl, wgsl } from '../../src/wgsl/index.ts';
import { scramble } from '../scramble.ts';
import type { Batch, LivingTable, Queries, TableRequest } from './tables.ts';

const SLAB_WORDS = 32;
const SLOTS = 15;
/** Dispatches of a batch: in each one, every chain gets one slab more if it needs it. */
const ROUNDS = 8;
/** Threads of all rounds but the first. */
const LATE_THREADS = 1 << 16;
/** How often a thread looks whether the slab that another one is adding is there, before its item waits for the next dispatch. */
const LOOKS = 32;

/** Where words of a slab are: keys plus one, so that zero is an empty slot; values; the next slab, or zero. */
const VALUES = SLOTS;
const NEXT = 2 * SLOTS;
const DELETED = '0xffffffffu';
const PENDING = '0xffffffffu';

const Shape = wgsl`
struct Shape {
  chains: u32,
  slabs: u32, // that there is memory for
  seed: u32,
  count: u32,
}`;
const Counters = wgsl`
struct Counters {
  extra: atomic<u32>, // slabs beside the first of every chain
  waiting: array<atomic<u32>, ${ROUNDS}>,
}`;
const shape = uniform('shape', Shape);
const round = uniform('round', 'u32');
const pool = storage('pool', 'array<atomic<u32>>', 'read_write');
const counters = storage('counters', Counters, 'read_write');
const keys = storage('keys', 'array<u32>');
const values = storage('values', 'array<u32>');
const waitingBefore = storage('waitingBefore', 'array<u32>', 'read_write');
const waitingNow = storage('waitingNow', 'array<u32>', 'read_write');
const answers = storage('answers', 'array<u32>', 'read_write');
const found = storage('found', 'array<u32>', 'read_write');

const chainOf = wgsl`
fn chainOf(key: u32) -> u32 {
  return ${scramble}(key, vec2u(${shape}.seed, 0x51abu)) % ${shape}.chains;
}`;

/** Adds a slab behind the last one. Gives its number, or zero if it is not there yet. */
const nextSlab = wgsl`
fn nextSlab(at: u32) -> u32 {
  var next = atomicLoad(&${pool}[at]);
  if (next == 0u) {
    let claim = atomicCompareExchangeWeak(&${pool}[at], 0u, ${PENDING});
    next = claim.old_value;
    if (claim.exchanged) {
      next = ${shape}.chains + atomicAdd(&${counters}.extra, 1u);
      // Without memory, nobody else may wait for it.
      if (next >= ${shape}.slabs) { next = 0u; }
      atomicStore(&${pool}[at], next);
    }
  }
  for (var i = 0u; i < ${LOOKS}u && next == ${PENDING}; i++) { next = atomicLoad(&${pool}[at]); }
  return select(next, 0u, next == ${PENDING});
}`;

/** Whether the item has its place; if not, it waits for the next round. Slots fill in order, so copies of a key meet. */
const place = wgsl`
fn place(key: u32, value: u32) -> bool {
  var slab = ${chainOf}(key);
  for (var hops = 0u; hops < ${shape}.slabs; hops++) {
    let start = slab * ${SLAB_WORDS}u;
    for (var slot = 0u; slot < ${SLOTS}u; slot++) {
      var seen = atomicLoad(&${pool}[start + slot]);
      if (seen == 0u) {
        let claim = atomicCompareExchangeWeak(&${pool}[start + slot], 0u, key + 1u);
        seen = select(claim.old_value, key + 1u, claim.exchanged);
        if (seen == 0u) { return false; }
      }
      if (seen == key + 1u) {
        atomicStore(&${pool}[start + ${VALUES}u + slot], value);
        return true;
      }
    }
    slab = ${nextSlab}(start + ${NEXT}u);
    if (slab == 0u) { return false; }
  }
  return false;
}`;

/** Where the key is in the pool, or the greatest number there is. */
const locate = wgsl`
fn locate(key: u32) -> u32 {
  var slab = ${chainOf}(key);
  for (var hops = 0u; hops < ${shape}.slabs; hops++) {
    let start = slab * ${SLAB_WORDS}u;
    for (var slot = 0u; slot < ${SLOTS}u; slot++) {
      let seen = atomicLoad(&${pool}[start + slot]);
      if (seen == key + 1u) { return start + slot; }
      if (seen == 0u) { return 0xffffffffu; }
    }
    slab = atomicLoad(&${pool}[start + ${NEXT}u]);
    if (slab == 0u) { break; }
  }
  return 0xffffffffu;
}`;

const perItem = (label: string, statements: Wgsl) =>
  kernel({ label: `slab/${label}`, threads: 256, body: wgsl`if (item >= ${shape}.count) { return; }${statements}` });

const begin = kernel({
  label: 'slab/begin',
  threads: 1,
  body: wgsl`for (var i = 0u; i < ${ROUNDS}u; i++) { atomicStore(&${counters}.waiting[i], 0u); }`,
});
const insertFirst = perItem(
  'insert',
  wgsl`
  if (!${place}(${keys}[item], ${values}[item])) {
    ${waitingNow}[atomicAdd(&${counters}.waiting[0], 1u)] = item;
  }`,
);
const insertLate = kernel({
  label: 'slab/insertLate',
  threads: 256,
  body: wgsl`
  let count = atomicLoad(&${counters}.waiting[${round} - 1u]);
  for (var i = item; i < count; i += groups * 256u) {
    let number = ${waitingBefore}[i];
    if (!${place}(${keys}[number], ${values}[number])) {
      ${waitingNow}[atomicAdd(&${counters}.waiting[${round}], 1u)] = number;
    }
  }`,
});
const find = perItem(
  'find',
  wgsl`
  let at = ${locate}(${keys}[item]);
  let isThere = at != 0xffffffffu;
  ${found}[item] = u32(isThere);
  ${answers}[item] = 0u;
  if (isThere) { ${answers}[item] = atomicLoad(&${pool}[at + ${VALUES}u]); }`,
);
const remove = perItem(
  'delete',
  wgsl`
  let at = ${locate}(${keys}[item]);
  if (at != 0xffffffffu) { atomicStore(&${pool}[at], ${DELETED}); }`,
);

const Survey = wgsl`
struct Survey {
  keys: atomic<u32>,
  probes: atomic<u32>,
}`;
const surveyed = storage('surveyed', Survey, 'read_write');
const groupKeys = wgsl`var<workgroup> groupKeys: atomic<u32>;`;
const groupProbes = wgsl`var<workgroup> groupProbes: atomic<u32>;`;
/** Counts what is in every chain, and how many slabs a search for it would look at. */
const survey = kernel({
  label: 'slab/survey',
  threads: 256,
  body: wgsl`
  var slab = item;
  for (var hops = 1u; item < ${shape}.chains && hops <= ${shape}.slabs; hops++) {
    let start = slab * ${SLAB_WORDS}u;
    for (var slot = 0u; slot < ${SLOTS}u; slot++) {
      let seen = atomicLoad(&${pool}[start + slot]);
      if (seen != 0u && seen != ${DELETED}) {
        atomicAdd(&${groupKeys}, 1u);
        atomicAdd(&${groupProbes}, hops);
      }
    }
    slab = atomicLoad(&${pool}[start + ${NEXT}u]);
    if (slab == 0u) { break; }
  }
  workgroupBarrier();
  if (thread == 0u) {
    atomicAdd(&${surveyed}.keys, atomicLoad(&${groupKeys}));
    atomicAdd(&${surveyed}.probes, atomicLoad(&${groupProbes}));
  }`,
});

export class SlabTable implements LivingTable {
  #slabs: number;

  private constructor(
    readonly gpu: Gpu,
    readonly request: TableRequest,
    readonly chains: number,
    readonly most: number,
    readonly buffers: readonly [pool: GPUBuffer, counters: GPUBuffer, lists: readonly [GPUBuffer, GPUBuffer]],
  ) {
    this.#slabs = chains;
  }

  /** As many chains as fill slabs to `highest` when all keys are there. */
  static async create(gpu: Gpu, request: TableRequest): Promise<SlabTable> {
    const chains = Math.max(1, Math.round(request.keys / keysPerChain(request.highest)));
    const most = 2 * chains + Math.ceil(request.insertions / SLOTS);
    const [pool, counters, one, two] = (await gpu.allocate([
      { label: 'slab/pool', bytes: most * SLAB_WORDS * 4 },
      { label: 'slab/counters', bytes: (1 + ROUNDS) * 4 },
      { label: 'slab/waiting', bytes: request.batch * 4 },
      { label: 'slab/waiting', bytes: request.batch * 4 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    return new SlabTable(gpu, request, chains, most, [pool, counters, [one, two]]);
  }

  get slots(): number {
    return this.#slabs * SLOTS;
  }

  get tableBytes(): number {
    return this.#slabs * SLAB_WORDS * 4;
  }

  async makeRoom(): Promise<void> {}

  encodeInsert(pass: GPUComputePassEncoder, batch: Batch): void {
    const [, counts, lists] = this.buffers;
    const recorder = new Recorder(this.gpu, pass);
    recorder.run(begin, [[counters, counts]], 1);
    const bound: Bound = [...this.#bound(batch.count), [counters, counts], [keys, batch.keys], [values, batch.values]];
    recorder.run(insertFirst, [...bound, [waitingNow, lists[0]]], batch.count);
    for (let i = 1; i < ROUNDS; i++) {
      const [now, before] = i % 2 === 0 ? lists : [lists[1], lists[0]];
      recorder.run(
        insertLate,
        [...bound, [round, this.gpu.constants(i)], [waitingNow, now], [waitingBefore, before]],
        Math.min(LATE_THREADS, batch.count),
      );
    }
  }

  encodeFind(pass: GPUComputePassEncoder, queries: Queries): void {
    const bound: Bound = [
      ...this.#bound(queries.count),
      [keys, queries.queries],
      [answers, queries.values],
      [found, queries.found],
    ];
    new Recorder(this.gpu, pass).run(find, bound, queries.count);
  }

  encodeDelete(pass: GPUComputePassEncoder, batch: Batch): void {
    new Recorder(this.gpu, pass).run(remove, [...this.#bound(batch.count), [keys, batch.keys]], batch.count);
  }

  async settle(): Promise<{ size: number; left: number }> {
    const { size } = await this.#survey();
    const [bytes] = await this.gpu.run(() => {}, [{ buffer: this.buffers[1], bytes: (1 + ROUNDS) * 4 }]);
    const [extra = 0, ...waiting] = new Uint32Array(bytes as ArrayBuffer);
    this.#slabs = this.chains + extra;
    if (this.#slabs > this.most) throw new Error(`slab: there is no memory for more than ${this.most} slabs`);
    return { size, left: waiting.at(-1) ?? 0 };
  }

  /** It is enough to encode the batch again. */
  async makeLarger(): Promise<void> {}

  async tidy(): Promise<void> {}

  async averageProbes(): Promise<number> {
    const { size, probes } = await this.#survey();
    return probes / size;
  }

  async #survey(): Promise<{ size: number; probes: number }> {
    const { gpu } = this;
    const [buffer] = (await gpu.allocate([{ label: 'slab/survey', bytes: 8 }])) as [GPUBuffer];
    try {
      const bound: Bound = [...this.#bound(0), [surveyed, buffer]];
      const [bytes] = await gpu.run(
        (encoder) => record(gpu, encoder, 'survey', (recorder) => recorder.run(survey, bound, this.chains)),
        [{ buffer, bytes: 8 }],
      );
      const [size = 0, probes = 0] = new Uint32Array(bytes as ArrayBuffer);
      return { size, probes };
    } finally {
      buffer.destroy();
    }
  }

  #bound(count: number): Bound {
    return [
      [shape, this.gpu.constants(this.chains, this.most, this.request.seed, count)],
      [pool, this.buffers[0]],
    ];
  }

  destroy(): void {
    const [slabs, counts, lists] = this.buffers;
    for (const buffer of [slabs, counts, ...lists]) buffer.destroy();
  }
}

/** Keys of a chain on average, so that its slabs are filled as given: their numbers follow Poisson's distribution. */
export function keysPerChain(filled: number): number {
  const filledBy = (mean: number): number => {
    let slabs = 1;
    let below = 0;
    let share = Math.exp(-mean);
    for (let n = 0; n < mean * 4 + 200; n++) {
      below += share;
      // One slab more for every chain with more than so many.
      if (n > 0 && n % SLOTS === 0) slabs += Math.max(0, 1 - below);
      share *= mean / (n + 1);
    }
    return mean / (SLOTS * slabs);
  };
  let [low, high] = [1, 500];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (filledBy(middle) < filled) low = middle;
    else high = middle;
  }
  return low;
}
