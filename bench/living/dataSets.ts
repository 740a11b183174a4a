/**
 * Data like that of Li et al. 2021, Table I: so many pairs, among whose keys so many are different. The paper's own are not to be had
 * (a week of Twitter, customers of a shop), so an item's key follows from its number by a draw with the same share of unique keys.
 */
import { type Bound, type Gpu, record } from '../../src/gpu/index.ts';
import { type Kernel, kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { scramble, scrambleBits } from '../scramble.ts';
import { tally, tallyKernel } from '../tally.ts';

export type SetName = 'TW' | 'RE' | 'LINE' | 'COM' | 'RAND';

/** How keys are drawn: each once, each as likely as the other, or few often and many seldom. */
type DrawKind = 'unique' | 'even' | 'skewed';

interface SetKind {
  readonly pairs: number;
  readonly uniqueKeys: number;
  readonly draw: DrawKind;
}

/** Table I. */
export const DATA_SETS: Readonly<Record<SetName, SetKind>> = {
  TW: { pairs: 50_876_784, uniqueKeys: 25_297_548, draw: 'skewed' },
  RE: { pairs: 96_209_750, uniqueKeys: 82_933_364, draw: 'skewed' },
  LINE: { pairs: 100_000_000, uniqueKeys: 90_319_761, draw: 'even' },
  COM: { pairs: 10_000_000, uniqueKeys: 4_583_941, draw: 'skewed' },
  RAND: { pairs: 100_000_000, uniqueKeys: 100_000_000, draw: 'unique' },
};
export const SET_NAMES = Object.keys(DATA_SETS) as SetName[];

/** Some items of a set: a range of it, or `count` drawn from the first `below`, none of them twice. */
export interface ItemRange {
  readonly first: number;
  readonly count: number;
  readonly below?: number;
  /** Another draw for each. */
  readonly salt?: number;
}

/** Keys and values in buffers. */
export interface PairBuffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
}

const KINDS: readonly DrawKind[] = ['unique', 'even', 'skewed'];
/** What keys are like: from a normal distribution, orders and lines, or any number. */
const keyKindOf = (name: SetName): number => (name === 'RAND' ? 0 : name === 'LINE' ? 1 : 2);
const Draw = wgsl`
struct Draw {
  first: u32,
  count: u32,
  below: u32, // 0: the items are a range
  salt: u32,
  kind: u32,
  keyKind: u32,
  universe: u32, // how many keys there are to be drawn from
  seed: u32,
  segmentItems: u32, // of the normal distribution
  partShift: u32,
}`;
const draw = uniform('draw', Draw);
/** Where segments of the normal distribution begin; all have as many keys. */
const quantiles = storage('quantiles', 'array<u32>');

const mulHigh = wgsl`
fn mulHigh(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let one = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let two = (a & 0xffffu) * (b >> 16u) + (one & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (one >> 16u) + (two >> 16u);
}`;

/** A permutation of the numbers below `size`: one of more numbers is followed until it leads back to one of them. */
const shuffled = wgsl`
fn shuffled(number: u32, size: u32, salt: u32) -> u32 {
  let mask = 0xffffffffu >> min(31u, countLeadingZeros(size - 1u));
  var result = number;
  for (var i = 0u; i <= mask; i++) {
    result = ${scrambleBits}(result, mask, vec4u(${draw}.seed, 0x9e3779b1u, 0x85ebca6bu ^ (salt << 1u), 0xc2b2ae35u + salt));
    if (result < size) { break; }
  }
  return result;
}`;

/** The rank of an item's key among all that there may be. */
const rankOf = wgsl`
fn rankOf(position: u32) -> u32 {
  var number = ${draw}.first + position;
  if (${draw}.below > 0u) { number = ${shuffled}(position, ${draw}.below, ${draw}.salt); }
  if (${draw}.kind == 0u) { return ${shuffled}(number, ${draw}.universe, 0u); }
  let random = ${scramble}(number, vec2u(${draw}.seed, 0xd1a7u));
  return ${mulHigh}(select(random, ${mulHigh}(random, random), ${draw}.kind == 2u), ${draw}.universe);
}`;

/** Different ranks have different keys, below 2³¹. */
const keyOfRank = wgsl`
fn keyOfRank(rank: u32) -> u32 {
  if (${draw}.keyKind == 0u) {
    let segment = rank / ${draw}.segmentItems;
    let begin = ${quantiles}[segment];
    let step = (${quantiles}[segment + 1u] - begin) / ${draw}.segmentItems;
    return begin + step * (rank % ${draw}.segmentItems);
  }
  if (${draw}.keyKind == 1u) {
    // Four lines an order. Of the number of the part there are as many bits as there is room for.
    let part = (${scramble}(rank, vec2u(${draw}.seed, 0x9a57u)) << ${draw}.partShift) & 0x7fffffffu;
    return part | ((rank >> 2u) << 3u) | ((rank & 3u) + 1u);
  }
  return ${scrambleBits}(rank, 0x7fffffffu, vec4u(${draw}.seed, 0x2545f491u, 0x9e3779b1u, 0x7f4a7c15u));
}`;

/** It follows from the key, so that it does not matter which copy of a key was the last. Never zero. */
const valueOfRank = wgsl`fn valueOfRank(rank: u32) -> u32 { return (rank * 0x9e3779b1u) | 1u; }`;

const keys = storage('keys', 'array<u32>', 'read_write');
const values = storage('values', 'array<u32>', 'read_write');
const present = storage('present', 'array<atomic<u32>>', 'read_write');
const answers = storage('answers', 'array<u32>');
const found = storage('found', 'array<u32>');

const makePairs = kernel({
  label: 'living/dataSet',
  threads: 256,
  body: wgsl`
  if (item >= ${draw}.count) { return; }
  let rank = ${rankOf}(item);
  ${keys}[item] = ${keyOfRank}(rank);
  ${values}[item] = ${valueOfRank}(rank);`,
});

const note = (label: string, change: string) =>
  kernel({
    label: `living/${label}`,
    threads: 256,
    body: wgsl`
  if (item >= ${draw}.count) { return; }
  let rank = ${rankOf}(item);
  let bit = 1u << (rank & 31u);
  ${change}(&${present}[rank >> 5u], ${change === 'atomicOr' ? 'bit' : '~bit'});`,
  });
const noteInserted = note('inserted', 'atomicOr');
const noteDeleted = note('deleted', 'atomicAnd');

const judge = tallyKernel(
  'dataSet',
  wgsl`${draw}.count`,
  wgsl`
    let rank = ${rankOf}(item);
    let isThere = (atomicLoad(&${present}[rank >> 5u]) >> (rank & 31u)) & 1u;
    isRight = ${found}[item] == isThere && (isThere == 0u || ${answers}[item] == ${valueOfRank}(rank));`,
);

const words = uniform('words', 'u32');
const total = storage('total', 'atomic<u32>', 'read_write');
const groupTotal = wgsl`var<workgroup> groupTotal: atomic<u32>;`;
const countPresent = kernel({
  label: 'living/count',
  threads: 256,
  body: wgsl`
  if (item < ${words}) { atomicAdd(&${groupTotal}, countOneBits(atomicLoad(&${present}[item]))); }
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${total}, atomicLoad(&${groupTotal})); }`,
});

/** A set at some scale, and the truth about a table of its items: which keys are there. */
export class DataSet {
  private constructor(
    readonly gpu: Gpu,
    readonly name: SetName,
    private readonly draw: DrawKind,
    readonly pairs: number,
    /** As many different keys as are to be expected. */
    readonly uniqueKeys: number,
    readonly universe: number,
    readonly seed: number,
    readonly segmentItems: number,
    readonly buffers: readonly [quantiles: GPUBuffer, present: GPUBuffer, total: GPUBuffer],
  ) {}

  /** With `unique`, of every key only one pair. */
  static async create(
    gpu: Gpu,
    name: SetName,
    { scale, seed, unique = false }: { readonly scale: number; readonly seed: number; readonly unique?: boolean },
  ): Promise<DataSet> {
    const full = DATA_SETS[name];
    const all = Math.max(1, Math.round(full.pairs * scale));
    const uniqueKeys = Math.max(1, Math.round(full.uniqueKeys * scale));
    const universe =
      full.draw === 'unique' ? all : Math.ceil(all / pairsPerRank(full.uniqueKeys / full.pairs, full.draw));
    const segmentItems = Math.ceil(all / SEGMENTS);
    const knots = normalQuantiles(all, segmentItems);
    const buffers = (await gpu.allocate([
      { label: 'living/quantiles', bytes: knots.byteLength },
      { label: 'living/present', bytes: Math.ceil(universe / 32) * 4 },
      { label: 'living/total', bytes: 4 },
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer];
    gpu.write(buffers[0], knots);
    const [draw, pairs] = unique ? (['unique', uniqueKeys] as const) : [full.draw, all];
    return new DataSet(gpu, name, draw, pairs, uniqueKeys, universe, seed, segmentItems, buffers);
  }

  /** Whether no key occurs twice. */
  get isUnique(): boolean {
    return this.draw === 'unique';
  }

  /** Writes items into buffers, before all that is submitted later. */
  write(items: ItemRange, to: PairBuffers): void {
    this.#submit(makePairs, items, [
      [keys, to.keys],
      [values, to.values],
      [quantiles, this.buffers[0]],
    ]);
  }

  /** Takes note that items were inserted. */
  inserted(items: ItemRange): void {
    this.#submit(noteInserted, items, [[present, this.buffers[1]]]);
  }

  /** Takes note that the keys of items were deleted. */
  deleted(items: ItemRange): void {
    this.#submit(noteDeleted, items, [[present, this.buffers[1]]]);
  }

  /** How many answers about items are wrong. */
  async wrong(items: ItemRange, given: { readonly values: GPUBuffer; readonly found: GPUBuffer }): Promise<number> {
    if (items.count === 0) return 0;
    const bound: Bound = [
      [draw, this.#constants(items)],
      [present, this.buffers[1]],
      [answers, given.values],
      [found, given.found],
    ];
    return (await tally(this.gpu, judge, bound, items.count)).wrong;
  }

  /** How many keys there are. */
  async size(): Promise<number> {
    const { gpu } = this;
    const [, bits, sum] = this.buffers;
    const count = Math.ceil(this.universe / 32);
    const bound: Bound = [
      [words, gpu.constants(count)],
      [present, bits],
      [total, sum],
    ];
    const [bytes] = await gpu.run(
      (encoder) => {
        encoder.clearBuffer(sum);
        record(gpu, encoder, 'count', (recorder) => recorder.run(countPresent, bound, count));
      },
      [{ buffer: sum, bytes: 4 }],
    );
    return new Uint32Array(bytes as ArrayBuffer)[0] as number;
  }

  /** Nothing is there any more. */
  forget(): void {
    const encoder = this.gpu.device.createCommandEncoder();
    encoder.clearBuffer(this.buffers[1]);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  #constants({ first, count, below = 0, salt = 0 }: ItemRange): GPUBuffer {
    const { name, universe, seed } = this;
    const orderBits = Math.ceil(Math.log2(Math.max(2, Math.ceil(universe / 4))));
    const kind = KINDS.indexOf(this.draw);
    const partShift = Math.min(31, 3 + orderBits);
    return this.gpu.constants(
      ...[first, count, below, salt, kind, keyKindOf(name), universe, seed, this.segmentItems, partShift],
    );
  }

  #submit(program: Kernel, items: ItemRange, bound: Bound): void {
    if (items.count === 0) return;
    const { gpu } = this;
    const all: Bound = [[draw, this.#constants(items)], ...bound];
    const encoder = gpu.device.createCommandEncoder({ label: 'hashnest/dataSet' });
    record(gpu, encoder, 'dataSet', (recorder) => recorder.run(program, all, items.count));
    gpu.device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    for (const buffer of this.buffers) buffer.destroy();
  }
}

const SEGMENTS = 4096;
/** Keys are 31 bits, six standard deviations to either side. */
const MIDDLE = 2 ** 30;
const DEVIATION = MIDDLE / 6;
const MOST_DEVIATIONS = 5.7;

/** Where segments of so many of all keys begin, in a normal distribution, and where the last one ends. */
function normalQuantiles(pairs: number, segmentItems: number): Uint32Array<ArrayBuffer> {
  const STEPS = 200_000;
  const knots: number[] = [];
  let below = 0;
  for (let i = 0; i < STEPS; i++) {
    const z = MOST_DEVIATIONS * ((2 * i) / STEPS - 1);
    while (knots.length * segmentItems < below * pairs || knots.length === 0) {
      knots.push(Math.round(MIDDLE + DEVIATION * z));
    }
    below += (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * ((2 * MOST_DEVIATIONS) / STEPS);
  }
  // Rounding leaves at most a segment or two beyond the end, far out.
  while (knots.length <= Math.ceil(pairs / segmentItems)) {
    knots.push(Math.max(Math.round(MIDDLE + DEVIATION * MOST_DEVIATIONS), (knots.at(-1) as number) + segmentItems));
  }
  return Uint32Array.from(knots);
}

/**
 * Pairs for every key that may be drawn, so that the expected share of unique ones among the pairs is as given. A skewed draw has the
 * rank of x² for an even x: the density of ranks y is 1 / (2√y).
 */
function pairsPerRank(share: number, kind: 'even' | 'skewed'): number {
  const shareOf = (perRank: number): number => {
    if (kind === 'even') return -Math.expm1(-perRank) / perRank;
    const STEPS = 2000;
    let sum = 0;
    for (let i = 0; i < STEPS; i++) {
      const t = (i + 0.5) / STEPS;
      sum += (-2 * t * Math.expm1(-perRank / (2 * t))) / STEPS;
    }
    return sum / perRank;
  };
  let [low, high] = [1e-6, 1e3];
  while (high / low > 1 + 1e-9) {
    const middle = Math.sqrt(low * high);
    if (shareOf(middle) > share) low = middle;
    else high = middle;
  }
  return low;
}
