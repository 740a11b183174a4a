/** Counts that a workgroup gathers before they go to the header: one contended atomic a workgroup instead of one an item. */
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';

/** Statements that count something for a field of the header. All invocations have to reach the barrier before `flush`. */
export interface GroupCounter {
  readonly count: Wgsl;
  /** For the first thread of the workgroup, after a barrier. */
  readonly flush: Wgsl;
}

/** Things that add up in the header's field of that name, such as `copies`. */
export function groupCounter(header: Binding, field: 'copies' | 'failed' | 'restarts' = 'copies'): GroupCounter {
  const counter = wgsl`var<workgroup> groupCounter: atomic<u32>;`;
  return {
    count: wgsl`atomicAdd(&${counter}, 1u);`,
    flush: wgsl`
    let ${field}InGroup = atomicLoad(&${counter});
    if (${field}InGroup > 0u) { atomicAdd(&${header}.${field}, ${field}InGroup); }`,
  };
}

/** The longest insertion, for `header.longest`; `flush` as in `GroupCounter`. */
export function longestCounter(header: Binding): { note(probes: WgslPart): Wgsl; readonly flush: Wgsl } {
  const groupLongest = wgsl`var<workgroup> groupLongest: atomic<u32>;`;
  return {
    note: (probes) => wgsl`atomicMax(&${groupLongest}, ${probes});`,
    /** For the first thread of the workgroup, after a barrier. */
    flush: wgsl`
    let longest = atomicLoad(&${groupLongest});
    // The load spares most workgroups the contended atomic.
    if (longest > atomicLoad(&${header}.longest)) { atomicMax(&${header}.longest, longest); }`,
  };
}
