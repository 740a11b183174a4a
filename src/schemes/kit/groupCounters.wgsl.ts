/** Counts that a workgroup gathers before they go to the header: one contended atomic a workgroup instead of one an item. */
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';

/** Copies of keys, for `header.copies`. */
export function copyCounter(): { readonly count: Wgsl; readonly flush: Wgsl } {
  const groupCopies = wgsl`var<workgroup> groupCopies: atomic<u32>;`;
  return {
    count: wgsl`atomicAdd(&${groupCopies}, 1u);`,
    /** For the first thread of the workgroup, after a barrier. */
    flush: wgsl`
    let copies = atomicLoad(&${groupCopies});
    if (copies > 0u) { atomicAdd(&${buildHeader}.copies, copies); }`,
  };
}

/** The longest insertion, for `header.longest`. */
export function longestCounter(): { note(probes: WgslPart): Wgsl; readonly flush: Wgsl } {
  const groupLongest = wgsl`var<workgroup> groupLongest: atomic<u32>;`;
  return {
    note: (probes) => wgsl`atomicMax(&${groupLongest}, ${probes});`,
    /** For the first thread of the workgroup, after a barrier. */
    flush: wgsl`
    let longest = atomicLoad(&${groupLongest});
    // The load spares most workgroups the contended atomic.
    if (longest > atomicLoad(&${buildHeader}.longest)) { atomicMax(&${buildHeader}.longest, longest); }`,
  };
}
