import { unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';

const ROW = 16;

const Scanned = wgsl`
struct Scanned {
  before: u32,
  total: u32,
}`;

/**
 * The function `workgroupScan(value, thread)`: the sum of the values of all lower threads, and of all threads. `memory` is
 * an `array<u32>` in workgroup memory with one word a thread. Whoever uses that memory before or after has a barrier in
 * between.
 *
 * Rows of 16 are summed by every thread for itself, then the rows: two barriers, where a tree would need sixteen.
 */
export function workgroupScan(threads: number, memory: Wgsl): Wgsl {
  return wgsl`
fn workgroupScan(value: u32, thread: u32) -> ${Scanned} {
  let lane = thread % ${ROW}u;
  let rowStart = thread - lane;
  ${memory}[thread] = value;
  workgroupBarrier();
  var before = 0u;
  ${unrolled(ROW - 1, (i) => wgsl`before += select(0u, ${memory}[rowStart + ${i}u], lane > ${i}u);`)}
  // Nobody adds up the last value of a row, so its word is free for the sum of the row.
  if (lane == ${ROW - 1}u) { ${memory}[thread] = before + value; }
  workgroupBarrier();
  var total = 0u;
  ${unrolled(Math.ceil(threads / ROW), (row) => {
    const last = Math.min(row * ROW + ROW, threads) - 1;
    return wgsl`{ let sum = ${memory}[${last}]; total += sum; before += select(0u, sum, rowStart > ${last}u); }`;
  })}
  return ${Scanned}(before, total);
}`;
}
