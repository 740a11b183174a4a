import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import { ceilDiv } from './grid.ts';
import { countedIn, countOne, histogramCopies } from './workgroupHistogram.ts';
import { workgroupScan } from './workgroupScan.ts';

/**
 * The two kernels of one pass of a stable radix sort (least significant digit first): count the digits of every tile,
 * and, once those counts are scanned, put every item where it belongs. Tiles are reordered in workgroup memory first, so
 * that equal digits leave as runs of neighbouring words.
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
/** Digit by digit, and for each digit tile by tile: so a scan turns them into places. */
export const digitCounts = storage('digitCounts', 'array<u32>', 'read_write');
export const digitStarts = storage('digitStarts', 'array<u32>');

const digitOf = wgsl`
fn digitOf(key: u32) -> u32 {
  return (key >> ${digitBits}.x) & ${digitBits}.y;
}`;

const COUNT_THREADS = 256;

export const countDigits = kernel({
  label: 'sort/count',
  threads: COUNT_THREADS,
  itemsPerGroup: SORT_TILE,
  body: wgsl`
  let start = group * ${SORT_TILE}u;
  let end = min(start + ${SORT_TILE}u, ${extentCount});
  if (start >= end) { return; }
  for (var i = start + thread; i < end; i += ${COUNT_THREADS}u) {
    ${countOne}(${digitOf}(${keysIn}[i]), ${histogramCopies(DIGITS)}u, thread);
  }
  workgroupBarrier();
  let tiles = ${ceilDiv}(${extentCount}, ${SORT_TILE}u);
  if (thread <= ${digitBits}.y) {
    ${digitCounts}[thread * tiles + group] = ${countedIn}(thread, ${histogramCopies(DIGITS)}u);
  }`,
});

/**
 * Ranks inside a tile. Rows of 16 threads own consecutive stretches of the tile and take 16 items a round. A row has one
 * counter a digit: in its upper half how many items of that digit the row had in earlier rounds, in its lower half one
 * bit for every lane that has that digit now. So an item's rank among the row's equals is the upper half and the bits of
 * lower lanes; and since one addition moves the bits to the upper half, it may overlap with the next round's additions.
 */
const LANES = 16;
const ROWS = THREADS / LANES;
/** Not a multiple of 32, so that rows with the same digit hit different banks. */
const ROW_STRIDE = DIGITS + 1;

const memory = wgsl`var<workgroup> memory: array<atomic<u32>, ${SORT_TILE}>;`;
const digitBase = wgsl`var<workgroup> digitBase: array<u32, ${DIGITS}>;`;
const scanThreads = workgroupScan(THREADS, digitBase);

/** Turns the rows' counters into places inside the tile; returns those of the thread's two digits. */
const placeRows = wgsl`
fn placeRows(thread: u32) -> vec2u {
  var found = vec2u();
  for (var row = 0u; row < ${ROWS}u; row++) {
    let counter = row * ${ROW_STRIDE}u + 2u * thread;
    found += vec2u(atomicLoad(&${memory}[counter]), atomicLoad(&${memory}[counter + 1u])) >> vec2u(16u);
  }
  let first = ${scanThreads}(found.x + found.y, thread).before;
  let places = vec2u(first, first + found.x);
  var next = places;
  for (var row = 0u; row < ${ROWS}u; row++) {
    let counter = row * ${ROW_STRIDE}u + 2u * thread;
    let here = vec2u(atomicLoad(&${memory}[counter]), atomicLoad(&${memory}[counter + 1u])) >> vec2u(16u);
    atomicStore(&${memory}[counter], next.x);
    atomicStore(&${memory}[counter + 1u], next.y);
    next += here;
  }
  return places;
}`;

/** Moves the keys, with or without their values. */
export function scatter(withValues: boolean): Kernel {
  const moveValues = wgsl`
  workgroupBarrier();
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    if (first + r * ${LANES}u < ${extentCount}) { atomicStore(&${memory}[place[r]], ${valuesIn}[first + r * ${LANES}u]); }
  }
  workgroupBarrier();
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    let at = r * ${THREADS}u + thread;
    if (at < size) { ${valuesOut}[keys[r]] = atomicLoad(&${memory}[at]); }
  }`;
  return kernel({
    label: withValues ? 'sort/scatterPairs' : 'sort/scatterKeys',
    threads: THREADS,
    itemsPerGroup: SORT_TILE,
    body: wgsl`
  let start = group * ${SORT_TILE}u;
  if (start >= ${extentCount}) { return; }
  let size = min(${SORT_TILE}u, ${extentCount} - start);
  let row = thread / ${LANES}u;
  let lane = thread % ${LANES}u;
  let first = start + row * ${LANES * ROUNDS}u + lane;
  var keys: array<u32, ${ROUNDS}>;
  var place: array<u32, ${ROUNDS}>;
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    if (first + r * ${LANES}u < ${extentCount}) { keys[r] = ${keysIn}[first + r * ${LANES}u]; }
  }
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    let here = first + r * ${LANES}u < ${extentCount};
    let counter = row * ${ROW_STRIDE}u + ${digitOf}(keys[r]);
    if (here) { atomicAdd(&${memory}[counter], 1u << lane); }
    workgroupBarrier();
    let seen = atomicLoad(&${memory}[counter]);
    let equals = seen & 0xffffu;
    place[r] = (seen >> 16u) + countOneBits(equals & ((1u << lane) - 1u));
    workgroupBarrier();
    if (here && (equals >> lane) == 1u) { atomicAdd(&${memory}[counter], (countOneBits(equals) << 16u) - equals); }
  }
  workgroupBarrier();
  let places = ${placeRows}(thread);
  workgroupBarrier();
  let tiles = ${ceilDiv}(${extentCount}, ${SORT_TILE}u);
  for (var k = 0u; k < 2u; k++) {
    let digit = 2u * thread + k;
    if (digit <= ${digitBits}.y) { ${digitBase}[digit] = ${digitStarts}[digit * tiles + group] - places[k]; }
  }
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    place[r] += atomicLoad(&${memory}[row * ${ROW_STRIDE}u + ${digitOf}(keys[r])]);
  }
  workgroupBarrier();
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    if (first + r * ${LANES}u < ${extentCount}) { atomicStore(&${memory}[place[r]], keys[r]); }
  }
  workgroupBarrier();
  // From here on a thread deals with other items than before, and their places take the room of the keys.
  for (var r = 0u; r < ${ROUNDS}u; r++) {
    let at = r * ${THREADS}u + thread;
    let key = atomicLoad(&${memory}[at]);
    keys[r] = ${digitBase}[${digitOf}(key)] + at;
    if (at < size) { ${keysOut}[keys[r]] = key; }
  }
  ${withValues ? moveValues : ''}`,
  });
}
