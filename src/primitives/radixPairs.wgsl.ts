/**
 * Keys and values side by side, as a radix sort keeps them between two passes: a run of pairs is written at once, where keys and values apart
 * would be two runs of half the length. There are two buffers for the halves of the pairs, so that none is larger than one for all keys.
 */
import { type BufferView, type Extent, extentCount, type Recorder } from '../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';

/** How many pairs are in the lower half. */
const lowerPairs = uniform('lowerPairs', 'u32');

const [lower, upper] = [storage('lowerHalf', 'array<vec2u>'), storage('upperHalf', 'array<vec2u>')];
const lowerOut = storage('lowerHalf', 'array<vec2u>', 'read_write');
const upperOut = storage('upperHalf', 'array<vec2u>', 'read_write');

/** WGSL: `(i: u32) -> vec2u`. */
export const pairAt = wgsl`
fn pairAt(i: u32) -> vec2u {
  if (i < ${lowerPairs}) { return ${lower}[i]; }
  return ${upper}[i - ${lowerPairs}];
}`;

/** WGSL: `(i: u32, pair: vec2u)`. */
export const putPair = wgsl`
fn putPair(i: u32, pair: vec2u) {
  if (i < ${lowerPairs}) { ${lowerOut}[i] = pair; } else { ${upperOut}[i - ${lowerPairs}] = pair; }
}`;

/** Buffers for pairs, each with room for half of them. */
export interface PairHalves {
  readonly lower: GPUBuffer;
  readonly upper: GPUBuffer;
}

/** Pairs of the lower half, of so many. */
export const lowerOf = (maxItems: number): number => Math.ceil(maxItems / 2);

/** What is to be bound for kernels that read or write pairs. */
export const boundPairs = (recorder: Recorder, halves: PairHalves, maxItems: number) =>
  [
    [lowerPairs, recorder.gpu.constants(lowerOf(maxItems))],
    [lower, halves.lower],
    [upper, halves.upper],
    [lowerOut, halves.lower],
    [upperOut, halves.upper],
  ] as const;

const THREADS = 256;
const PER_THREAD = 8;
const keysOut = storage('keys', 'array<u32>', 'read_write');
const valuesOut = storage('values', 'array<u32>', 'read_write');

const takeApart = kernel({
  label: 'sort/takeApart',
  threads: THREADS,
  itemsPerGroup: THREADS * PER_THREAD,
  body: wgsl`
  for (var k = 0u; k < ${PER_THREAD}u; k++) {
    let i = (group * ${PER_THREAD}u + k) * ${THREADS}u + thread;
    if (i < ${extentCount}) {
      let pair = ${pairAt}(i);
      ${keysOut}[i] = pair.x;
      ${valuesOut}[i] = pair.y;
    }
  }`,
});

/** Records that pairs become keys and values. */
export function recordTakeApart(
  recorder: Recorder,
  call: {
    readonly pairs: PairHalves;
    readonly keys: BufferView;
    readonly values: BufferView;
    readonly items: Extent;
  },
): void {
  const { pairs, keys, values, items } = call;
  recorder.run(
    takeApart,
    [...boundPairs(recorder, pairs, items.max), [keysOut, keys], [valuesOut, values], [extentCount, items.count]],
    items,
  );
}
