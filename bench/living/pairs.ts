/** Keys and values of tables that live, made and checked on the GPU: a key follows from its index, a value from index and epoch. */
import { type Bound, type Gpu, record } from '../../src/gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { scramble } from '../scramble.ts';
import { tally, tallyKernel } from '../tally.ts';

const Range = wgsl`
struct Range {
  first: u32, // index of the first pair
  count: u32,
  epoch: u32, // pairs of another epoch have other values
  seed: u32,
  copies: u32, // how often every key occurs, one behind the other
}`;

const range = uniform('range', Range);

const keyOf = wgsl`
fn keyOf(item: u32) -> u32 {
  return ${scramble}(${range}.first + item / ${range}.copies, vec2u(${range}.seed, 0x5eedu));
}`;
const wordOf = wgsl`
fn wordOf(item: u32) -> u32 {
  return (${range}.first + item) * 0x9e3779b1u + ${range}.epoch;
}`;

const keys = storage('keys', 'array<u32>', 'read_write');
const values = storage('values', 'array<u32>', 'read_write');

const makePairs = kernel({
  label: 'living/pairs',
  threads: 256,
  body: wgsl`
  if (item >= ${range}.count) { return; }
  ${keys}[item] = ${keyOf}(item);
  ${values}[item] = ${wordOf}(item);`,
});

/** Some of all pairs. */
export interface PairRange {
  readonly first: number;
  readonly count: number;
  readonly epoch: number;
  readonly copies?: number;
}

const rangeWords = ({ first, count, epoch, copies = 1 }: PairRange, seed: number): readonly number[] => [
  first,
  count,
  epoch,
  seed,
  copies,
];

/** Writes pairs into buffers. */
export async function writePairs(
  gpu: Gpu,
  pairs: PairRange,
  seed: number,
  buffers: { readonly keys: GPUBuffer; readonly values: GPUBuffer },
): Promise<void> {
  if (pairs.count === 0) return;
  const bound: Bound = [
    [range, gpu.constants(...rangeWords(pairs, seed))],
    [keys, buffers.keys],
    [values, buffers.values],
  ];
  await gpu.run((encoder) => record(gpu, encoder, 'pairs', (recorder) => recorder.run(makePairs, bound, pairs.count)));
}

const answers = storage('answers', 'array<u32>');
const found = storage('found', 'array<u32>');
const isThere = uniform('isThere', 'u32');

const judge = tallyKernel(
  'living',
  wgsl`${range}.count`,
  wgsl`
    // Of the copies of a key the last one counts.
    let last = item - item % ${range}.copies + ${range}.copies - 1u;
    isRight = ${found}[item] == ${isThere} && (${isThere} == 0u || ${answers}[item] == ${wordOf}(last));`,
);

/** How many answers about pairs are wrong. */
export async function wrongAnswers(
  gpu: Gpu,
  pairs: PairRange,
  seed: number,
  given: { readonly values: GPUBuffer; readonly found: GPUBuffer },
  expected: boolean,
): Promise<number> {
  if (pairs.count === 0) return 0;
  const bound: Bound = [
    [range, gpu.constants(...rangeWords(pairs, seed))],
    [answers, given.values],
    [found, given.found],
    [isThere, gpu.constants(Number(expected))],
  ];
  return (await tally(gpu, judge, bound, pairs.count)).wrong;
}
