/**
 * One pass of a stable radix sort, least significant digit first: count the digits of every stretch of the items, scan the counts of each
 * digit, and put every item where it belongs (`radixScatter.wgsl.ts`).
 */
import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, uniform, unrolled, wgsl } from '../wgsl/index.ts';
import { ceilDiv } from './grid.wgsl.ts';
import { DIGIT_BITS } from './radixRanks.wgsl.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

export const DIGITS = 2 ** DIGIT_BITS;

const THREADS = DIGITS;
const PER_THREAD = 15;
/**
 * Items of a workgroup: as many as take 16 KB of workgroup memory with a word for every digit. With twice as many there would be half the
 * counts, but neighbours would be written so long after each other that the cache has to let go of half-written sectors.
 */
export const STRETCH = THREADS * PER_THREAD;

/** The digit's lowest bit, and its mask. */
export const digitBits = uniform('digitBits', 'vec2u');
export const keysIn = storage('keysIn', 'array<u32>');
/** Digit by digit, and for each digit workgroup by workgroup; then the sum of each digit. */
export const digitCounts = storage('digitCounts', 'array<u32>', 'read_write');

export const digitOf = wgsl`
fn digitOf(key: u32) -> u32 {
  return (key >> ${digitBits}.x) & ${digitBits}.y;
}`;

/** How many workgroups have items. */
const columnCount = wgsl`
fn columnCount() -> u32 {
  return ${ceilDiv}(${extentCount}, ${STRETCH}u);
}`;

/** What this workgroup works on. */
export const findStretch = wgsl`
  let start = group * ${STRETCH}u;
  if (start >= ${extentCount}) { return; }
  let end = min(start + ${STRETCH}u, ${extentCount});
  let columns = ${columnCount}();`;

// WGSL fills workgroup memory with zeros when a workgroup starts.
const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${DIGITS}>;`;

export const countDigits = kernel({
  label: 'sort/count',
  threads: THREADS,
  itemsPerGroup: STRETCH,
  body: wgsl`
  ${findStretch}
  let first = start + thread;
  ${unrolled(PER_THREAD, (k) => wgsl`let key${k} = ${keysIn}[min(first + ${k * THREADS}u, end - 1u)];`)}
  ${unrolled(
    PER_THREAD,
    (k) => wgsl`if (first + ${k * THREADS}u < end) { atomicAdd(&${counters}[${digitOf}(key${k})], 1u); }`,
  )}
  workgroupBarrier();
  if (thread <= ${digitBits}.y) { ${digitCounts}[thread * columns + group] = atomicLoad(&${counters}[thread]); }`,
});

/** Columns that a thread takes at a time. */
const COLUMNS = 16;

/** Statements: the columns of digit `digit` from `first` on are read, and `own` is their sum. */
const readColumns = wgsl`
    let row = digit * columns;
    ${unrolled(
      COLUMNS,
      (k) => wgsl`
    let count${k} = select(0u, ${digitCounts}[row + min(first + ${k}u, columns - 1u)], first + ${k}u < columns);`,
    )}
    let own = ${Array.from({ length: COLUMNS }, (_, k) => `count${k}`).join(' + ')};`;

/** Statements: each of them becomes the sum of those before it, beginning with `next`. */
const writeColumns = unrolled(
  COLUMNS,
  (k) => wgsl`
    if (first + ${k}u < columns) { ${digitCounts}[row + first + ${k}u] = next; }
    next += count${k};`,
);

const writeTotal = (total: string) => wgsl`${digitCounts}[(${digitBits}.y + 1u) * columns + digit] = ${total};`;

/** How many of each digit are in earlier columns, and in all: a thread for each digit, which takes all columns. */
const scanFew = kernel({
  label: 'sort/scanFew',
  threads: DIGITS,
  body: wgsl`
  let columns = ${columnCount}();
  let digit = item;
  if (digit > ${digitBits}.y || columns == 0u) { return; }
  let first = 0u;
  ${readColumns}
  var next = 0u;
  ${writeColumns}
  ${writeTotal('own')}`,
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
  if (digit > ${digitBits}.y) { return; }
  let columns = ${columnCount}();
  var before = 0u;
  for (var base = 0u; base < columns; base += ${threads * COLUMNS}u) {
    let first = base + thread * ${COLUMNS}u;
    ${readColumns}
    let scanned = ${workgroupScan(threads, sums)}(own, thread);
    var next = before + scanned.before;
    ${writeColumns}
    before += scanned.total;
    workgroupBarrier();
  }
  if (thread == 0u) { ${writeTotal('before')} }`,
  });
};

const [scanMany, scanMost] = [scanKernel(64), scanKernel(256)];
/** Columns that few threads scan fast enough. */
const MANY = 4096;

/** The kernel that scans at most so many columns. */
export function scanDigits(columns: number): Kernel {
  if (columns <= COLUMNS) return scanFew;
  return columns <= MANY ? scanMany : scanMost;
}
