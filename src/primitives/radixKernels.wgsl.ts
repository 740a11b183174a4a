import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';
import { ceilDiv } from './grid.wgsl.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

/**
 * The two kernels of one pass of a stable radix sort, least significant digit first: count the digits of every tile,
 * and, once those counts are scanned, put every item where it belongs. A tile is put in order in workgroup memory first,
 * so that items with the same digit leave as runs of neighbouring words.
 */
export const DIGIT_BITS = 8;
const DIGITS = 2 ** DIGIT_BITS;

const THREADS = 128;
const ROUNDS = 30;
/** Items of a tile: with one word for every digit they take 16 KB of workgroup memory. */
export const SORT_TILE = THREADS * ROUNDS;

/** The digit's lowest bit, and its mask. */
export const digitBits = uniform('digitBits', 'vec2u');
export const keysIn = storage('keysIn', 'array<u32>');
export const keysOut = storage('keysOut', 'array<u32>', 'read_write');
export const valuesIn = storage('valuesIn', 'array<u32>');
export const valuesOut = storage('valuesOut', 'array<u32>', 'read_write');
/** Digit by digit, and for each digit tile by tile, so that a scan turns counts into positions. */
export const digitCounts = storage('digitCounts', 'array<u32>', 'read_write');
export const digitStarts = storage('digitStarts', 'array<u32>');

const digitOf = wgsl`
fn digitOf(key: u32) -> u32 {
  return (key >> ${digitBits}.x) & ${digitBits}.y;
}`;

const COUNT_THREADS = 256;
const KEYS_PER_THREAD = SORT_TILE / COUNT_THREADS;
// WGSL fills workgroup memory with zeros when a workgroup starts.
const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${DIGITS}>;`;

/** One tile a workgroup: more, so that their counts leave together, and copies of the counters were tried and lost. */
export const countDigits = kernel({
  label: 'sort/count',
  threads: COUNT_THREADS,
  itemsPerGroup: SORT_TILE,
  body: wgsl`
  let start = group * ${SORT_TILE}u;
  if (start >= ${extentCount}) { return; }
  let first = start + thread;
  let last = ${extentCount} - 1u;
  ${unrolled(KEYS_PER_THREAD, (k) => wgsl`let key${k} = ${keysIn}[min(first + ${k * COUNT_THREADS}u, last)];`)}
  ${unrolled(
    KEYS_PER_THREAD,
    (k) => wgsl`if (first + ${k * COUNT_THREADS}u <= last) { atomicAdd(&${counters}[${digitOf}(key${k})], 1u); }`,
  )}
  workgroupBarrier();
  let tiles = ${ceilDiv}(${extentCount}, ${SORT_TILE}u);
  if (thread <= ${digitBits}.y) { ${digitCounts}[thread * tiles + group] = atomicLoad(&${counters}[thread]); }`,
});

/**
 * Positions inside a tile. A row of 16 threads has a stretch of the tile, and takes 16 items of it a round, one a lane. It
 * has one counter for each digit. The upper half counts the items of that digit in earlier rounds; the lower half has one
 * bit for every lane whose item has that digit now. So the position of an item among the equal digits of its row is the
 * upper half plus the number of bits of lower lanes. One addition takes the bits away and adds their number to the upper
 * half; it needs no barrier before the additions of the next round.
 */
const LANES = 16;
const ROWS = THREADS / LANES;
/** Not a multiple of 32, so that rows with the same digit hit different banks. */
const ROW_STRIDE = DIGITS + 1;

/** First the counters, then the tile's keys in order, then its values. */
const memory = wgsl`var<workgroup> memory: array<atomic<u32>, ${SORT_TILE}>;`;
/** What turns a position in the tile into one in the output, for every digit. */
const digitBase = wgsl`var<workgroup> digitBase: array<u32, ${DIGITS}>;`;
const scanThreads = workgroupScan(THREADS, digitBase);

/** Turns the rows' counters into positions in the tile; returns where the thread's two digits start. */
const placeRows = wgsl`
fn placeRows(thread: u32) -> vec2u {
  var found = vec2u();
  for (var row = 0u; row < ${ROWS}u; row++) {
    let counter = row * ${ROW_STRIDE}u + 2u * thread;
    found += vec2u(atomicLoad(&${memory}[counter]), atomicLoad(&${memory}[counter + 1u])) >> vec2u(16u);
  }
  let first = ${scanThreads}(found.x + found.y, thread).before;
  let starts = vec2u(first, first + found.x);
  var next = starts;
  for (var row = 0u; row < ${ROWS}u; row++) {
    let counter = row * ${ROW_STRIDE}u + 2u * thread;
    let here = vec2u(atomicLoad(&${memory}[counter]), atomicLoad(&${memory}[counter + 1u])) >> vec2u(16u);
    atomicStore(&${memory}[counter], next.x);
    atomicStore(&${memory}[counter + 1u], next.y);
    next += here;
  }
  return starts;
}`;

const each = (lines: (round: number) => Wgsl): Wgsl => unrolled(ROUNDS, lines);
const counterOf = (round: number) => wgsl`row * ${ROW_STRIDE}u + ${digitOf}(keys[${round}])`;

// Behind the end of the input stand keys of ones only: they end up behind all others, and are never written.
const loadKeys = each(
  (r) => wgsl`keys[${r}] = 0xffffffffu;
  if (first + ${r * LANES}u < ${extentCount}) { keys[${r}] = ${keysIn}[first + ${r * LANES}u]; }`,
);

const findPositions = each(
  (r) => wgsl`{
    let counter = ${counterOf(r)};
    atomicAdd(&${memory}[counter], 1u << lane);
    workgroupBarrier();
    let seen = atomicLoad(&${memory}[counter]);
    let equals = seen & 0xffffu;
    positions[${r}] = (seen >> 16u) + countOneBits(equals & lowerLanes);
    workgroupBarrier();
    if ((equals >> lane) == 1u) { atomicAdd(&${memory}[counter], (countOneBits(equals) << 16u) - equals); }
  }`,
);

// From here on a thread deals with other items than before, and `keys` holds where they go.
const writeKeys = each(
  (r) => wgsl`{
    let at = ${r * THREADS}u + thread;
    let key = atomicLoad(&${memory}[at]);
    keys[${r}] = ${digitBase}[${digitOf}(key)] + at;
    if (at < size) { ${keysOut}[keys[${r}]] = key; }
  }`,
);

const moveValues = wgsl`
  workgroupBarrier();
  ${each(
    (r) => wgsl`if (first + ${r * LANES}u < ${extentCount}) {
    atomicStore(&${memory}[positions[${r}]], ${valuesIn}[first + ${r * LANES}u]);
  }`,
  )}
  workgroupBarrier();
  ${each(
    (r) => wgsl`if (${r * THREADS}u + thread < size) {
    ${valuesOut}[keys[${r}]] = atomicLoad(&${memory}[${r * THREADS}u + thread]);
  }`,
  )}`;

/** Moves the keys, with or without their values. */
export const scatter = (withValues: boolean): Kernel =>
  kernel({
    label: withValues ? 'sort/scatterPairs' : 'sort/scatterKeys',
    threads: THREADS,
    itemsPerGroup: SORT_TILE,
    body: wgsl`
  let start = group * ${SORT_TILE}u;
  if (start >= ${extentCount}) { return; }
  let size = min(${SORT_TILE}u, ${extentCount} - start);
  let row = thread / ${LANES}u;
  let lane = thread % ${LANES}u;
  let lowerLanes = (1u << lane) - 1u;
  let first = start + row * ${LANES * ROUNDS}u + lane;
  var keys: array<u32, ${ROUNDS}>;
  var positions: array<u32, ${ROUNDS}>;
  ${loadKeys}
  // Read long before they are needed, so that nobody waits for them.
  let digits = min(2u * thread + vec2u(0u, 1u), vec2u(${digitBits}.y));
  let column = digits * ${ceilDiv}(${extentCount}, ${SORT_TILE}u) + group;
  let outputStarts = vec2u(${digitStarts}[column.x], ${digitStarts}[column.y]);
  ${findPositions}
  workgroupBarrier();
  let tileStarts = ${placeRows}(thread);
  workgroupBarrier();
  ${digitBase}[2u * thread] = outputStarts.x - tileStarts.x;
  ${digitBase}[2u * thread + 1u] = outputStarts.y - tileStarts.y;
  ${each((r) => wgsl`positions[${r}] += atomicLoad(&${memory}[${counterOf(r)}]);`)}
  workgroupBarrier();
  ${each((r) => wgsl`atomicStore(&${memory}[positions[${r}]], keys[${r}]);`)}
  workgroupBarrier();
  ${writeKeys}
  ${withValues ? moveValues : ''}`,
  });
