import { wgsl } from '../wgsl/index.ts';

/** Bins that fit into workgroup memory; with fewer bins there is room for several copies of each. */
export const WORKGROUP_BINS = 2048;

const MOST_COPIES = 32;

/** How many copies of a histogram fit. Neighbouring threads use different ones, so equal values collide less. */
export const histogramCopies = (bins: number): number =>
  Math.max(1, Math.min(MOST_COPIES, Math.floor(WORKGROUP_BINS / Math.max(1, bins))));

// WGSL fills workgroup memory with zeros when a workgroup starts.
const counters = wgsl`var<workgroup> counters: array<atomic<u32>, ${WORKGROUP_BINS}>;`;

/** `countOne(bin, copies, thread)`: one more in that bin. */
export const countOne = wgsl`
fn countOne(bin: u32, copies: u32, thread: u32) {
  atomicAdd(&${counters}[bin * copies + thread % copies], 1u);
}`;

/** `countedIn(bin, copies)`: how many there are in that bin; after a barrier. */
export const countedIn = wgsl`
fn countedIn(bin: u32, copies: u32) -> u32 {
  var sum = 0u;
  for (var copy = 0u; copy < copies; copy++) { sum += atomicLoad(&${counters}[bin * copies + copy]); }
  return sum;
}`;
