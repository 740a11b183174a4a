/**
 * One pass of a stable radix sort, least significant digit first: count the digits of every tile of the items, scan the counts of each
 * digit, and put every item where it belongs (`radixScatter.wgsl.ts`). A workgroup counts several tiles, a chunk, one after the other, so that
 * only the counts of chunks have to be scanned.
 */
import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';
import { ceilDiv, withItemsPerGroup } from './grid.wgsl.ts';
import { pairAt } from './radixPairs.wgsl.ts';
import { DIGIT_BITS } from './radixRanks.wgsl.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

export const DIGITS = 2 ** DIGIT_BITS;

const THREADS = DIGITS;
/** Items of the smallest tile: as many as take 16 KB of workgroup memory with a word for every digit. */
export const SMALL_TILE = 15 * THREADS;

/** Chunks that a thread scans, and threads that scan the chunks of a digit: few of them where that is fast enough. */
const SCANNED = 16;
const [FEW_THREADS, MANY_THREADS] = [64, 256];
const MOST_CHUNKS = SCANNED * MANY_THREADS;

/** Tiles of a chunk, where there are so many: one workgroup has to scan all chunks at once. */
export const chunkOf = (tiles: number): number => Math.max(1, 2 ** Math.ceil(Math.log2(tiles / MOST_CHUNKS)));

/** Words for the counts of so many items, whatever the tiles. */
export function countWords(items: number, digits: number): number {
  const tiles = Math.ceil(items / SMALL_TILE);
  return digits * (tiles + Math.min(tiles, MOST_CHUNKS) + 1);
}

/** The digit's lowest bit, and its mask. */
export const digitBits = uniform('digitBits', 'vec2u');
export const keysIn = storage('keysIn', 'array<u32>');
/** Items of a tile, and tiles of a chunk. */
export const tiling = uniform('tiling', 'vec2u');
/**
 * For every tile and digit, how many there are in earlier tiles of its chunk. Then digit by digit, and for each digit chunk by chunk: how many,
 * and when they were scanned, how many in earlier chunks. Then the sum of each digit.
 */
export const digitCounts = storage('digitCounts', 'array<u32>', 'read_write');

export const digitOf = wgsl`
fn digitOf(key: u32) -> u32 {
  return (key >> ${digitBits}.x) & ${digitBits}.y;
}`;

/** How many tiles there are, how many chunks, and digits. */
const Counted = wgsl`struct Counted { tiles: u32, chunks: u32, digits: u32 }`;
const countedOf = wgsl`
fn countedOf() -> ${Counted} {
  let tiles = ${ceilDiv}(${extentCount}, ${tiling}.x);
  return ${Counted}(tiles, ${ceilDiv}(tiles, ${tiling}.y), ${digitBits}.y + 1u);
}`;

/** Statements: what there is. */
export const findCounted = wgsl`let counted = ${countedOf}();`;
/** Where the counts of a tile are, the count of a digit in a chunk, and the sum of a digit. */
export const countsOfTile = (tile: string): string => `${tile} * counted.digits`;
export const countOfChunk = (digit: string, chunk: string): string =>
  `counted.tiles * counted.digits + ${digit} * counted.chunks + ${chunk}`;
export const sumOfDigit = (digit: string): string => `(counted.tiles + counted.chunks) * counted.digits + ${digit}`;

// WGSL fills workgroup memory with zeros when a workgroup starts.
const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${DIGITS}>;`;

const countKernel = (tile: number, keyAt: (i: string) => Wgsl): Kernel => {
  const perThread = tile / THREADS;
  return kernel({
    label: 'sort/count',
    threads: THREADS,
    body: wgsl`
  ${findCounted}
  for (var tile = group * ${tiling}.y; tile < min((group + 1u) * ${tiling}.y, counted.tiles); tile++) {
    let first = tile * ${tile}u + thread;
    let end = min((tile + 1u) * ${tile}u, ${extentCount});
    ${unrolled(perThread, (k) => wgsl`let key${k} = ${keyAt(`min(first + ${k * THREADS}u, end - 1u)`)};`)}
    if (thread < counted.digits) { ${digitCounts}[${countsOfTile('tile')} + thread] = atomicLoad(&${counters}[thread]); }
    workgroupBarrier();
    ${unrolled(
      perThread,
      (k) => wgsl`if (first + ${k * THREADS}u < end) { atomicAdd(&${counters}[${digitOf}(key${k})], 1u); }`,
    )}
    workgroupBarrier();
  }
  if (group < counted.chunks && thread < counted.digits) {
    ${digitCounts}[${countOfChunk('thread', 'group')}] = atomicLoad(&${counters}[thread]);
  }`,
  });
};

/** The kernels that count tiles of so many items, a multiple of the digits. */
export function countDigits(tile: number) {
  const keys = countKernel(tile, (i) => wgsl`${keysIn}[${i}]`);
  const pairs = countKernel(tile, (i) => wgsl`${pairAt}(${i}).x`);
  return (ofPairs: boolean, chunk: number): Kernel => withItemsPerGroup(ofPairs ? pairs : keys, chunk * tile);
}

/** Statements: the chunks of digit `digit` from `first` on are read, and `own` is their sum. */
const readChunks = wgsl`
  let row = ${countOfChunk('digit', '0u')};
  ${unrolled(
    SCANNED,
    (k) => wgsl`
  let count${k} = select(0u, ${digitCounts}[row + min(first + ${k}u, counted.chunks - 1u)], first + ${k}u < counted.chunks);`,
  )}
  let own = ${Array.from({ length: SCANNED }, (_, k) => `count${k}`).join(' + ')};`;

/** Statements: each of them becomes the sum of those before it, beginning with `next`; and the sum of all is kept. */
const writeChunks = (total: string) => wgsl`
  ${unrolled(
    SCANNED,
    (k) => wgsl`
  if (first + ${k}u < counted.chunks) { ${digitCounts}[row + first + ${k}u] = next; }
  next += count${k};`,
  )}
  if (first == 0u) { ${digitCounts}[${sumOfDigit('digit')}] = ${total}; }`;

/** How many of each digit are in earlier chunks, and in all: a thread for each digit, which takes all chunks. */
const scanFew = kernel({
  label: 'sort/scanFew',
  threads: DIGITS,
  body: wgsl`
  ${findCounted}
  let digit = item;
  if (digit >= counted.digits || counted.chunks == 0u) { return; }
  let first = 0u;
  ${readChunks}
  var next = 0u;
  ${writeChunks('own')}`,
});

/** The same by a workgroup for each digit. */
const scanKernel = (threads: number): Kernel => {
  const sums = wgsl`var<workgroup> sums: array<u32, ${threads}>;`;
  return kernel({
    label: 'sort/scan',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  let digit = group;
  ${findCounted}
  if (digit >= counted.digits || counted.chunks == 0u) { return; }
  let first = thread * ${SCANNED}u;
  ${readChunks}
  let scanned = ${workgroupScan(threads, sums)}(own, thread);
  var next = scanned.before;
  ${writeChunks('scanned.total')}`,
  });
};

const [scanMany, scanMost] = [scanKernel(FEW_THREADS), scanKernel(MANY_THREADS)];

/** The kernel that scans at most so many chunks. */
export function scanDigits(chunks: number): Kernel {
  if (chunks <= SCANNED) return scanFew;
  return chunks <= SCANNED * FEW_THREADS ? scanMany : scanMost;
}
